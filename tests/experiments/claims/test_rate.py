import math

import pandas as pd
import pytest

from critparam.errors import ArgumentError
from critparam_experiments.claims.base import Ruling
from critparam_experiments.claims.rate import Rate

CONVEX = Rate(setting="convex")


def joined(*tables):
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize("setting", ["convex", "non_convex"])
@pytest.mark.parametrize(
    ("sigma2", "expected"), [(0.0, 1), (0.5, 2), (math.nan, 2)], ids=["none", "some", "unknown"]
)
@pytest.mark.parametrize(
    ("off", "ruling", "margin"),
    [
        (0.0, Ruling.HOLDS, math.inf),
        (0.05, Ruling.HOLDS, 2),
        (-0.05, Ruling.HOLDS, 2),
        (0.2, Ruling.FAILS, 0.5),
        (-0.2, Ruling.FAILS, 0.5),
        (1.0, Ruling.FAILS, 0.1),
    ],
)
def test_powers_of_accuracy_by_hand(accuracies, setting, sigma2, expected, off, ruling, margin):
    """The margin is the tolerance, 0.1, over the distance of the two powers."""
    table = accuracies(lambda eps: eps ** -(expected + off), sigma2=sigma2)
    (verdict,) = Rate(setting=setting).evaluate(table)
    assert verdict.ruling is ruling
    assert verdict.observed == pytest.approx(expected + off, rel=1e-12)
    assert verdict.expected == expected
    if math.isfinite(margin):
        assert verdict.margin == pytest.approx(margin, rel=1e-9)
    else:
        assert verdict.margin > 1e9


def test_strong_convexity_saves_one_power(accuracies):
    table = accuracies(lambda eps: 1 / eps, sigma2=0.5)
    (verdict,) = Rate(setting="strongly_convex").evaluate(table)
    assert (verdict.ruling, verdict.expected) == (Ruling.HOLDS, 1)


@pytest.mark.parametrize(
    ("steps_at", "observed"),
    [
        (lambda eps: 7 * math.log(4 / eps), 1.0),
        (lambda eps: 7 * math.log(4 / eps) ** 2, 2.0),
        (lambda eps: 7.0, 0.0),
    ],
)
def test_powers_of_the_logarithm(accuracies, steps_at, observed):
    claim = Rate(setting="strongly_convex", F0=4.0)
    (verdict,) = claim.evaluate(accuracies(steps_at))
    assert verdict.observed == pytest.approx(observed, abs=1e-12)
    assert verdict.expected == 1
    assert verdict.ruling is (Ruling.HOLDS if observed == 1 else Ruling.FAILS)


def test_a_bound_is_on_the_steepest_part(accuracies):
    """Slope 1/2 down to 1/16 and 3/2 beyond."""
    table = accuracies(lambda eps: 10 * max((16 * eps) ** -0.5, (16 * eps) ** -1.5))
    (verdict,) = Rate(setting="convex", at_most=True).evaluate(table)
    assert verdict.ruling is Ruling.FAILS
    assert verdict.observed == pytest.approx(1.5)
    assert verdict.margin == pytest.approx(1.1 / 1.5)
    (verdict,) = Rate(setting="convex", at_most=True).evaluate(table.assign(sigma2=1.0))
    assert verdict.ruling is Ruling.HOLDS
    falling = accuracies(lambda eps: 10 * eps)
    (verdict,) = Rate(setting="convex", at_most=True).evaluate(falling)
    assert (verdict.ruling, verdict.margin) == (Ruling.HOLDS, math.inf)


def test_one_verdict_a_line_named_by_what_it_has_of_its_own(accuracies):
    table = joined(
        accuracies(M=math.nan, sigma2=math.nan),
        accuracies(sigma2=0.5),
        accuracies(batch_size=8, delay=3, engine="monte_carlo"),
    )
    assert [verdict.part for verdict in CONVEX.evaluate(table)] == [
        "accuracy, exact",
        "accuracy, M=10, sigma2=0.5, exact",
        "accuracy, M=10, sigma2=0, b=8, tau=3, monte_carlo",
    ]


def test_order_of_rows_does_not_matter(accuracies):
    table = accuracies(lambda eps: eps**-1.3)
    (ordered,), (shuffled,) = (
        Rate(setting="convex", at_most=True).evaluate(each)
        for each in (table, table.sample(frac=1, random_state=0))
    )
    assert shuffled == ordered


def test_what_is_not_known_is_not_judged(accuracies):
    few = accuracies().head(2)
    missing = accuracies().assign(steps=[math.nan, *accuracies()["steps"][1:]])
    edge = accuracies().assign(status=["grid_edge"] + ["ok"] * 7)
    for table in (few, missing, edge):
        (verdict,) = CONVEX.evaluate(table)
        assert verdict.ruling is Ruling.INCONCLUSIVE
    for F0 in (None, 0.3):  # not given; and 1/2 is above it
        (verdict,) = Rate(setting="strongly_convex", F0=F0).evaluate(accuracies())
        assert verdict.ruling is Ruling.INCONCLUSIVE
        assert "F0" in verdict.note


def test_sweeps_of_one_accuracy_are_none_of_its_business(batches):
    (verdict,) = CONVEX.evaluate(batches())
    assert verdict.note == "no rows to judge"


def test_several_panels_may_be_named(accuracies):
    table = joined(*(accuracies(panel=panel) for panel in "abc"))
    parts = [verdict.part for verdict in Rate(setting="convex", panel=["a", "c"]).evaluate(table)]
    assert [part[0] for part in parts] == ["a", "c"]


@pytest.mark.parametrize(
    "bad", [{"setting": "concave"}, {"tolerance": 0}, {"F0": 0}, {"F0": math.inf}]
)
def test_impossible_values(bad):
    with pytest.raises(ArgumentError):
        Rate(**{"setting": "convex", **bad})
