"""The fit of the law: recovery, published fits, coverage of its limits, and what it refuses."""

import numpy as np
import pytest

from critparam.errors import ArgumentError
from critparam.saturation import fit_law, why_inconclusive

POWERS = 2.0 ** np.arange(0, 15)


def law(batch_size, delay, B, scale):
    return scale * (1 + B / np.asarray(batch_size) + np.asarray(delay))


def fit_batches(batch_size, steps, **options):
    return fit_law(
        np.asarray(batch_size, float), np.zeros(len(steps)), np.asarray(steps), **options
    )


class TestRecovery:
    @pytest.mark.parametrize("B", [0.5, 10.0, 100.0, 3000.0])
    @pytest.mark.parametrize("scale", [18.0, 1e4])
    def test_of_batches(self, B, scale):
        fit = fit_batches(POWERS, law(POWERS, 0, B, scale))
        assert fit.critical_parallelism == pytest.approx(B, rel=1e-5)
        assert fit.scale == pytest.approx(scale, rel=1e-5)
        assert fit.rms_log2 < 1e-6
        assert fit.points == 15
        assert fit.low <= B * (1 + 1e-5)
        assert fit.high >= B * (1 - 1e-5)
        assert fit.high / fit.low < 1.001

    @pytest.mark.parametrize("B", [10.0, 1000.0])
    def test_of_delays(self, B):
        delays = POWERS - 1
        fit = fit_law(np.ones(15), delays, law(1, delays, B, 18.0))
        assert fit.critical_parallelism == pytest.approx(B, rel=1e-5)
        assert fit.scale == pytest.approx(18, rel=1e-5)

    def test_of_both_together(self):
        b, tau = (grid.ravel() for grid in np.meshgrid([1.0, 8, 64], [0.0, 7, 63]))
        fit = fit_law(b, tau, law(b, tau, 50.0, 30.0))
        assert fit.critical_parallelism == pytest.approx(50, rel=1e-5)
        assert fit.points == 9

    def test_does_not_depend_on_units_or_order(self):
        rng = np.random.default_rng(0)
        steps = law(POWERS, 0, 70, 20) * np.exp(0.1 * rng.normal(size=15))
        fit = fit_batches(POWERS, steps)
        order = rng.permutation(15)
        other = fit_batches(POWERS[order], 1000 * steps[order])
        assert other.critical_parallelism == pytest.approx(fit.critical_parallelism, rel=1e-6)
        assert other.low == pytest.approx(fit.low, rel=1e-5)
        assert other.high == pytest.approx(fit.high, rel=1e-5)
        assert other.scale == pytest.approx(1000 * fit.scale, rel=1e-6)

    def test_least_squares_in_log_steps(self):
        """Against a dense search over B, the scale eliminated as a mean."""
        rng = np.random.default_rng(1)
        steps = law(POWERS, 0, 70, 20) * np.exp(0.2 * rng.normal(size=15))
        candidates = np.geomspace(1, 1e4, 40_001)
        residuals = np.log2(steps) - np.log2(1 + candidates[:, None] / POWERS)
        fit = fit_batches(POWERS, steps)
        best = candidates[residuals.std(axis=1).argmin()]
        assert fit.critical_parallelism == pytest.approx(best, rel=1e-3)
        assert fit.rms_log2 == pytest.approx(residuals.std(axis=1).min(), rel=1e-6)


# Steps to a validation loss against batch size, from H. Zhang et al., How Does Critical Batch Size
# Scale in Pre-training? (arXiv 2410.21676), repository hlzhang109/critical-batch-size,
# plots/chinchilla.ipynb. Expected: fits of the law in log steps made independently of this project.
PRETRAINING = {
    "85M": (2191, [46000, 23000, 13282, 7000, 3840, 2528, 1917, 1600, 1600]),
    "302M": (5433, [196000, 90000, 46000, 23400, 13300, 7224, 4980, 3400, 2879]),
    "1.2B": (11131, [642000, 331000, 176000, 94000, 46500, 25000, 15360, 8900, 6500]),
}

# Samples to target against batch size, from the MLPerf training reference convergence points
# (repository mlcommons/logging, mlperf_logging/rcp_checker/<round>/rcps_<benchmark>.json).
MLPERF = {
    "llama31_405b": (5021, [1152, 2304, 4608], [313344.0, 368640.0, 488448.0]),
    "gpt_oss_20b": (72, [16, 32, 64], [194764.8, 234700.8, 301670.4]),
    "llama31_8b": (
        84,
        [16, 32, 64, 96, 128],
        [161587.2, 179404.8, 226713.6, 278640.0, 345907.2],
    ),
    "rnnt": (
        3702,
        [512, 1024, 1536, 2048, 3072, 6144],
        [42.05, 44.6, 48.9, 56.5, 65.1, 96.1],
    ),
}


class TestPublishedFits:
    @pytest.mark.parametrize("model", PRETRAINING)
    def test_pretraining(self, model):
        B, steps = PRETRAINING[model]
        fit = fit_batches(64 * 2 ** np.arange(9), steps)
        assert fit.critical_parallelism == pytest.approx(B, rel=0.03)
        assert fit.low < B < fit.high

    @pytest.mark.parametrize("benchmark", MLPERF)
    def test_mlperf(self, benchmark):
        B, batch_sizes, samples = MLPERF[benchmark]
        fit = fit_batches(batch_sizes, np.array(samples) / np.array(batch_sizes))
        assert fit.critical_parallelism == pytest.approx(B, rel=0.03)
        assert 0.005 < fit.rms_log2 < 0.041


class TestConfidence:
    def test_coverage(self):
        """95 % limits on 200 noisy data sets, seed 0 never tuned.

        At a true coverage of 95 % the count leaves 180..198 with probability 0.5 %.
        """
        rng = np.random.default_rng(0)
        covered = 0
        for _ in range(200):
            B, scatter = 10 ** rng.uniform(1, 3), rng.uniform(0.02, 0.2)
            steps = law(POWERS[::2], 0, B, 100) * 2 ** (scatter * rng.normal(size=8))
            fit = fit_batches(POWERS[::2], steps)
            covered += fit.low <= B <= fit.high
        assert 180 <= covered <= 198

    def test_higher_confidence_is_wider(self):
        steps = law(POWERS, 0, 70, 20) * np.exp(0.1 * np.random.default_rng(0).normal(size=15))
        narrow, wide = (fit_batches(POWERS, steps, confidence=level) for level in (0.68, 0.99))
        assert wide.low < narrow.low < narrow.critical_parallelism < narrow.high < wide.high

    def test_three_points_of_one_degree_of_freedom(self):
        fit = fit_batches([1, 16, 256], law([1, 16, 256], 0, 20, 50) * [1.02, 0.98, 1.02])
        assert 0 <= fit.low < 20 < fit.high
        assert fit.points == 3


class TestUnbounded:
    def test_steps_that_never_saturate(self):
        fit = fit_batches(POWERS, 1e6 / POWERS)
        assert fit.high == np.inf
        assert fit.low > 10 * POWERS[-1]

    def test_noisy_steps_that_never_saturate(self):
        noise = np.exp(0.05 * np.random.default_rng(0).normal(size=15))
        fit = fit_batches(POWERS, 1e6 / POWERS * noise)
        assert fit.high == np.inf
        assert 0 < fit.low < np.inf

    def test_steps_that_never_fall(self):
        fit = fit_batches(POWERS, np.full(15, 50.0))
        assert fit.low == 0
        assert fit.high < 1e-2
        assert fit.scale == pytest.approx(50, rel=1e-3)

    def test_delays_that_never_cost(self):
        fit = fit_law(np.ones(15), POWERS - 1, np.full(15, 50.0))
        assert fit.high == np.inf
        assert fit.low > 10 * POWERS[-1]


class TestCensored:
    """Points known only to need more steps than were tried."""

    def data(self, rng, scatter=0.1, limit=4000.0):
        delays = POWERS[:12] - 1
        steps = law(1, delays, 50.0, 8.0) * 2 ** (scatter * rng.normal(size=12))
        censored = steps > limit
        return delays, np.minimum(steps, limit), censored

    def test_recovery_and_coverage(self):
        """Two data sets, seed 0: at 95 % each, none covered has probability 3e-3."""
        rng = np.random.default_rng(0)
        fits = []
        for _ in range(2):
            delays, steps, censored = self.data(rng)
            assert 1 <= censored.sum() <= 4
            fits.append(fit_law(np.ones(12), delays, steps, censored=censored))
        estimates = np.array([fit.critical_parallelism for fit in fits])
        assert np.exp(np.log(estimates).mean()) == pytest.approx(50, rel=0.2)
        assert sum(fit.low <= 50 <= fit.high for fit in fits) >= 1
        assert all(fit.points == 12 for fit in fits)

    def test_less_biased_than_taking_them_as_measured(self):
        delays, steps, censored = self.data(np.random.default_rng(0), limit=1000.0)
        aware = fit_law(np.ones(12), delays, steps, censored=censored)
        unaware = fit_law(np.ones(12), delays, steps)
        off = [abs(np.log(fit.critical_parallelism / 50)) for fit in (aware, unaware)]
        assert off[0] < off[1] / 3

    def test_none_censored_is_the_plain_fit(self):
        delays, steps, censored = self.data(np.random.default_rng(0), limit=1e9)
        assert not censored.any()
        plain = fit_law(np.ones(12), delays, steps)
        flagged = fit_law(np.ones(12), delays, steps, censored=censored)
        np.testing.assert_allclose(flagged, plain, rtol=1e-9)


class TestRefusals:
    def test_too_few_points(self):
        with pytest.raises(ArgumentError, match="three"):
            fit_batches([1, 8], [100, 20])

    def test_too_few_points_that_are_measured(self):
        censored = np.array([False, True, True, False])
        with pytest.raises(ArgumentError, match="three") as error:
            fit_batches([1, 8, 64, 512], [100, 20, 10, 9], censored=censored)
        assert error.value.argument == "steps"

    def test_one_parallelism_only(self):
        with pytest.raises(ArgumentError, match="different"):
            fit_batches([8, 8, 8], [100, 110, 105])

    @pytest.mark.parametrize(
        ("batch_size", "delay", "steps", "argument"),
        [
            ([0, 8, 64], [0, 0, 0], [100, 20, 9], "batch_size"),
            ([1, 8, 64], [0, -1, 0], [100, 20, 9], "delay"),
            ([1, 8, 64], [0, 0, 0], [100, 0, 9], "steps"),
            ([1, 8, 64], [0, 0, 0], [100, np.nan, 9], "steps"),
            ([1, 8, 64], [0, 0, 0], [100, np.inf, 9], "steps"),
        ],
    )
    def test_impossible_values(self, batch_size, delay, steps, argument):
        with pytest.raises(ArgumentError) as error:
            fit_law(*(np.array(values, float) for values in (batch_size, delay, steps)))
        assert error.value.argument == argument


class TestWhyInconclusive:
    """A fit needs a sweep to at least 8 B and a plateau of at least 10 steps."""

    def verdict(self, B, scale, largest, *, delays=False):
        sizes = 2.0 ** np.arange(np.log2(largest) + 1)
        b, tau = (np.ones(len(sizes)), sizes - 1) if delays else (sizes, np.zeros(len(sizes)))
        return why_inconclusive(fit_law(b, tau, law(b, tau, B, scale)), b, tau)

    def test_enough(self):
        assert self.verdict(100, 20, 1024) is None
        assert self.verdict(100, 5, 1024, delays=True) is None

    def test_a_sweep_too_short(self):
        assert "512" in self.verdict(100, 20, 512)
        assert "512" in self.verdict(100, 20, 512, delays=True)

    def test_a_plateau_too_low(self):
        assert "plateau" in self.verdict(100, 9, 1024)

    def test_no_upper_limit(self):
        fit = fit_batches(POWERS, 1e6 / POWERS)
        assert why_inconclusive(fit, POWERS, np.zeros(15)) is not None
