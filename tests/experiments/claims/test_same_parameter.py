import pandas as pd
import pytest

from critparam.errors import ArgumentError
from critparam_experiments.claims.base import Ruling
from critparam_experiments.claims.same_parameter import SameParameter


def joined(*tables):
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize(
    ("by_batch", "by_delay", "factor", "ruling", "margin"),
    [
        (10, 10, 2, Ruling.HOLDS, 2),
        (10, 15, 2, Ruling.HOLDS, 4 / 3),
        (15, 10, 2, Ruling.HOLDS, 4 / 3),
        (10, 25, 2, Ruling.FAILS, 0.8),
        (30, 10, 2, Ruling.FAILS, 2 / 3),
        (30, 10, 4, Ruling.HOLDS, 4 / 3),
    ],
)
def test_ruling_and_margin_by_hand(batches, delays, by_batch, by_delay, factor, ruling, margin):
    table = joined(batches(panel="b", B=by_batch), delays(panel="d", B=by_delay))
    (verdict,) = SameParameter(within_factor=factor).evaluate(table)
    assert verdict.ruling is ruling
    assert verdict.observed == pytest.approx(by_batch, rel=1e-3)
    assert verdict.expected == pytest.approx(by_delay, rel=1e-3)
    assert verdict.margin == pytest.approx(margin, rel=2e-3)


def test_one_verdict_a_series_and_engine(batches, delays):
    tables = [
        make(panel=panel, series=series, engine=engine, B=B)
        for make, panel in ((batches, "b"), (delays, "d"))
        for series, B in (("noise.M=10", 10), ("noise.M=40", 40))
        for engine in ("exact", "monte_carlo")
    ]
    verdicts = SameParameter().evaluate(joined(*tables))
    assert [(verdict.part, str(verdict.ruling)) for verdict in verdicts] == [
        ("noise.M=10, exact", "holds"),
        ("noise.M=10, monte_carlo", "holds"),
        ("noise.M=40, exact", "holds"),
        ("noise.M=40, monte_carlo", "holds"),
    ]


@pytest.mark.parametrize("short", ["b", "d"])
def test_either_sweep_may_be_too_short(batches, delays, short):
    table = joined(batches(panel="b"), delays(panel="d"))
    table = table[(table["panel"] != short) | (table["parallelism"] <= 32)]
    (verdict,) = SameParameter().evaluate(table)
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert "8 B" in verdict.note


def test_sweeps_in_which_both_sizes_move_are_left_out(batches, delays):
    both = joined(batches(panel="x", B=900), delays(panel="x", B=900))
    table = joined(batches(panel="b"), delays(panel="d"), both)
    (verdict,) = SameParameter().evaluate(table)
    assert verdict.observed == pytest.approx(10, rel=1e-3)


@pytest.mark.parametrize("factor", [0.5, 0, -1])
def test_tolerances_that_are_none(factor):
    with pytest.raises(ArgumentError):
        SameParameter(within_factor=factor)


def test_a_pair_of_panels_is_named(batches, delays):
    table = joined(batches(panel="b"), delays(panel="d"), batches(panel="other", B=100))
    (verdict,) = SameParameter(panel=["b", "d"]).evaluate(table)
    assert (verdict.part, verdict.ruling) == ("b and d, exact", Ruling.HOLDS)
