"""Drawing of measured lines, shared by figures: markers with bars, thin lines, missing points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from critparam_experiments.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def by_series(rows: pd.DataFrame) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Index, label and rows of each series, in the order of the table."""
    for index, (label, series) in enumerate(rows.groupby("series", sort=False)):
        yield index, str(label), series


def draw_measured(axes: Axes, rows: pd.DataFrame, x: str, y: str, index: int) -> None:
    """The measured points of one series: Monte Carlo as markers with bars, exact as a thin line.

    The line has small markers of its own where there is no Monte Carlo.
    """
    known = rows.dropna(subset=[x, y])
    exact = known[known["engine"] == "exact"].sort_values(x)
    sampled = known[known["engine"] == "monte_carlo"].sort_values(x)
    colour = style.colour(index)
    if len(exact):
        alone = style.marker(index) if sampled.empty else None
        axes.plot(
            exact[x], exact[y], color=colour, linewidth=0.6, linestyle=(0, (4, 1.5)),
            marker=alone, markersize=3, zorder=3,
        )  # fmt: skip
    if len(sampled):
        below = (sampled[y] - sampled[f"{y}_low"]).clip(lower=0).fillna(0)
        above = (sampled[f"{y}_high"] - sampled[y]).clip(lower=0).fillna(0)
        axes.errorbar(
            sampled[x], sampled[y], yerr=np.stack([below, above]), fmt=style.marker(index),
            color=colour, markerfacecolor="white", markeredgewidth=0.9, elinewidth=0.9,
            capsize=1.6, zorder=4,
        )  # fmt: skip


def say_if_empty(axes: Axes, rows: pd.DataFrame, y: str) -> None:
    """A panel without a single value says so."""
    if rows[y].notna().any():
        return
    why = "no cell at batch size 1, delay 0" if y == "speedup" else "no run met the target"
    if y == "speedup" and rows["steps"].isna().all():
        why = "no run met the target"
    axes.text(0.5, 0.5, f"nothing to show:\n{why}", transform=axes.transAxes, ha="center")
