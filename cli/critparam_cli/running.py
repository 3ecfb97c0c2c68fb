"""The `run` command's work: progress on stderr, a summary on stdout, an exit code."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from critparam.errors import ArgumentError
from critparam.registry import nearest
from critparam_cli.printing import console, series_table
from critparam_experiments.catalog import Source, find
from critparam_experiments.config import Experiment, resolve
from critparam_experiments.errors import ConfigError
from critparam_experiments.executors import executors
from critparam_experiments.executors.base import Executor
from critparam_experiments.plan import Plan, PlannedCell, make_plan
from critparam_experiments.report.summary import summarise
from critparam_experiments.runner import Result, RunOptions, run
from critparam_experiments.store import Store

CELL_FAILED = 3
INTERRUPTED = 130


def run_all(
    names: Sequence[str],
    out: Path,
    *,
    quick: bool,
    overrides: tuple[str, ...],
    fresh: bool,
    dry_run: bool,
    no_wait: bool,
    executor: str,
    jobs: int,
    formats: tuple[str, ...],
    quiet: bool,
    command: list[str],
) -> int:
    """Run several experiments; returns the exit code."""
    sources = [Source(find(name), overrides) for name in names]
    experiments = [resolve(source.load()) for source in sources]  # all, before any of them runs
    options = RunOptions(
        out=out,
        executor=find_executor(executor)(jobs=jobs),
        quick=quick,
        fresh=fresh,
        wait=not no_wait,
        formats=formats,
        command=("critparam", *command),
    )
    code = 0
    for source, experiment in zip(sources, experiments, strict=True):
        if dry_run:
            print_plan(experiment, options)
            continue
        with progress(quiet=quiet) as listener:
            listener.say(f"experiment {source.path}{' (quick version)' if quick else ''}")
            result = run(experiment, source, options, listener)
        if not quiet:
            print_result(result)
        if result.interrupted:
            click.echo("interrupted: finished cells are kept; the same command goes on", err=True)
            return INTERRUPTED
        if result.failures:
            click.echo(f"{len(result.failures)} cells failed: {result.folder / 'failures.txt'}",
                       err=True)  # fmt: skip
            code = CELL_FAILED
    return code


def find_executor(name: str) -> Callable[..., Executor]:
    """The executor of this name.

    Raises:
        ConfigError: there is none.
    """
    try:
        return executors.load(name)
    except ArgumentError as error:
        suggestion = nearest(name, error.accepted)
        raise ConfigError(
            error.reason, "--executor", got=repr(name), suggestion=suggestion
        ) from None


def print_plan(experiment: Experiment, options: RunOptions) -> None:
    """Say which cells are stored and which would be computed."""
    plan = make_plan(experiment, quick=options.quick)
    store = Store(options.out / plan.experiment.name / "cells")
    for planned in plan.distinct():
        state = "stored" if store.holds(planned.cell_id) and not options.fresh else "to do"
        click.echo(f"{state:6}  {_described(planned)}")


def print_result(result: Result) -> None:
    """The table of series, the verdicts in a line, and the paths written."""
    console().print(series_table(summarise(result.table)))
    counts = Counter(judgement.label for judgement in result.judgements)
    verdicts = ", ".join(f"{count} {label}" for label, count in counts.items()) or "none"
    click.echo(f"verdicts: {verdicts} (critparam verify {result.experiment.name})")
    for path in result.written:
        click.echo(path)


class Quiet:
    """Tells nothing but failures."""

    def say(self, message: str) -> None:
        """Nothing."""

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """Nothing."""

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """Nothing."""

    def failed(self, planned: PlannedCell, reason: str) -> None:
        """On stderr."""
        click.echo(f"failed: {_described(planned)}: {reason}", err=True)

    def waiting(self, message: str) -> None:
        """On stderr: a silent wait would look like a hang."""
        click.echo(message, err=True)


class Lines(Quiet):
    """Plain lines on stderr, one for each panel that is done."""

    def __init__(self) -> None:
        self.left: Counter[str] = Counter()
        self.total: Counter[str] = Counter()

    def say(self, message: str) -> None:
        """On stderr."""
        click.echo(message, err=True)

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """How many cells are stored, and how many are to do in each panel."""
        self.say(_resumed(plan, stored, set_aside))
        missing = [planned for planned in plan.distinct() if planned.cell_id not in stored]
        self.left = Counter(planned.panel for planned in missing)
        self.total = Counter(self.left)

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """A line when the panel is done."""
        self.left[planned.panel] -= 1
        if self.left[planned.panel] == 0:
            self.say(f"{planned.panel}: {self.total[planned.panel]} cells done")


class Bars(Quiet):
    """A bar for each panel."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.tasks: dict[str, object] = {}

    def say(self, message: str) -> None:
        """Above the bars."""
        self.bars.console.print(message, highlight=False, markup=False)

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """One bar a panel, what is stored counted as done."""
        self.say(_resumed(plan, stored, set_aside))
        distinct = plan.distinct()
        for panel in dict.fromkeys(planned.panel for planned in distinct):
            cells = [planned for planned in distinct if planned.panel == panel]
            done = sum(planned.cell_id in stored for planned in cells)
            self.tasks[panel] = self.bars.add_task(panel, total=len(cells), completed=done)

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """One more."""
        self.bars.advance(self.tasks[planned.panel])  # pyright: ignore[reportArgumentType]


class Rate(ProgressColumn):
    """Cells a second."""

    def render(self, task: Task) -> Text:
        """The rate so far."""
        return Text(f"{task.speed:.1f} cells/s" if task.speed else "")


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[Quiet]:
    """Bars on a terminal, lines elsewhere, failures only where quiet."""
    terminal = console(stderr=True)
    if quiet or not terminal.is_terminal:
        yield Quiet() if quiet else Lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=terminal) as bars:
        yield Bars(bars)


def _resumed(plan: Plan, stored: set[str], set_aside: int) -> str:
    to_do = len(plan.distinct()) - len(stored)
    message = f"{plan.experiment.name}: {to_do} cells to do, {len(stored)} stored"
    if set_aside:
        message += f", {set_aside} of other code, data or settings set aside"
    return message


def _described(planned: PlannedCell) -> str:
    point = planned.point
    sizes = f"batch_size={point.batch_size} delay={point.delay}"
    parts = (planned.panel, planned.series.label, planned.series.engine, sizes)
    return ", ".join(filter(None, parts))
