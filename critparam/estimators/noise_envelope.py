"""M and sigma2 for which the noise model's inequality holds all along a path."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from jaxtyping import Float
from scipy.optimize import linprog

from critparam.arguments import require_positive
from critparam.errors import ArgumentError
from critparam.estimators.base import MISS_RATE, Estimate, Estimator, require_path
from critparam.estimators.moments import Moments, part_limits
from critparam.estimators.observation import Observation


@dataclass(frozen=True)
class NoiseEnvelope(Estimator):
    """The pair with E||xi||^2 <= M ||grad f||^2 + sigma2 at all points and the least B.

    Many pairs satisfy the inequality; the one is chosen that makes B = M + sigma2/eps least, a
    linear programme. Limits follow from limits of noise and signal that hold at all points at
    once (Bonferroni): B is at least that of the most lenient moments among them and at most that
    of the harshest; M and sigma2 are those of pairs that satisfy the former, up to the latter's B.
    Standard errors are a linear programme's: those of the points that bind it.

    Attributes:
        eps: accuracy, as ||grad f||^2, at which B is made least; among those of the points, since
            beyond them the inequality is not known to hold; by default their median.
    """

    quantities: ClassVar[tuple[str, ...]] = ("M", "sigma2", "critical_parallelism")

    eps: float | None = None

    def __post_init__(self) -> None:
        if self.eps is not None:
            require_positive(eps=self.eps)

    def estimate(self, evidence: Sequence[Observation]) -> dict[str, Estimate]:
        """M, sigma2 and B, from at least one point."""
        require_path(evidence)
        points = [observation.plain for observation in evidence]
        noise, signal = (np.array([point[field] for point in points]) for field in (0, 1))
        each = MISS_RATE / (2 * len(points))
        noises, signals = (
            np.array([part_limits(point, part, each, nonnegative=True) for point in points]).T
            for part in ("noise", "signal")
        )
        eps = self._accuracy(signal, signals)
        best, errors = _with_errors(points, _Programme.of(noise, np.maximum(signal, 0.0), eps))
        lenient = _Programme.of(noises[0], signals[1], eps)
        low = lenient.least([1.0, 1.0])[0].sum()
        high = _Programme.of(noises[1], signals[0], eps).least([1.0, 1.0])[0].sum()
        units = np.array([1.0, eps])
        limits = units[:, None] * [lenient.range_of(index, high) for index in (0, 1)]
        M, sigma2 = (
            Estimate.within(unit * value, unit * np.sqrt(error @ error), limit)
            for unit, value, error, limit in zip(units, best, errors, limits, strict=True)
        )
        total = errors.sum(axis=0)
        B = Estimate.within(best.sum(), np.sqrt(total @ total), (low, high))
        return {"M": M, "sigma2": sigma2, "critical_parallelism": B}

    def _accuracy(self, signal: np.ndarray, limits: np.ndarray) -> float:
        """Eps, given signals and their limits."""
        eps = self.eps
        if eps is None:
            eps = float(np.median(signal))
            if not eps > 0:
                raise ArgumentError("evidence", "has no gradients that differ from noise", eps)
        elif not limits[0].min() <= eps <= limits[1].max():
            reason = f"is beyond the signals seen, {signal.min():.3g} to {signal.max():.3g}"
            raise ArgumentError("eps", reason, eps)
        return eps

    @classmethod
    def examples(cls) -> Sequence[tuple[Self, Sequence[Observation]]]:
        """Points on a line, and off it, at another accuracy."""
        on = [Observation(Moments(3.0 * signal + 1.0, signal)) for signal in (8.0, 4.0, 2.0, 1.0)]
        off = [Observation(Moments(noise, noise)) for noise in (8.0, 3.0, 2.5, 1.0)]
        return [(cls(), on), (cls(eps=4.0), off)]


class _Programme(NamedTuple):
    """Pairs (M, sigma2/eps), both at least 0, that satisfy rows @ pair >= 1."""

    rows: Float[np.ndarray, "k 2"]

    @classmethod
    def of(cls, noise: np.ndarray, signal: np.ndarray, eps: float) -> Self:
        """The noise model at points; where there is no noise it holds for every pair."""
        scale = np.where(noise > 0, noise, np.inf)
        return cls(np.stack([signal, np.full_like(signal, eps)], axis=1) / scale[:, None])

    def least(
        self, cost: Sequence[float], most: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The pair of least cost, its sum at most `most`, and which rows bind it."""
        kept = self.rows[:, 1] > 0
        rows, bounds = -self.rows[kept], -np.ones(kept.sum())
        if most is not None:
            slack = 1 + 1e-9  # of the solver
            rows, bounds = np.vstack([rows, [1.0, 1.0]]), np.append(bounds, most * slack)
        if len(rows) == 0:
            return np.zeros(2), kept
        solution = linprog(cost, A_ub=rows, b_ub=bounds, method="highs")
        binding = kept.copy()
        binding[kept] = solution.ineqlin.marginals[: kept.sum()] < 0
        return solution.x, binding

    def range_of(self, index: int, most: float) -> tuple[float, float]:
        """Least and largest M (index 0) or sigma2/eps (1) of pairs with a sum of at most `most`."""
        direction = np.eye(2)[index]
        return tuple(self.least(sign * direction, most)[0][index] for sign in (1, -1))  # pyright: ignore[reportReturnType]


def _with_errors(
    points: Sequence[Moments], programme: _Programme
) -> tuple[np.ndarray, Float[np.ndarray, "2 k"]]:
    """The best pair, and how the error of each point moves it: by the points that bind it.

    Of pairs with the same B, the one closest to the points.
    """
    least_sum = programme.least([1.0, 1.0])[0].sum()
    best, binding = programme.least(programme.rows.sum(axis=0), least_sum)
    errors = np.zeros((2, len(points)))
    free = best > 0
    for_one = np.sqrt([max(point.variance_of_excess(best[0]), 0.0) for point in points])
    noise = np.array([point.noise for point in points])
    moves = np.linalg.pinv(programme.rows[binding][:, free])
    errors[np.ix_(free, binding)] = moves * (for_one[binding] / noise[binding])
    return best, errors
