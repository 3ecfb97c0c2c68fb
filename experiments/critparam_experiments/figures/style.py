"""How figures look: one column wide, colours that every reader can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMN_WIDTH = 3.5
"""Inches, of a journal's column."""

PAGE_WIDTH = 7.16
"""Inches, of a page of two columns."""

AXES_HEIGHT = 2.15
"""Inches of figure height for each axes."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette (2008), yellow and black left out: safe for colour-blind readers."""

MARKERS = ("o", "s", "^", "D", "v", "P")

GREY = "#666666"

RC: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.visible": False,
    "ytick.minor.visible": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.5,
    "figure.dpi": 100,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "svg.hashsalt": "critparam",
    "pdf.fonttype": 42,
    "mathtext.fontset": "dejavusans",
}


def colour(index: int) -> str:
    """The colour of the index-th series."""
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    """The marker of the index-th series."""
    return MARKERS[index % len(MARKERS)]


def decades(axes: Axes, which: str, low: float, high: float) -> None:
    """Make an axis logarithmic, labelled by powers of ten, or by 1, 2, 5, ... if it is short."""
    import numpy as np
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}lim")(low, high)
    axis = getattr(axes, f"{which}axis")
    powers = np.arange(np.floor(np.log10(low)), np.log10(high) + 1)
    ticks = 10.0**powers
    if np.sum((ticks >= low) & (ticks <= high)) < 3:
        ticks = np.ravel(np.outer(ticks, [1, 2, 5]))
    axis.set_major_locator(FixedLocator(ticks.tolist()))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _in_tens(value)))
    axis.set_minor_locator(NullLocator())


def _in_tens(value: float) -> str:
    """20, or 2 times 10^4 where digits would be many."""
    if 1 <= value < 10_000:
        return f"{value:g}"
    digit, power = f"{value:.0e}".split("e")
    return f"$10^{{{int(power)}}}$" if digit == "1" else f"${digit}\\cdot 10^{{{int(power)}}}$"


def powers_of_two(axes: Axes, which: str, low: float, high: float) -> None:
    """Make an axis logarithmic, labelled by powers of two."""
    import numpy as np
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    getattr(axes, f"set_{which}scale")("log", base=2)
    getattr(axes, f"set_{which}lim")(low, high)
    axis = getattr(axes, f"{which}axis")
    first, last = int(np.ceil(np.log2(low))), int(np.floor(np.log2(high)))
    stride = max(1, -(-(last - first + 1) // 8))
    first += -first % stride
    axis.set_major_locator(FixedLocator([2.0**k for k in range(first, last + 1, stride)]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"$2^{{{round(np.log2(value))}}}$"))
    axis.set_minor_locator(NullLocator())
