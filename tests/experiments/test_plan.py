import json
import re
import subprocess
import sys

import pytest

from critparam_experiments import plan
from critparam_experiments.plan import make_plan

IDS = """
import sys
from critparam_experiments.config import resolve
from critparam_experiments.plan import make_plan
from critparam_experiments.yaml_loader import load_text
print(*(planned.cell_id for planned in make_plan(resolve(load_text(sys.argv[1], "x"))).cells))
"""
SAMPLED = {"engine": "monte_carlo", "replicates": 4}


def ids(experiment, *, quick=False):
    return [planned.cell_id for planned in make_plan(experiment, quick=quick).cells]


def places(experiment, *, quick=False):
    cells = make_plan(experiment, quick=quick).cells
    return [(c.panel, c.series.label, c.series.engine, *c.point) for c in cells]


def test_ids_are_sha256_and_the_same_in_another_process(config, resolved):
    keys = {"engine": ["exact", "monte_carlo"], "seed": 3}
    done = subprocess.run(
        [sys.executable, "-c", IDS, json.dumps(config(**keys))],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "JAX_PLATFORMS": "cpu", "PATH": ""},
    )
    assert done.stdout.split() == ids(resolved(**keys))
    assert all(re.fullmatch("[0-9a-f]{64}", cell_id) for cell_id in done.stdout.split())


@pytest.mark.parametrize(
    "change",
    [
        {"noise": {"kind": "isotropic", "M": 2}},
        {"noise": {"kind": "isotropic", "M": 1, "sigma2": 0.1}},
        {"noise": {"kind": "additive", "sigma2": 1}},
        {"noise": {"kind": "additive", "sigma2": 1, "covariance": "curvature"}},
        {"problem": {"kind": "quadratic", "dim": 2, "condition_number": 1}},
        {"problem": {"kind": "quadratic", "dim": 1, "condition_number": 1, "start": "ones"}},
        {"problem": {"kind": "quadratic", "spectrum": [1]}},
        {"target": {"relative": 0.2}},
        {"target": {"absolute": 0.1}},
        {"target": {"metric": "gradient_norm", "relative": 0.1}},
        {"learning_rate": {"value": 0.4}},
        {"learning_rate": {"grid": [0.5]}},
        {"learning_rate": {"tune": True}},
        {"max_steps": 99999},
        {"panels": [{"name": "batch", "sweep": {"batch_size": [2, 8]}}]},
        {"panels": [{"name": "batch", "sweep": {"delay": [1, 2]}}]},
    ],
)
def test_ids_change_with_all_that_matters(resolved, change):
    exact = [*ids(resolved()), *ids(resolved(**change))]
    assert len(set(exact)) == len(exact)
    sampled = [*ids(resolved(**SAMPLED)), *ids(resolved(**SAMPLED, **change))]
    assert len(set(sampled)) == len(sampled)
    assert not set(exact) & set(sampled)


SAMPLING_ONLY = [{"seed": 1}, {"replicates": 5}, {"precision": "float64"}]


@pytest.mark.parametrize("change", SAMPLING_ONLY)
def test_sampling_matters_to_monte_carlo_alone(resolved, change):
    assert ids(resolved(**change)) == ids(resolved())
    assert not set(ids(resolved(**{**SAMPLED, **change}))) & set(ids(resolved(**SAMPLED)))


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"title": "T"},
        {"claim": "c"},
        {"figure": {"kind": "steps"}},
        {"claims": [{"kind": "same_parameter"}]},
        {"noise": {"kind": "isotropic", "M": 1.0, "sigma2": 0}},
        {"delay": {"kind": "constant"}},
        {"target": {"metric": "suboptimality", "relative": 1e-1}},
        {"panels": [{"name": "renamed", "sweep": {"batch_size": [1, 4]}, "noise": {"M": 1}}]},
    ],
)
def test_ids_ignore_names_and_spelt_out_defaults(resolved, change):
    assert ids(resolved(**change)) == ids(resolved())


def test_ids_change_with_code_packages_and_device(resolved, monkeypatch):
    exact, sampled = ids(resolved()), ids(resolved(**SAMPLED))
    monkeypatch.setattr(plan, "device_kind", lambda: "other chip")
    assert ids(resolved()) == exact
    assert not set(ids(resolved(**SAMPLED))) & set(sampled)
    monkeypatch.setattr(plan, "code_digest", lambda: "other code")
    assert not set(ids(resolved())) & set(exact)
    monkeypatch.undo()
    monkeypatch.setattr(plan.metadata, "version", lambda name: f"other {name}")
    assert not set(ids(resolved())) & set(exact)


def test_ids_change_with_the_data(resolved, monkeypatch):
    problem = {"kind": "logistic_regression", "data": "breast_cancer", "l2": 0.01}
    before = resolved(problem=problem, noise=None)
    first = ids(before)
    cls = type(before.panels[0].series[0].template.problem)
    monkeypatch.setattr(cls, "data_digest", "other data")
    assert not set(ids(resolved(problem=problem, noise=None))) & set(first)


def test_panels_share_cells(resolved):
    panels = [
        {"name": "batch", "sweep": {"batch_size": [1, 4]}},
        {"name": "delay", "sweep": {"delay": [0, 3]}},
        {"name": "again", "sweep": {"batch_size": [4, 1]}, "series": {"noise.M": [1, 2]}},
    ]
    planned = make_plan(resolved(panels=panels))
    assert len(planned.cells) == 8
    distinct = [(c.panel, c.cell.noise.M, *c.point) for c in planned.distinct()]
    assert sorted(distinct) == [
        ("again", 2, 1, 0),
        ("again", 2, 4, 0),
        ("batch", 1, 1, 0),
        ("batch", 1, 4, 0),
        ("delay", 1, 1, 3),
    ]


def test_order_is_that_of_panels_series_engines_and_sweep(resolved):
    panels = [
        {"name": "z", "sweep": {"batch_size": [4, 1]}, "series": {"noise.M": [2, 1]}},
        {"name": "a", "sweep": {"delay": [3, 0], "batch_size": [1, 2]}, "engine": "exact"},
    ]
    found = places(resolved(panels=panels, engine=["monte_carlo", "exact"]))
    z = [
        ("z", f"noise.M={M}", engine, b, 0)
        for M in (2, 1)
        for engine in ("monte_carlo", "exact")
        for b in (4, 1)
    ]
    assert found == [*z, *(("a", "", "exact", b, tau) for tau in (3, 0) for b in (1, 2))]


@pytest.mark.parametrize(
    ("count", "kept"),
    [
        (1, [0]),
        (4, [0, 1, 2, 3]),
        (5, [0, 1, 2, 3, 4]),
        (9, [0, 2, 4, 6, 8]),
    ],
)
def test_quick_keeps_five_points_spread_evenly(resolved, count, kept):
    panels = [{"name": "p", "sweep": {"batch_size": {"powers_of_two": [0, count - 1]}}}]
    found = [place[3] for place in places(resolved(panels=panels), quick=True)]
    assert found == [2**index for index in kept]


def test_quick_thins_a_product_and_keeps_its_first_cell_and_its_order(resolved):
    sweep = {"batch_size": [1, 8, 64], "delay": [0, 7, 63, 511]}
    experiment = resolved(panels=[{"name": "p", "sweep": sweep}])
    every, some = places(experiment), places(experiment, quick=True)
    assert len(some) == 5
    assert some == [place for place in every if place in some]
    assert some[0] == every[0]


def test_quick_has_at_most_eight_replicates_and_is_otherwise_the_same(resolved):
    few, many = resolved(**SAMPLED), resolved(**{**SAMPLED, "replicates": 33})
    assert ids(few, quick=True) == ids(few)
    assert not set(ids(many, quick=True)) & set(ids(many))
    cells = make_plan(many, quick=True).cells
    assert {planned.cell.replicates for planned in cells} == {8}
    assert ids(resolved(), quick=True) == ids(resolved())  # two points, nothing sampled


def test_quick_is_deterministic(resolved):
    experiment = resolved(engine=["exact", "monte_carlo"])
    assert ids(experiment, quick=True) == ids(experiment, quick=True)
    assert make_plan(experiment, quick=True).quick
    assert not make_plan(experiment).quick
