"""The command line, in this process and in processes of its own."""

import json
import subprocess
import sys
from typing import NamedTuple

import pytest

from critparam_cli.main import main

TINY = {
    "name": "tiny",
    "title": "A tiny experiment",
    "problem": {"kind": "quadratic", "dim": 1, "condition_number": 1},
    "noise": {"kind": "isotropic", "M": 1},
    "target": {"relative": 0.1},
    "learning_rate": {"value": 0.5},
    "panels": [
        {"name": "batch", "sweep": {"batch_size": [1, 4]}},
        {"name": "delay", "sweep": {"delay": [0, 1]}},
    ],
}
"""Three cells, all exact: 4 steps at b = 1, 2 at b = 4, by hand."""


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def line(self):
        """The one line on stderr."""
        (line,) = self.err.splitlines()
        return line


@pytest.fixture
def critparam(capsys, monkeypatch, tmp_path):
    """Runs a command in this process, in tmp_path."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return Done(ended.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def process(tmp_path):
    """Runs a command in a process of its own, in tmp_path."""

    def call(*arguments, program=("-m", "critparam_cli"), **how):
        command = [sys.executable, *program, *arguments]
        how = {"capture_output": True, "text": True, "cwd": tmp_path, "timeout": 100, **how}
        done = subprocess.run(command, **how)
        return Done(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def tiny(tmp_path):
    """Writes the tiny experiment, with other top-level keys, to a file; returns its name."""

    def write(file="tiny.yaml", **keys):
        (tmp_path / file).write_text(json.dumps({**TINY, **keys}), encoding="utf-8")
        return file

    return write


@pytest.fixture
def files(tmp_path):
    """All files below tmp_path, with their bytes."""
    return lambda: {p: p.read_bytes() for p in sorted(tmp_path.rglob("*")) if p.is_file()}
