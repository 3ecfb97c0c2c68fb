"""The saturation law, its inverses and its steps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from critparam.errors import ArgumentError
from critparam.theory import (
    efficiency,
    parallelism,
    parallelism_for_efficiency,
    parallelism_for_speedup,
    speedup,
    speedup_from_steps,
    steps_at,
    steps_at_batch_size,
    steps_at_delay,
)

sizes = st.floats(1, 1e6)
non_negative = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))


def test_parallelism_by_hand():
    assert parallelism(1, 0) == 1
    assert parallelism(64, 0) == 64
    assert parallelism(1, 63) == 64
    assert parallelism(8, 7) == 64


@pytest.mark.parametrize(
    ("P", "expected"),
    [(1, 1.0), (4, 3.9), (16, 13.9), (64, 39.4), (256, 72.6), (1024, 92.0)],
)
def test_law_of_the_design_by_batches(P, expected):
    assert round(speedup(P, 100), 1) == expected


@pytest.mark.parametrize(
    ("delay", "expected"),
    # 202/102, 808/108, 64 * 101/164, 256 * 101/356, 1024 * 101/1124
    [(1, 1.98), (7, 7.48), (63, 39.41), (255, 72.63), (1023, 92.01)],
)
def test_law_of_the_design_by_delays(delay, expected):
    assert speedup(parallelism(1, delay), 100) == pytest.approx(expected, abs=0.005)


@given(sizes)
def test_one_gradient_at_a_time_is_the_unit(B):
    assert speedup(1, B) == 1
    assert efficiency(1, B) == 1


@given(sizes)
def test_without_noise_nothing_is_gained(P):
    assert speedup(P, 0) == 1
    assert efficiency(P, 0) == pytest.approx(1 / P)


@given(sizes)
def test_half_of_the_limit_at_the_critical_parallelism(B):
    assert speedup(B, B) == pytest.approx((1 + B) / 2)


@given(P=sizes, Q=sizes, B=non_negative)
def test_speedup_grows_and_efficiency_falls(P, Q, B):
    P, Q = sorted((P, Q))
    assert speedup(P, B) <= speedup(Q, B)
    assert efficiency(P, B) >= efficiency(Q, B)


@given(P=sizes, B=non_negative, C=non_negative)
def test_speedup_grows_with_the_critical_parallelism(P, B, C):
    B, C = sorted((B, C))
    assert speedup(P, B) <= speedup(P, C) * (1 + 1e-12)


@given(P=sizes, B=non_negative)
def test_speedup_is_between_one_and_both_limits(P, B):
    assert 1 <= speedup(P, B) <= min(P, 1 + B) * (1 + 1e-12)


@given(P=sizes, B=non_negative)
def test_efficiency_is_speedup_for_each_gradient(P, B):
    assert efficiency(P, B) == pytest.approx(speedup(P, B) / P)


@given(B=st.floats(1e-3, 1e6), share=st.floats(0, 0.999))
def test_parallelism_for_speedup_inverts_the_law(B, share):
    s = 1 + share * B
    P = parallelism_for_speedup(s, B)
    assert P >= 1
    assert speedup(P, B) == pytest.approx(s)


@given(B=non_negative, e=st.floats(1e-3, 1))
def test_parallelism_for_efficiency_inverts_the_law(B, e):
    P = parallelism_for_efficiency(e, B)
    assert P >= 1
    assert efficiency(P, B) == pytest.approx(e)


def test_inverses_by_hand():
    assert parallelism_for_speedup(50.5, 100) == pytest.approx(100)
    assert parallelism_for_speedup(1, 100) == 1
    assert parallelism_for_speedup(1, 1e-30) == 1
    # 3 * 4/(1 + 4 - 3)
    assert parallelism_for_speedup(3, 4) == pytest.approx(6)
    # (1 + 9)/0.5 - 9
    assert parallelism_for_efficiency(0.5, 9) == pytest.approx(11)
    assert parallelism_for_efficiency(1, 9) == 1


@pytest.mark.parametrize(
    ("s", "B"), [(101, 100), (102, 100), (1, 0), (0.999, 100), (0, 1), (np.array([2, 5]), 4)]
)
def test_a_speedup_out_of_reach_is_refused(s, B):
    with pytest.raises(ArgumentError) as error:
        parallelism_for_speedup(s, B)
    assert error.value.argument == "speedup"


def test_steps_by_hand():
    # 20 (1 + 100/4 + 7)
    assert steps_at(4, 7, 100, 20) == pytest.approx(660)
    # 20 (1 + 100/4)
    assert steps_at_batch_size(4, 100, 20) == pytest.approx(520)
    # 1010 (1 + 202/101)
    assert steps_at_delay(202, 100, 1010) == pytest.approx(3030)
    # 8 * 1437/1590, a measurement of the design
    assert speedup_from_steps(1437, 1590, 7) == pytest.approx(7.2302, abs=1e-4)


@given(b=sizes, tau=non_negative, B=non_negative, scale=st.floats(1e-3, 1e6))
def test_batch_and_delay_are_the_two_axes_of_one_law(b, tau, B, scale):
    assert steps_at_batch_size(b, B, scale) == pytest.approx(steps_at(b, 0, B, scale))
    undelayed = scale * (1 + B)
    assert steps_at_delay(tau, B, undelayed) == pytest.approx(steps_at(1, tau, B, scale))


@pytest.mark.parametrize("axes", ["batch", "delay", "both"])
@given(b=sizes, tau=non_negative, B=non_negative, scale=st.floats(1e-3, 1e6))
def test_ratio_of_steps_is_the_speedup(axes, b, tau, B, scale):
    """(tau+1) (1+B)/(1 + B/b + tau) = P (1+B)/(P + B) with P = b (tau+1)."""
    b, tau = 1 if axes == "delay" else b, 0 if axes == "batch" else tau
    measured = speedup_from_steps(steps_at(1, 0, B, scale), steps_at(b, tau, B, scale), tau)
    assert measured == pytest.approx(speedup(parallelism(b, tau), B), rel=1e-12)


@given(P=sizes, B=non_negative)
def test_batches_and_delays_of_equal_parallelism_gain_alike(P, B):
    sequential = steps_at(1, 0, B, 10)
    by_batch = speedup_from_steps(sequential, steps_at(P, 0, B, 10), 0)
    by_delay = speedup_from_steps(sequential, steps_at(1, P - 1, B, 10), P - 1)
    assert by_batch == pytest.approx(by_delay, rel=1e-9)


GOOD = {
    parallelism: {"batch_size": 2.0, "delay": 1.0},
    speedup: {"parallelism": 4.0, "B": 10.0},
    parallelism_for_speedup: {"speedup": 2.0, "B": 10.0},
    efficiency: {"parallelism": 4.0, "B": 10.0},
    parallelism_for_efficiency: {"efficiency": 0.5, "B": 10.0},
    steps_at: {"batch_size": 2.0, "delay": 1.0, "B": 10.0, "scale": 20.0},
    steps_at_batch_size: {"batch_size": 2.0, "B": 10.0, "steps_at_infinity": 20.0},
    steps_at_delay: {"delay": 1.0, "B": 10.0, "steps_undelayed": 200.0},
    speedup_from_steps: {"steps_sequential": 200.0, "steps": 100.0, "delay": 1.0},
}
NOT_NUMBERS = [math.nan, math.inf, -math.inf, "many", [1.0, math.nan]]
BELOW_ONE = [0, 0.999, -4, [1, 0]]
NOT_POSITIVE = [0, -1, [1, 0]]
BAD = {
    **dict.fromkeys(("batch_size", "parallelism", "speedup"), BELOW_ONE),
    **dict.fromkeys(("delay", "B"), (-1, -1e-9, [1, -1])),
    **dict.fromkeys(("scale", "steps_at_infinity", "steps_undelayed"), NOT_POSITIVE),
    **dict.fromkeys(("steps_sequential", "steps"), NOT_POSITIVE),
    "efficiency": [0, -0.1, 1.001, [0.5, 2]],
}


@pytest.mark.parametrize(
    ("formula", "argument", "value"),
    [
        (formula, argument, value)
        for formula, good in GOOD.items()
        for argument in good
        for value in (*BAD[argument], *NOT_NUMBERS)
    ],
)
def test_bad_arguments_are_named(formula, argument, value):
    with pytest.raises(ArgumentError) as error:
        formula(**{**GOOD[formula], argument: value})
    assert error.value.argument == argument


@pytest.mark.parametrize("formula", GOOD)
def test_broadcasting(formula):
    first, *_, last = GOOD[formula]
    scalar = formula(**GOOD[formula])
    assert type(scalar) is float
    row = {first: np.full(3, GOOD[formula][first])}
    column = {last: np.full((2, 1), GOOD[formula][last])}
    table = formula(**{**GOOD[formula], **row, **column})
    assert isinstance(table, np.ndarray)
    np.testing.assert_allclose(table, np.full((2, 3), scalar), rtol=1e-14)


def test_small_integers_do_not_overflow():
    assert parallelism(np.array([200], dtype=np.uint8), np.uint8(255))[0] == 51200
