"""Synthetic regression data: its covariance, its labels, its seed."""

import numpy as np
import pytest

from critparam.datasets.gaussian import Gaussian
from critparam.errors import ArgumentError


def test_features_have_the_variances_of_the_spectrum():
    """Chi-squared: every mean square lies within 6 standard errors, failure below 1e-7."""
    table = Gaussian(samples=20_000, spectrum=[4.0, 1.0, 0.01]).read()
    ratios = np.mean(table.features**2, axis=0) / [4.0, 1.0, 0.01]
    np.testing.assert_allclose(ratios, 1, atol=6 * np.sqrt(2 / 20_000))
    correlations = np.corrcoef(table.features.T) - np.eye(3)
    assert np.abs(correlations).max() < 6 / np.sqrt(20_000)


def test_weights_share_the_energy_evenly():
    table = Gaussian(samples=50, dim=4, condition_number=100.0).read()
    weights = np.linalg.lstsq(table.features, table.labels)[0]
    h = np.array([100 ** (i / 3) / 100 for i in range(4)])
    np.testing.assert_allclose(0.5 * h * weights**2, 1 / 4, rtol=1e-9)


def test_label_noise_is_a_standard_deviation():
    clean = Gaussian(samples=20_000, dim=2, condition_number=2.0, seed=3).read()
    noisy = Gaussian(samples=20_000, dim=2, condition_number=2.0, seed=3, label_noise=0.7).read()
    np.testing.assert_array_equal(noisy.features, clean.features)
    variance = np.var(noisy.labels - clean.labels)
    assert variance == pytest.approx(0.49, rel=6 * np.sqrt(2 / 20_000))


def test_seed_decides_the_data():
    first, again, other = (
        Gaussian(samples=5, spectrum=[1.0], seed=seed).read() for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.features, again.features)
    assert not np.any(first.features == other.features)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"samples": 1, "spectrum": [1.0]}, "samples"),
        ({"samples": 9}, "dim"),
        ({"samples": 9, "dim": 2}, "condition_number"),
        ({"samples": 9, "dim": 2, "condition_number": 0.5}, "condition_number"),
        ({"samples": 9, "spectrum": [1.0, -1.0]}, "spectrum"),
        ({"samples": 9, "spectrum": "flat"}, "spectrum"),
        ({"samples": 9, "spectrum": [1.0], "label_noise": -0.1}, "label_noise"),
    ],
)
def test_refused(options, argument):
    with pytest.raises(ArgumentError) as error:
        Gaussian(**options)
    assert error.value.argument == argument
