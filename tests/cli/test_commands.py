"""`list`, `show`, `validate`, `schema`."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from critparam_experiments.yaml_loader import load_text

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
NAMES = sorted(path.stem for path in CONFIGS.glob("*.yaml"))


@pytest.fixture
def checkout(tmp_path):
    """tmp_path, made to look like a checkout whose configs are its own."""
    (tmp_path / "experiments" / "critparam_experiments").mkdir(parents=True)
    (tmp_path / "configs").mkdir()
    return tmp_path / "configs"


def test_list(critparam):
    done = critparam("list")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == NAMES
    assert "Speedup against batch size and against delay" in done.out


def test_list_as_json(critparam):
    entries = json.loads(critparam("list", "--json").out)
    assert [entry["name"] for entry in entries] == NAMES
    assert all(entry["title"] and Path(entry["file"]).is_file() for entry in entries)


def test_list_of_names(critparam):
    assert critparam("list", "--names").out.split() == NAMES


def test_list_takes_a_checkouts_own_configs(critparam, checkout):
    (checkout / "mine.yaml").write_text("name: mine\ntitle: Mine\n")
    assert critparam("list").out == "mine  Mine\n"
    (checkout / "mine.yaml").unlink()
    assert critparam("list", "--json").out.strip() == "[]"


def on_a_terminal(arguments, folder):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "critparam_cli", *arguments]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, cwd=folder):
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 4096):
                written += chunk
        except OSError:
            pass  # the other end has gone
    os.close(ours)
    return written.decode()


def test_text_of_a_file_cannot_steer_the_terminal(checkout, tmp_path):
    (checkout / "mine.yaml").write_text('name: mine\ntitle: "a\\e[2Jb\\rc\\u202Ed"\n')
    written = on_a_terminal(["list"], tmp_path)
    assert "mine" in written
    for char in ("\x1b", "\rc", "\u202e"):
        assert char not in written


@pytest.mark.parametrize("name", NAMES)
def test_show_prints_the_file_as_it_is(name, critparam):
    done = critparam("show", name)
    assert (done.code, done.err) == (0, "")
    assert done.out == (CONFIGS / f"{name}.yaml").read_text(encoding="utf-8")
    assert load_text(done.out, "shown").data["name"] == name


def test_show_of_a_file(critparam, tiny, tmp_path):
    assert critparam("show", tiny()).out == (tmp_path / "tiny.yaml").read_text()


def test_what_is_shown_can_be_validated(critparam, tmp_path):
    (tmp_path / "mine.yaml").write_text(critparam("show", "fig1").out)
    assert critparam("validate", "mine.yaml").code == 0


def test_validate_counts_cells(critparam, tiny):
    done = critparam("validate", tiny())
    assert (done.code, done.err) == (0, "")
    assert done.out == "tiny.yaml: valid, 2 panels, 4 cells\n"


def test_validate_several_files_and_names(critparam, tiny):
    done = critparam("validate", tiny(), *NAMES)
    assert done.code == 0
    assert len(done.out.splitlines()) == 1 + len(NAMES)
    assert all(": valid, " in line for line in done.out.splitlines())


def test_validate_with_overrides(critparam, tiny):
    done = critparam("validate", tiny(), "--set", "panels.0.sweep.batch_size=[1, 2, 4]")
    assert done.out == "tiny.yaml: valid, 2 panels, 5 cells\n"


def test_schema_is_json(critparam):
    done = critparam("schema")
    assert (done.code, done.err) == (0, "")
    schema = json.loads(done.out)
    assert schema["type"] == "object"
    assert {"name", "panels"} <= set(schema["required"])
    assert schema["additionalProperties"] is False
