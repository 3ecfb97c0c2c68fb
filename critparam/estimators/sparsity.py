"""How sparse gradients are: Delta, the largest probability with which one touches a coordinate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy import stats

from critparam.errors import ArgumentError
from critparam.estimators.base import MISS_RATE, Estimate, Estimator, require_path
from critparam.estimators.observation import Observation, Touches, observe_gradients


@dataclass(frozen=True)
class Sparsity(Estimator):
    """Delta, the largest probability over coordinates and points that g_j is not 0.

    1 + E||xi||^2/||grad f||^2 >= 1/Delta at every point, see
    `critparam.theory.critical_parallelism_of_sparsity`. Of sampled gradients the largest
    frequency is reported, which is biased upwards where many coordinates are touched about
    equally often; limits are Clopper and Pearson's (1934), at all coordinates and points at once
    (Bonferroni).
    """

    quantities: ClassVar[tuple[str, ...]] = ("delta",)

    def estimate(self, evidence: Sequence[Observation]) -> dict[str, Estimate]:
        """Delta, from at least one point."""
        require_path(evidence)
        touches = [observation.touches for observation in evidence]
        known = [each for each in touches if each is not None]
        if len(known) < len(touches):
            raise ArgumentError("evidence", "has points whose gradients were not looked at", None)
        tests = sum(len(each.counts) for each in known)
        value, error = max(_largest(each) for each in known)
        low, high = np.max([_limits(each, MISS_RATE / tests) for each in known], axis=0)
        return {"delta": Estimate(value, error, float(low), float(high))}

    @classmethod
    def examples(cls) -> Sequence[tuple[Self, Sequence[Observation]]]:
        """Sampled, and all there are."""
        gradients = np.random.default_rng(0).normal(size=(32, 6))
        sampled = observe_gradients(np.where(np.abs(gradients) > 1, gradients, 0.0))
        exact = sampled._replace(touches=Touches(np.array([3, 8, 0]), 20, is_exact=True))
        return [(cls(), [sampled]), (cls(), [exact, exact])]


def _largest(touches: Touches) -> tuple[float, float]:
    """The largest frequency and its standard error."""
    frequency = float(np.max(touches.counts)) / touches.gradients
    variance = 0.0 if touches.is_exact else frequency * (1 - frequency) / touches.gradients
    return frequency, float(np.sqrt(variance))


def _limits(touches: Touches, miss_rate: float) -> tuple[float, float]:
    """Limits of the largest probability, given those of each coordinate."""
    most, m = float(np.max(touches.counts)), touches.gradients
    if touches.is_exact:
        return most / m, most / m
    low = stats.beta.ppf(miss_rate / 2, most, m - most + 1) if most > 0 else 0.0
    high = stats.beta.ppf(1 - miss_rate / 2, most + 1, m - most) if most < m else 1.0
    return float(low), float(high)
