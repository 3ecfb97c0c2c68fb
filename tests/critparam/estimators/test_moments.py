"""Noise and signal from products of gradients, and their limits, worked out otherwise."""

import itertools

import numpy as np
import pytest
from scipy import stats

from critparam.errors import ArgumentError
from critparam.estimators.moments import Moments, combine, ratio_limits

GRADIENTS = np.random.default_rng(3).normal(1.0, 2.0, size=(7, 3))


def by_pairs(gradients):
    """The U-statistics, pair by pair."""
    products = [a @ b for a, b in itertools.permutations(gradients, 2)]
    signal = np.mean(products)
    return np.mean([g @ g for g in gradients]) - signal, signal


def test_moments_are_means_over_pairs():
    moments = Moments.of_products(GRADIENTS @ GRADIENTS.T)
    noise, signal = by_pairs(GRADIENTS)
    assert moments.noise == pytest.approx(noise, rel=1e-12)
    assert moments.signal == pytest.approx(signal, rel=1e-12)
    assert moments.degrees == 6
    # the noise is the sum of the sample variances
    assert moments.noise == pytest.approx(GRADIENTS.var(axis=0, ddof=1).sum(), rel=1e-12)


def test_variances_are_the_jackknife_of_leaving_gradients_out():
    moments = Moments.of_products(GRADIENTS @ GRADIENTS.T)
    left = np.array([by_pairs(np.delete(GRADIENTS, i, axis=0)) for i in range(7)])
    expected = 6 / 7 * (left - left.mean(axis=0)).T @ (left - left.mean(axis=0))
    assert moments.noise_variance == pytest.approx(expected[0, 0], rel=1e-10)
    assert moments.covariance == pytest.approx(expected[0, 1], rel=1e-10)
    assert moments.signal_variance == pytest.approx(expected[1, 1], rel=1e-10)


def test_products_of_three_gradients_are_too_few():
    with pytest.raises(ArgumentError, match="gradients"):
        Moments.of_products(np.eye(3))
    with pytest.raises(ArgumentError, match="finite"):
        Moments.of_products(np.full((5, 5), np.nan))


def test_ratio_limits_are_the_ratios_that_are_not_rejected():
    moments = Moments(6.0, 2.0, 0.3, 0.05, 0.1, 9)
    t = stats.t.ppf(0.975, 9)
    ratios = np.linspace(0, 20, 200_001)
    deviation = 6.0 - ratios * 2.0
    accepted = ratios[deviation**2 <= t**2 * (0.3 - 2 * ratios * 0.05 + ratios**2 * 0.1)]
    low, high = ratio_limits(moments, 0.05, nonnegative=True)
    assert (low, high) == pytest.approx((accepted[0], accepted[-1]), abs=2e-4)


def test_a_signal_that_may_be_zero_sets_no_upper_limit():
    moments = Moments(6.0, 0.5, 0.3, 0.0, 0.2, 9)
    t = stats.t.ppf(0.975, 9)
    ratios = np.linspace(0, 200, 200_001)
    deviation = 6.0 - ratios * 0.5
    accepted = ratios[deviation**2 <= t**2 * (0.3 + ratios**2 * 0.2)]
    low, high = ratio_limits(moments, 0.05, nonnegative=True)
    assert high == np.inf
    assert low == pytest.approx(accepted[0], abs=2e-3)
    assert ratio_limits(moments, 0.05, nonnegative=False) == (-np.inf, np.inf)


def test_noise_and_signal_that_may_both_be_zero_set_no_limit():
    assert ratio_limits(Moments(0.1, 0.1, 1.0, 0.0, 1.0, 9), 0.05, nonnegative=True) == (0, np.inf)


def test_exact_moments_have_limits_equal_to_the_ratio():
    assert ratio_limits(Moments(6.0, 2.0), 0.05, nonnegative=True) == (3.0, 3.0)


def test_combination_has_the_degrees_of_satterthwaite():
    points = [Moments(1.0, 1.0, 4.0, 0.0, 0.0, 3), Moments(2.0, 1.0, 1.0, 0.0, 0.0, 7)]
    moments = combine([1.0, 2.0], points, 0.0)
    assert moments[:5] == (5.0, 3.0, 8.0, 0.0, 0.0)
    assert moments.degrees == pytest.approx(8.0**2 / (4.0**2 / 3 + 4.0**2 / 7))
