"""Whole runs of tiny experiments: what is computed, stored, written, and kept."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from critparam_experiments.errors import ConfigError
from critparam_experiments.executors.local import Local
from critparam_experiments.files import sha256_of

TWO = [
    {"name": "batch", "sweep": {"batch_size": [1, 4]}, "series": {"noise.M": [1, 2]}},
    {"name": "delay", "sweep": {"delay": [0, 1]}},
]
CELLS = 5  # (1, 0) at M = 1 is shared by both panels


def steps_by_recursion(M, b, tau, *, rate=0.5, target=0.1):
    """First t with E x_t^2 <= target E x_0^2 in one dimension, h = 1, by second moments.

    With delay the state is (x_t, ..., x_{t - tau}); its second moments are followed as a matrix.
    """
    size = tau + 1
    step = np.eye(size, k=-1)
    step[0, 0] = 1.0
    step[0, -1] -= rate
    moments = np.ones((size, size))
    t = 0
    while moments[0, 0] > target:
        noise = rate**2 * M / b * moments[-1, -1]
        moments = step @ moments @ step.T
        moments[0, 0] += noise
        t += 1
    return t


def test_numbers_are_those_of_an_independent_recursion(config, run_in):
    result, _ = run_in(config(panels=TWO))
    sizes = [(1, 1, 0), (1, 4, 0), (2, 1, 0), (2, 4, 0), (1, 1, 0), (1, 1, 1)]
    steps = [steps_by_recursion(*size) for size in sizes]
    assert steps[:4] == [4, 2, 9, 3]  # powers of 1/2, 5/16, 3/4, 3/8 below 1/10
    assert result.table["steps"].tolist() == steps
    ratios = [4 / 4, 4 / 2, 9 / 9, 9 / 3, 4 / 4, 2 * 4 / steps[5]]
    assert result.table["speedup"].tolist() == pytest.approx(ratios, rel=1e-15)


def test_a_tuned_run_is_silent_and_optimal(config, run_in):
    """The best rate 1/(1 + M/b) makes E f fall by (M/b)/(1 + M/b) a step; b = 1, 4, 16, M = 10."""
    content = config(
        learning_rate=None,
        noise={"kind": "isotropic", "M": 10},
        panels=[{"name": "p", "sweep": {"batch_size": [1, 4, 16]}}],
    )
    result, ear = run_in(content)
    assert ear.failures == []
    # log(1/10) over log(10/11), log(2.5/3.5), log(0.625/1.625): 24.2, 6.8, 2.4
    assert result.table["steps"].tolist() == [25, 7, 3]
    assert result.table["status"].tolist() == ["ok"] * 3


@pytest.mark.parametrize("rate", [{"value": 0.5}, {"grid": [0.4, 0.5]}, {"tune": True}])
def test_a_target_met_at_the_start_takes_no_step(config, run_in, rate):
    result, ear = run_in(config(target={"absolute": 2.0}, learning_rate=rate))  # f(x0) = 1
    assert ear.failures == []
    assert result.table["steps"].tolist() == [0, 0]


def test_files_of_a_result(config, run_in):
    claim = {"kind": "linear_regime", "known_deviation": "d"}
    result, _ = run_in(config(panels=TWO, claims=[claim]), formats=("png", "svg"))
    names = {path.name for path in result.folder.iterdir() if not path.name.startswith(".lock")}
    csvs = {"speedup.csv", "runs.csv", "claims.csv"}
    assert names == csvs | {"tiny.png", "tiny.svg", "manifest.json", "cells"}
    assert {path.name for path in result.written} == names - {"cells"}
    assert len(list((result.folder / "cells").iterdir())) == CELLS
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert (manifest["complete"], manifest["quick"], manifest["name"]) == (True, False, "tiny")
    assert manifest["cells"] == {"planned": CELLS, "stored": CELLS}
    assert manifest["config"]["noise"] == {"kind": "isotropic", "M": 1}
    assert manifest["config"]["seed"] == 0
    for name in csvs:
        record = manifest["tables"][name]
        assert record["sha256"] == sha256_of(result.folder / name)
        assert record["rows"] == len(pd.read_csv(result.folder / name))
        assert (result.folder / name).read_bytes().endswith(b"\n")


def test_a_second_run_computes_nothing_and_changes_nothing(config, run_in, tables_of):
    first, ear = run_in(config(panels=TWO))
    assert (len(ear.done), ear.stored) == (CELLS, 0)
    before = tables_of(first.folder)
    second, ear = run_in(config(panels=TWO))
    assert (ear.done, ear.stored, ear.set_aside) == ([], CELLS, 0)
    assert tables_of(second.folder) == before
    pd.testing.assert_frame_equal(first.table, second.table)


def test_a_changed_series_recomputes_that_series_alone(config, run_in):
    run_in(config(panels=TWO))
    changed = [{**TWO[0], "series": {"noise.M": [1, 3]}}, TWO[1]]
    result, ear = run_in(config(panels=changed))
    assert ear.done == [("batch", "noise.M=3", 1, 0), ("batch", "noise.M=3", 4, 0)]
    assert ear.set_aside == 2
    assert result.table["M"].tolist() == [1, 1, 3, 3, 1, 1]


@pytest.mark.parametrize(
    ("change", "computed"),
    [
        ({"title": "T", "claim": "c", "figure": {"kind": "steps"}}, 0),
        ({"claims": [{"kind": "same_parameter"}]}, 0),
        ({"seed": 1, "replicates": 5}, 0),  # the exact engine knows nothing of them
        ({"panels": [*TWO, {"name": "more", "sweep": {"batch_size": [4, 8]}}]}, 1),
        ({"target": {"relative": 0.2}}, CELLS),
        ({"max_steps": 50}, CELLS),
    ],
)
def test_what_a_change_costs(config, run_in, change, computed):
    run_in(config(panels=TWO))
    _, ear = run_in(config(**{"panels": TWO, **change}))
    assert len(ear.done) == computed


def test_overrides_count_and_are_recorded(config, run_in):
    run_in(config(panels=TWO))
    result, ear = run_in(config(panels=TWO), overrides=("panels.1.noise.M=7",))
    assert ear.done == [("delay", "", 1, 0), ("delay", "", 1, 1)]
    assert json.loads((result.folder / "manifest.json").read_text())["overrides"] == [
        "panels.1.noise.M=7"
    ]


def test_fresh_computes_all_again(config, run_in, tables_of):
    first, _ = run_in(config(panels=TWO))
    before = tables_of(first.folder)
    second, ear = run_in(config(panels=TWO), fresh=True)
    assert (len(ear.done), ear.stored) == (CELLS, 0)
    assert tables_of(second.folder) == before


LONG = [{"name": "p", "sweep": {"batch_size": {"powers_of_two": [0, 7]}}}]


def test_quick_is_a_part_of_the_same_experiment(config, run_in, tmp_path):
    full, _ = run_in(config(panels=LONG))
    quick, ear = run_in(config(panels=LONG), quick=True, out=tmp_path / "quick")
    assert len(ear.done) == 5
    both = full.table.merge(quick.table, on="batch_size")
    assert both["steps_x"].tolist() == both["steps_y"].tolist()
    assert json.loads((quick.folder / "manifest.json").read_text())["quick"] is True


def test_quick_never_replaces_a_full_result(config, run_in):
    full, _ = run_in(config(panels=LONG))
    before = {path: path.read_bytes() for path in full.folder.rglob("*") if path.is_file()}
    with pytest.raises(ConfigError, match="full result") as caught:
        run_in(config(panels=LONG), quick=True)
    assert str(caught.value).startswith(str(full.folder))
    after = {path: path.read_bytes() for path in full.folder.rglob("*") if path.is_file()}
    assert after == before


def test_a_full_run_replaces_a_quick_result(config, run_in):
    run_in(config(panels=LONG), quick=True)
    run_in(config(panels=LONG), quick=True)
    result, ear = run_in(config(panels=LONG))
    assert (len(ear.done), ear.stored) == (3, 5)
    assert len(result.table) == 8


def test_jobs_do_not_show(config, run_in, tables_of, tmp_path):
    content = config(panels=[*TWO, *LONG], engine="exact")
    results = [
        run_in(content, executor=Local(jobs), out=tmp_path / f"jobs{jobs}")[0] for jobs in (1, 2, 5)
    ]
    first, *others = [tables_of(result.folder) for result in results]
    assert all(other == first for other in others)


def test_jobs_do_not_show_in_monte_carlo(config, run_in, tables_of, tmp_path):
    content = config(engine="monte_carlo", replicates=4, learning_rate={"grid": [0.4, 0.5]})
    results = [
        run_in(content, executor=Local(jobs), out=tmp_path / f"jobs{jobs}")[0] for jobs in (1, 2)
    ]
    one, two = [tables_of(result.folder) for result in results]
    assert one == two
    table = results[0].table
    assert table["replicates"].tolist() == [4, 4]
    assert table["estimand"].tolist() == ["mean_hit"] * 2
    assert table["reached"].tolist() == [4, 4]


def test_one_point_alone_has_no_speedup(config, run_in):
    result, _ = run_in(config(panels=[{"name": "p", "sweep": {"batch_size": 4}}]), formats=("svg",))
    assert result.table["speedup"].isna().tolist() == [True]
    assert result.table["steps"].tolist() == [2]
    text = (result.folder / "tiny.svg").read_text()
    assert "no cell at batch size 1" in text


def test_a_figure_says_that_rates_were_tuned_only_where_they_were(config, run_in):
    result, _ = run_in(config(), formats=("svg",))
    text = re.sub(r"<[^>]*>", " ", (result.folder / "tiny.svg").read_text())
    assert "rates tuned" not in " ".join(text.split())
