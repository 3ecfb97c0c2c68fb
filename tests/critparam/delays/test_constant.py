"""The constant delay."""

import numpy as np

from critparam.delays.constant import Constant


def test_schedule():
    schedule = Constant().schedule(5, 3, seed=0)
    np.testing.assert_array_equal(schedule.delays, [5, 5, 5])
    assert schedule.maximum == 5
    assert Constant().is_constant


def test_a_long_schedule_takes_no_memory():
    delays = Constant().schedule(5, 10**9, seed=0).delays
    assert delays.base is not None
    assert delays.strides == (0,)
