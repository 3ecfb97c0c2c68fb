"""Learning-rate rules."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from critparam.errors import ArgumentError
from critparam.theory import (
    critical_rule,
    divided_by_workers,
    linear_scaling,
    square_root_scaling,
)

rates = st.floats(1e-6, 1e3)
sizes = st.floats(1, 1e6)
non_negative = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))


def test_critical_rule_by_hand():
    # 0.01 * 100/(1 + 99/3) and 0.01 * 100/(1 + 99 + 25)
    assert critical_rule(0.01, 99, batch_size=3) == pytest.approx(1 / 34)
    assert critical_rule(0.01, 99, delay=25) == pytest.approx(0.008)
    # 0.01 * 100/(1 + 99/3 + 6)
    assert critical_rule(0.01, 99, batch_size=3, delay=6) == pytest.approx(0.025)


def test_the_cap_by_hand():
    # uncapped 0.02 * 100/(1 + 99/99) = 1 against 1/(2 * 1)
    assert critical_rule(0.02, 99, batch_size=99, L=2) == pytest.approx(0.5)
    # uncapped 0.02 * 100/(1 + 99 + 100) = 0.01 against 1/(1 * 101)
    assert critical_rule(0.02, 99, delay=100, L=1) == pytest.approx(1 / 101)
    assert critical_rule(0.02, 99, delay=100, L=0.5) == pytest.approx(0.01)


def test_simple_rules_by_hand():
    assert linear_scaling(0.01, batch_size=16) == pytest.approx(0.16)
    assert square_root_scaling(0.01, batch_size=16) == pytest.approx(0.04)
    assert divided_by_workers(0.01, delay=3) == pytest.approx(0.0025)


@given(rate=rates, B=non_negative)
def test_every_rule_starts_at_the_tuned_rate(rate, B):
    assert critical_rule(rate, B) == pytest.approx(rate)
    assert linear_scaling(rate, batch_size=1) == rate
    assert square_root_scaling(rate, batch_size=1) == rate
    assert divided_by_workers(rate, delay=0) == rate


@given(rate=rates, B=non_negative, b=sizes)
def test_without_delay_between_the_tuned_rate_and_linear_scaling(rate, B, b):
    scaled = critical_rule(rate, B, batch_size=b)
    assert rate * (1 - 1e-12) <= scaled <= linear_scaling(rate, batch_size=b) * (1 + 1e-12)
    assert scaled <= rate * (1 + B) * (1 + 1e-12)


@given(rate=rates, B=non_negative, tau=non_negative)
def test_with_delay_between_division_by_workers_and_the_tuned_rate(rate, B, tau):
    slowed = critical_rule(rate, B, delay=tau)
    divided = divided_by_workers(rate, delay=tau)
    assert divided * (1 - 1e-12) <= slowed <= rate * (1 + 1e-12)


@given(rate=rates, b=sizes, tau=non_negative)
def test_limits_of_much_noise_and_of_none(rate, b, tau):
    assert critical_rule(rate, 0, batch_size=b, delay=tau) == pytest.approx(
        divided_by_workers(rate, delay=tau)
    )
    much = 1e9 * b * (1 + tau)
    assert critical_rule(rate, much, batch_size=b, delay=tau) == pytest.approx(
        linear_scaling(rate, batch_size=b), rel=1e-8
    )


@given(rate=rates, B=non_negative, b=sizes, tau=non_negative, L=st.floats(1e-3, 1e3))
def test_the_cap_only_lowers_and_always_holds(rate, B, b, tau, L):
    capped = critical_rule(rate, B, batch_size=b, delay=tau, L=L)
    assert capped <= critical_rule(rate, B, batch_size=b, delay=tau)
    assert capped * L * (1 + tau) <= 1 + 1e-12


@given(tau=st.integers(0, 10_000))
def test_the_cap_is_inside_the_stability_limit_of_delayed_gradient_descent(tau):
    """x_{t+1} = x_t - gamma L x_{t-tau} is stable below 2 sin(pi/(2 (2 tau + 1)))."""
    assert critical_rule(1e6, 0, delay=tau, L=1) < 2 * math.sin(math.pi / (2 * (2 * tau + 1)))


GOOD = {
    critical_rule: {"learning_rate": 0.1, "B": 10.0, "batch_size": 2.0, "delay": 1.0, "L": 1.0},
    linear_scaling: {"learning_rate": 0.1, "batch_size": 2.0},
    square_root_scaling: {"learning_rate": 0.1, "batch_size": 2.0},
    divided_by_workers: {"learning_rate": 0.1, "delay": 1.0},
}
NOT_NUMBERS = [math.nan, math.inf, -math.inf, "slow", [1.0, math.nan]]
BAD = {
    **dict.fromkeys(("learning_rate", "L"), (0, -0.1, [1, 0])),
    **dict.fromkeys(("B", "delay"), (-1, -1e-9, [1, -1])),
    "batch_size": [0, 0.999, -4, [1, 0]],
}


@pytest.mark.parametrize(
    ("rule", "argument", "value"),
    [
        (rule, argument, value)
        for rule, good in GOOD.items()
        for argument in good
        for value in (*BAD[argument], *NOT_NUMBERS)
    ],
)
def test_bad_arguments_are_named(rule, argument, value):
    with pytest.raises(ArgumentError) as error:
        rule(**{**GOOD[rule], argument: value})
    assert error.value.argument == argument


@pytest.mark.parametrize("rule", GOOD)
def test_broadcasting(rule):
    first, *_, last = GOOD[rule]
    scalar = rule(**GOOD[rule])
    assert type(scalar) is float
    row = {first: np.full(3, GOOD[rule][first])}
    column = {last: np.full((2, 1), GOOD[rule][last])}
    table = rule(**{**GOOD[rule], **row, **column})
    assert isinstance(table, np.ndarray)
    np.testing.assert_allclose(table, np.full((2, 3), scalar), rtol=1e-14)
