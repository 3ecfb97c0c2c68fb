"""Results that are there already: sound, altered, stale, incomplete, or no results at all."""

import contextlib
import json
import os

import pytest

from critparam_experiments.errors import ConfigError
from critparam_experiments.results import load_result, plot, results_in, verify

PANELS = [
    {"name": "batch", "sweep": {"batch_size": {"powers_of_two": [0, 5]}}},
    {"name": "delay", "sweep": {"delay": [0, 1]}},
]
CLAIM = {"kind": "linear_regime", "efficiency": 0.3, "up_to": 2, "panel": "batch"}  # M = 1: P <= 2


@pytest.fixture
def content(config):
    return config(panels=PANELS, claims=[CLAIM])


@pytest.fixture
def folder(content, run_in):
    """A sound result."""
    return run_in(content)[0].folder


def edit(path, change):
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


def passes(folder):
    """Whether a result verifies; that it cannot be read counts as not."""
    try:
        return verify(folder).passes
    except ConfigError:
        return False


def test_a_sound_result(content, run_in):
    result, _ = run_in(content)
    check = verify(result.folder)
    assert (check.name, check.trouble, check.passes) == ("tiny", (), True)
    assert [judgement.label for judgement in check.judgements] == ["holds"]


@pytest.mark.parametrize("name", ["batch", "NA", "1", " x", "a, b"])
def test_verify_finds_what_the_run_found(config, run_in, name):
    kinds = ("linear_regime", "same_parameter", "saturation_law")
    claims = [{"kind": kind} for kind in kinds]
    claims.append({"kind": "critical_parallelism", "within_factor": 2, "panel": name})
    panels = [{**PANELS[0], "name": name}, PANELS[1]]
    result, _ = run_in(config(panels=panels, claims=claims))
    assert repr(verify(result.folder).judgements) == repr(result.judgements)


@pytest.mark.parametrize("name", ["speedup.csv", "runs.csv", "claims.csv"])
def test_an_altered_table(folder, name):
    path = folder / name
    path.write_bytes(path.read_bytes().replace(b"tiny", b"tinY", 1) + b"")
    check = verify(folder)
    assert check.trouble == (f"{name} was altered",)
    assert not check.passes


@pytest.mark.parametrize("name", ["runs.csv", "claims.csv"])
def test_a_table_that_is_gone(folder, name):
    (folder / name).unlink()
    assert verify(folder).trouble == (f"{name} was altered",)


def test_a_manifest_that_records_no_tables(folder):
    """What is not recorded cannot be checked."""
    edit(folder / "manifest.json", lambda m: m.update(tables={}))
    with pytest.raises(ConfigError, match="not a manifest"):
        verify(folder)


def test_without_its_main_table_there_is_no_result(folder):
    (folder / "speedup.csv").unlink()
    with pytest.raises(ConfigError, match=r"speedup\.csv"):
        verify(folder)


def test_an_incomplete_run(content, run_in, one_by_one):
    result, _ = run_in(content, executor=one_by_one(interrupt_after=3))
    check = verify(result.folder)
    assert not check.passes
    assert any("not complete" in trouble for trouble in check.trouble)
    assert verify(run_in(content)[0].folder).passes


@pytest.mark.parametrize(
    ("change", "is_stale"),
    [
        ({"max_steps": 50}, True),
        ({"seed": 9}, True),
        ({"noise": {"kind": "isotropic", "M": 2}}, True),
        ({"panels": PANELS[:1]}, True),
        ({"title": "T", "claim": "c"}, False),
        ({"figure": {"kind": "steps"}}, False),
        ({"noise": {"M": 1, "kind": "isotropic"}}, False),
    ],
)
def test_a_config_that_has_changed_since(content, folder, tmp_path, change, is_stale):
    (tmp_path / "tiny.yaml").write_text(json.dumps({**content, **change}))
    check = verify(folder)
    assert check.passes is not is_stale
    assert any("changed" in trouble for trouble in check.trouble) is is_stale


def test_overrides_are_part_of_the_config(content, run_in):
    result, _ = run_in(content, overrides=("max_steps=50",))
    assert verify(result.folder).passes


def test_claims_of_the_current_file_are_judged(content, folder, tmp_path):
    strict = {**CLAIM, "efficiency": 0.99}
    (tmp_path / "tiny.yaml").write_text(json.dumps({**content, "claims": [strict]}))
    check = verify(folder)
    assert ([judgement.label for judgement in check.judgements], check.passes) == (["fails"], False)
    known = {**strict, "known_deviation": "d"}
    (tmp_path / "tiny.yaml").write_text(json.dumps({**content, "claims": [known]}))
    check = verify(folder)
    assert [judgement.label for judgement in check.judgements] == ["fails (known)"]
    assert check.passes
    known = {**CLAIM, "known_deviation": "d"}
    (tmp_path / "tiny.yaml").write_text(json.dumps({**content, "claims": [known]}))
    check = verify(folder)
    assert [judgement.label for judgement in check.judgements] == ["holds (known deviation gone)"]
    assert not check.passes


def test_an_own_file_with_the_name_of_a_named_experiment(content, run_in, tmp_path, monkeypatch):
    """As after `critparam show fig1 > fig1.yaml`, some edits, and a run of ./fig1.yaml."""
    monkeypatch.chdir(tmp_path)
    result, _ = run_in({**content, "name": "fig1"})
    edit(result.folder / "manifest.json", lambda m: m.update(source="fig1.yaml"))
    assert verify(result.folder).trouble == ()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"name": "x"}', "\ud83d", "[" * 100_000],
    ids=lambda text: text[:10],
)
def test_what_is_no_manifest(folder, text):
    (folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigError) as caught:
        verify(folder)
    assert str(caught.value).startswith(str(folder / "manifest.json"))


@pytest.mark.parametrize(
    "change",
    [
        {"name": ["tiny"]},
        {"config": []},
        {"config": {}},
        {"config": {"name": "tiny"}, "source": ""},
        {"tables": []},
        {"tables": {"speedup.csv": "x"}},
        {"tables": {"speedup.csv": {}}},
        {"tables": {"../../tiny.yaml": {"sha256": "x"}}},
        {"source": 3},
        {"overrides": 3},
        {"overrides": [3]},
        {"overrides": ["x"]},
    ],
    ids=str,
)
def test_a_manifest_of_a_wrong_shape_is_a_config_error_or_trouble(folder, change):
    edit(folder / "manifest.json", lambda m: m.update(change))
    assert not passes(folder)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: "", id="empty"),
        pytest.param(lambda text: "\0\0\0", id="zeros"),
        pytest.param(lambda text: text.splitlines()[0] + "\n", id="header only"),
        pytest.param(lambda text: text.replace("delay", "tau", 1), id="another column"),
        pytest.param(lambda text: text.replace(",status", "", 1), id="a column less"),
        pytest.param(lambda text: text.replace("\n", ",x\n"), id="a column more"),
        pytest.param(lambda text: text[: len(text) // 2], id="half"),
        pytest.param(lambda text: text.replace(",ok", ",okay"), id="another status"),
        pytest.param(lambda text: text.replace(",1,0,1,", ",one,0,1,"), id="text for a size"),
        pytest.param(lambda text: text.replace(",1,0,1,", ",,,,"), id="nothing for a size"),
        pytest.param(lambda text: text.replace(",1,0,1,", ",-1,-5,-1,"), id="negative sizes"),
        pytest.param(lambda text: text.replace("0.5,4,4,4", "0.5,x,x,x"), id="text for steps"),
        pytest.param(lambda text: text.replace("0.5,4,4,4", "0.5,inf,inf,inf"), id="inf for steps"),
        pytest.param(lambda text: text.replace("0.5,4,4,4", "0.5,-4,0,-4"), id="negative steps"),
    ],
)
def test_a_spoilt_table_is_a_config_error_or_trouble(config, run_in, spoil):
    claims = [{"kind": kind} for kind in ("linear_regime", "same_parameter", "saturation_law")]
    claims.append({"kind": "critical_parallelism", "within_factor": 2})
    figure = {"kind": "speedup", "fitted": True}
    folder = run_in(config(panels=PANELS, claims=claims, figure=figure))[0].folder
    path = folder / "speedup.csv"
    before, after = path.read_text(), spoil(path.read_text())
    assert after != before
    path.write_text(after)
    assert not passes(folder)
    with contextlib.suppress(ConfigError):
        plot(load_result(folder), [])


def test_plot_draws_again_the_same_bytes(content, run_in):
    result, _ = run_in(content, formats=("png", "svg"))
    before = [(result.folder / f"tiny.{kind}").read_bytes() for kind in ("png", "svg")]
    for kind in ("png", "svg"):
        (result.folder / f"tiny.{kind}").unlink()
    paths = plot(load_result(result.folder), ["png", "svg"])
    assert [path.read_bytes() for path in paths] == before
    assert verify(result.folder).passes


def test_results_there_are_in_natural_order(tmp_path):
    for name in ("zebra", "fig2", "fig1", "aa"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").touch()
    (tmp_path / "empty").mkdir()
    assert [os.fspath(path.name) for path in results_in(tmp_path, [])] == [
        "fig1", "fig2", "aa", "zebra",
    ]  # fmt: skip
    assert results_in(tmp_path, ["zebra"]) == [tmp_path / "zebra"]


@pytest.mark.parametrize("place", [".", "nowhere"])
def test_no_results(tmp_path, place):
    with pytest.raises(ConfigError, match="no results here"):
        results_in(tmp_path / place, [])
    with pytest.raises(ConfigError, match="no results"):
        verify(tmp_path / place / "tiny")
