"""What every registered delay keeps."""

import numpy as np
import pytest

from critparam.delays import delays

EXAMPLES = [
    pytest.param(example, id=f"{name}-{index}")
    for name in delays.members
    for index, example in enumerate(delays.load(name).examples())
]


DIM = 3


@pytest.mark.parametrize("delay", EXAMPLES)
@pytest.mark.parametrize("size", [0, 1, 7, 100])
class TestSchedules:
    def test_whole_numbers_between_zero_and_the_maximum(self, delay, size):
        schedule = delay.schedule(size, DIM, 0)
        staleness = schedule.window(0, 600)
        assert staleness.shape in [(600,), (600, DIM)]
        assert np.issubdtype(staleness.dtype, np.integer)
        assert staleness.min() >= 0
        assert staleness.max() <= schedule.maximum

    def test_deterministic_in_its_arguments(self, delay, size):
        first, again = (delay.schedule(size, DIM, 3) for _ in range(2))
        np.testing.assert_array_equal(first.window(0, 600), again.window(0, 600))
        assert first.maximum == again.maximum

    @pytest.mark.parametrize(
        ("first", "steps"), [(0, 1), (50, 206), (255, 2), (256, 300), (599, 1)]
    )
    def test_a_window_is_a_part_of_the_whole(self, delay, size, first, steps):
        schedule = delay.schedule(size, DIM, 0)
        whole = schedule.window(0, 600)
        np.testing.assert_array_equal(schedule.window(first, steps), whole[first : first + steps])

    def test_constant_where_it_says_so(self, delay, size):
        if not delay.is_constant:
            pytest.skip("not constant")
        for seed in (0, 1):
            schedule = delay.schedule(size, DIM, seed)
            assert np.all(schedule.window(0, 60) == size)
            assert schedule.maximum == size


@pytest.mark.parametrize("delay", EXAMPLES)
def test_size_zero_is_no_delay(delay):
    assert not delay.schedule(0, DIM, 0).window(0, 60).any()
