"""What diagonal quadratics have in common."""

from abc import abstractmethod
from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from critparam.problems.base import Problem
from critparam.types import Constants, Point, Scalar


class DiagonalQuadratic(Problem):
    """f(x) = 1/2 sum_i h_i x_i^2; members know the curvatures h and the start."""

    traced: ClassVar[tuple[str, ...]] = ("curvatures", "initial")

    @property
    @abstractmethod
    def curvatures(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The spectrum h, float64 [d]."""

    def value(self, x: Point) -> Scalar:
        """f(x)."""
        return 0.5 * jnp.sum(self.curvatures * x * x)

    def suboptimality(self, x: Point) -> Scalar:
        """f(x), since f* = 0."""
        return self.value(x)

    def gradient(self, x: Point) -> Point:
        """The coordinates h_i x_i."""
        return self.curvatures * x

    @property
    def constants(self) -> Constants:
        """L = max h, mu = min h, f* = 0."""
        return Constants(L=float(max(self.curvatures)), mu=float(min(self.curvatures)), f_star=0.0)
