"""Drawing of measured lines, shared by figures: markers with bars, thin lines, missing points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from critparam_experiments.figures import style
from critparam_experiments.figures.base import moving_size, series_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAW: dict[str, Any] = {"alpha": 0.45, "linewidth": 2.4}
THIN: dict[str, Any] = {"linewidth": 0.7, "linestyle": (0, (4, 1.5))}
IDEAL: dict[str, Any] = {"linewidth": 0.9, "linestyle": ":"}
FITTED: dict[str, Any] = {"linewidth": 0.9, "linestyle": "-."}
CRITICAL: dict[str, Any] = {"linestyle": "", "marker": "|", "markersize": 9, "markeredgewidth": 1.4}


def by_series(rows: pd.DataFrame) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Index, label and rows of each series, in the order of the table."""
    for index, (label, series) in enumerate(rows.groupby("series", sort=False)):
        yield index, str(label), series


def draw_measured(axes: Axes, rows: pd.DataFrame, x: str, y: str, index: int) -> None:
    """The measured points of one series: Monte Carlo as markers with bars, exact as a thin line.

    The line has small markers of its own where there is no Monte Carlo.
    """
    known = rows[(rows[x] > 0) & (rows[y] > 0)]  # the axes are logarithmic
    exact = known[known["engine"] == "exact"].sort_values(x)
    sampled = known[known["engine"] == "monte_carlo"].sort_values(x)
    colour = style.colour(index)
    if len(exact):
        connected = moving_size(rows) != "parallelism"
        marker = None if connected and len(sampled) else style.marker(index)
        line: dict[str, Any] = THIN if connected else {"linestyle": ""}
        axes.plot(exact[x], exact[y], color=colour, marker=marker, markersize=3, zorder=3, **line)
    if len(sampled):
        draw_with_bars(axes, sampled, x, y, color=colour, fmt=style.marker(index), zorder=4)


def draw_with_bars(axes: Axes, rows: pd.DataFrame, x: str, y: str, **how: Any) -> None:
    """Open markers with the bars from `y`_low to `y`_high."""
    below = (rows[y] - rows[f"{y}_low"]).clip(lower=0).fillna(0)
    above = (rows[f"{y}_high"] - rows[y]).clip(lower=0).fillna(0)
    bars = np.stack([below, above]) if (above + below).any() else None
    axes.errorbar(
        rows[x], rows[y], yerr=bars, markerfacecolor="white", markeredgewidth=0.9,
        elinewidth=0.9, capsize=1.6, **how,
    )  # fmt: skip


def name_series(axes: Axes, label: str, index: int) -> None:
    """A legend entry for a series, unless it is the only one and has no name."""
    if label:
        axes.plot([], [], color=style.colour(index), marker=style.marker(index),
                  markerfacecolor="white", label=series_name(label))  # fmt: skip


def explain(axes: Axes, table: pd.DataFrame, *, law: str, more: Sequence[tuple[str, Any]]) -> None:
    """Legend entries, in grey, for what the line styles mean; `more` are further ones."""
    engines = set(table["engine"])
    entries: list[tuple[str, Any]] = [(law, LAW)]
    if "exact" in engines:
        alone = {"marker": "o", "markersize": 3} if len(engines) == 1 else {}
        entries.append(("exact dynamics", THIN | alone))
    if "monte_carlo" in engines:
        open_marker = {"linestyle": "", "marker": "o", "markerfacecolor": "white"}
        entries.append(("Monte Carlo", open_marker))
    for label, how in (*entries, *more):
        axes.plot([], [], color=style.GREY, label=label, **how)


def say_if_empty(axes: Axes, rows: pd.DataFrame, y: str) -> None:
    """A panel without a single value says so."""
    if rows[y].notna().any():
        return
    why = "no cell at batch size 1, delay 0" if y == "speedup" else "no run met the target"
    if y == "speedup" and rows["steps"].isna().all():
        why = "no run met the target"
    axes.text(
        0.5, 0.5, f"nothing to show:\n{why}", transform=axes.transAxes, ha="center",
        bbox={"facecolor": "white", "edgecolor": "none"},
    )  # fmt: skip
