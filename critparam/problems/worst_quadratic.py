"""For each accuracy, the quadratic that takes SGD longest: the convex rate's lower bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from critparam.arguments import require_positive
from critparam.errors import ArgumentError
from critparam.problems.diagonal_quadratic import DiagonalQuadratic
from critparam.types import Point

STIFF_SHARE = 1e-3
"""Share of R0^2 that lies along the direction of curvature L, whose noise is what is felt."""


@dataclass(frozen=True)
class WorstQuadratic(DiagonalQuadratic):
    """f(x) = 1/2 (mu x_1^2 + L x_2^2) whose weak curvature mu is the worst for an accuracy eps.

    From distance R0 along x_1, gradient descent at rate gamma needs log(mu R0^2/(2 eps))/(2 gamma
    mu) steps to f - f* <= eps, most where mu = 2 e eps/R0^2: there R0^2/(4 e gamma eps), which
    grows like 1/eps. The direction of curvature L bounds the rate gamma.

    Attributes:
        eps: accuracy in f - f* for which mu is the worst; mu must not exceed L.
        L: largest curvature.
        R0: distance of the start from the minimiser.
    """

    eps: float
    L: float = 1.0
    R0: float = 1.0

    def __post_init__(self) -> None:
        require_positive(eps=self.eps, L=self.L, R0=self.R0)
        if self.curvatures[0] > self.L:
            largest = self.L * self.R0**2 / (2 * np.e)
            raise ArgumentError("eps", f"must be at most L R0^2/(2e) = {largest:.3g}", self.eps)

    @cached_property
    def curvatures(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The worst curvature and the largest, float64 [2]."""
        return np.array([2 * np.e * self.eps / self.R0**2, self.L])

    @cached_property
    def initial(self) -> Point:  # pyright: ignore[reportIncompatibleMethodOverride]
        """x_0, float64 [2]."""
        return self.R0 * np.sqrt([1 - STIFF_SHARE, STIFF_SHARE])

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Two accuracies, in other units."""
        return [cls(eps=0.01), cls(eps=1.0, L=4.0, R0=3.0)]
