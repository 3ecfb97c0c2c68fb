"""`critparam run`: what it prints, writes and returns."""

import json
import re
import subprocess
import sys

import pytest

from critparam_experiments.executors import base

CELL = re.compile(r"^(stored|to do)  .*batch_size=\d+ delay=\d+$")


@pytest.fixture
def speedups(tmp_path):
    """Reads the table of a result."""

    def read(folder="results/tiny"):
        lines = (tmp_path / folder / "speedup.csv").read_text().splitlines()
        names = lines[0].split(",")
        return [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]

    return read


def test_a_run(critparam, tiny, speedups, tmp_path):
    done = critparam("run", tiny())
    assert done.code == 0
    assert [(row["panel"], row["steps"]) for row in speedups()][:3] == [
        ("batch", "4"), ("batch", "2"), ("delay", "4"),
    ]  # fmt: skip
    assert "experiment tiny.yaml" in done.err
    assert "3 cells to do, 0 stored" in done.err
    for name in ("tiny.png", "speedup.csv", "runs.csv", "claims.csv", "manifest.json"):
        assert f"results/tiny/{name}" in done.out.splitlines()
        assert (tmp_path / "results" / "tiny" / name).is_file()


def test_a_second_run_says_that_nothing_was_to_do(critparam, tiny):
    critparam("run", tiny())
    done = critparam("run", "tiny.yaml")
    assert done.code == 0
    assert "0 cells to do, 3 stored" in done.err


def test_which_file_is_run_is_said(critparam):
    done = critparam("run", "fig1", "--set", "seed=-1")
    assert done.line.startswith("--set: seed")
    done = critparam("run", "fig3", "--dry-run")
    assert done.code == 0


def test_dry_run_computes_and_writes_nothing(critparam, tiny, files, monkeypatch):
    def refuse(cell):
        raise AssertionError("computed")

    name = tiny()
    critparam("run", name, "--set", "panels.0.sweep.batch_size=[1]")
    before = files()
    monkeypatch.setattr(base, "compute", refuse)
    done = critparam("run", name, "--dry-run")
    assert done.code == 0
    assert files() == before
    lines = done.out.splitlines()
    assert all(CELL.match(line) for line in lines)
    assert sorted(line.split("  ")[0] for line in lines) == ["stored", "stored", "to do"]
    done = critparam("run", name, "--dry-run", "--fresh")
    assert all(line.startswith("to do") for line in done.out.splitlines())
    assert files() == before


def test_dry_run_from_nothing(critparam, tiny, files):
    name = tiny()
    before = files()
    for options in ((), ("--quick",), ("--out", "elsewhere")):
        assert critparam("run", name, "--dry-run", *options).code == 0
    assert files() == before


def test_set_and_out_and_format(critparam, tiny, speedups, tmp_path):
    options = ("--set", "noise.M=2", "--out", "a/b", "--format", "svg,pdf", "--jobs", "2")
    done = critparam("run", tiny(), *options)
    assert done.code == 0
    # E f falls by 1/4 + 2/4 and 1/4 + 1/8 a step
    assert [row["steps"] for row in speedups("a/b/tiny")][:2] == ["9", "3"]
    names = {path.name for path in (tmp_path / "a" / "b" / "tiny").glob("tiny.*")}
    assert names == {"tiny.svg", "tiny.pdf"}
    manifest = json.loads((tmp_path / "a" / "b" / "tiny" / "manifest.json").read_text())
    assert manifest["overrides"] == ["noise.M=2"]
    assert manifest["config"]["noise"]["M"] == 2
    assert not (tmp_path / "results").exists()


def test_quick_has_a_folder_of_its_own_and_says_so(critparam, tiny, tmp_path):
    done = critparam("run", tiny(), "--quick")
    assert done.code == 0
    assert "quick" in done.err
    assert (tmp_path / "results-quick" / "tiny" / "speedup.csv").is_file()
    assert not (tmp_path / "results").exists()


def test_quick_never_replaces_a_full_result(critparam, tiny, files):
    critparam("run", tiny())
    before = files()
    done = critparam("run", "tiny.yaml", "--quick", "--out", "results")
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith("results/tiny: holds a full result")
    assert files() == before


def test_quiet_prints_nothing(critparam, tiny):
    assert critparam("run", tiny(), "--quiet") == (0, "", "")


def test_several_experiments(critparam, tiny, tmp_path):
    done = critparam("run", tiny(), tiny("two.yaml", name="two"))
    assert done.code == 0
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"tiny", "two"}


def test_verdicts_are_counted_and_do_not_change_the_exit_code(critparam, tiny):
    claims = [{"kind": "critical_parallelism", "within_factor": 2}]
    done = critparam("run", tiny(claims=claims))
    assert done.code == 0
    assert "verdicts: 2 inconclusive" in done.out


def test_a_failed_cell(critparam, tiny, monkeypatch, speedups, tmp_path):
    compute = base.compute

    def broken(cell):
        if cell.batch_size == 4:
            raise ZeroDivisionError("no luck")
        return compute(cell)

    monkeypatch.setattr(base, "compute", broken)
    done = critparam("run", tiny())
    assert done.code == 3
    assert "ZeroDivisionError: no luck" in done.err
    assert "batch_size=4" in done.err
    assert "Traceback" not in done.err
    failures = tmp_path / "results" / "tiny" / "failures.txt"
    assert "Traceback" in failures.read_text()
    assert "results/tiny/failures.txt" in done.err
    assert [row["batch_size"] for row in speedups()] == ["1", "1", "1"]
    assert critparam("verify", "tiny").code == 1
    monkeypatch.setattr(base, "compute", compute)
    done = critparam("run", "tiny.yaml")
    assert done.code == 0
    assert "1 cells to do, 2 stored" in done.err
    assert not failures.exists()


@pytest.mark.parametrize("out", ["tiny.yaml", "tiny.yaml/below", "tiny.yaml/a/b"])
def test_a_folder_that_cannot_be(out, critparam, tiny, files):
    name = tiny()
    before = files()
    done = critparam("run", name, "--out", out)
    assert (done.code, done.out) == (2, "")
    assert "tiny.yaml" in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert files() == before


HOLD = """
import sys
from pathlib import Path
from critparam_experiments.lock import writing
with writing(Path(sys.argv[1]), wait=True, notify=print):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_folder_in_use(critparam, tiny, tmp_path):
    folder = tmp_path / "results" / "tiny"
    folder.mkdir(parents=True)
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        done = critparam("run", tiny(), "--no-wait")
        holder.kill()
    assert (done.code, done.out) == (4, "")
    assert str(holder.pid) in done.err.splitlines()[-1]
    assert not (folder / "cells").exists()
    assert critparam("run", "tiny.yaml", "--no-wait").code == 0


def test_a_full_disk_is_one_line(critparam, tiny, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    name = tiny()
    monkeypatch.setattr("os.fsync", full)
    done = critparam("run", name)
    assert done.code == 2
    assert "No space left on device" in done.err.splitlines()[-1]
    assert "Traceback" not in done.err


def test_a_spoilt_cell_is_warned_of(critparam, tiny, tmp_path):
    critparam("run", tiny())
    victim = next((tmp_path / "results" / "tiny" / "cells").glob("*.json"))
    victim.write_bytes(victim.read_bytes()[:50])
    done = critparam("run", "tiny.yaml")
    assert done.code == 0
    assert "1 cells to do, 2 stored, 1 " in done.err


def test_a_plain_run_of_a_tuned_experiment_says_nothing_strange(process, tiny):
    """In a process of its own, where warnings would be printed."""
    name = tiny(learning_rate={"tune": True}, noise={"kind": "isotropic", "M": 10})
    done = process("run", name)
    assert done.code == 0
    assert "Warning" not in done.err
    assert done.err.splitlines()[0] == "experiment tiny.yaml"
