"""Scores of runs by hand."""

import numpy as np

from critparam.runs import NEVER, Runs
from critparam.types import Status

REACHED, LATE, DIVERGED, BEATEN = (
    Status.REACHED,
    Status.NOT_REACHED,
    Status.DIVERGED,
    Status.BEATEN,
)


def test_scores_and_all_reached():
    steps = [[10, 20], [10, NEVER], [10, NEVER], [10, NEVER], [NEVER, NEVER]]
    status = [
        [REACHED, REACHED],
        [REACHED, LATE],
        [REACHED, DIVERGED],
        [REACHED, BEATEN],
        [LATE, DIVERGED],
    ]
    blank = np.full((5, 2), np.nan)
    runs = Runs(np.arange(1.0, 6.0), np.array(steps), np.array(status, object), blank, blank)
    # min(T, 100) of what has not arrived is 100
    np.testing.assert_array_equal(runs.scores(100), [15, 55, 55, np.inf, np.inf])
    np.testing.assert_array_equal(runs.all_reached(), [True, False, False, False, False])
