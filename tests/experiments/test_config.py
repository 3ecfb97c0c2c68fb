import dataclasses

import pytest

from critparam_experiments.errors import ConfigError

LOGISTIC = {"kind": "logistic_regression", "data": "breast_cancer", "l2": 0.01}


def cell(experiment, panel=0, series=0):
    return experiment.panels[panel].series[series].template


def refusal(resolved, **keys):
    with pytest.raises(ConfigError) as caught:
        resolved(**keys)
    message = str(caught.value)
    assert message.startswith("f.yaml:1: ")  # JSON is one line
    assert message.isprintable()
    return message.removeprefix("f.yaml:1: ")


def panel(**keys):
    return {"name": "p", "sweep": {"batch_size": [1, 4]}, **keys}


def test_defaults(resolved):
    experiment = resolved(learning_rate=None)
    assert (experiment.title, experiment.claim, experiment.claims) == ("tiny", "", [])
    assert type(experiment.figure).__name__ == "Speedup"
    found = cell(experiment)
    assert (found.engine, found.replicates, found.max_steps, found.seed) == ("exact", 32, 100000, 0)
    assert found.learning_rate.tune
    assert found.target.metric == "suboptimality"
    assert type(found.delay).__name__ == "Constant"
    assert type(found.method).__name__ == "SGD"
    assert [series.label for series in experiment.panels[0].series] == [""]


def test_data_problems_need_no_noise_and_run_by_monte_carlo(resolved):
    found = cell(resolved(problem=LOGISTIC, noise=None))
    assert (type(found.noise).__name__, found.engine) == ("Sampling", "monte_carlo")


@pytest.mark.parametrize("key", ["name", "panels", "problem", "target", "noise"])
def test_required_keys(resolved, key):
    assert f"{key} is missing" in refusal(resolved, **{key: None})


@pytest.mark.parametrize("key", ["name", "sweep"])
def test_required_keys_of_a_panel(resolved, key):
    panels = [{name: value for name, value in panel().items() if name != key}]
    assert refusal(resolved, panels=panels) == f"panels.0: {key} is missing"


@pytest.mark.parametrize("key", ["problem", "target", "noise"])
def test_what_is_required_may_stand_in_every_panel_instead(resolved, config, key):
    value = config()[key]
    experiment = resolved(**{key: None}, panels=[panel(**{key: value})])
    assert cell(experiment) == cell(resolved(panels=[panel()]))
    missing = [panel(**{key: value}), {**panel(), "name": "q"}]
    message = refusal(resolved, **{key: None}, panels=missing)
    assert message.startswith(f"panels.1: {key} is missing")


@pytest.mark.parametrize(
    ("section", "value", "part", "expected"),
    [
        ("problem", {"dim": 3}, "problem.dim", 3),
        ("problem", {"kind": "quadratic", "spectrum": [0.5]}, "problem.dim", None),
        ("noise", {"sigma2": 0.5}, "noise.M", 1.0),
        ("noise", {"sigma2": 0.5}, "noise.sigma2", 0.5),
        ("noise", {"kind": "isotropic", "sigma2": 0.5}, "noise.M", 0.0),
        ("noise", {"kind": "additive", "sigma2": 0.5}, "noise.sigma2", 0.5),
        ("target", {"relative": 0.2}, "target.relative", 0.2),
        ("target", {"absolute": 0.2}, "target.relative", None),
        ("target", {"metric": "gradient_norm"}, "target.relative", 0.1),
        ("learning_rate", {"tune": True}, "learning_rate.value", None),
        ("learning_rate", {"grid": [0.1]}, "learning_rate.grid", [0.1]),
        ("delay", {"kind": "constant"}, "delay.is_constant", True),
        ("method", {"kind": "sgd"}, "method.is_plain_sgd", True),
        ("engine", "monte_carlo", "engine", "monte_carlo"),
        ("precision", "float64", "precision", "float64"),
        ("replicates", 7, "replicates", 7),
        ("max_steps", 8, "max_steps", 8),
        ("seed", 9, "seed", 9),
    ],
)
def test_a_panel_overrides_any_section(resolved, section, value, part, expected):
    """One that names a kind replaces the section, one without changes the keys it gives."""
    experiment = resolved(panels=[panel(**{section: value}), {**panel(), "name": "other"}])
    found = cell(experiment)
    for name in part.split("."):
        found = getattr(found, name)
    assert found == expected
    assert cell(experiment, panel=1) == cell(resolved())


@pytest.mark.parametrize("key", ["title", "claim", "figure", "claims", "panels"])
def test_a_panel_overrides_nothing_else(resolved, key):
    assert "unknown key" in refusal(resolved, panels=[panel(**{key: "x"})])


@pytest.mark.parametrize(
    ("series", "labels", "noises"),
    [
        ({"noise.M": [1, 2]}, ["noise.M=1", "noise.M=2"], [(1, 0), (2, 0)]),
        (
            {"noise.M": [1, 2], "noise.sigma2": [0, 0.5]},
            [
                "noise.M=1, noise.sigma2=0",
                "noise.M=1, noise.sigma2=0.5",
                "noise.M=2, noise.sigma2=0",
                "noise.M=2, noise.sigma2=0.5",
            ],
            [(1, 0), (1, 0.5), (2, 0), (2, 0.5)],
        ),
        (
            [{"noise.M": 10, "noise.sigma2": 0}, {"noise.sigma2": 3}],
            ["noise.M=10, noise.sigma2=0", "noise.sigma2=3"],
            [(10, 0), (1, 3)],
        ),
    ],
)
def test_series_reach_into_sections(resolved, series, labels, noises):
    found = resolved(panels=[panel(series=series)]).panels[0].series
    assert [each.label for each in found] == labels
    assert [(each.template.noise.M, each.template.noise.sigma2) for each in found] == noises


@pytest.mark.parametrize(
    ("key", "value", "part", "expected"),
    [
        ("seed", 5, "seed", 5),
        ("max_steps", 6, "max_steps", 6),
        ("engine", "monte_carlo", "engine", "monte_carlo"),
        ("target.absolute", 0.5, "target.relative", None),
        ("learning_rate.tune", True, "learning_rate.value", None),
        ("problem.spectrum", [0.5], "problem.spectrum", [0.5]),
        ("noise.kind", "isotropic", "noise.M", 1.0),
    ],
)
def test_series_vary_scalars_and_exclusive_keys(resolved, key, value, part, expected):
    found = cell(resolved(panels=[panel(series={key: [value]})]))
    for name in part.split("."):
        found = getattr(found, name)
    assert found == expected


def test_series_lie_over_panels_and_panels_over_the_top(resolved):
    series = {"noise.M": [3]}
    found = cell(resolved(panels=[panel(noise={"M": 2, "sigma2": 0.25}, series=series)]))
    assert (found.noise.M, found.noise.sigma2) == (3, 0.25)


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("exact", {"exact": [1, 2, 4, 8, 16, 32]}),
        (
            ["exact", "monte_carlo"],
            {"exact": [1, 2, 4, 8, 16, 32], "monte_carlo": [1, 2, 4, 8, 16, 32]},
        ),
        (
            ["exact", {"kind": "monte_carlo", "every": 2}],
            {"exact": [1, 2, 4, 8, 16, 32], "monte_carlo": [1, 2, 8, 32]},
        ),
        ([{"kind": "exact", "every": 5}], {"exact": [1, 32]}),
        ([{"kind": "exact", "every": 99}], {"exact": [1, 32]}),
        ([{"kind": "exact"}], {"exact": [1, 2, 4, 8, 16, 32]}),
    ],
)
def test_engines_take_every_kth_point_from_the_last_and_the_first(resolved, engine, expected):
    sweep = {"batch_size": {"powers_of_two": [0, 5]}}
    found = resolved(engine=engine, panels=[{"name": "p", "sweep": sweep}]).panels[0].series
    assert {s.engine: [point.batch_size for point in s.points] for s in found} == expected


@pytest.mark.parametrize(
    ("problem", "curvatures", "start"),
    [
        ({"dim": 3, "condition_number": 4}, [0.25, 0.5, 1.0], "equal_energy"),
        ({"dim": 3, "condition_number": 4, "spectrum": "linear"}, [0.25, 0.625, 1.0], "ones"),
        ({"dim": 3, "spectrum": "harmonic"}, [1, 1 / 2, 1 / 3], [1, 0, -2.5]),
        ({"spectrum": [3, 0.5]}, [3, 0.5], "ones"),
        ({"dim": 2, "spectrum": [3, 0.5]}, [3, 0.5], [0, 1]),
    ],
)
def test_spectra_and_starts(resolved, problem, curvatures, start):
    found = cell(resolved(problem={"kind": "quadratic", **problem, "start": start})).problem
    assert found.curvatures.tolist() == pytest.approx(curvatures, rel=1e-15)
    energies = [(2 / (h * len(curvatures))) ** 0.5 for h in curvatures]
    expected = {"equal_energy": energies, "ones": [1] * len(curvatures)}
    assert list(found.initial) == pytest.approx(expected.get(str(start), start), rel=1e-15)


@pytest.mark.parametrize("name", ["a", "0", "a_b-c", "a" * 64, "fig2"])
def test_names(resolved, name):
    assert resolved(name=name).name == name


@pytest.mark.parametrize(
    "name",
    ["", "../x", "/x", "a/b", "A", "-a", "_a", ".", "a b", "a.b", "a\n", "é", "a" * 65, "\0"],
)
def test_names_that_could_leave_the_folder_or_confuse(resolved, name):
    assert refusal(resolved, name=name).startswith("name: ")


def test_panel_names_must_differ(resolved):
    message = refusal(resolved, panels=[panel(), panel(sweep={"delay": [0]})])
    assert message == "panels.1.name: another panel has this name (got 'p')"


def test_claim_text_is_unwrapped_and_title_kept(resolved):
    experiment = resolved(title="T", claim=" a\n  b \n")
    assert (experiment.title, experiment.claim) == ("T", "a b")


def test_resolved_content_reads_back_as_the_same_experiment(resolved):
    content = {"engine": ["exact", {"kind": "monte_carlo", "every": 2}], "claim": "c"}
    first = resolved(**content)
    again = resolved(**first.resolved)
    assert again.resolved == first.resolved
    assert again.panels == first.panels


def test_experiments_are_frozen(resolved):
    with pytest.raises(dataclasses.FrozenInstanceError):
        resolved().name = "x"
