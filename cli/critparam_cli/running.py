"""The `run` command's work: progress on stderr, a summary on stdout, an exit code."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from critparam.errors import ArgumentError
from critparam.registry import nearest
from critparam_cli.printing import console, series_table
from critparam_cli.progress import described, progress
from critparam_experiments.catalog import Source, find
from critparam_experiments.config import Experiment, resolve
from critparam_experiments.errors import ConfigError
from critparam_experiments.executors import executors
from critparam_experiments.executors.base import Executor
from critparam_experiments.plan import make_plan
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
        click.echo(f"{state:6}  {described(planned)}")


def print_result(result: Result) -> None:
    """The table of series, the verdicts in a line, and the paths written."""
    if summaries := summarise(result.table):
        console().print(series_table(summaries))
    counts = Counter(judgement.label for judgement in result.judgements)
    verdicts = ", ".join(f"{count} {label}" for label, count in counts.items()) or "none"
    out = result.folder.parent
    where = "" if out == Path("results") else f" --out {out}"
    click.echo(f"verdicts: {verdicts} (critparam verify {result.experiment.name}{where})")
    for path in result.written:
        click.echo(path)
