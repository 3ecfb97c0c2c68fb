"""Steps to target against batch size and workers: both regimes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from critparam import theory
from critparam_experiments.claims.base import predicted_parallelism
from critparam_experiments.figures import style
from critparam_experiments.figures.base import (
    SIZE_LABELS,
    Figure,
    engines_caption,
    moving_size,
)
from critparam_experiments.figures.lines import (
    LAW,
    by_series,
    draw_measured,
    explain,
    name_series,
    say_if_empty,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Steps(Figure):
    """Steps to target against parallelism, one axes a panel, the law through the first point."""

    def tabulate(self, rows: pd.DataFrame) -> pd.DataFrame:
        """All rows, the law's scale A = T(1, 0)/(1 + B), the panel as axes."""
        table = rows.assign(axes=rows["panel"], predicted=np.nan, scale=np.nan)
        for _, line in rows.groupby(["panel", "series"], sort=False):
            predicted = predicted_parallelism(line)
            table.loc[line.index, "predicted"] = predicted
            sequential = line[(line["parallelism"] == 1)]["steps"].dropna()
            if len(sequential):
                table.loc[line.index, "scale"] = sequential.iloc[0] / (1 + predicted)
        return table

    def draw(self, table: pd.DataFrame, axes: Mapping[str, Axes]) -> None:
        """Law, critical value and measured points."""
        for name, rows in table.groupby("axes", sort=False):
            panel, size = axes[str(name)], moving_size(rows)
            for index, label, series in by_series(rows):
                self._draw_law(panel, series, size, index)
                draw_measured(panel, series, "parallelism", "steps", index)
                name_series(panel, label, index)
            steps = rows["steps"][rows["steps"] > 0]
            low, high = (steps.min(), steps.max()) if len(steps) else (1.0, 2.0)
            style.powers_of_two(panel, "x", 0.8, max(rows["parallelism"].max(), 2) * 1.3)
            style.powers_of_two(panel, "y", low / 2, high * 2)
            say_if_empty(panel, rows, "steps")
            panel.set_xlabel(SIZE_LABELS[size])
            panel.set_ylabel("steps to target")
        explain(next(iter(axes.values())), table, law="law", more=[])

    def _draw_law(self, axes: Axes, series: pd.DataFrame, size: str, index: int) -> None:
        B, scale = float(series["predicted"].iloc[0]), float(series["scale"].iloc[0])
        if not B * scale > 0:
            return
        largest = float(series["parallelism"].max())
        grid = np.geomspace(1, max(largest, 2), 200)
        b, tau = (grid, 0 * grid) if size == "batch_size" else (1 + 0 * grid, grid - 1)
        if size != "parallelism":
            law = theory.steps_at(b, tau, B, scale)
            axes.plot(grid, law, color=style.colour(index), **LAW)
        if 1 < B < largest:
            axes.axvline(B, color=style.GREY, linestyle=":", linewidth=0.9)
            axes.annotate(
                f"$B$ = {B:.3g}", (B, 1), xycoords=("data", "axes fraction"),
                xytext=(3, -2), textcoords="offset points", va="top", fontsize=7,
                color=style.GREY,
            )  # fmt: skip

    def caption(self, table: pd.DataFrame) -> str:
        """Engines, and what the curves are."""
        law = "Law: T ∝ 1 + B/b + τ through the first exact point, B from theory."
        return f"{law} {engines_caption(table)}"
