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
)
from critparam_experiments.figures.lines import (
    CRITICAL,
    FITTED,
    IDEAL,
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
        more = [("linear", IDEAL), (r"$P = B$", CRITICAL)]
        if self.fitted:
            more.insert(0, (r"law, $B$ fitted", FITTED))
        explain(next(iter(axes.values())), table, law="law", more=more)

    def _draw_panel(self, axes: Axes, rows: pd.DataFrame) -> None:
        largest = max(float(rows["parallelism"].max()), 2.0)
        grid = np.geomspace(1, largest, 200)
        axes.plot(grid, grid, color=style.GREY, zorder=1, **IDEAL)
        top = np.nanmax([2.0, rows["speedup_high"].max()])
        for index, label, series in by_series(rows):
            predicted, fitted = (float(series[name].iloc[-1]) for name in ("predicted", "fitted"))
            if np.isfinite(predicted):
                self._draw_law(axes, grid, predicted, index)
                top = max(top, float(theory.speedup(largest, predicted)))
            if self.fitted and np.isfinite(fitted):
                law = theory.speedup(grid, fitted)
                axes.plot(grid, law, color=style.colour(index), **FITTED)
            draw_measured(axes, series, "parallelism", "speedup", index)
            name_series(axes, label, index)
        style.powers_of_two(axes, "x", 0.8, largest * 1.3)
        style.powers_of_two(axes, "y", 0.7, top * 1.7)
        say_if_empty(axes, rows, "speedup")

    def _draw_law(self, axes: Axes, grid: np.ndarray, B: float, index: int) -> None:
        colour = style.colour(index)
        axes.plot(grid, theory.speedup(grid, B), color=colour, zorder=2, **LAW)
        if 1 < B <= grid[-1]:
            half = (1 + B) / 2
            axes.plot([B, B], [1e-3, half], color=colour, linestyle=":", linewidth=0.8, zorder=1)
            axes.plot([B], [half], color=colour, **CRITICAL)

    def caption(self, table: pd.DataFrame) -> str:
        """The law, where its B comes from, and how points are made."""
        theory_knows = table["critical_parallelism"].notna().any()
        origin = "from theory" if theory_knows else "measured from gradients at the target"
        return f"Law: s = P(1+B)/(P+B), B {origin}. {engines_caption(table)}"

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """With and without the fit."""
        return [cls(), cls(fitted=True)]
