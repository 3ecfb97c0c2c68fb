import math

import pandas as pd
import pytest

from critparam.errors import ArgumentError
from critparam_experiments.claims.base import Ruling
from critparam_experiments.claims.rate import Rate


def joined(*tables):
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize(
    ("power", "exponent", "ruling", "margin"),
    [
        (1.0, 1, Ruling.HOLDS, math.inf),
        (1.05, 1, Ruling.HOLDS, 2),
        (0.95, 1, Ruling.HOLDS, 2),
        (1.2, 1, Ruling.FAILS, 0.5),
        (0.8, 1, Ruling.FAILS, 0.5),
        (2.0, 2, Ruling.HOLDS, math.inf),
        (1.0, 2, Ruling.FAILS, 0.1),
    ],
)
def test_powers_of_accuracy_by_hand(accuracies, power, exponent, ruling, margin):
    """The margin is the tolerance, 0.1, over the distance of the two powers."""
    table = accuracies(lambda eps: eps**-power)
    (verdict,) = Rate(exponent=exponent).evaluate(table)
    assert verdict.ruling is ruling
    assert verdict.observed == pytest.approx(power, rel=1e-12)
    assert verdict.expected == exponent
    if margin < 100:
        assert verdict.margin == pytest.approx(margin, rel=1e-9)
    else:
        assert verdict.margin > 1e9


@pytest.mark.parametrize(
    ("steps_at", "scale", "observed"),
    [
        (lambda eps: 7 * math.log(4 / eps), 4.0, 1.0),
        (lambda eps: 7 * math.log(4 / eps) ** 2, 4.0, 2.0),
        (lambda eps: 7.0, 4.0, 0.0),
    ],
)
def test_powers_of_the_logarithm(accuracies, steps_at, scale, observed):
    (verdict,) = Rate(scale=scale).evaluate(accuracies(steps_at))
    assert verdict.observed == pytest.approx(observed, abs=1e-12)
    assert verdict.ruling is (Ruling.HOLDS if observed == 1 else Ruling.FAILS)


def test_a_bound_is_on_the_steepest_part(accuracies):
    """Slope 1/2 down to 1/16 and 3/2 beyond: 5/4 on average or less, and 3/2 at most."""
    table = accuracies(lambda eps: 10 * max((16 * eps) ** -0.5, (16 * eps) ** -1.5))
    (verdict,) = Rate(at_most=True).evaluate(table)
    assert verdict.ruling is Ruling.FAILS
    assert verdict.observed == pytest.approx(1.5)
    assert verdict.margin == pytest.approx(1.1 / 1.5)
    (verdict,) = Rate(at_most=True, exponent=1.5).evaluate(table)
    assert verdict.ruling is Ruling.HOLDS
    (verdict,) = Rate(at_most=True).evaluate(accuracies(lambda eps: 10 * eps))
    assert verdict.ruling is Ruling.HOLDS  # steps that fall are within every bound
    assert verdict.margin == math.inf


def test_one_verdict_a_line_named_by_what_it_has_of_its_own(accuracies):
    table = joined(
        accuracies(M=math.nan, sigma2=math.nan),
        accuracies(sigma2=0.5),
        accuracies(batch_size=8, delay=3, engine="monte_carlo"),
    )
    assert [verdict.part for verdict in Rate().evaluate(table)] == [
        "accuracy, exact",
        "accuracy, M=10, sigma2=0.5, exact",
        "accuracy, M=10, sigma2=0, b=8, tau=3, monte_carlo",
    ]


def test_order_of_rows_does_not_matter(accuracies):
    table = accuracies(lambda eps: eps**-1.3)
    (ordered,), (shuffled,) = (
        Rate(exponent=1.3, at_most=True).evaluate(each)
        for each in (table, table.sample(frac=1, random_state=0))
    )
    assert shuffled == ordered


def test_what_is_not_known_is_not_judged(accuracies):
    few = accuracies().head(2)
    missing = accuracies().assign(steps=[math.nan, *accuracies()["steps"][1:]])
    edge = accuracies().assign(status=["grid_edge"] + ["ok"] * 7)
    for table in (few, missing, edge):
        (verdict,) = Rate().evaluate(table)
        assert verdict.ruling is Ruling.INCONCLUSIVE
    (verdict,) = Rate(scale=0.3).evaluate(accuracies())  # 1/2 is above the scale
    assert verdict.ruling is Ruling.INCONCLUSIVE


def test_sweeps_of_one_accuracy_are_none_of_its_business(batches):
    (verdict,) = Rate().evaluate(batches())
    assert verdict.note == "no rows to judge"


def test_several_panels_may_be_named(accuracies):
    table = joined(*(accuracies(panel=panel) for panel in "abc"))
    parts = [verdict.part for verdict in Rate(panel=["a", "c"]).evaluate(table)]
    assert [part[0] for part in parts] == ["a", "c"]


@pytest.mark.parametrize(
    "bad", [{"exponent": -1}, {"tolerance": 0}, {"scale": 0}, {"scale": math.inf}]
)
def test_impossible_values(bad):
    with pytest.raises(ArgumentError):
        Rate(**bad)
