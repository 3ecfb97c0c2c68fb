"""Tables from handmade outcomes: every expected number is worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from critparam.cell import Outcome
from critparam.runs import NEVER, Runs
from critparam.types import Status
from critparam_experiments.plan import make_plan
from critparam_experiments.tables import (
    claims_table,
    read_csv,
    runs_table,
    speedup_table,
    write_csv,
)

COLUMNS = (
    *("experiment", "panel", "series", "engine", "estimand", "problem", "noise", "M", "sigma2"),
    *("eps", "batch_size", "delay", "parallelism", "learning_rate", "steps", "steps_low"),
    *("steps_high", "replicates", "reached", "diverged", "speedup", "speedup_low"),
    *("speedup_high", "critical_parallelism", "measured_parallelism", "weighted_parallelism"),
    *("path_parallelism", "path_weighted_parallelism", "theory_speedup", "status"),
)
RUNS_COLUMNS = (
    *("experiment", "panel", "series", "engine", "batch_size", "delay", "learning_rate"),
    *("replicate", "steps", "status"),
)
MIXED = [{"name": "p", "sweep": {"batch_size": [1, 4], "delay": [0, 3]}}]
SAMPLED = {"engine": "monte_carlo", "panels": MIXED, "noise": {"kind": "isotropic", "M": 5}}


def outcome(steps, *, at_edge=False, signal=0.5, noise=2.0, status=None):
    """Runs at one learning rate, 0.25, with these steps."""
    steps = np.array([steps])
    reached = np.where(steps == NEVER, Status.NOT_REACHED, Status.REACHED).astype(object)
    status = reached if status is None else np.array([status], dtype=object)
    at_target = np.where(steps == NEVER, np.nan, 1.0)
    return Outcome(
        Runs(np.array([0.25]), steps, status, noise * at_target, signal * at_target), 0, at_edge
    )


def table_of(experiment, *outcomes, make=speedup_table):
    plan = make_plan(experiment)
    assert len(plan.cells) == len(outcomes)
    pairs = zip(plan.cells, outcomes, strict=True)
    return make(plan, {planned.cell_id: each for planned, each in pairs if each is not None})


def test_columns_are_those_of_the_contract_in_order(resolved):
    assert list(table_of(resolved(), outcome([4]), outcome([2])).columns) == list(COLUMNS)
    assert list(table_of(resolved(), None, None).columns) == list(COLUMNS)
    runs = table_of(resolved(), outcome([4]), outcome([2]), make=runs_table)
    assert list(runs.columns) == list(RUNS_COLUMNS)


def test_rows_of_a_product_by_hand(resolved):
    """Means 16, 20, 6, 10 at (1, 0), (1, 3), (4, 0), (4, 3); M = 5, sigma2 = 0, so B = 5."""
    table = table_of(
        resolved(**SAMPLED),
        *map(outcome, ([10, 12, 20, 22], [20, 30, 10, 20], [6, 6, 6, 6], [8, 12, 10, 10])),
    )
    assert table[["batch_size", "delay", "parallelism"]].values.tolist() == [
        [1, 0, 1], [1, 3, 4], [4, 0, 4], [4, 3, 16],
    ]  # fmt: skip
    assert table["steps"].tolist() == [16, 20, 6, 10]
    # (delay + 1) T(1, 0)/T: 16/16, 4 * 16/20, 16/6, 4 * 16/10
    assert table["speedup"].tolist() == pytest.approx([1, 3.2, 8 / 3, 6.4], rel=1e-15)
    # P (1 + B)/(P + B) with B = 5
    assert table["theory_speedup"].tolist() == pytest.approx(
        [1, 24 / 9, 24 / 9, 96 / 21], rel=1e-15
    )
    assert table["critical_parallelism"].tolist() == [5] * 4
    assert table["measured_parallelism"].tolist() == [4] * 4  # 2.0/0.5 at (1, 0)
    constant = {
        "experiment": "tiny", "panel": "p", "series": "", "engine": "monte_carlo",
        "estimand": "mean_hit", "problem": "quadratic", "noise": "isotropic", "M": 5, "sigma2": 0,
        "learning_rate": 0.25, "replicates": 4, "reached": 4, "diverged": 0, "status": "ok",
    }  # fmt: skip
    for column, value in constant.items():
        assert table[column].tolist() == [value] * 4, column


def test_each_series_and_engine_has_its_own_baseline(resolved):
    panels = [{"name": "p", "sweep": {"batch_size": [1, 2]}, "series": {"noise.M": [1, 3]}}]
    table = table_of(
        resolved(panels=panels, engine=["exact", "monte_carlo"], replicates=1),
        *map(outcome, ([8], [4], [10], [4], [30], [10], [60], [12])),
    )
    assert table["speedup"].tolist() == [1, 2, 1, 2.5, 1, 3, 1, 5]
    assert table["estimand"].tolist() == ["hit_of_mean"] * 2 + ["mean_hit"] * 2 + (
        ["hit_of_mean"] * 2 + ["mean_hit"] * 2
    )
    assert table["series"].tolist() == ["noise.M=1"] * 4 + ["noise.M=3"] * 4
    assert table["critical_parallelism"].tolist() == [1] * 4 + [3] * 4


def test_what_was_not_reached_is_empty(resolved):
    table = table_of(
        resolved(**SAMPLED),
        outcome([10, 12, 20, 22]),
        outcome([10, NEVER, 5, 5]),
        outcome([NEVER] * 4, status=[Status.DIVERGED] * 3 + [Status.NOT_REACHED]),
        outcome([8] * 4, at_edge=True),
    )
    assert table["status"].tolist() == ["ok", "not_reached", "not_reached", "grid_edge"]
    assert table["reached"].tolist() == [4, 3, 0, 4]
    assert table["diverged"].tolist() == [0, 0, 3, 0]
    # all that is known is that the mean of min(steps, 100,000) is a lower bound
    assert table["steps_low"].tolist()[1:3] == [(10 + 100_000 + 5 + 5) / 4, 100_000]
    empty = ["steps", "steps_high", "speedup", "speedup_low", "speedup_high"]
    assert table[empty].isna().all(axis=1).tolist() == [False, True, True, False]
    assert table[empty].isna().any(axis=1).tolist() == [False, True, True, False]


@pytest.mark.parametrize("baseline", [None, outcome([NEVER, 3, 3, 3])])
def test_without_a_sequential_run_speedups_are_empty(resolved, baseline):
    others = [outcome([6] * 4)] * 3
    table = table_of(resolved(**SAMPLED), baseline, *others).tail(3)
    assert table[["speedup", "speedup_low", "speedup_high"]].isna().all(axis=None)
    assert table["steps"].tolist() == [6, 6, 6]
    # the noise-to-signal ratio is known from what did meet the target at (1, 0)
    assert table["measured_parallelism"].isna().tolist() == [baseline is None] * 3


def test_limits_are_those_of_a_paired_bootstrap(resolved):
    twice = [10, 20, 60, 14, 40, 36, 28, 90]
    table = table_of(
        resolved(**{**SAMPLED, "panels": [{"name": "p", "sweep": {"batch_size": [1, 4]}}]}),
        outcome(twice),
        outcome([steps // 2 for steps in twice]),
    )
    # replicates share their random numbers: where all are halved, every resampled ratio is 2
    assert table.loc[1, ["speedup", "speedup_low", "speedup_high"]].tolist() == [2, 2, 2]
    assert (table["steps_low"] < table["steps"]).all()
    assert (table["steps_high"] > table["steps"]).all()


def test_limits_of_many_replicates_are_those_of_the_normal_law(resolved):
    steps = np.random.default_rng(1).poisson(400, size=256)
    keys = {"replicates": 256, "panels": [{"name": "p", "sweep": {"batch_size": 1}}]}
    table = table_of(resolved(**{**SAMPLED, **keys}), outcome(steps))
    half = 1.96 * steps.std() / 16
    low, high = table.loc[0, ["steps_low", "steps_high"]]
    # 2000 resamples know a 2.5 % limit to about 3 % of its distance (one sigma); 5 sigma
    assert low == pytest.approx(steps.mean() - half, abs=0.15 * half)
    assert high == pytest.approx(steps.mean() + half, abs=0.15 * half)


@pytest.mark.parametrize(
    ("noise", "M", "sigma2"),
    [
        ({"kind": "isotropic", "M": 3, "sigma2": 0.5}, 3, 0.5),
        ({"kind": "additive", "sigma2": 0.4}, 0, 0.4),
        # a total: sigma2 (h_1 + h_2) = 0.4 * 0.75
        ({"kind": "additive", "sigma2": 0.4, "covariance": "curvature"}, 0, 0.3),
    ],
)
def test_sigma2_is_a_total(resolved, noise, M, sigma2):
    problem = {"kind": "quadratic", "spectrum": [0.5, 0.25]}
    row = table_of(resolved(problem=problem, noise=noise), outcome([4]), outcome([2])).loc[0]
    assert (row["M"], row["sigma2"]) == pytest.approx((M, sigma2), rel=1e-15)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        # f(x0) = 2 * 3^2/2 = 9, grad f(x0) = 6, L = 2, M = 3, sigma2 = 0.9
        ({"metric": "suboptimality", "absolute": 0.1}, 3 + 0.9 / (2 * 0.1)),
        ({"metric": "suboptimality", "relative": 0.1}, 3 + 0.9 / (2 * 0.9)),
        ({"metric": "gradient_norm", "absolute": 0.1}, 3 + 0.9 / 0.1),
        ({"metric": "gradient_norm", "relative": 0.1}, 3 + 0.9 / 3.6),
        ({"metric": "loss", "relative": 0.1}, math.nan),
    ],
)
def test_critical_parallelism(resolved, target, expected):
    row = table_of(
        resolved(
            problem={"kind": "quadratic", "spectrum": [2], "start": [3]},
            noise={"kind": "isotropic", "M": 3, "sigma2": 0.9},
            target=target,
        ),
        outcome([40], signal=0.2, noise=1.6),
        outcome([20]),
    ).loc[1]
    if math.isnan(expected):
        assert pd.isna(row["critical_parallelism"])
    else:
        assert row["critical_parallelism"] == pytest.approx(expected, rel=1e-12)
    assert row["measured_parallelism"] == pytest.approx(8, rel=1e-15)
    known = 8 if math.isnan(expected) else expected  # what theory does not know is measured
    assert row["theory_speedup"] == pytest.approx(4 * (1 + known) / (4 + known), rel=1e-12)


def test_runs_have_a_row_for_every_learning_rate_and_replicate(resolved):
    steps = np.array([[5, 6], [3, NEVER], [7, 7]])
    status = np.full((3, 2), Status.REACHED, dtype=object)
    status[1, 1] = Status.BEATEN
    nothing = np.full((3, 2), np.nan)
    many = Outcome(Runs(np.array([0.1, 0.2, 0.4]), steps, status, nothing, nothing), 1, False)
    panels = [{"name": "p", "sweep": {"batch_size": 4, "delay": 2}}]
    table = table_of(resolved(panels=panels), many, make=runs_table)
    place = ["tiny", "p", "", "exact", 4, 2]
    assert table.astype(object).where(table.notna(), None).values.tolist() == [
        [*place, 0.1, 0, 5, "reached"],
        [*place, 0.1, 1, 6, "reached"],
        [*place, 0.2, 0, 3, "reached"],
        [*place, 0.2, 1, None, "beaten"],
        [*place, 0.4, 0, 7, "reached"],
        [*place, 0.4, 1, 7, "reached"],
    ]


def test_written_tables_read_back_as_they_were(resolved, tmp_path):
    table = table_of(
        resolved(**SAMPLED),
        *map(outcome, ([10, 12, 20, 23], [NEVER] * 4, [6, 7, 6, 6], [8, 1, 1, 1])),
    )
    write_csv(table, tmp_path / "t.csv")
    again = read_csv(tmp_path / "t.csv")
    pd.testing.assert_frame_equal(again, table, check_exact=True, check_dtype=False)


def test_no_claims_no_rows():
    columns = ["experiment", "claim", "part", "observed", "expected", "margin", "verdict", "note"]
    table = claims_table("e", [])
    assert (list(table.columns), len(table)) == (columns, 0)
