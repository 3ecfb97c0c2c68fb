"""A line for each series: what was predicted, what was found."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from critparam_experiments.claims.base import fit_rows, predicted_parallelism
from critparam_experiments.figures.base import moving_size


class SeriesSummary(NamedTuple):
    """One series of an experiment under one engine; NaN where a figure does not exist.

    Attributes:
        panels: the panels it is swept in, separated by commas.
    """

    panels: str
    series: str
    engine: str
    predicted: float
    by_batch: float
    by_delay: float
    largest_speedup: float


FITTED_COLUMNS = {"batch_size": "by_batch", "delay": "by_delay"}


def summarise(table: pd.DataFrame) -> list[SeriesSummary]:
    """All series that are swept; panels whose predicted B differs do not share a line."""
    summaries: dict[tuple, SeriesSummary] = {}
    for (panel, series, engine), line in table.groupby(["panel", "series", "engine"], sort=False):
        if len(line) == 1:
            continue
        predicted = predicted_parallelism(line)
        key = (series, engine, f"{predicted:g}")
        nothing = SeriesSummary("", str(series), str(engine), predicted, np.nan, np.nan, np.nan)
        summary = summaries.get(key, nothing)
        panels = f"{summary.panels}, {panel}" if summary.panels else str(panel)
        fit, _ = fit_rows(line)
        column = FITTED_COLUMNS.get(moving_size(line))
        if fit is not None and column is not None:
            summary = summary._replace(**{column: fit.critical_parallelism})
        largest = np.fmax(summary.largest_speedup, line["speedup"].max())
        summaries[key] = summary._replace(panels=panels, largest_speedup=float(largest))
    return list(summaries.values())
