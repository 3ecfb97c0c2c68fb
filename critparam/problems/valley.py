"""For each accuracy, a valley that takes SGD long to walk: the non-convex rate's lower bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, cast

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from critparam.arguments import require_at_least, require_positive
from critparam.problems.base import Problem
from critparam.types import Constants, Point, Scalar

SLOPE_FACTOR = 2.0
"""The valley's squared slope over eps: too steep by this much for the target to be met in it."""

STIFF_SHARE = 1e-3
"""Share of F0 that lies across the valley at the start."""


@dataclass(frozen=True)
class Valley(Problem):
    """f(x) = huber(x_1) + L/2 sum_{j>1} x_j^2: a slope that ends smoothly at the minimum.

    huber is L/2 x^2 near 0 and linear beyond, of slope s = sqrt(2 eps). The target
    ||grad f||^2 <= eps is met only at the end of the slope, F0/s from the start, so that steps of
    rate gamma <= 2/L take about F0/(2 gamma eps) of them: like 1/eps. Across the slope lie
    directions of curvature L, many, so that noise cannot meet the target there by luck.

    Attributes:
        eps: accuracy in ||grad f||^2 for which the valley is made.
        dim: number of coordinates, one along the valley and the others across.
        L: curvature across the valley, and at its end.
        F0: height of the start.
    """

    traced: ClassVar[tuple[str, ...]] = ("slope", "stiffness", "initial")

    eps: float
    dim: int = 17
    L: float = 1.0
    F0: float = 1.0

    def __post_init__(self) -> None:
        require_positive(eps=self.eps, L=self.L, F0=self.F0)
        require_at_least(2, dim=self.dim)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The three that every synthetic problem has."""
        return ("gradient_norm", "suboptimality", "loss")

    @cached_property
    def slope(self) -> Scalar:
        """Of the valley."""
        return cast(Array, np.sqrt(SLOPE_FACTOR * self.eps))

    @cached_property
    def stiffness(self) -> Scalar:
        """L, as jitted code sees it."""
        return cast(Array, np.float64(self.L))

    @cached_property
    def initial(self) -> Point:  # pyright: ignore[reportIncompatibleMethodOverride]
        """x_0, float64 [dim]: on the slope, with a small share of its height across."""
        slope, height = float(self.slope), (1 - STIFF_SHARE) * self.F0
        is_on_slope = height >= slope**2 / (2 * self.L)
        along = height / slope + slope / (2 * self.L)
        if not is_on_slope:
            along = np.sqrt(2 * height / self.L)
        across = np.sqrt(2 * STIFF_SHARE * self.F0 / (self.L * (self.dim - 1)))
        return np.array([along, *np.full(self.dim - 1, across)])

    def value(self, x: Point) -> Scalar:
        """f(x)."""
        L, s = self.stiffness, self.slope
        distance = jnp.abs(x[0])
        near, far = L / 2 * distance**2, s * distance - s * s / (2 * L)
        return jnp.where(distance <= s / L, near, far) + L / 2 * jnp.sum(x[1:] ** 2)

    def suboptimality(self, x: Point) -> Scalar:
        """f(x), since f* = 0."""
        return self.value(x)

    def gradient(self, x: Point) -> Point:
        """L x, its first coordinate clipped to the slope."""
        scaled = self.stiffness * x
        along = jnp.clip(scaled[:1], -self.slope, self.slope)
        return jnp.concatenate([along, scaled[1:]])

    @property
    def constants(self) -> Constants:
        """L, and f* = 0; a slope has no strong convexity."""
        return Constants(L=self.L, mu=None, f_star=0.0)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """A long valley, and one whose start lies at its end, in other units."""
        return [cls(eps=0.01), cls(eps=4.0, dim=3, L=2.0, F0=0.5)]
