"""Intervals of estimators cover the truth at their stated rate, from few gradients to many.

Each count of covered intervals is compared with what 95 % gives, one-sided: a correct estimator
fails one comparison with probability at most `FAILURE`. The seed is 0 and was never tuned.
"""

import numpy as np
import pytest
from scipy import stats

from critparam.estimators.base import MISS_RATE
from critparam.estimators.noise_envelope import NoiseEnvelope
from critparam.estimators.noise_model import NoiseModel
from critparam.estimators.noise_to_signal import NoiseToSignal
from critparam.estimators.observation import observe_gradients
from critparam.estimators.sparsity import Sparsity
from critparam.estimators.two_batch_sizes import LoggedNorms, TwoBatchSizes

FAILURE = 1e-4
REPEATS = 300
LEAST = stats.binom.ppf(FAILURE, REPEATS, 1 - MISS_RATE)
GRADIENTS = (4, 8, 32, 256)
DIM = 20
SIGNALS = np.geomspace(10, 0.05, 6)


def gradients_at(signal, noise, m, rng):
    """Gradients [m, d] with these ||grad f||^2 and E||xi||^2."""
    mean = np.zeros(DIM)
    mean[0] = np.sqrt(signal)
    return mean + rng.normal(size=(m, DIM)) * np.sqrt(noise / DIM)


def covered(estimate, truth):
    return estimate.low <= truth <= estimate.high


@pytest.mark.parametrize("m", GRADIENTS)
@pytest.mark.parametrize("ratio", [0.1, 10.0, 1000.0])
def test_noise_signal_and_ratio(ratio, m):
    rng = np.random.default_rng(0)
    curvatures = np.geomspace(0.1, 1, DIM)
    truth = {"noise": 2 * ratio, "signal": 2.0, "noise_to_signal": ratio}
    weighted = ratio * curvatures.mean() / curvatures[0]
    counts = dict.fromkeys((*truth, "weighted"), 0)
    for _ in range(REPEATS):
        gradients = gradients_at(2.0, 2 * ratio, m, rng)
        path = [observe_gradients(gradients, gradients * curvatures)]
        estimates = NoiseToSignal().estimate(path)
        for name, value in truth.items():
            counts[name] += covered(estimates[name], value)
        curved = NoiseToSignal(curvature_weighted=True).estimate(path)
        counts["weighted"] += covered(curved["noise_to_signal"], weighted)
    assert min(counts.values()) >= LEAST, counts


@pytest.mark.parametrize("m", GRADIENTS)
@pytest.mark.parametrize(("M", "sigma2"), [(1.0, 0.0), (10.0, 1.0), (100.0, 0.0), (0.0, 1.0)])
def test_noise_model_and_envelope_along_a_path(M, sigma2, m):
    rng = np.random.default_rng(0)
    eps = 0.3
    counts = dict.fromkeys(("M", "sigma2", "envelope M", "envelope sigma2", "B", "ratio"), 0)
    for _ in range(REPEATS):
        path = [
            observe_gradients(gradients_at(signal, M * signal + sigma2, m, rng))
            for signal in SIGNALS
        ]
        model, envelope = NoiseModel().estimate(path), NoiseEnvelope(eps).estimate(path)
        counts["M"] += covered(model["M"], M)
        counts["sigma2"] += covered(model["sigma2"], sigma2)
        counts["envelope M"] += covered(envelope["M"], M)
        counts["envelope sigma2"] += covered(envelope["sigma2"], sigma2)
        counts["B"] += covered(envelope["critical_parallelism"], M + sigma2 / eps)
        mean_ratio = NoiseToSignal().estimate(path)["noise_to_signal"]
        counts["ratio"] += covered(mean_ratio, np.mean(M + sigma2 / SIGNALS))
    assert min(counts.values()) >= LEAST, counts


@pytest.mark.parametrize("steps", GRADIENTS)
def test_two_batch_sizes(steps):
    rng = np.random.default_rng(0)
    truth = {"noise": 30.0, "signal": 2.0, "noise_to_signal": 15.0}
    counts = dict.fromkeys(truth, 0)
    for _ in range(REPEATS):
        workers = np.stack([gradients_at(2.0, 30.0 / 4, 8, rng) for _ in range(steps)])
        small = np.sum(workers**2, axis=2).mean(axis=1)
        large = np.sum(workers.mean(axis=1) ** 2, axis=1)
        estimates = TwoBatchSizes().estimate(LoggedNorms(4, 32, small, large))
        for name, value in truth.items():
            counts[name] += covered(estimates[name], value)
    assert min(counts.values()) >= LEAST, counts


@pytest.mark.parametrize("m", GRADIENTS)
def test_sparsity(m):
    rng = np.random.default_rng(0)
    touched = 0.3 / np.arange(1, DIM + 1)
    count = sum(
        covered(
            Sparsity().estimate([observe_gradients(1.0 * (rng.random((m, DIM)) < touched))])[
                "delta"
            ],
            0.3,
        )
        for _ in range(REPEATS)
    )
    assert count >= LEAST
