"""Gaussian noise of equal variance in every direction: the (M, sigma2) model with equality."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.noise.base import Noise, SecondMoment
from critparam.problems.base import Problem
from critparam.types import NoiseConstants, Point, Scalar


@dataclass(frozen=True)
class Isotropic(Noise):
    """xi ~ N(0, (M ||grad f||^2 + sigma2)/d I), so that E||xi||^2 = M ||grad f||^2 + sigma2.

    Attributes:
        M: multiplicative noise, dimensionless.
        sigma2: additive noise, the total over coordinates.
    """

    traced: ClassVar[tuple[str, ...]] = ("M", "sigma2")

    M: float = 0.0
    sigma2: float = 0.0

    def __post_init__(self) -> None:
        require_at_least(0, M=self.M, sigma2=self.sigma2)

    def gradient(
        self, problem: Problem, x: Point, sample: Point, batch_size: int | Float[Array, ""]
    ) -> Point:
        """Grad f(x) + sqrt((M ||grad f||^2 + sigma2)/(b d)) z."""
        gradient = problem.gradient(x)
        variance = self._trace(gradient) / (batch_size * gradient.shape[0])
        return gradient + jnp.sqrt(variance) * sample

    def trace(self, problem: Problem, x: Point) -> Scalar:
        """M ||grad f(x)||^2 + sigma2."""
        return self._trace(problem.gradient(x))

    def _trace(self, gradient: Point) -> Scalar:
        return self.M * jnp.sum(gradient * gradient) + self.sigma2

    def constants(self, problem: Problem) -> NoiseConstants:
        """M and sigma2 as given."""
        return NoiseConstants(self.M, self.sigma2)

    def second_moment(self, curvatures: np.ndarray) -> SecondMoment:
        """M/d and sigma2/d in every direction."""
        share = np.full_like(curvatures, 1 / len(curvatures))
        return SecondMoment(self.M * share, self.sigma2 * share)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Multiplicative, additive, both."""
        return [cls(M=10.0), cls(sigma2=0.1), cls(M=5.0, sigma2=0.01)]
