"""Fit of the saturation law T = A (1 + B/b + tau) to measured steps, with confidence limits."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import optimize, stats

from critparam.arguments import require_at_least, require_positive
from critparam.errors import ArgumentError

GRID_POINTS = 120
"""Values of log B at which the likelihood is looked at before it is maximised."""

GRID_MARGIN = 1e4
"""The grid of B reaches from 1/margin to margin times the largest parallelism measured."""

LEAST_SCATTER = 1e-6
"""Scatter of log2 steps below which measurements are taken as exact: whole numbers of steps up
to a million cannot show less.
"""


class Fit(NamedTuple):
    """The law fitted to one sweep.

    Attributes:
        critical_parallelism: B.
        low, high: its confidence limits; 0 or infinite where the data do not bound it.
        scale: A, steps to target at unlimited batch size without delay (T_inf).
        rms_log2: root mean square error of log2 steps over points that are not censored.
        points: number of points used.
    """

    critical_parallelism: float
    low: float
    high: float
    scale: float
    rms_log2: float
    points: int


def fit_law(
    batch_size: Float[np.ndarray, "n"],
    delay: Float[np.ndarray, "n"],
    steps: Float[np.ndarray, "n"],
    *,
    censored: Bool[np.ndarray, "n"] | None = None,
    confidence: float = 0.95,
) -> Fit:
    """Maximum-likelihood fit of log2 T = log2 A + log2(1 + B/b + tau) + normal errors.

    Args:
        batch_size: b of each point, [n].
        delay: tau of each point, [n].
        steps: steps to target T, or the largest number tried where the target was not met, [n].
        censored: which points are only known to take more than `steps` steps, [n].
        confidence: of the limits of B, by the profile likelihood; without censoring it is the
            exact F-test of B in the non-linear regression.

    Raises:
        ArgumentError: fewer than three points that are not censored, or only one parallelism.
    """
    b, tau, observed = (np.asarray(array, dtype=float) for array in (batch_size, delay, steps))
    require_at_least(1, batch_size=b)
    require_at_least(0, delay=tau)
    require_positive(steps=observed)
    beyond = np.zeros(len(b), dtype=bool) if censored is None else np.asarray(censored, dtype=bool)
    if np.sum(~beyond) < 3:
        raise ArgumentError("steps", "needs at least three measured points", int(np.sum(~beyond)))
    if len(np.unique(1 / b + tau)) < 2:
        raise ArgumentError("batch_size", "needs at least two different parallelisms", batch_size)
    return _Likelihood(b, tau, np.log2(observed), beyond).fit(confidence)


@dataclass(frozen=True)
class _Likelihood:
    """The profile likelihood of log B."""

    batch_size: Float[np.ndarray, "n"]
    delay: Float[np.ndarray, "n"]
    log_steps: Float[np.ndarray, "n"]
    censored: Bool[np.ndarray, "n"]

    def fit(self, confidence: float) -> Fit:
        best = self._minimise()
        log_scale, _ = self._scale_and_scatter(best)
        errors = (self.log_steps - log_scale - self._log_shape(best))[~self.censored]
        low, high = self._limits(best, confidence)
        return Fit(
            critical_parallelism=float(np.exp(best)),
            low=low,
            high=high,
            scale=float(2.0**log_scale),
            rms_log2=float(np.sqrt(np.mean(errors**2))),
            points=len(self.log_steps),
        )

    @cached_property
    def _grid(self) -> Float[np.ndarray, "points"]:
        largest = float(np.max(self.batch_size * (self.delay + 1)))
        return np.log(np.geomspace(1 / GRID_MARGIN, GRID_MARGIN * largest, GRID_POINTS))

    def _log_shape(self, log_B: float) -> Float[np.ndarray, "n"]:
        return np.log2(1 + np.exp(log_B) / self.batch_size + self.delay)

    def _scale_and_scatter(self, log_B: float) -> tuple[float, float]:
        """The likeliest log2 A and scatter, given B."""
        offsets = self.log_steps - self._log_shape(log_B)
        known = offsets[~self.censored]
        guess = float(known.mean()), max(float(known.std()), LEAST_SCATTER)
        if not self.censored.any():
            return guess
        solution = optimize.minimize(
            lambda p: self._cost(offsets, p[0], np.exp(p[1])),
            (guess[0], np.log(guess[1])),
            method="Nelder-Mead",
            options={"xatol": 1e-6, "fatol": 1e-6},
        )
        return float(solution.x[0]), max(float(np.exp(solution.x[1])), LEAST_SCATTER)

    def _cost(self, offsets: np.ndarray, log_scale: float, scatter: float) -> float:
        """Negative log-likelihood; a censored point counts by the probability of lying beyond."""
        scatter = max(scatter, LEAST_SCATTER)
        deviations = (offsets - log_scale) / scatter
        known = stats.norm.logpdf(deviations[~self.censored]) - np.log(scatter)
        beyond = stats.norm.logsf(deviations[self.censored])
        return -float(known.sum() + beyond.sum())

    def _profile(self, log_B: float) -> float:
        offsets = self.log_steps - self._log_shape(log_B)
        return self._cost(offsets, *self._scale_and_scatter(log_B))

    @cached_property
    def _costs(self) -> Float[np.ndarray, "points"]:
        return np.array([self._profile(log_B) for log_B in self._grid])

    def _minimise(self) -> float:
        index = int(np.argmin(self._costs))
        around = self._grid[max(index - 1, 0)], self._grid[min(index + 1, GRID_POINTS - 1)]
        solution = optimize.minimize_scalar(
            self._profile, bounds=around, method="bounded", options={"xatol": 1e-9}
        )
        return float(solution.x)

    def _limits(self, best: float, confidence: float) -> tuple[float, float]:
        freedom = int(np.sum(~self.censored)) - 2
        quantile = float(stats.f.ppf(confidence, 1, freedom))
        allowed = len(self.log_steps) / 2 * np.log1p(quantile / freedom)
        least = self._profile(best)

        def excess(log_B: float) -> float:
            return self._profile(log_B) - least - allowed

        outside = self._costs - least > allowed
        below = self._grid[outside & (self._grid < best)]
        above = self._grid[outside & (self._grid > best)]
        low = np.exp(optimize.brentq(excess, below[-1], best)) if len(below) else 0.0
        high = np.exp(optimize.brentq(excess, best, above[0])) if len(above) else np.inf
        return float(low), float(high)


SWEEP_FACTOR = 8.0
"""A sweep shows where speedup ends only if it reaches this many times B."""

LEAST_PLATEAU = 10.0
"""Steps at the plateau of a batch sweep below which whole steps are too coarse to fit."""


def why_inconclusive(
    fit: Fit, batch_size: Float[np.ndarray, "n"], delay: Float[np.ndarray, "n"]
) -> str | None:
    """The reason why a sweep cannot decide about B, if there is one."""
    largest = float(np.max(batch_size * (delay + 1)))
    if not largest >= SWEEP_FACTOR * fit.critical_parallelism:
        return f"the sweep ends at P = {largest:g}, below {SWEEP_FACTOR:g} B"
    if np.any(np.asarray(batch_size) > 1) and fit.scale < LEAST_PLATEAU:
        return f"its plateau of {fit.scale:.1f} steps is below {LEAST_PLATEAU:g}"
    return None
