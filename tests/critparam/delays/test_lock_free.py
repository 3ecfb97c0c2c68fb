"""Inconsistent reads: staleness uniform over the time of reading, coordinate by coordinate."""

import numpy as np
import pytest

from critparam.delays.lock_free import LockFree
from critparam.errors import ArgumentError


@pytest.mark.parametrize(
    ("reading", "size", "values"),
    [
        (1.0, 4, [0, 1, 2, 3, 4]),
        (0.5, 4, [2, 3, 4]),
        (0.5, 5, [3, 4, 5]),
        (1e-9, 4, [4]),
        (1.0, 0, [0]),
    ],
)
def test_uniform_over_the_time_of_reading(reading, size, values):
    draws = LockFree(reading).schedule(size, 7, seed=0).window(0, 3000)
    assert draws.shape == (3000, 7)
    found, counts = np.unique(draws, return_counts=True)
    assert found.tolist() == values
    # |z| < 5 for at most 5 values: missed with probability 3e-6
    share, n = 1 / len(values), draws.size
    assert np.all(np.abs(counts - n * share) <= 5 * np.sqrt(n * share * (1 - share)))


def test_coordinates_and_steps_are_independent():
    draws = LockFree().schedule(100, 2, seed=0).window(0, 4000).astype(float)
    lagged = np.corrcoef([draws[1:, 0], draws[:-1, 0], draws[1:, 1]])
    assert np.all(np.abs(lagged[np.triu_indices(3, 1)]) < 5 / np.sqrt(4000))


def test_sizes_share_random_numbers():
    small, large = (LockFree().schedule(size, 3, seed=1).window(0, 50) for size in (9, 99))
    np.testing.assert_array_equal(small, large // 10)  # u in [k/10, (k + 1)/10)


@pytest.mark.parametrize("reading", [0.0, -1.0, 1.5, float("nan")])
def test_the_share_is_a_share(reading):
    with pytest.raises(ArgumentError, match="reading"):
        LockFree(reading)
