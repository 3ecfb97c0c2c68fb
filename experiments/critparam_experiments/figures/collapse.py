"""Every sweep on one curve: speedup over its limit against parallelism over B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from critparam_experiments.figures import style
from critparam_experiments.figures.base import Figure, engines_caption, plain, series_name
from critparam_experiments.figures.lines import LAW, by_series, draw_with_bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Collapse(Figure):
    """s/(1 + B) against P/B for every panel and series, over x/(1 + x)."""

    def tabulate(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows with a speedup and a B, scaled by it; all on one axes."""
        B = rows["critical_parallelism"].fillna(rows["measured_parallelism"])
        B = B.where(B > 0)
        table = rows.assign(axes="collapse", x=rows["parallelism"] / B)
        for column in ("speedup", "speedup_low", "speedup_high"):
            table[column.replace("speedup", "y")] = rows[column] / (1 + B)
        return table.dropna(subset=["x", "y"])

    def draw(self, table: pd.DataFrame, axes: Mapping[str, Axes]) -> None:
        """Colour tells the panel, the marker the series."""
        if table.empty:
            return
        panel = axes["collapse"]
        grid = np.geomspace(table["x"].min() / 2, table["x"].max() * 2, 300)
        panel.plot(
            grid, grid / (1 + grid), color="black", label=r"$x/(1+x)$", zorder=1, **LAW
        )  # fmt: skip
        names = list(table["panel"].unique())
        for index, name in enumerate(names):
            panel.plot([], [], color=style.colour(index), linewidth=3, label=plain(str(name)))
        for index, label, series in by_series(table):
            marker = style.marker(index)
            panel.plot([], [], color="black", linestyle="", marker=marker,
                       markerfacecolor="white", label=series_name(label))  # fmt: skip
            for name, rows in series.groupby("panel", sort=False):
                colour = style.colour(names.index(name))
                draw_with_bars(panel, rows, "x", "y", color=colour, fmt=marker, zorder=3)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel(r"$P/B$")
        panel.set_ylabel(r"speedup / $(1+B)$")

    def caption(self, table: pd.DataFrame) -> str:
        """Which B scales the axes, and how points are made."""
        return f"B from theory, not fitted to the points. {engines_caption(table)}"
