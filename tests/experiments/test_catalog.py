import json
import shutil
from pathlib import Path

import pytest

from critparam_experiments import catalog
from critparam_experiments.catalog import Source
from critparam_experiments.config import resolve
from critparam_experiments.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """The current folder, made to look like a checkout with its own configs."""
    (tmp_path / "configs").mkdir()
    (tmp_path / "experiments" / "critparam_experiments").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def source(tmp_path, config):
    """A file with the tiny experiment, given overrides."""
    path = tmp_path / "f.yaml"

    def make(*overrides, **keys):
        path.write_text(json.dumps(config(**keys)), encoding="utf-8")
        return Source(path, overrides)

    return make


def first(source):
    return resolve(source.load()).panels[0].series[0].template


@pytest.mark.parametrize(
    ("override", "part", "expected"),
    [
        ("noise.M=3", "noise.M", 3),
        ("noise.M=3e-1", "noise.M", 0.3),
        ("noise.sigma2=0.5", "noise.sigma2", 0.5),
        ("noise={kind: additive, sigma2: 2}", "noise.sigma2", 2),
        ("seed=7", "seed", 7),
        ("seed=0x10", "seed", 16),
        ("max_steps=50", "max_steps", 50),
        ("engine=monte_carlo", "engine", "monte_carlo"),
        ("problem.spectrum=[0.5]", "problem.spectrum", [0.5]),
        ("target.absolute=0.5", "target.relative", None),
        ("target.absolute=0.5", "target.absolute", 0.5),
        ("learning_rate.tune=true", "learning_rate.value", None),
        ("learning_rate.grid=[0.1, 0.2]", "learning_rate.value", None),
        ("panels.0.noise.M=4", "noise.M", 4),
        ("panels.0.sweep.batch_size=[8]", "batch_size", 8),
        ("panels.0.series={noise.M: [9]}", "noise.M", 9),
        ("panels=[{name: q, sweep: {delay: 3}}]", "delay_size", 3),
    ],
)
def test_set_reaches_every_key(source, override, part, expected):
    found = first(source(override))
    for name in part.split("."):
        found = getattr(found, name)
    assert found == expected


def test_later_overrides_win_and_add_up(source):
    found = first(source("noise.M=3", "noise.sigma2=0.5", "noise.M=4"))
    assert (found.noise.M, found.noise.sigma2) == (4, 0.5)


def test_a_value_may_hold_an_equals_sign(source):
    assert resolve(source("title=a=b").load()).title == "a=b"


def test_the_file_is_not_touched(source):
    made = source("noise.M=3")
    before = made.path.read_bytes()
    made.load()
    assert made.path.read_bytes() == before


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("noise.M", "--set: must be KEY=VALUE (got 'noise.M')"),
        ("", "--set: must be KEY=VALUE (got '')"),
        ("=3", "--set: must be KEY=VALUE (got '=3')"),
        ("noise.M=", "--set noise.M: is empty"),
        ("noise.M=[", "--set noise.M: not valid YAML"),
        ("noise.M=.nan", "--set noise.M: numbers must be finite (got .nan)"),
        ("noise.M=!!int 3", "--set noise.M: tags are not accepted"),
        ("noise.M=-3", "--set: noise.M: must be at least 0 (got -3.0)"),
        ("noise.M=x", "--set: noise.M: must be a number (got 'x')"),
        ("noise.MM=3", "--set: noise.MM: unknown key; did you mean M?"),
        ("nois.M=3", "--set: nois: unknown key; did you mean noise?"),
        ("noise=3", "--set: noise: must be a mapping (got 3)"),
        ("noise.kind=isotropik", "--set: noise.kind: unknown noise (got 'isotropik')"),
        ("name=../x", "--set: name: "),
        ("panels.0.sweep.batch_size=[0]", "--set: panels.0.sweep.batch_size.0: must be between"),
        ("panels.7.name=x", "--set panels.7.name: "),
        ("panels.-1.name=x", "--set panels.-1.name: "),
        ("panels.x=3", "--set panels.x: "),
        ("noise.M.x=3", "--set noise.M.x: leads into what is not a mapping (got 1)"),
        ("seed.x=3", "--set: seed: must be a whole number"),
        ("..=3", "--set: "),
        ("panels." + "9" * 5000 + "=1", "--set panels.999"),
        ("a." * 3000 + "b=1", "--set"),
    ],
)
def test_overrides_that_are_none(source, override, message):
    with pytest.raises(ConfigError) as caught:
        resolve(source(override).load())
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 600


def test_a_mistake_of_the_file_is_placed_in_the_file_whatever_is_overridden(source):
    made = source("noise.M=3", seed=-1)
    with pytest.raises(ConfigError, match=r"f\.yaml:1: seed: "):
        resolve(made.load())


def test_names_are_taken_from_a_checkout_in_the_current_folder(checkout):
    (checkout / "configs" / "mine.yaml").write_text("name: mine\ntitle: T\n", encoding="utf-8")
    assert catalog.configs_folder().resolve() == checkout / "configs"
    path = catalog.find("mine")
    assert path.resolve() == checkout / "configs" / "mine.yaml"
    assert catalog.summary(path) == ("mine", "T")


@pytest.mark.parametrize("folder", ["configs", "experiments/critparam_experiments"])
def test_a_folder_that_is_no_checkout_does_not_count(tmp_path, monkeypatch, folder):
    (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    names = catalog.named_experiments()
    assert set(names) == {path.stem for path in (ROOT / "configs").glob("*.yaml")}


def test_natural_order(checkout):
    for name in ("fig10", "fig2", "fig1", "alpha", "fig"):
        shutil.copy(ROOT / "configs" / "fig1.yaml", checkout / "configs" / f"{name}.yaml")
    assert list(catalog.named_experiments()) == ["alpha", "fig", "fig1", "fig2", "fig10"]


@pytest.mark.parametrize("name", ["x.yaml", "./x", "a/b", "x.yml", "/x", "../x"])
def test_paths_are_paths(name):
    assert catalog.find(name) == Path(name)


@pytest.mark.parametrize(
    ("name", "ending"),
    [("fig11", "(got 'fig11'); did you mean fig1?"), ("zzz", "(got 'zzz')"), ("", "(got '')")],
)
def test_names_that_are_none(name, ending):
    with pytest.raises(ConfigError) as caught:
        catalog.find(name)
    assert str(caught.value).endswith(ending)
    assert str(caught.value).isprintable()
