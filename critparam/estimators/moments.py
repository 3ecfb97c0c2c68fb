"""Noise and signal at a point, jointly, and limits of combinations of them."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from jaxtyping import Float
from scipy import stats

from critparam.arguments import require_at_least
from critparam.errors import ArgumentError


class Moments(NamedTuple):
    """E||xi||^2 and ||grad f||^2 at one point, or both weighted by curvature, as estimated.

    Attributes:
        noise: E||xi||^2 of one gradient, or tr(H Sigma); unbiased, so it may be negative.
        signal: ||grad f||^2, or grad^T H grad; unbiased, so it may be negative.
        noise_variance, covariance, signal_variance: of the two estimates; 0 where exact.
        degrees: of freedom of these; infinite where exact.
    """

    noise: float
    signal: float
    noise_variance: float = 0.0
    covariance: float = 0.0
    signal_variance: float = 0.0
    degrees: float = np.inf

    @property
    def is_exact(self) -> bool:
        """Whether the moments come from a pass over all there is."""
        return bool(np.isinf(self.degrees))

    @property
    def ratio(self) -> float:
        """Noise/signal, NaN where the signal is not positive."""
        return self.noise / self.signal if self.signal > 0 else np.nan

    @property
    def ratio_error(self) -> float:
        """Standard error of the ratio, to first order."""
        return float(np.sqrt(max(self.variance_of_excess(self.ratio), 0.0)) / self.signal)

    @classmethod
    def of_products(cls, products: Float[np.ndarray, "m m"]) -> Self:
        """From inner products <g_i, g_j>, or g_i^T H g_j, of m independent gradients.

        Products of different gradients have the signal as their mean, products of a gradient
        with itself signal and noise: U-statistics, free of the noise that biases the squared norm
        of a mean gradient. Variances are the jackknife's.

        Raises:
            ArgumentError: fewer than 4 gradients, or a product that is not finite.
        """
        m = len(products)
        require_at_least(4, gradients=m)
        if not np.all(np.isfinite(products)):
            raise ArgumentError("gradients", "must be finite", None)
        own, total, rows = np.diagonal(products), products.sum(), products.sum(axis=1)
        noise, signal = _split(own.sum(), total, m)
        left_out = _split(own.sum() - own, total - 2 * rows + own, m - 1)
        deviations = np.stack([part - part.mean() for part in left_out])
        (noise_variance, covariance), (_, signal_variance) = (m - 1) / m * deviations @ deviations.T
        return cls(
            float(noise),
            float(signal),
            float(noise_variance),
            float(covariance),
            float(signal_variance),
            m - 1,
        )

    def variance_of_excess(self, ratio: float) -> float:
        """Variance of noise - ratio * signal."""
        return self.noise_variance - 2 * ratio * self.covariance + ratio**2 * self.signal_variance


def _split(own: np.ndarray, total: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise and signal from sums of products of m gradients with themselves, and with all."""
    signal = (total - own) / (m * (m - 1))
    return own / m - signal, signal


def combine(
    weights: Sequence[float] | np.ndarray, points: Sequence[Moments], ratio: float
) -> Moments:
    """The weighted sum of independent moments.

    Its degrees of freedom are Satterthwaite's, for noise - ratio * signal.
    """
    scaled = np.asarray(weights)
    fields = np.array([point[:5] for point in points])
    noise, signal = scaled @ fields[:, :2]
    variances = scaled**2 @ fields[:, 2:]
    shares = scaled**2 * [point.variance_of_excess(ratio) for point in points]
    degrees = np.array([point.degrees for point in points])
    total = float(np.sum(shares**2 / degrees))
    effective = float(np.sum(shares)) ** 2 / total if total > 0 else np.inf
    noise_variance, covariance, signal_variance = map(float, variances)
    return Moments(
        float(noise), float(signal), noise_variance, covariance, signal_variance, effective
    )


def difference_limits(moments: Moments, ratio: float, miss_rate: float) -> tuple[float, float]:
    """Confidence limits of noise - ratio * signal."""
    middle = moments.noise - ratio * moments.signal
    reach = _quantile(moments, miss_rate) * np.sqrt(max(moments.variance_of_excess(ratio), 0.0))
    return float(middle - reach), float(middle + reach)


def ratio_limits(moments: Moments, miss_rate: float, *, nonnegative: bool) -> tuple[float, float]:
    """Fieller's confidence limits of noise/signal: the ratios r at which noise - r signal can be 0.

    Where the signal cannot be told from 0 there is no upper limit; where the ratio may have
    either sign there is no limit at all then.
    """
    t = _quantile(moments, miss_rate)
    square = moments.signal**2 - t**2 * moments.signal_variance
    linear = moments.noise * moments.signal - t**2 * moments.covariance
    constant = moments.noise**2 - t**2 * moments.noise_variance
    if square <= 0 and not nonnegative:
        return -np.inf, np.inf
    discriminant = linear**2 - square * constant
    root = np.sqrt(max(discriminant, 0.0))
    if square <= 0:
        determined = square < 0 and constant > 0
        return max(float((linear - root) / square), 0.0) if determined else 0.0, np.inf
    low, high = float((linear - root) / square), float((linear + root) / square)
    return (max(low, 0.0), max(high, 0.0)) if nonnegative else (low, high)


def part_limits(
    moments: Moments, part: str, miss_rate: float, *, nonnegative: bool
) -> tuple[float, float]:
    """Confidence limits of "noise" or "signal" alone."""
    variance = moments.noise_variance if part == "noise" else moments.signal_variance
    reach = _quantile(moments, miss_rate) * np.sqrt(variance)
    value = moments.noise if part == "noise" else moments.signal
    least = 0.0 if nonnegative else -np.inf
    return max(float(value - reach), least), max(float(value + reach), least)


def _quantile(moments: Moments, miss_rate: float) -> float:
    return float(stats.t.ppf(1 - miss_rate / 2, moments.degrees))
