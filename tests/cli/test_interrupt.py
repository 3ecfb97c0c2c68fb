"""Ctrl-C, as a real signal to a process of its own."""

import json
import signal
import subprocess
import sys
import time

import pytest

CELLS = 40


@pytest.fixture
def started(tmp_path):
    """Starts a command and returns it; killed in the end, if it still runs."""
    running = []

    def start(*arguments):
        command = [sys.executable, "-m", "critparam_cli", *arguments]
        process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, cwd=tmp_path)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def wait_for(what, process, seconds=90):
    """Waits until something is so, while the process runs."""
    end = time.monotonic() + seconds
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def many(tiny):
    """Forty cells of some tens of milliseconds each."""
    return tiny(
        problem={"kind": "quadratic", "dim": 20, "condition_number": 10},
        noise={"kind": "isotropic", "M": 30},
        target={"relative": 0.01},
        learning_rate={"tune": True},
        panels=[{"name": "p", "sweep": {"batch_size": list(range(1, CELLS + 1))}}],
    )


def test_what_is_finished_is_kept_and_the_next_run_goes_on(many, started, process, tmp_path):
    folder = tmp_path / "results" / "tiny"
    run = started("run", many, "--jobs", "1")
    wait_for(lambda: len(list(folder.glob("cells/[0-9a-f]*.json"))) >= 3, run)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "Traceback" not in err
    assert "interrupted" in err
    kept = len(list(folder.glob("cells/*.json")))
    assert 3 <= kept < CELLS
    rows = (folder / "speedup.csv").read_text().splitlines()
    assert 1 + 2 <= len(rows) <= 1 + kept  # the signal may come between file and row
    assert json.loads((folder / "manifest.json").read_text())["complete"] is False
    assert process("verify", "tiny").code == 1

    done = process("run", many, "--jobs", "2")
    assert done.code == 0
    assert f"tiny: {CELLS - kept} cells to do, {kept} stored" in done.err
    whole = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    assert process("run", many, "--out", "undisturbed").code == 0
    undisturbed = tmp_path / "undisturbed" / "tiny"
    assert {path.name: path.read_bytes() for path in undisturbed.glob("*.csv")} == whole
    assert not [path for path in folder.rglob(".*-*") if "lock" not in path.name]


def test_a_long_cell_does_not_hold_it_up(tiny, started, tmp_path):
    """The target lies far below the noise floor, so that the one cell would take for ever."""
    name = tiny(
        problem={"kind": "quadratic", "dim": 50, "condition_number": 1},
        noise={"kind": "isotropic", "sigma2": 1.0},
        target={"absolute": 1e-9},
        engine="monte_carlo",
        replicates=2,
        max_steps=10**9,
        panels=[{"name": "p", "sweep": {"batch_size": 1}}],
    )
    run = started("run", name, "--jobs", "1")
    wait_for((tmp_path / "results" / "tiny" / ".lock").exists, run)
    time.sleep(1)
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert time.monotonic() - begun < 20
    assert "Traceback" not in err


def test_killed_outright_the_next_run_goes_on(many, started, process, tmp_path):
    folder = tmp_path / "results" / "tiny"
    run = started("run", many, "--jobs", "2", "--quiet")
    wait_for(lambda: len(list(folder.glob("cells/[0-9a-f]*.json"))) >= 3, run)
    run.kill()
    run.wait()
    kept = len(list(folder.glob("cells/[0-9a-f]*.json")))
    done = process("run", many, "--no-wait")
    assert done.code == 0
    assert f"{kept} stored" in done.err
    assert json.loads((folder / "manifest.json").read_text())["complete"] is True
