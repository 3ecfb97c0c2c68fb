import json
import platform
from importlib import metadata

import pytest

from critparam_experiments.errors import ConfigError
from critparam_experiments.files import sha256_of
from critparam_experiments.manifest import (
    environment,
    read_manifest,
    table_record,
    write_manifest,
)

TABLES = ("speedup.csv", "runs.csv", "claims.csv")
CONTENT = {
    "name": "é",
    "quick": False,
    "complete": True,
    "source": "é.yaml",
    "overrides": ["seed=1"],
    "config": {},
    "tables": {name: {"rows": 1, "sha256": "0"} for name in TABLES},
}


def test_what_is_written_is_read(tmp_path):
    write_manifest(tmp_path, CONTENT)
    assert read_manifest(tmp_path).model_dump() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
    assert json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8")) == CONTENT


def test_environment_names_versions_and_device():
    found = environment("a device")
    assert found["python"] == platform.python_version()
    assert found["device"] == "a device"
    for name in ("jax", "jaxlib", "numpy", "scipy", "pandas", "matplotlib"):
        assert found["packages"][name] == metadata.version(name)
    assert json.loads(json.dumps(found)) == found


def test_without_git_there_is_no_commit(monkeypatch):
    monkeypatch.setenv("PATH", "")
    found = environment("a device")
    assert (found["git_commit"], found["git_dirty"]) == (None, None)


def test_record_of_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    sha256 = sha256_of(tmp_path / "t.csv")
    assert table_record(tmp_path / "t.csv", 1) == {"rows": 1, "sha256": sha256}


@pytest.mark.parametrize("missing", CONTENT)
def test_what_every_manifest_has(tmp_path, missing):
    write_manifest(tmp_path, {key: value for key, value in CONTENT.items() if key != missing})
    with pytest.raises(ConfigError, match="not a manifest"):
        read_manifest(tmp_path)


def test_no_manifest(tmp_path):
    with pytest.raises(ConfigError, match="no results") as caught:
        read_manifest(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "manifest.json"))
