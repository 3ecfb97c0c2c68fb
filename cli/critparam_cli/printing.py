"""Tables for people, on a terminal or in a file."""

import math
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from critparam_experiments.report.summary import SeriesSummary
from critparam_experiments.results import Check

COLOURS = {"holds": "green", "fails": "red", "inconclusive": "yellow"}


def verdict_rows(check: Check) -> list[dict[str, Any]]:
    """The verdicts of one result, as a program would read them."""
    rows: list[dict[str, Any]] = [
        {
            "experiment": check.name,
            "claim": judgement.claim,
            "part": judgement.verdict.part,
            "observed": _finite(judgement.verdict.observed),
            "expected": _finite(judgement.verdict.expected),
            "margin": _finite(judgement.verdict.margin),
            "verdict": judgement.label,
            "note": judgement.verdict.note,
        }
        for judgement in check.judgements
    ]
    rows += [
        {"experiment": check.name, "verdict": "unsound", "note": trouble}
        for trouble in check.trouble
    ]
    return rows


def verdict_table(checks: Sequence[Check]) -> None:
    """Print the verdicts of several results, and how they end."""
    table = _table("experiment", "claim", "part", "observed", "expected", "tolerance", "verdict")
    for check in checks:
        for judgement in check.judgements:
            verdict = judgement.verdict
            style = COLOURS[str(verdict.ruling)]
            table.add_row(
                *map(escape, (check.name, judgement.claim, verdict.part)),
                number(verdict.observed), number(verdict.expected), escape(verdict.note),
                f"[{style}]{judgement.label}[/{style}]",
            )  # fmt: skip
    console().print(table)
    for check in checks:
        for judgement in dict.fromkeys(j.known_deviation for j in check.judgements):
            if judgement:
                click.echo(f"{check.name}: known deviation: {judgement}")
        for trouble in check.trouble:
            click.echo(f"{check.name}: {trouble}")
    passed = sum(check.passes for check in checks)
    click.echo(f"{passed} of {len(checks)} experiments as claimed")


def series_table(rows: Sequence[SeriesSummary]) -> Table:
    """Predicted and fitted B of every series that is swept."""
    table = _table("panels", "series", "engine", "predicted B", "fitted B, batch",
                   "fitted B, delay", "largest speedup")  # fmt: skip
    for row in rows:
        table.add_row(
            escape(row.panels), escape(row.series or "-"), row.engine, number(row.predicted),
            number(row.by_batch), number(row.by_delay), number(row.largest_speedup),
        )  # fmt: skip
    return table


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal, or wide enough for our tables where there is none."""
    probe = Console(stderr=stderr)
    return probe if probe.is_terminal else Console(stderr=stderr, width=160, highlight=False)


def number(value: float) -> str:
    """A number to three digits, a dash where there is none."""
    return f"{value:.3g}" if math.isfinite(value) else "-"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    numeric = ("observed", "expected", "predicted B", "largest speedup")
    for column in columns:
        right = column in numeric or column.startswith("fitted")
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table
