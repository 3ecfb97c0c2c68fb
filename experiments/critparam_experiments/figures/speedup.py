"""Speedup against batch size and workers, with the law over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from critparam import theory
from critparam_experiments.claims.base import fit_rows, predicted_parallelism
from critparam_experiments.figures import style
from critparam_experiments.figures.base import (
    SIZE_LABELS,
    Figure,
    engines_caption,
    moving_size,
    series_name,
)
from critparam_experiments.figures.lines import by_series, draw_measured, say_if_empty

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Speedup(Figure):
    """Speedup against parallelism, one axes a panel.

    Attributes:
        fitted: draw the law at the fitted B too.
    """

    fitted: bool = False

    def tabulate(self, rows: pd.DataFrame) -> pd.DataFrame:
        """All rows, B of each line (predicted, and fitted), the panel as axes."""
        table = rows.assign(axes=rows["panel"], predicted=np.nan, fitted=np.nan)
        for _, line in rows.groupby(["panel", "series"], sort=False):
            table.loc[line.index, "predicted"] = predicted_parallelism(line)
        for _, line in rows.groupby(["panel", "series", "engine"], sort=False):
            fit, _ = fit_rows(line)
            table.loc[line.index, "fitted"] = np.nan if fit is None else fit.critical_parallelism
        return table

    def draw(self, table: pd.DataFrame, axes: Mapping[str, Axes]) -> None:
        """Ideal speedup, law, B and measured points."""
        for name, rows in table.groupby("axes", sort=False):
            panel = axes[str(name)]
            self._draw_panel(panel, rows)
            panel.set_xlabel(SIZE_LABELS[moving_size(rows)])
            panel.set_ylabel("speedup")

    def _draw_panel(self, axes: Axes, rows: pd.DataFrame) -> None:
        largest = float(rows["parallelism"].max())
        grid = np.geomspace(1, max(largest, 2), 200)
        axes.plot(grid, grid, color=style.GREY, linestyle=":", linewidth=0.9, zorder=1)
        top = 1.0
        for index, label, series in by_series(rows):
            predicted = float(series["predicted"].iloc[0])
            if np.isfinite(predicted):
                self._draw_law(axes, grid, predicted, index, label)
                top = max(top, float(theory.speedup(grid[-1], predicted)))
            fitted = float(series["fitted"].iloc[-1])
            if self.fitted and np.isfinite(fitted):
                law = theory.speedup(grid, fitted)
                axes.plot(grid, law, color=style.colour(index), linestyle="-.", linewidth=0.8)
            draw_measured(axes, series, "parallelism", "speedup", index)
        measured = rows["speedup_high"].max()
        top = max(top, measured if np.isfinite(measured) else 1.0, 2.0)
        style.powers_of_two(axes, "x", 0.8, grid[-1] * 1.3)
        style.powers_of_two(axes, "y", 0.7, top * 1.7)
        say_if_empty(axes, rows, "speedup")

    def _draw_law(self, axes: Axes, grid: np.ndarray, B: float, index: int, label: str) -> None:
        colour = style.colour(index)
        law = theory.speedup(grid, B)
        axes.plot(
            grid, law, color=colour, alpha=0.45, linewidth=2.2, label=series_name(label), zorder=2
        )
        if 1 < B <= grid[-1]:
            half = (1 + B) / 2
            axes.plot([B, B], [1e-3, half], color=colour, linestyle=":", linewidth=0.8, zorder=1)
            axes.plot([B], [half], marker="|", markersize=9, color=colour, markeredgewidth=1.4)

    def caption(self, table: pd.DataFrame) -> str:
        """Engines, and what the curves are."""
        theory_knows = table["critical_parallelism"].notna().any()
        origin = "from theory" if theory_knows else "measured from gradients at the target"
        curves = f"Thick lines: s = P(1+B)/(P+B), B {origin}, marked."
        fitted = " Dash-dotted: the same, B fitted to the steps." if self.fitted else ""
        return f"{curves}{fitted} Dotted: linear speedup. {engines_caption(table)}"

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """With and without the fit."""
        return [cls(), cls(fitted=True)]
