"""The constant delay."""

import numpy as np

from critparam.delays.constant import Constant


def test_schedule():
    schedule = Constant().schedule(5, 3, seed=0)
    np.testing.assert_array_equal(schedule.window(7, 3), [5, 5, 5])
    assert schedule.maximum == 5
    assert Constant().is_constant


def test_a_long_window_takes_no_memory():
    delays = Constant().schedule(5, 3, seed=0).window(0, 10**9)
    assert delays.base is not None
    assert delays.strides == (0,)
