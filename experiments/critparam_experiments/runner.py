"""From an experiment file to its results folder."""

import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from critparam.cell import Outcome
from critparam_experiments.catalog import Source
from critparam_experiments.config import Experiment
from critparam_experiments.errors import ConfigError
from critparam_experiments.executors.base import Executor, Task
from critparam_experiments.figures.render import render
from critparam_experiments.files import make_folder, write_text
from critparam_experiments.lock import writing
from critparam_experiments.manifest import (
    MANIFEST,
    environment,
    read_manifest,
    table_record,
    write_manifest,
)
from critparam_experiments.plan import Plan, PlannedCell, device_kind, make_plan
from critparam_experiments.store import Store
from critparam_experiments.tables import (
    claims_table,
    runs_table,
    speedup_table,
    write_csv,
)
from critparam_experiments.verdicts import Judgement, judge


class Listener(Protocol):
    """Told how a run goes on."""

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """Before the first cell: what is stored already, and what was moved out of the way."""

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """A cell is done and stored."""

    def failed(self, planned: PlannedCell, reason: str) -> None:
        """A cell failed."""

    def waiting(self, message: str) -> None:
        """Another run holds the folder."""


@dataclass(frozen=True)
class RunOptions:
    """How a run is executed; nothing here changes its numbers.

    Attributes:
        out: folder of results folders.
        quick: run the smaller version.
        fresh: forget stored cells.
        wait: wait while another run holds the folder.
        formats: of the figure.
        command: the command line, for the manifest.
    """

    out: Path
    executor: Executor
    quick: bool = False
    fresh: bool = False
    wait: bool = True
    formats: tuple[str, ...] = ("png",)
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What a run left behind.

    Attributes:
        table: speedup.csv as a table.
        written: the files written, in the order of their interest.
        failures: cells that failed, with the last line of their tracebacks.
        interrupted: whether the run was stopped from outside before its end.
    """

    experiment: Experiment
    folder: Path
    table: pd.DataFrame
    judgements: list[Judgement]
    written: list[Path]
    failures: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False


def run(experiment: Experiment, source: Source, options: RunOptions, listener: Listener) -> Result:
    """Run an experiment: compute what is not stored yet, then write tables and figure.

    Raises:
        ConfigError: the folder cannot be written to, or holds a full result where this is quick.
        FolderInUseError: another run holds the folder.
    """
    plan = make_plan(experiment, quick=options.quick)
    folder = options.out / experiment.name
    make_folder(folder)
    with writing(folder, wait=options.wait, notify=listener.waiting):
        _refuse_to_replace_full_result(folder, quick=options.quick)
        return _Run(plan, source, options, listener, folder).execute()


def _refuse_to_replace_full_result(folder: Path, *, quick: bool) -> None:
    if quick and (folder / MANIFEST).exists() and not read_manifest(folder).quick:
        reason = "holds a full result, which a quick one never replaces; choose another --out"
        raise ConfigError(reason, source=str(folder))


@dataclass(frozen=True)
class _Run:
    """One run into one folder, while it holds the lock."""

    plan: Plan
    source: Source
    options: RunOptions
    listener: Listener
    folder: Path

    def execute(self) -> Result:
        """Compute, store, write."""
        started = time.perf_counter()
        store = Store(self.folder / "cells")
        if self.options.fresh:
            shutil.rmtree(store.folder, ignore_errors=True)
        distinct = self.plan.distinct()
        stored = [planned.cell_id for planned in distinct if store.holds(planned.cell_id)]
        loaded = {cell_id: store.load(cell_id) for cell_id in stored}
        outcomes = {cell_id: outcome for cell_id, outcome in loaded.items() if outcome}
        spoilt = len(stored) - len(outcomes)
        set_aside = spoilt + store.set_aside_others(planned.cell_id for planned in distinct)
        self.listener.planned(self.plan, set(outcomes), set_aside)
        failures: dict[str, str] = {}
        interrupted = False
        try:
            self._compute(store, outcomes, failures)
        except KeyboardInterrupt:
            interrupted = True
        seconds = time.perf_counter() - started
        return self._write(outcomes, failures, seconds, interrupted=interrupted)

    def _compute(
        self, store: Store, outcomes: dict[str, Outcome], failures: dict[str, str]
    ) -> None:
        """Compute what is missing, storing every cell as soon as it is done."""
        missing = {
            planned.cell_id: planned
            for planned in self.plan.distinct()
            if planned.cell_id not in outcomes
        }
        tasks = [Task(cell_id, planned.cell) for cell_id, planned in missing.items()]
        for done in self.options.executor.execute(tasks):
            planned = missing[done.cell_id]
            if done.outcome is None:
                failures[done.cell_id] = done.failure
                write_text(self.folder / "failures.txt", "\n".join(failures.values()))
                self.listener.failed(planned, done.failure.strip().splitlines()[-1])
                continue
            store.save(done.cell_id, done.outcome)
            outcomes[done.cell_id] = done.outcome
            self.listener.finished(planned, done.seconds)

    def _write(
        self,
        outcomes: dict[str, Outcome],
        failures: dict[str, str],
        seconds: float,
        *,
        interrupted: bool,
    ) -> Result:
        experiment = self.plan.experiment
        table = speedup_table(self.plan, outcomes)
        judgements = judge(experiment, table)
        tables = {
            "speedup.csv": table,
            "runs.csv": runs_table(self.plan, outcomes),
            "claims.csv": claims_table(experiment.name, judgements),
        }
        for name, content in tables.items():
            write_csv(content, self.folder / name)
        if not failures:
            (self.folder / "failures.txt").unlink(missing_ok=True)
        records = {
            name: table_record(self.folder / name, len(content)) for name, content in tables.items()
        }
        write_manifest(self.folder, self._manifest(records, len(outcomes), seconds))
        drawn = render(experiment, table, self.folder, self.options.formats, quick=self.plan.quick)
        written = [*drawn, *(self.folder / name for name in tables), self.folder / MANIFEST]
        return Result(experiment, self.folder, table, judgements, written, failures, interrupted)

    def _manifest(self, records: dict[str, Any], stored: int, seconds: float) -> dict[str, Any]:
        planned = len(self.plan.distinct())
        return {
            "name": self.plan.experiment.name,
            "quick": self.plan.quick,
            "complete": stored == planned,
            "source": self.source.shown,
            "overrides": list(self.source.overrides),
            "command": list(self.options.command),
            "config": self.plan.experiment.resolved,
            "environment": environment(device_kind()),
            "cells": {"planned": planned, "stored": stored},
            "wall_seconds": round(seconds, 3),
            "tables": records,
        }
