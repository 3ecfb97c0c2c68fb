"""Several settings side by side: speedups above, steps against accuracy below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from critparam import theory
from critparam.errors import ArgumentError
from critparam_experiments.claims.base import fit_rows, predicted_parallelism
from critparam_experiments.claims.rate import lines_of_accuracy
from critparam_experiments.figures import style
from critparam_experiments.figures.base import SYMBOLS, Figure, engines_caption, moving_size
from critparam_experiments.figures.lines import (
    FITTED,
    IDEAL,
    LAW,
    draw_measured,
    draw_with_bars,
    explain,
    say_if_empty,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SWEEPS = {"batch_size": "batches", "delay": "workers", "parallelism": "both"}
GUIDE: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (5, 2))}
LOGARITHM = "log"
SPEEDUPS = "speedup"


@dataclass(frozen=True)
class Settings(Figure):
    """A column for each setting: batches and workers on one axes, then panels of accuracies.

    Attributes:
        columns: title of each column -> its panels. Those that sweep a size share the first axes;
            each of the others, whose series differ in accuracy, has its own below.
        guides: panel of accuracies -> the power of 1/eps, or "log", that is drawn beside each of
            its lines, in their order.
    """

    columns: dict[str, list[str]]
    guides: dict[str, list[float | str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        panels = self.panels()
        if not panels or len(set(panels)) < len(panels):
            raise ArgumentError("columns", "must list each panel once", self.columns)
        for panel, powers in self.guides.items():
            wrong = [power for power in powers if isinstance(power, str) and power != LOGARITHM]
            if panel not in panels or wrong:
                raise ArgumentError("guides", 'must be powers or "log", of listed panels', panel)

    def panels(self) -> list[str]:
        """Those of every column."""
        return [panel for names in self.columns.values() for panel in names]

    def tabulate(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows of listed panels, B of each sweep (predicted, and fitted), and axes."""
        column_of = {panel: title for title, names in self.columns.items() for panel in names}
        table = rows[rows["panel"].isin(list(column_of))]
        table = table.assign(predicted=np.nan, fitted=np.nan, axes="")
        for panel, line in table.groupby("panel", sort=False):
            if line["parallelism"].nunique() == 1 and line["eps"].nunique() > 1:
                table.loc[line.index, "axes"] = str(panel)
                continue
            fit, _ = fit_rows(line)
            table.loc[line.index, "axes"] = f"{column_of[str(panel)]}: {SPEEDUPS}"
            table.loc[line.index, "predicted"] = predicted_parallelism(line)
            table.loc[line.index, "fitted"] = np.nan if fit is None else fit.critical_parallelism
        return table

    def layout(self, names: Sequence[str]) -> list[list[str | None]]:
        """Columns as given, what there is of each from top to bottom."""
        columns = [
            [name for name in (f"{title}: {SPEEDUPS}", *panels) if name in names]
            for title, panels in self.columns.items()
        ]
        columns = [column for column in columns if column] or [list(names)]
        depth = max(map(len, columns))
        return [
            [column[row] if row < len(column) else None for column in columns]
            for row in range(depth)
        ]

    def draw(self, table: pd.DataFrame, axes: Mapping[str, Axes]) -> None:
        """Speedups with both laws; steps with guides."""
        for name, rows in table.groupby("axes", sort=False):
            draw = self._draw_speedups if str(name).endswith(f": {SPEEDUPS}") else self._draw_steps
            draw(axes[str(name)], rows)
        if table.empty:
            return
        more = [(r"law, $B$ fitted", FITTED), ("linear", IDEAL)]
        if self.guides:
            more.append(("rate", GUIDE))
        speedups = table[table["axes"].str.endswith(SPEEDUPS)]
        explain(next(iter(axes.values())), speedups, law=r"law, $B$ measured", more=more)

    def _draw_speedups(self, axes: Axes, rows: pd.DataFrame) -> None:
        largest = max(float(rows["parallelism"].max()), 2.0)
        grid = np.geomspace(1, largest, 200)
        axes.plot(grid, grid, color=style.GREY, zorder=1, **IDEAL)
        top = np.nanmax([2.0, rows["speedup_high"].max()])
        predicted = predicted_parallelism(rows)
        if np.isfinite(predicted):
            axes.plot(grid, theory.speedup(grid, predicted), color=style.GREY, zorder=1, **LAW)
            top = max(top, float(theory.speedup(largest, predicted)))
        for _, sweep in rows.groupby("panel", sort=False):
            size, fitted = moving_size(sweep), float(sweep["fitted"].iloc[0])
            index = list(SWEEPS).index(size)
            if np.isfinite(fitted):
                law = theory.speedup(grid, fitted)
                axes.plot(grid, law, color=style.colour(index), **FITTED)
            draw_measured(axes, sweep, "parallelism", "speedup", index)
            axes.plot([], [], color=style.colour(index), marker=style.marker(index),
                      linestyle="", markerfacecolor="white", label=SWEEPS[size])  # fmt: skip
        style.powers_of_two(axes, "x", 0.8, largest * 1.3)
        style.powers_of_two(axes, "y", 0.7, top * 1.7)
        axes.set_xlabel(r"gradients in flight $P$")
        axes.set_ylabel("speedup")
        say_if_empty(axes, rows, "speedup")

    def _draw_steps(self, axes: Axes, rows: pd.DataFrame) -> None:
        guides = self.guides.get(str(rows["panel"].iloc[0]), [])
        known = rows[rows["steps"] > 0].assign(inverse=1 / rows["eps"])
        middle = np.sqrt(known["inverse"].min() * known["inverse"].max())
        for index, (_, line) in enumerate(lines_of_accuracy(known)):
            line = line.sort_values("inverse")
            how = {"color": style.colour(index), "fmt": style.marker(index)}
            draw_with_bars(axes, line, "inverse", "steps", zorder=3, **how)
            guide = guides[index] if index < len(guides) else None
            if guide is not None:
                _draw_guide(axes, line, guide)
            is_right = line["inverse"].max() > middle
            _name_line(axes, line, guide, color=how["color"], ha="right" if is_right else "left")
        if len(known):
            style.decades(axes, "x", known["inverse"].min() / 1.6, known["inverse"].max() * 1.6)
            least, most = known["steps"].min(), known["steps"].max()
            room = 1.6 * (most / least) ** 0.25  # for the names of lines
            style.decades(axes, "y", least / 1.6, most * room)
        axes.set_xlabel(r"$1/\epsilon$")
        axes.set_ylabel("steps to target")
        say_if_empty(axes, rows, "steps")

    def caption(self, table: pd.DataFrame) -> str:
        """The law, where its B comes from, and how points are made."""
        law = "Law: s = P(1+B)/(P+B), B measured from gradients at the target, or fitted."
        guide = " Rates: slopes that theory bounds steps by." if self.guides else ""
        return f"{law}{guide} {engines_caption(table)}"

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Two columns, with an axes of accuracies and without."""
        return [
            cls(columns={"one": ["batch size", "p"], "two": ["delay"]}),
            cls(columns={"one": ["batch size", "p"]}, guides={"p": [1.0, LOGARITHM]}),
        ]


def _draw_guide(axes: Axes, line: pd.DataFrame, power: float | str) -> None:
    """The rate, through the last point."""
    x, last = line["inverse"].to_numpy(), float(line["steps"].iloc[-1])
    grown = np.log(x) / np.log(x[-1]) if power == LOGARITHM else (x / x[-1]) ** float(power)
    axes.plot(x, last * grown, color=style.GREY, zorder=2, **GUIDE)


def _name_line(axes: Axes, line: pd.DataFrame, power: float | str | None, **how: Any) -> None:
    """Noise that stays and rate of a line, above its last point."""
    sigma2 = line["sigma2"].iloc[0]
    parts = [f"{SYMBOLS['sigma2']} = {sigma2:g}"] if sigma2 >= 0 else []
    if power is not None:
        parts.append(rf"rate {_rate(power)}")
    axes.annotate(
        "\n".join(parts), (line["inverse"].iloc[-1], line["steps"].iloc[-1]), fontsize=6,
        xytext=(0, 5), textcoords="offset points", va="bottom", **how,
    )  # fmt: skip


def _rate(power: float | str) -> str:
    if power == LOGARITHM:
        return r"$\log 1/\epsilon$"
    return r"$1/\epsilon$" if power == 1 else rf"$1/\epsilon^{{{float(power):g}}}$"
