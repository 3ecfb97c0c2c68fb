"""Tiny experiments, run with doubles of what a real run has around it."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

from critparam_experiments.catalog import Source
from critparam_experiments.config import resolve
from critparam_experiments.executors.base import Executor, perform
from critparam_experiments.runner import RunOptions, run
from critparam_experiments.yaml_loader import load_text

TINY = {
    "name": "tiny",
    "problem": {"kind": "quadratic", "dim": 1, "condition_number": 1},
    "noise": {"kind": "isotropic", "M": 1},
    "target": {"relative": 0.1},
    "learning_rate": {"value": 0.5},
    "panels": [{"name": "batch", "sweep": {"batch_size": [1, 4]}}],
}
"""E f falls by (1 - 1/2)^2 + (1/2)^2 M/b a step: 4 steps at b = 1, 2 at b = 4, by hand."""


class Ear:
    """A listener that remembers."""

    def __init__(self):
        self.stored, self.set_aside, self.done, self.failures, self.messages = None, 0, [], [], []

    def planned(self, plan, stored, set_aside):
        self.stored, self.set_aside = len(stored), set_aside

    def finished(self, planned, seconds):
        self.done.append((planned.panel, planned.series.label, *planned.point))

    def failed(self, planned, reason):
        self.failures.append(((planned.panel, planned.series.label, *planned.point), reason))

    def waiting(self, message):
        self.messages.append(message)


class OneByOne(Executor):
    """Computes tasks in their order; may be told to be interrupted, or to fail at some."""

    def __init__(self, interrupt_after=None, failing=lambda cell: False):
        self.interrupt_after, self.failing, self.seen = interrupt_after, failing, []

    def execute(self, tasks):
        for count, task in enumerate(tasks):
            if count == self.interrupt_after:
                raise KeyboardInterrupt
            self.seen.append(task.cell_id)
            done = perform(task)
            if self.failing(task.cell):
                done = done._replace(outcome=None, failure="Traceback:\n  ...\nBoom: no luck\n")
            yield done


@pytest.fixture
def config():
    """Makes the tiny experiment's content, with other top-level keys; None leaves a key out."""

    def make(**keys):
        content = copy.deepcopy({**TINY, **keys})
        return {key: value for key, value in content.items() if value is not None}

    return make


@pytest.fixture
def resolved(config):
    """Resolves the tiny experiment with other top-level keys."""

    def make(**keys):
        return resolve(load_text(json.dumps(config(**keys)), "f.yaml"))

    return make


@pytest.fixture
def one_by_one():
    """The executor double."""
    return OneByOne


@pytest.fixture
def run_in(tmp_path):
    """Runs an experiment's content into tmp_path/out; returns the result and its listener."""

    def go(content, *, executor=None, ear=None, overrides=(), **options):
        path = tmp_path / f"{content['name']}.yaml"
        path.write_text(json.dumps(content), encoding="utf-8")
        source, ear = Source(path, overrides), ear or Ear()
        chosen = RunOptions(
            **{
                "out": tmp_path / "out",
                "executor": executor or OneByOne(),
                "formats": (),
                **options,
            }
        )
        return run(resolve(source.load()), source, chosen, ear), ear

    return go


@pytest.fixture
def tables_of():
    """The bytes of a results folder's CSVs."""

    def read(folder):
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*.csv"))}

    return read


B, SCALE = 10.0, 1000.0
POWERS = [2**k for k in range(10)]
DELAYS = [2**k - 1 for k in range(10)]


def row(b, tau, steps, sequential, B, **columns):
    P = b * (tau + 1)
    speedup = (tau + 1) * sequential / steps
    return {
        "experiment": "e",
        "panel": "p",
        "series": "",
        "engine": "exact",
        "estimand": "hit_of_mean",
        "problem": "quadratic",
        "noise": "isotropic",
        "M": B,
        "sigma2": 0.0,
        "eps": 0.1,
        "batch_size": b,
        "delay": tau,
        "parallelism": P,
        "learning_rate": 0.1,
        "steps": steps,
        "steps_low": steps,
        "steps_high": steps,
        "replicates": 1,
        "reached": 1,
        "diverged": 0,
        "speedup": speedup,
        "speedup_low": speedup,
        "speedup_high": speedup,
        "critical_parallelism": B,
        "measured_parallelism": B,
        "weighted_parallelism": B,
        "path_parallelism": B,
        "path_weighted_parallelism": B,
        "theory_speedup": P * (1 + B) / (P + B),
        "status": "ok",
        **columns,
    }


def law_table(points, *, B=B, scale=SCALE, bend=1.0, **columns):
    """T = scale (1 + B/b + tau), rounded to whole steps; `bend` multiplies all but the first."""
    sequential = float(round(scale * (1 + B)))
    steps = [float(round(scale * (1 + B / b + tau))) for b, tau in points]
    bends = np.where(np.array(steps) == sequential, 1.0, bend)
    return pd.DataFrame(
        [
            row(b, tau, each * factor, sequential, B, **columns)
            for (b, tau), each, factor in zip(points, steps, bends, strict=True)
        ]
    )


@pytest.fixture
def batches():
    """A table over batch sizes 1 to 512."""
    return lambda **how: law_table([(b, 0) for b in POWERS], **how)


@pytest.fixture
def delays():
    """A table over delays 0 to 511."""
    return lambda **how: law_table([(1, tau) for tau in DELAYS], **how)


ACCURACIES = [2.0**-k for k in range(1, 9)]


@pytest.fixture
def accuracies():
    """A table over accuracies 1/2 to 1/256, of one size; `steps_at` gives the steps of each."""

    def make(steps_at=lambda eps: SCALE / eps, **columns):
        rows = [row(1, 0, steps_at(eps), steps_at(eps), B) for eps in ACCURACIES]
        table = pd.DataFrame([{**each, "panel": "accuracy", **columns} for each in rows])
        return table.assign(
            eps=ACCURACIES, series=[f"target.absolute={eps:g}" for eps in ACCURACIES]
        )

    return make


@pytest.fixture
def not_reached():
    """A table in which no run met its target."""
    empty = ("steps", "steps_low", "steps_high", "speedup", "speedup_low", "speedup_high")
    nothing = dict.fromkeys(empty, np.nan)
    unknown = {"measured_parallelism": np.nan, "reached": 0, "status": "not_reached"}
    return law_table([(b, 0) for b in POWERS]).assign(**nothing, **unknown)
