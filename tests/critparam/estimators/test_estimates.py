"""Estimates where the truth is known without sampling."""

import numpy as np
import pytest
from scipy import stats

from critparam.errors import ArgumentError
from critparam.estimators.moments import Moments
from critparam.estimators.noise_envelope import NoiseEnvelope
from critparam.estimators.noise_model import NoiseModel
from critparam.estimators.noise_to_signal import NoiseToSignal
from critparam.estimators.observation import Observation, observe_gradients
from critparam.estimators.sparsity import Sparsity
from critparam.estimators.two_batch_sizes import LoggedNorms, TwoBatchSizes

SIGNALS = np.array([8.0, 4.0, 2.0, 1.0, 0.5])


def exact(noise, signal):
    return [Observation(Moments(*pair)) for pair in zip(noise, signal, strict=True)]


def values(estimates):
    return [estimate.value for estimate in estimates.values()]


class TestNoiseToSignal:
    def test_mean_and_median_along_a_path(self):
        path = exact([4.0, 6.0, 80.0], [2.0, 1.0, 4.0])
        assert values(NoiseToSignal().estimate(path)) == pytest.approx([30.0, 7 / 3, 28 / 3])
        median = NoiseToSignal(average="median").estimate(path)
        assert values(median) == pytest.approx([6.0, 2.0, 6.0])

    def test_signal_below_zero_gives_no_ratio(self):
        path = [Observation(Moments(4.0, -0.1, 1.0, 0.0, 1.0, 9))]
        estimate = NoiseToSignal().estimate(path)["noise_to_signal"]
        assert np.isnan(estimate.value)
        assert np.isnan(estimate.standard_error)
        assert estimate.high == np.inf

    def test_curvature_must_have_been_observed(self):
        with pytest.raises(ArgumentError, match="without curvature"):
            NoiseToSignal(curvature_weighted=True).estimate(exact([1.0], [1.0]))

    def test_average_must_be_known(self):
        with pytest.raises(ArgumentError, match="average"):
            NoiseToSignal(average="mode")


class TestNoiseModel:
    @pytest.mark.parametrize(("M", "sigma2"), [(3.0, 1.0), (0.0, 2.0), (50.0, 0.0)])
    def test_a_line_is_found_exactly(self, M, sigma2):
        estimates = NoiseModel().estimate(exact(M * SIGNALS + sigma2, SIGNALS))
        for name, truth in (("M", M), ("sigma2", sigma2)):
            assert estimates[name].value == pytest.approx(truth, abs=1e-9)
            assert estimates[name].low == pytest.approx(truth, abs=1e-9)
            assert estimates[name].high == pytest.approx(truth, abs=1e-9)

    def test_is_least_squares_of_relative_deviations(self):
        noise = np.array([20.0, 15.0, 6.0, 4.0, 3.5])
        weights = np.stack([SIGNALS, np.ones(5)], axis=1) / noise[:, None]
        expected = np.linalg.lstsq(weights, np.ones(5), rcond=None)[0]
        assert values(NoiseModel().estimate(exact(noise, SIGNALS))) == pytest.approx(expected)

    def test_falling_noise_has_no_slope(self):
        estimates = NoiseModel().estimate(exact([1.0, 2.0, 3.0, 4.0, 5.0], SIGNALS))
        assert estimates["M"].value == 0
        assert estimates["sigma2"].value > 0

    def test_a_line_below_zero_goes_through_it(self):
        estimates = NoiseModel().estimate(exact(3 * SIGNALS - 0.5, SIGNALS))
        assert estimates["sigma2"].value == 0
        assert 0 < estimates["M"].value < 3

    def test_two_points_are_too_few(self):
        with pytest.raises(ArgumentError, match="at least 3"):
            NoiseModel().estimate(exact([1.0, 2.0], [1.0, 2.0]))

    def test_exact_and_sampled_points_do_not_mix(self):
        sampled = observe_gradients(np.eye(5))
        with pytest.raises(ArgumentError, match="mixes"):
            NoiseModel().estimate([*exact([1.0, 2.0], [1.0, 2.0]), sampled])


class TestNoiseEnvelope:
    def test_holds_at_every_point_and_no_smaller_pair_does(self):
        noise = np.array([30.0, 10.0, 9.0, 4.0, 3.0])
        estimates = NoiseEnvelope(eps=0.75).estimate(exact(noise, SIGNALS))
        M, sigma2, B = values(estimates)
        assert np.all(M * SIGNALS + sigma2 >= noise * (1 - 1e-9))
        assert pytest.approx(M + sigma2 / 0.75) == B
        slopes = np.linspace(0, 10, 100_001)
        least = np.max(noise - slopes[:, None] * SIGNALS, axis=1).clip(0)
        assert pytest.approx(np.min(slopes + least / 0.75), rel=1e-4) == B

    def test_is_the_line_where_points_lie_on_one(self):
        estimates = NoiseEnvelope(eps=0.8).estimate(exact(3 * SIGNALS + 1, SIGNALS))
        assert values(estimates) == pytest.approx([3.0, 1.0, 3.0 + 1 / 0.8])
        for estimate in estimates.values():
            assert (estimate.low, estimate.high) == pytest.approx((estimate.value,) * 2, rel=1e-6)

    def test_without_noise_is_zero(self):
        estimates = NoiseEnvelope().estimate(exact(0 * SIGNALS, SIGNALS))
        assert values(estimates) == [0, 0, 0]

    def test_accuracy_must_be_positive(self):
        with pytest.raises(ArgumentError, match="eps"):
            NoiseEnvelope(eps=0.0)

    def test_accuracy_must_have_been_seen(self):
        for eps in (0.1, 10.0):
            with pytest.raises(ArgumentError, match=r"beyond the signals seen, 0\.5 to 8"):
                NoiseEnvelope(eps).estimate(exact(SIGNALS, SIGNALS))


class TestTwoBatchSizes:
    def test_solves_for_noise_and_signal(self):
        # ||grad f||^2 = 2, E||xi||^2 = 12
        logs = LoggedNorms(2, 8, np.full(6, 2 + 12 / 2), np.full(6, 2 + 12 / 8))
        assert values(TwoBatchSizes().estimate(logs)) == pytest.approx([12.0, 2.0, 6.0])

    def test_errors_are_those_of_block_means(self):
        rng = np.random.default_rng(5)
        logs = LoggedNorms(1, 4, 9 + rng.normal(size=22), 3 + rng.normal(size=22))
        signal = (4 * logs.large - logs.small)[2:] / 3  # whole blocks, the latest
        blocks = signal.reshape(4, 5).mean(axis=1)
        estimate = TwoBatchSizes(block=5).estimate(logs)["signal"]
        assert estimate.value == pytest.approx(blocks.mean())
        assert estimate.standard_error == pytest.approx(stats.sem(blocks))

    @pytest.mark.parametrize(
        ("logs", "reason"),
        [
            (LoggedNorms(4, 4, np.ones(8), np.ones(8)), "large_batch"),
            (LoggedNorms(0, 4, np.ones(8), np.ones(8)), "small_batch"),
            (LoggedNorms(1, 4, np.ones(8), np.ones(7)), "large"),
            (LoggedNorms(1, 4, np.ones(3), np.ones(3)), "blocks"),
            (LoggedNorms(1, 4, -np.ones(8), np.ones(8)), "small"),
            (LoggedNorms(1, 4, np.full(8, np.nan), np.ones(8)), "small"),
        ],
    )
    def test_mistakes_are_named(self, logs, reason):
        with pytest.raises(ArgumentError) as caught:
            TwoBatchSizes().estimate(logs)
        assert caught.value.argument == reason


class TestSparsity:
    def test_is_the_largest_share_at_any_point(self):
        often, seldom = np.zeros((10, 3)), np.zeros((10, 3))
        often[:6, 1], seldom[:2, 0] = 1.0, -1.0
        path = [observe_gradients(each) for each in (often, seldom)]
        estimate = Sparsity().estimate(path)["delta"]
        assert estimate.value == 0.6
        # Clopper and Pearson at a sixth of the rate: three coordinates at each of two points
        low, high = stats.binomtest(6, 10).proportion_ci(1 - 0.05 / 6, method="exact")
        assert (estimate.low, estimate.high) == pytest.approx((low, high))

    def test_needs_gradients_that_were_looked_at(self):
        with pytest.raises(ArgumentError, match="not looked at"):
            Sparsity().estimate(exact([1.0], [1.0]))
