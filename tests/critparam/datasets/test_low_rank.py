"""Synthetic ratings: their rank, their noise, their number, their seed."""

import numpy as np
import pytest

from critparam.datasets.low_rank import LowRank
from critparam.errors import ArgumentError


def matrix(source):
    """The entries in their places; 0 where none is observed."""
    table = source.read()
    full = np.zeros((source.rows, source.columns))
    i, j = table.features.astype(int).T
    full[i, j] = table.labels
    return full


def test_complete_and_noiseless_it_has_its_rank():
    singular = np.linalg.svd(matrix(LowRank(rows=30, columns=20, rank=4)))[1]
    assert singular[3] > 1
    assert singular[4] < 1e-12 * singular[0]


def test_entries_have_variance_one():
    """The mean square over 400 x 400 entries of rank 100: its standard error is about 0.01."""
    entries = LowRank(rows=400, columns=400, rank=100).read().labels
    assert np.mean(entries**2) == pytest.approx(1, abs=0.06)


def test_noise_is_a_standard_deviation():
    clean, noisy = (
        LowRank(rows=100, columns=100, rank=2, label_noise=noise).read() for noise in (0.0, 0.5)
    )
    np.testing.assert_array_equal(clean.features, noisy.features)
    variance = np.var(noisy.labels - clean.labels)
    assert variance == pytest.approx(0.25, rel=6 * np.sqrt(2 / 10_000))


def test_share_of_entries_each_at_most_once():
    features = LowRank(rows=30, columns=20, rank=1, observed=0.3).read().features
    assert len(features) == len(np.unique(features, axis=0)) == 180


@pytest.mark.parametrize(
    ("argument", "value"),
    [("rows", 1), ("columns", 1), ("rank", 0), ("observed", 0.0), ("observed", 1.1),
     ("label_noise", -1.0)],
)  # fmt: skip
def test_refused(argument, value):
    with pytest.raises(ArgumentError) as error:
        LowRank(**{"rows": 5, "columns": 5, "rank": 2, argument: value})
    assert error.value.argument == argument
