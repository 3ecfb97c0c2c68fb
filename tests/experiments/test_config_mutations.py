"""Whatever is done to an experiment's content, it is an experiment or a ConfigError of one line."""

import copy
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from critparam_experiments.config import Experiment, resolve
from critparam_experiments.errors import ConfigError
from critparam_experiments.plan import make_plan
from critparam_experiments.yaml_loader import load_text

VALID = {
    "name": "e",
    "title": "t",
    "problem": {"kind": "quadratic", "dim": 2, "condition_number": 4, "start": "ones"},
    "noise": {"kind": "isotropic", "M": 10, "sigma2": 0.5},
    "delay": {"kind": "constant"},
    "method": {"kind": "sgd"},
    "target": {"metric": "suboptimality", "relative": 0.1},
    "learning_rate": {"grid": [0.1, 0.2]},
    "engine": ["exact", {"kind": "monte_carlo", "every": 2}],
    "replicates": 4,
    "max_steps": 1000,
    "seed": 0,
    "panels": [
        {
            "name": "p",
            "sweep": {"batch_size": {"powers_of_two": [0, 2]}, "delay": [0, 3]},
            "series": {"noise.sigma2": [1, 2], "target.absolute": [0.1]},
            "noise": {"kind": "additive", "sigma2": 1, "covariance": "curvature"},
        },
        {"name": "q", "sweep": {"delay": 3}, "series": [{"noise.M": 1}, {"seed": 2}]},
    ],
    "figure": {"kind": "speedup", "fitted": True},
    "claims": [
        {"kind": "critical_parallelism", "between": [0.5, 2], "known_deviation": "r"},
        {"kind": "same_parameter", "within_factor": 2, "panel": "p"},
    ],
}
WORDS = (
    *("kind", "name", "M", "sigma2", "noise", "noise.M", "exact", "monte_carlo", "batch_size"),
    *("isotropic", "additive", "sampling", "quadratic", "tune", "value", "relative", "absolute"),
    *("seed", "engine", "steps", "linear_regime", "loss", "accuracy", "harmonic", "", ".", "a.b."),
)
LEAVES = st.one_of(
    st.sampled_from([None, True, False, 0, 1, -1, 2, 7, 2**40, 0.5, -0.0, 1e-300, 1e300]),
    st.sampled_from(WORDS),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=4,
)


def containers(value, path=()):
    """The paths of all lists and mappings that hold something."""
    if isinstance(value, (dict, list)) and value:
        yield path
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from containers(value[key], (*path, key))


def mutated(content, draw):
    """The content with one key or item dropped, renamed, added, or given another value."""
    content = copy.deepcopy(content)
    holder = content
    for step in draw(st.sampled_from(list(containers(content)))):
        holder = holder[step]
    key = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
    how = draw(st.sampled_from(["drop", "rename", "retype", "add"]))
    if how == "drop":
        del holder[key]
    elif how == "retype":
        holder[key] = draw(VALUES)
    elif isinstance(holder, list):
        holder.insert(key, draw(VALUES))
    elif how == "rename":
        holder[draw(st.sampled_from(WORDS))] = holder.pop(key)
    else:
        holder[draw(st.sampled_from(WORDS))] = draw(VALUES)
    return content


@st.composite
def mutants(draw):
    content = VALID
    for _ in range(draw(st.integers(1, 3))):
        content = mutated(content, draw)
    return content


def test_the_unchanged_content_is_valid():
    experiment = resolve(load_text(json.dumps(VALID), "f.yaml"))
    # p: 2 series x 6 points on both engines (every second of 6 and the first: 4); q: 2 x 1 x 2
    assert len(make_plan(experiment).cells) == 2 * (6 + 4) + 2 * 2


@given(mutants())
@settings(deadline=None, max_examples=400)
def test_an_experiment_or_one_line(content):
    if not content:
        return
    try:
        experiment = resolve(load_text(json.dumps(content), "f.yaml"))
    except ConfigError as error:
        message = str(error)
        assert message.isprintable()
        assert message.startswith("f.yaml:1: ")
        assert len(message) < 1000
    else:
        assert isinstance(experiment, Experiment)
        assert len({panel.name for panel in experiment.panels}) == len(experiment.panels)
        for panel in experiment.panels:
            labels = [(series.label, series.engine) for series in panel.series]
            assert len(set(labels)) == len(labels)
        json.dumps(experiment.resolved)
