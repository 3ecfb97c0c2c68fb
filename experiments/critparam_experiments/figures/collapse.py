"""Every sweep on one curve: speedup over its limit against parallelism over B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from critparam_experiments.figures import style
from critparam_experiments.figures.base import Figure, engines_caption, series_name
from critparam_experiments.figures.lines import by_series

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Collapse(Figure):
    """s/(1 + B) against P/B for every panel and series, over x/(1 + x)."""

    def tabulate(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows with a speedup and a B, scaled by it; all on one axes."""
        B = rows["critical_parallelism"].fillna(rows["measured_parallelism"])
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
        panel.plot(grid, grid / (1 + grid), color="black", alpha=0.35, linewidth=2.4,
                   label=r"$x/(1+x)$", zorder=1)  # fmt: skip
        for series_index, label, series in by_series(table):
            panel.plot([], [], color="black", linestyle="", marker=style.marker(series_index),
                       markerfacecolor="white", label=series_name(label))  # fmt: skip
            for panel_index, name in enumerate(table["panel"].unique()):
                rows = series[series["panel"] == name]
                bars = np.stack([rows["y"] - rows["y_low"], rows["y_high"] - rows["y"]])
                panel.errorbar(
                    rows["x"], rows["y"], yerr=np.nan_to_num(bars).clip(min=0),
                    fmt=style.marker(series_index), color=style.colour(panel_index),
                    markerfacecolor="white", markeredgewidth=0.8, elinewidth=0.7, zorder=3,
                )  # fmt: skip
        for panel_index, name in enumerate(table["panel"].unique()):
            panel.plot([], [], color=style.colour(panel_index), linewidth=3, label=str(name))
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel(r"$P/B$")
        panel.set_ylabel(r"speedup / $(1+B)$")

    def caption(self, table: pd.DataFrame) -> str:
        """Engines, and which B scales the axes."""
        return f"B from theory, not fitted. {engines_caption(table)}"
