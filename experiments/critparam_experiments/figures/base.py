"""What a figure promises, and what figures share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

import pandas as pd

from critparam_experiments.errors import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Figure(ABC):
    """A view of speedup.csv: `tabulate` decides what is drawn, `draw` only draws it."""

    @abstractmethod
    def tabulate(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows to draw, with a column `axes` that names the axes of each."""

    @abstractmethod
    def draw(self, table: pd.DataFrame, axes: Mapping[str, Axes]) -> None:
        """Draw the table on the axes that it names."""

    def panels(self) -> Sequence[str]:
        """The panels that the figure asks for by name; an experiment must have them."""
        return ()

    def layout(self, names: Sequence[str]) -> list[list[str | None]]:
        """Where the axes that a table names stand: rows of names, None where nothing stands."""
        return [[name] for name in names]

    def caption(self, table: pd.DataFrame) -> str:
        """What a reader must know to read the figure; stands below it."""
        return engines_caption(table)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Instances on which the contract tests run."""
        return [cls()]


def engines_caption(table: pd.DataFrame) -> str:
    """How points are made, and their bars."""
    parts = []
    sampled = table[table["engine"] == "monte_carlo"]
    if len(sampled):
        count = int(sampled["replicates"].max())
        parts.append(
            f"Monte Carlo: mean first hit of {count} replicates, 95 % bootstrap interval "
            "(within the markers where it is not seen)."
        )
    if (table["engine"] == "exact").any():
        parts.append("Exact dynamics: first hit of the mean, no sampling.")
    if len(parts) == 2:
        parts.append("The two differ, and each is relative to its own sequential run.")
    return " ".join(parts)


def series_name(label: str) -> str:
    """A series label as a legend shows it: `noise.M=10` is M = 10, `problem.data=digits` digits."""
    parts = []
    for part in filter(None, label.split(", ")):
        key, _, value = part.partition("=")
        name = key.rpartition(".")[2]
        shown = plain(value.replace("_", " "))
        parts.append(
            shown if name in ("data", "kind") else f"{SYMBOLS.get(name, plain(name))} = {shown}"
        )
    return ", ".join(parts)


def plain(text: str) -> str:
    """Text of an experiment file as matplotlib shows it unchanged: a dollar is no formula."""
    return one_line(text).replace("$", r"\$")


SYMBOLS = {
    "sigma2": r"$\sigma^2$",
    "M": "$M$",
    "delta": r"$\Delta$",
    "condition_number": r"$\kappa$",
}


def moving_size(rows: pd.DataFrame) -> str:
    """Which size a panel sweeps: batch_size, delay, or parallelism where both move."""
    moves = [size for size in ("batch_size", "delay") if rows[size].nunique() > 1]
    return "parallelism" if len(moves) == 2 else (moves or ["batch_size"])[0]


SIZE_LABELS = {
    "batch_size": r"batch size $b$",
    "delay": r"workers $\tau + 1$",
    "parallelism": r"gradients in flight $P = b\,(\tau + 1)$",
}
