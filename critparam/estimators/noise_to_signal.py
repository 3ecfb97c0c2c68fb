"""The noise-to-signal ratio: what B is at the accuracy reached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from critparam.errors import ArgumentError
from critparam.estimators.base import MISS_RATE, Estimate, Estimator, require_path
from critparam.estimators.moments import Moments, part_limits, ratio_limits
from critparam.estimators.observation import Observation, observe_gradients

AVERAGES: dict[str, Callable] = {"mean": np.mean, "median": np.median}


@dataclass(frozen=True)
class NoiseToSignal(Estimator):
    """E||xi||^2, ||grad f||^2 and their ratio, averaged over the points.

    The ratio is the simple gradient noise scale; its curvature-weighted form is
    tr(H Sigma)/(grad^T H grad) (McCandlish et al., arXiv 1812.06162). Limits of an average are
    averages of limits that hold at all points at once (Bonferroni), Fieller's for ratios.

    Attributes:
        curvature_weighted: which of the two; needs observations made with curvature.
        average: along the path, mean or median.
    """

    quantities: ClassVar[tuple[str, ...]] = ("noise", "signal", "noise_to_signal")

    curvature_weighted: bool = False
    average: Literal["mean", "median"] = "mean"

    def __post_init__(self) -> None:
        if self.average not in AVERAGES:
            names = tuple(AVERAGES)
            raise ArgumentError("average", "must be mean or median", self.average, accepted=names)

    def estimate(self, evidence: Sequence[Observation]) -> dict[str, Estimate]:
        """The averages, over at least one point."""
        require_path(evidence)
        points = [self._moments(observation) for observation in evidence]
        each = MISS_RATE / len(points)
        positive = not self.curvature_weighted
        ratios = [ratio_limits(point, each, nonnegative=positive) for point in points]
        estimates = {
            "noise_to_signal": self._average(
                [point.ratio for point in points], [point.ratio_error for point in points], ratios
            )
        }
        for part in ("noise", "signal"):
            estimates[part] = self._average(
                [getattr(point, part) for point in points],
                [np.sqrt(getattr(point, f"{part}_variance")) for point in points],
                [part_limits(point, part, each, nonnegative=positive) for point in points],
            )
        return {name: estimates[name] for name in self.quantities}

    def _average(
        self, values: Sequence[float], errors: Sequence[float], limits: Sequence[tuple]
    ) -> Estimate:
        average = AVERAGES[self.average]
        low, high = (average(side) for side in np.transpose(limits))
        count = len(values)
        shares = np.full(count, 1 / count)
        if self.average == "median":  # moves with the middle values alone
            middle = np.argsort(values)[(count - 1) // 2 : count // 2 + 1]
            shares = np.where(np.isin(np.arange(count), middle), 1 / len(middle), 0.0)
        error = float(np.sqrt(np.sum((shares * errors) ** 2)))
        return Estimate.within(average(values), error, (low, high))

    def _moments(self, observation: Observation) -> Moments:
        if not self.curvature_weighted:
            return observation.plain
        if observation.curved is None:
            raise ArgumentError("evidence", "was observed without curvature", "curvature=False")
        return observation.curved

    @classmethod
    def examples(cls) -> Sequence[tuple[Self, Sequence[Observation]]]:
        """Exact and sampled points, one and several, with curvature and without."""
        rng = np.random.default_rng(0)
        gradients = 1.0 + rng.normal(size=(3, 32, 4))
        sampled = [observe_gradients(each, 2 * each) for each in gradients]
        exact = [Observation(Moments(noise, 2.0)) for noise in (6.0, 8.0, 10.0)]
        return [
            (cls(), exact),
            (cls(), sampled[:1]),
            (cls(average="median"), sampled),
            (cls(curvature_weighted=True), sampled),
        ]
