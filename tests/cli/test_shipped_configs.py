from pathlib import Path

import pytest

from critparam_experiments.config import resolve
from critparam_experiments.plan import make_plan
from critparam_experiments.yaml_loader import load_file

CONFIGS = sorted((Path(__file__).resolve().parents[2] / "configs").glob("*.yaml"))


def test_there_are_some():
    assert {"fig1", "fig2"} <= {path.stem for path in CONFIGS}


@pytest.fixture(params=CONFIGS, ids=lambda path: path.stem)
def shipped(request):
    """A shipped file and the experiment in it."""
    return request.param, resolve(load_file(request.param))


def test_validates_by_the_name_of_its_file(shipped, critparam):
    path, experiment = shipped
    assert experiment.name == path.stem
    assert critparam("validate", path.stem).code == 0


def test_says_what_it_shows(shipped):
    _, experiment = shipped
    assert experiment.title != experiment.name
    assert len(experiment.claim.split()) > 20


def test_claims_something_with_a_reason(shipped):
    _, experiment = shipped
    assert experiment.claims
    for claim in experiment.claims:
        assert len(claim.reason.split()) >= 3
        assert claim.known_deviation is None or len(claim.known_deviation.split()) >= 5


def test_every_series_starts_at_one_gradient_without_delay(shipped):
    """So that there are speedups; and its quick version does too."""
    _, experiment = shipped
    for quick in (False, True):
        lines = {}
        for planned in make_plan(experiment, quick=quick).cells:
            line = (planned.panel, planned.series.label, planned.series.engine)
            lines.setdefault(line, []).append(planned.point)
        assert all(points[0] == (1, 0) for points in lines.values())


def test_the_quick_version_is_smaller(shipped):
    _, experiment = shipped
    full, quick = make_plan(experiment), make_plan(experiment, quick=True)
    assert len(quick.distinct()) < len(full.distinct())
