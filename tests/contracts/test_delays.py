"""What every registered delay keeps."""

import numpy as np
import pytest

from critparam.delays import delays

EXAMPLES = [
    pytest.param(example, id=f"{name}-{index}")
    for name in delays.members
    for index, example in enumerate(delays.load(name).examples())
]


@pytest.mark.parametrize("delay", EXAMPLES)
@pytest.mark.parametrize("size", [0, 1, 7, 100])
class TestSchedules:
    def test_whole_numbers_between_zero_and_the_maximum(self, delay, size):
        schedule = delay.schedule(size, 200, 0)
        assert schedule.delays.shape[0] == 200
        assert schedule.delays.ndim in (1, 2)
        assert np.issubdtype(schedule.delays.dtype, np.integer)
        assert schedule.delays.min() >= 0
        assert schedule.delays.max() <= schedule.maximum

    def test_deterministic_in_its_arguments(self, delay, size):
        first, again = (delay.schedule(size, 200, 3) for _ in range(2))
        np.testing.assert_array_equal(first.delays, again.delays)
        assert first.maximum == again.maximum

    def test_a_longer_schedule_begins_with_the_shorter(self, delay, size):
        short, long = (delay.schedule(size, steps, 0).delays for steps in (50, 200))
        np.testing.assert_array_equal(long[:50], short)

    def test_constant_where_it_says_so(self, delay, size):
        if not delay.is_constant:
            pytest.skip("not constant")
        for seed in (0, 1):
            schedule = delay.schedule(size, 60, seed)
            assert np.all(schedule.delays == size)
            assert schedule.maximum == size


@pytest.mark.parametrize("delay", EXAMPLES)
def test_size_zero_is_no_delay(delay):
    assert not delay.schedule(0, 60, 0).delays.any()
