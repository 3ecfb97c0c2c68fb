"""Synthetic sparse data: its frequencies, its labels, its seed."""

import numpy as np
import pytest

from critparam.datasets.power_law import PowerLaw
from critparam.errors import ArgumentError


def test_frequencies_decay_as_a_power():
    """Binomial counts lie within 5 standard deviations, failure below 1e-4 in all."""
    n, j = 40_000, np.arange(1, 51)
    features = PowerLaw(samples=n, dim=50, frequency=0.4, exponent=0.8).read().features
    expected = 0.4 * j**-0.8
    counts = np.diff(features.tocsc().indptr)
    assert np.all(np.abs(counts - n * expected) < 5 * np.sqrt(n * expected * (1 - expected)))
    assert set(np.unique(features.data)) == {-1.0, 1.0}


def test_flipped_labels_are_a_share():
    n = 20_000
    clean, noisy = (PowerLaw(samples=n, dim=6, label_noise=share).read() for share in (0.0, 0.25))
    np.testing.assert_array_equal(clean.features.toarray(), noisy.features.toarray())
    flipped = np.mean(clean.labels != noisy.labels)
    assert flipped == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / n))


def test_a_hyperplane_separates_rows_with_features():
    from scipy.optimize import linprog

    table = PowerLaw(samples=300, dim=8, frequency=1.0, exponent=0.0).read()
    signed = table.labels[:, None] * table.features.toarray()
    assert linprog(np.zeros(8), A_ub=-signed, b_ub=-np.ones(300), bounds=(None, None)).status == 0


def test_seed_decides_the_data():
    first, again, other = (PowerLaw(samples=30, dim=4, seed=seed).read() for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.features.toarray(), again.features.toarray())
    assert not np.array_equal(first.features.toarray(), other.features.toarray())


@pytest.mark.parametrize(
    ("argument", "value"),
    [("samples", 1), ("dim", 0), ("frequency", 0.0), ("frequency", 1.5), ("exponent", -1.0),
     ("label_noise", 0.6), ("label_noise", -0.1)],
)  # fmt: skip
def test_refused(argument, value):
    with pytest.raises(ArgumentError) as error:
        PowerLaw(**{"samples": 9, "dim": 2, argument: value})
    assert error.value.argument == argument
