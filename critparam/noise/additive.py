"""Gaussian noise that does not depend on the point."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.errors import ArgumentError
from critparam.noise.base import Noise, SecondMoment
from critparam.problems.base import Problem
from critparam.types import NoiseConstants, Point, Scalar


@dataclass(frozen=True)
class Additive(Noise):
    """xi ~ N(0, C): M = 0, and sigma2 is the trace of C.

    Attributes:
        sigma2: the scale of C.
        covariance: identity (C = sigma2/d I, sigma2 in total), or curvature (variance sigma2 h_i
            along eigen-direction i of a quadratic, the noisy-quadratic model of Zhang et al.,
            NeurIPS 2019; sigma2 sum_i h_i in total).
    """

    traced: ClassVar[tuple[str, ...]] = ("sigma2",)
    static: ClassVar[tuple[str, ...]] = ("covariance",)

    sigma2: float = 0.0
    covariance: Literal["identity", "curvature"] = "identity"

    def __post_init__(self) -> None:
        require_at_least(0, sigma2=self.sigma2)
        choices = ("identity", "curvature")
        if self.covariance not in choices:
            reason = f"must be one of {', '.join(choices)}"
            raise ArgumentError("covariance", reason, self.covariance, accepted=choices)

    def check(self, problem: Problem, batch_size: int = 1) -> None:
        """Curvature noise needs a problem whose eigen-directions are the coordinates."""
        if self.covariance == "curvature" and problem.curvatures is None:
            raise ArgumentError("covariance", "curvature needs a quadratic", self.covariance)

    def _variances(self, problem: Problem) -> Point:
        initial = jnp.asarray(problem.initial)
        if self.covariance == "curvature":
            return self.sigma2 * jnp.asarray(problem.curvatures)
        return jnp.full_like(initial, 1 / initial.shape[0]) * self.sigma2

    def gradient(
        self, problem: Problem, x: Point, sample: Point, batch_size: int | Float[Array, ""]
    ) -> Point:
        """Grad f(x) + sqrt(C/b) z."""
        return problem.gradient(x) + jnp.sqrt(self._variances(problem) / batch_size) * sample

    def trace(self, problem: Problem, x: Point) -> Scalar:
        """The trace of C."""
        return jnp.sum(self._variances(problem))

    def constants(self, problem: Problem) -> NoiseConstants:
        """M = 0 and the trace of C."""
        if self.covariance == "identity":
            return NoiseConstants(0.0, self.sigma2)
        assert problem.curvatures is not None
        return NoiseConstants(0.0, self.sigma2 * float(np.sum(problem.curvatures)))

    def second_moment(self, curvatures: np.ndarray) -> SecondMoment:
        """The diagonal of C."""
        spread = curvatures if self.covariance == "curvature" else 1 / len(curvatures)
        return SecondMoment(
            np.zeros_like(curvatures), self.sigma2 * spread * np.ones_like(curvatures)
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Both covariances."""
        return [cls(sigma2=0.1), cls(sigma2=0.1, covariance="curvature")]
