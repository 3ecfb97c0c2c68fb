"""Steps to accuracy and admissible learning rates."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from critparam.errors import ArgumentError
from critparam.theory import (
    accuracy_power,
    admissible_learning_rate,
    critical_parallelism,
    steps_convex,
    steps_non_convex,
    steps_strongly_convex,
)

positive = st.floats(1e-6, 1e6)
non_negative = st.one_of(st.just(0.0), positive)
batches = st.floats(1, 1e6)
SETTINGS = ("non_convex", "convex", "strongly_convex")
# start and target for which T is exactly scale (1 + B/b + tau): the logarithm is 1
START = {
    "non_convex": lambda eps: {"F0": 3.0, "eps": eps},
    "convex": lambda eps: {"R0": 3.0, "eps": eps},
    "strongly_convex": lambda eps: {"F0": math.e * eps, "mu": 0.01, "eps": eps},
}
STEPS = {
    "non_convex": steps_non_convex,
    "convex": steps_convex,
    "strongly_convex": steps_strongly_convex,
}


def metric_of(setting: str) -> str:
    return "gradient_norm" if setting == "non_convex" else "suboptimality"


def test_non_convex_by_hand():
    # 2 * 3 * [8/(4 * 0.25) + (1 + 10/4 + 5)/0.5] = 6 * (8 + 17)
    steps = steps_non_convex(L=2, F0=3, eps=0.5, M=10, sigma2=8, batch_size=4, delay=5)
    assert steps == pytest.approx(150)


def test_convex_by_hand():
    # 8 * 9/(4 * 0.25) + 2 * 9 * (1 + 10/4 + 5)/0.5 = 72 + 306
    steps = steps_convex(L=2, R0=3, eps=0.5, M=10, sigma2=8, batch_size=4, delay=5)
    assert steps == pytest.approx(378)


def test_strongly_convex_by_hand():
    # 8/(4 * 0.2 * 0.5) + 10 * (1 + 10/4 + 5) * log(e) = 20 + 85
    steps = steps_strongly_convex(
        L=2, mu=0.2, F0=0.5 * math.e, eps=0.5, M=10, sigma2=8, batch_size=4, delay=5
    )
    assert steps == pytest.approx(105)


def test_defaults_are_one_exact_gradient_at_a_time():
    assert steps_non_convex(L=2, F0=3, eps=0.5) == pytest.approx(12)
    assert steps_convex(L=2, R0=3, eps=0.5) == pytest.approx(36)
    assert steps_strongly_convex(L=2, mu=0.2, F0=0.5 * math.e, eps=0.5) == pytest.approx(10)


@pytest.mark.parametrize("F0", [0.5, 0.1, 0.0])
def test_logarithm_is_zero_where_the_start_meets_the_target(F0):
    assert steps_strongly_convex(L=2, mu=0.2, F0=F0, eps=0.5, M=10) == 0
    # what is left is 8/(1 * 0.2 * 0.5)
    assert steps_strongly_convex(L=2, mu=0.2, F0=F0, eps=0.5, sigma2=8) == pytest.approx(80)


@pytest.mark.parametrize("setting", SETTINGS)
@given(
    L=st.floats(0.01, 100),
    eps=st.floats(1e-4, 10),
    M=non_negative,
    sigma2=non_negative,
    b=batches,
    tau=non_negative,
)
def test_steps_are_proportional_to_the_critical_factor(setting, L, eps, M, sigma2, b, tau):
    B = critical_parallelism(metric_of(setting), M=M, sigma2=sigma2, eps=eps, L=L)
    common = START[setting](eps) | {"L": L, "M": M, "sigma2": sigma2}
    ratio = STEPS[setting](**common, batch_size=b, delay=tau) / STEPS[setting](**common)
    assert ratio == pytest.approx((1 + B / b + tau) / (1 + B), rel=1e-9)


@given(F0=st.floats(2, 1e6), M=non_negative, b=batches, tau=non_negative)
def test_strongly_convex_without_additive_noise_needs_no_proviso(F0, M, b, tau):
    common = {"L": 1.0, "mu": 0.1, "F0": F0, "eps": 1.0, "M": M}
    ratio = steps_strongly_convex(**common, batch_size=b, delay=tau)
    ratio = ratio / steps_strongly_convex(**common)
    assert ratio == pytest.approx((1 + M / b + tau) / (1 + M), rel=1e-9)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        # without sigma2: 1/(2 (1 + 10/4 + 5)) = 1/17 in every setting
        ("non_convex", 1 / 17),
        ("convex", 1 / 17),
        ("strongly_convex", 1 / 17),
    ],
)
def test_admissible_rate_without_additive_noise(setting, expected):
    rate = admissible_learning_rate(setting, L=2, M=10, batch_size=4, delay=5)
    assert rate == pytest.approx(expected)
    assert admissible_learning_rate(
        setting, L=2, M=10, batch_size=4, delay=5, c=0.5
    ) == pytest.approx(expected / 2)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        # b eps/(L sigma2) = 4 * 0.5/(2 * 80), b eps/sigma2 = 4 * 0.5/80; both below 1/17
        ("non_convex", 0.0125),
        ("convex", 0.025),
        ("strongly_convex", 0.025),
    ],
)
def test_admissible_rate_at_the_noise_floor(setting, expected):
    rate = admissible_learning_rate(setting, L=2, eps=0.5, M=10, sigma2=80, batch_size=4, delay=5)
    assert rate == pytest.approx(expected)


@pytest.mark.parametrize("setting", SETTINGS)
def test_little_noise_does_not_lower_the_rate(setting):
    rate = admissible_learning_rate(setting, L=2, eps=0.5, M=10, sigma2=0.01, batch_size=4, delay=5)
    assert rate == pytest.approx(1 / 17)


@pytest.mark.parametrize("setting", SETTINGS)
@given(
    L=st.floats(0.02, 100),
    eps=st.floats(1e-4, 10),
    M=non_negative,
    sigma2=non_negative,
    b=batches,
    tau=non_negative,
)
def test_steps_are_what_the_admissible_rate_takes(setting, L, eps, M, sigma2, b, tau):
    """Descent at rate gamma takes distance/(gamma eps) steps; a sum is at most twice a maximum."""
    noise = {"L": L, "M": M, "sigma2": sigma2, "batch_size": b, "delay": tau}
    start = START[setting](eps)
    rate = admissible_learning_rate(setting, eps=eps, **noise)
    travel = {"non_convex": 3.0 / eps, "convex": 9.0 / eps, "strongly_convex": 1 / 0.01}[setting]
    ratio = STEPS[setting](**start, **noise) * rate / travel
    assert 1 - 1e-9 <= ratio <= 2 + 1e-9


GOOD = {
    steps_non_convex: {"L": 1.0, "F0": 1.0, "eps": 0.1},
    steps_convex: {"L": 1.0, "R0": 1.0, "eps": 0.1},
    steps_strongly_convex: {"L": 1.0, "mu": 0.1, "F0": 1.0, "eps": 0.1},
    admissible_learning_rate: {"setting": "convex", "L": 1.0, "eps": 0.1},
}
NOISE = {"M": 1.0, "sigma2": 1.0, "batch_size": 1.0, "delay": 0.0}
NOT_NUMBERS = [math.nan, math.inf, -math.inf, "fast", [1.0, math.nan]]
BAD = {
    **dict.fromkeys(("L", "mu", "eps", "c"), (0.0, -1.0, [1.0, 0.0])),
    **dict.fromkeys(("F0", "R0", "M", "sigma2", "delay"), (-1.0, [1.0, -1e-9])),
    "batch_size": [0.0, 0.999, -1.0, [1, 0]],
}


def bad_calls():
    for formula, good in GOOD.items():
        for argument in (*good, *NOISE):
            for value in (*BAD.get(argument, ()), *NOT_NUMBERS):
                if argument != "setting":
                    yield formula, argument, value
    yield from ((admissible_learning_rate, "c", value) for value in (*BAD["c"], *NOT_NUMBERS))
    names = ("nonconvex", "", None, 3, ["convex"])
    yield from ((admissible_learning_rate, "setting", name) for name in names)
    yield steps_strongly_convex, "mu", 1.001
    yield steps_strongly_convex, "mu", np.array([0.1, 2.0])


@pytest.mark.parametrize(("formula", "argument", "value"), list(bad_calls()))
def test_bad_arguments_are_named(formula, argument, value):
    with pytest.raises(ArgumentError) as error:
        formula(**{**GOOD[formula], **NOISE, argument: value})
    assert error.value.argument == argument


@pytest.mark.parametrize(
    ("setting", "sigma2"), list(itertools.product(SETTINGS, [1e-9, [0.0, 1.0]]))
)
def test_a_target_is_needed_where_there_is_additive_noise(setting, sigma2):
    with pytest.raises(ArgumentError, match="needed where sigma2 > 0") as error:
        admissible_learning_rate(setting, L=1.0, sigma2=sigma2)
    assert error.value.argument == "eps"


def test_an_unneeded_target_is_checked_all_the_same():
    with pytest.raises(ArgumentError) as error:
        admissible_learning_rate("convex", L=1.0, eps=-1.0)
    assert error.value.argument == "eps"


def test_an_unknown_setting_says_which_are_known():
    with pytest.raises(ArgumentError) as error:
        admissible_learning_rate("concave", L=1.0)
    assert set(error.value.accepted) == set(SETTINGS)


@pytest.mark.parametrize("formula", GOOD)
def test_broadcasting(formula):
    b, tau = np.array([1, 4, 16]), np.array([[0], [7]])
    table = formula(**GOOD[formula], M=10.0, sigma2=1.0, batch_size=b, delay=tau)
    assert isinstance(table, np.ndarray)
    assert table.shape == (2, 3)
    for i, j in itertools.product(range(2), range(3)):
        one = formula(
            **GOOD[formula], M=10.0, sigma2=1.0, batch_size=int(b[j]), delay=int(tau[i, 0])
        )
        assert type(one) is float
        assert table[i, j] == pytest.approx(one, rel=1e-14)


def test_sigma2_may_be_zero_in_some_places_only():
    # 1/L = 0.5, and b eps/sigma2 = 0.5/10
    rate = admissible_learning_rate("convex", L=2.0, eps=0.5, sigma2=np.array([0.0, 10.0]))
    np.testing.assert_allclose(rate, [0.5, 0.05])


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("sigma2", [0.0, 3.0])
def test_the_power_is_the_slope_of_the_steps_at_high_accuracy(setting, sigma2):
    """The slope of log T in log(1/eps); that of a logarithm tends to 0."""
    more = {"R0": 2.0} if setting == "convex" else {"F0": 2.0}
    more |= {"mu": 0.1} if setting == "strongly_convex" else {}
    first, second = (
        STEPS[setting](L=1.0, eps=eps, M=5, sigma2=sigma2, **more) for eps in (1e-120, 1e-121)
    )
    slope = math.log10(second / first)
    assert accuracy_power(setting, sigma2=sigma2) == pytest.approx(slope, abs=0.01)


def test_powers_of_several_noises_and_what_is_refused():
    assert accuracy_power("convex", sigma2=[0.0, 1.0]).tolist() == [1, 2]
    for setting, sigma2 in (("concave", 0.0), ("convex", -1.0), ("convex", math.nan)):
        with pytest.raises(ArgumentError):
            accuracy_power(setting, sigma2=sigma2)
