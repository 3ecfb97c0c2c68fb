"""From a figure and its table to image files."""

from __future__ import annotations

import itertools
import string
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from critparam_experiments.config import Experiment
from critparam_experiments.figures import style
from critparam_experiments.figures.base import plain
from critparam_experiments.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

FORMATS = ("png", "pdf", "svg")
CAPTION_WIDTH = 82
CAPTION_LINE = 0.105
LEGEND_ROW = 0.16


def render(
    experiment: Experiment, rows: pd.DataFrame, folder: Path, formats: Sequence[str], *, quick: bool
) -> list[Path]:
    """Draw an experiment's figure and write it in every format asked for."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    table = experiment.figure.tabulate(rows)
    names = list(dict.fromkeys(table["axes"])) or ["empty"]
    caption = f"{experiment.name}. {experiment.figure.caption(table)}"
    if quick:
        caption = f"QUICK VERSION: fewer points and replicates. {caption}"
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # titles may be in any script
        mpl.rcdefaults()
        mpl.rcParams.update(style.RC)
        canvas = Canvas()
        layout = experiment.figure.layout(names)
        axes = _axes(canvas, layout)
        experiment.figure.draw(table, axes)
        for letter, (name, panel) in zip(letters(), axes.items(), strict=False):
            if len(axes) > 1:
                panel.set_title(f"({letter}) {plain(name)}", loc="left")
        shape = len(layout), len(layout[0])
        _arrange(canvas, list(axes.values()), shape, plain(experiment.title), plain(caption))
        return [_save(canvas, folder / f"{experiment.name}.{kind}") for kind in formats]


def _axes(canvas: Canvas, layout: list[list[str | None]]) -> dict[str, Axes]:
    """Axes by name, those of a row from left to right; empty places stay empty."""
    grid = canvas.subplots(len(layout), len(layout[0]), squeeze=False)
    axes = {}
    for row, names in zip(grid, layout, strict=True):
        for panel, name in zip(row, names, strict=True):
            if name is None:
                panel.remove()
            else:
                axes[name] = panel
    return axes


def letters() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ..."""
    for length in itertools.count(1):
        yield from map("".join, itertools.product(string.ascii_lowercase, repeat=length))


def _arrange(
    canvas: Canvas, axes: list[Axes], shape: tuple[int, int], title: str, caption: str
) -> None:
    """Title above, legend and caption below, so that neither lies over data."""
    width = style.COLUMN_WIDTH if shape[1] == 1 else style.PAGE_WIDTH
    times = width / style.COLUMN_WIDTH
    lines = textwrap.wrap(caption, int(CAPTION_WIDTH * times))
    handles, labels = _legend_entries(axes)
    columns = int((3 if max(map(len, labels), default=0) < 16 else 2) * times)
    legend = LEGEND_ROW * -(-len(labels) // columns) + (0.08 if labels else 0)
    below = 0.08 + CAPTION_LINE * len(lines)
    height = style.AXES_HEIGHT * shape[0] + 0.3 + legend + below
    canvas.set_size_inches(width, height)
    canvas.suptitle(title, y=1 - 0.04 / height, fontsize=9)
    canvas.text(0.02, 0.05 / height, "\n".join(lines), fontsize=5.5, color=style.GREY, va="bottom",
                linespacing=1.25)  # fmt: skip
    if labels:
        canvas.legend(
            handles, labels, ncols=columns, loc="lower center", frameon=False,
            bbox_to_anchor=(0.5, below / height), handlelength=1.8, columnspacing=1.2,
            borderaxespad=0.1,
        )  # fmt: skip
    canvas.set_layout_engine(
        "constrained", rect=(0, (below + legend) / height, 1, 1 - (below + legend + 0.2) / height)
    )


def _legend_entries(axes: list[Axes]) -> tuple[list, list[str]]:
    entries: dict[str, object] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    return list(entries.values()), list(entries)


def _save(canvas: Canvas, path: Path) -> Path:
    kind = path.suffix[1:]
    stamp = {"png": {"Software": None}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
    write_atomically(
        path, lambda temporary: canvas.savefig(temporary, format=kind, metadata=stamp[kind])
    )
    return path
