import math

import pandas as pd
import pytest

from critparam.errors import ArgumentError
from critparam_experiments.claims.base import Ruling
from critparam_experiments.claims.critical_parallelism import CriticalParallelism

NO_B = {"critical_parallelism": math.nan, "measured_parallelism": math.nan}


@pytest.mark.parametrize(
    ("predicted", "limits", "ruling", "margin"),
    [
        # B = 10 is in the table; margin = min(ratio/low, high/ratio)
        (10, {"within_factor": 2}, Ruling.HOLDS, 2),
        (15, {"within_factor": 2}, Ruling.HOLDS, 4 / 3),
        (6, {"within_factor": 2}, Ruling.HOLDS, 1.2),
        (30, {"within_factor": 2}, Ruling.FAILS, 2 / 3),
        (4, {"within_factor": 2}, Ruling.FAILS, 0.8),
        (20, {"between": [0.25, 1.0]}, Ruling.HOLDS, 2),
        (10, {"between": [0.125, 1.25]}, Ruling.HOLDS, 1.25),
        (5, {"between": [0.125, 1.2]}, Ruling.FAILS, 0.6),
    ],
)
@pytest.mark.parametrize("sweep", ["batches", "delays"])
def test_ruling_and_margin_by_hand(request, sweep, predicted, limits, ruling, margin):
    table = request.getfixturevalue(sweep)(critical_parallelism=predicted)
    (verdict,) = CriticalParallelism(**limits).evaluate(table)
    assert verdict.ruling is ruling
    # rounding to whole steps moves the fitted B by less than 1/1000 of it
    assert verdict.observed == pytest.approx(10, rel=1e-3)
    assert verdict.expected == predicted
    assert verdict.margin == pytest.approx(margin, rel=1e-3)


def test_measured_where_theory_gives_none(batches):
    table = batches(critical_parallelism=math.nan, measured_parallelism=20.0)
    (verdict,) = CriticalParallelism(within_factor=3).evaluate(table)
    assert (verdict.ruling, verdict.expected) == (Ruling.HOLDS, 20)


@pytest.mark.parametrize(
    ("table", "note"),
    [
        # the sweep must reach 8 B = 80, and the plateau T_inf must be at least 10 steps
        (lambda batches: batches().query("batch_size <= 64"), "below 8 B"),
        (lambda batches: batches(scale=8.0), "plateau"),
        (
            lambda batches: batches(critical_parallelism=math.nan, measured_parallelism=math.nan),
            "B",
        ),
        (lambda batches: batches().query("batch_size in [1, 512]"), "three"),
        (lambda batches: batches(status="grid_edge"), "three"),
    ],
)
def test_inconclusive(batches, table, note):
    (verdict,) = CriticalParallelism(within_factor=2).evaluate(table(batches))
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert note in verdict.note


def test_a_sweep_of_exactly_eight_b_and_a_plateau_of_ten_are_enough(batches):
    (verdict,) = CriticalParallelism(within_factor=2).evaluate(batches(B=63.9, scale=1e6))
    assert verdict.ruling is Ruling.HOLDS
    (verdict,) = CriticalParallelism(within_factor=2).evaluate(batches(scale=11.0))
    assert verdict.ruling is Ruling.HOLDS


def test_small_plateaus_do_not_matter_to_delays(delays):
    (verdict,) = CriticalParallelism(within_factor=2).evaluate(delays(scale=5.0))
    assert verdict.ruling is Ruling.HOLDS


def test_one_verdict_a_line_in_the_order_of_the_table(batches, delays):
    table = pd.concat(
        [
            batches(panel="z", series="noise.M=10"),
            batches(panel="z", series="noise.M=10", engine="monte_carlo"),
            delays(panel="a", critical_parallelism=99.0),
        ],
        ignore_index=True,
    )
    verdicts = CriticalParallelism(within_factor=2).evaluate(table)
    assert [(verdict.part, str(verdict.ruling)) for verdict in verdicts] == [
        ("z, noise.M=10, exact", "holds"),
        ("z, noise.M=10, monte_carlo", "holds"),
        ("a, exact", "fails"),
    ]


def test_edges_of_the_grid_and_what_was_not_reached_are_left_out(batches):
    table = batches()
    table.loc[3, ["status", "steps"]] = ["grid_edge", 1.0]
    table.loc[4, ["status", "steps", "steps_low"]] = ["not_reached", math.nan, math.nan]
    (verdict,) = CriticalParallelism(within_factor=2).evaluate(table)
    assert verdict.observed == pytest.approx(10, rel=1e-3)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"within_factor": 2, "between": [1, 2]},
        {"within_factor": 0.9},
        {"within_factor": math.nan},
        {"between": [1]},
        {"between": [1, 2, 3]},
        {"between": [2, 1]},
        {"between": [1, 1]},
        {"between": [0, 1]},
        {"between": [-1, 1]},
        {"between": []},
    ],
)
def test_tolerances_that_are_none(limits):
    with pytest.raises(ArgumentError):
        CriticalParallelism(**limits)
