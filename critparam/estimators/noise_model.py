"""M and sigma2 of the noise model, by least squares along a path."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from critparam.errors import ArgumentError
from critparam.estimators.base import MISS_RATE, Estimate, Estimator, require_path
from critparam.estimators.moments import (
    Moments,
    combine,
    difference_limits,
    part_limits,
    ratio_limits,
)
from critparam.estimators.observation import Observation

LEAST_POINTS = 3
LEAST_SCALE = 1e-6
"""Deviations are relative to the noise at a point, or to this share of the largest."""


@dataclass(frozen=True)
class NoiseModel(Estimator):
    """The line E||xi||^2 = M ||grad f||^2 + sigma2 through points in the order of their path.

    Weighted least squares of relative deviations. The signals of sampled points are uncertain
    themselves, which would bias the slope, and weights made of a point's own estimates would bias
    both: each point's weight and regressor are therefore those of its neighbours on the path,
    which share no randomness with it (instrumental variables). M is then a ratio of two weighted
    sums, with Fieller's limits; sigma2's hold for every M within its own. Where points lie
    further from the line than sampling explains, variances are scaled up to what is seen.
    """

    quantities: ClassVar[tuple[str, ...]] = ("M", "sigma2")

    def estimate(self, evidence: Sequence[Observation]) -> dict[str, Estimate]:
        """M and sigma2, at least 0, from at least 3 points."""
        require_path(evidence, LEAST_POINTS)
        points = [observation.plain for observation in evidence]
        if len({point.is_exact for point in points}) > 1:
            raise ArgumentError("evidence", "mixes exact points and sampled ones", len(points))
        levels, contrasts = _weights(points)
        M, sigma2 = _line(points, levels, contrasts)
        points = _as_scattered(points, M, sigma2)
        slope, mean = (combine(each, points, np.nan_to_num(M)) for each in (contrasts, levels))
        error = np.sqrt(slope.variance_of_excess(M)) / abs(slope.signal)
        level_error = _error_of_level(points, levels, contrasts, M)
        wide = ratio_limits(slope, MISS_RATE / 2, nonnegative=True)
        limits = ratio_limits(slope, MISS_RATE, nonnegative=True)
        return {
            "M": Estimate.within(M, error, limits),
            "sigma2": Estimate.within(sigma2, level_error, _level_limits(mean, wide)),
        }

    @classmethod
    def examples(cls) -> Sequence[tuple[Self, Sequence[Observation]]]:
        """Points on a line, and off it."""
        on = [Observation(Moments(3.0 * signal + 1.0, signal)) for signal in (8.0, 4.0, 2.0, 1.0)]
        off = [Observation(Moments(noise, noise)) for noise in (8.0, 3.0, 2.5, 1.0)]
        return [(cls(), on), (cls(), off)]


def _weights(points: Sequence[Moments]) -> tuple[np.ndarray, np.ndarray]:
    """Weights of an average of the points, and of a contrast between them that sums to 0."""
    noise, signal = (np.array([point[field] for point in points]) for field in (0, 1))
    if not all(point.is_exact for point in points):
        noise, signal = _of_neighbours(noise), _of_neighbours(signal)
    scale = np.maximum(noise, LEAST_SCALE * noise.max())
    levels = scale**-2 / np.sum(scale**-2)
    return levels, levels * (signal - levels @ signal)


def _of_neighbours(values: np.ndarray) -> np.ndarray:
    """The mean of the values before and after each; of the one there is at the ends."""
    padded = np.concatenate([values[1:2], values, values[-2:-1]])
    return (padded[:-2] + padded[2:]) / 2


def _line(
    points: Sequence[Moments], levels: np.ndarray, contrasts: np.ndarray
) -> tuple[float, float]:
    """M and sigma2, on the boundary where the unconstrained line has one of them below 0."""
    noise, signal = (np.array([point[field] for point in points]) for field in (0, 1))
    contrast = contrasts @ signal
    M = max(contrasts @ noise / contrast, 0.0) if contrast > 0 else np.nan
    sigma2 = levels @ noise - M * (levels @ signal)
    if sigma2 < 0:
        return float(levels @ noise / (levels @ signal)), 0.0
    return float(M), float(sigma2)


def _as_scattered(points: Sequence[Moments], M: float, sigma2: float) -> list[Moments]:
    """The points, with variances scaled up to their scatter around the line.

    Exact points have no variances; the scatter relative to their noise gives them some.
    """
    degrees = len(points) - 2
    excess = np.array([point.noise - M * point.signal - sigma2 for point in points])
    expected = np.array([point.variance_of_excess(M) for point in points])
    if all(point.is_exact for point in points):
        noise = np.array([point.noise for point in points])
        scales = np.maximum(noise, LEAST_SCALE * noise.max())
        share = np.sum((excess / scales) ** 2) / degrees
        return [
            point._replace(noise_variance=float(share * scale**2), degrees=degrees / len(points))
            for point, scale in zip(points, scales, strict=True)
        ]
    if not np.isfinite(M):
        return list(points)
    scale = max(1.0, float(np.sum(excess**2 / expected)) / degrees)
    return [
        point._replace(
            noise_variance=scale * point.noise_variance,
            covariance=scale * point.covariance,
            signal_variance=scale * point.signal_variance,
        )
        for point in points
    ]


def _error_of_level(
    points: Sequence[Moments], levels: np.ndarray, contrasts: np.ndarray, M: float
) -> float:
    """Standard error of sigma2, to first order: it moves with its own level and with M."""
    signal = np.array([point.signal for point in points])
    joint = levels - contrasts * (levels @ signal) / (contrasts @ signal)
    return float(np.sqrt(combine(joint, points, M).variance_of_excess(M)))


def _level_limits(mean: Moments, slopes: tuple[float, float]) -> tuple[float, float]:
    """Limits of sigma2 that hold whatever M between these slopes; at their ends, being convex."""
    limits = [difference_limits(mean, slope, MISS_RATE / 2) for slope in slopes if slope < np.inf]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    if slopes[1] == np.inf:
        least_signal, _ = part_limits(mean, "signal", MISS_RATE / 2, nonnegative=False)
        low, high = 0.0, high if least_signal > 0 else np.inf
    return max(low, 0.0), max(high, 0.0)
