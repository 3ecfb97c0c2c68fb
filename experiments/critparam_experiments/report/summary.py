"""A line for each series: what was predicted, what was found."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from critparam_experiments.claims.base import fit_rows, predicted_parallelism
from critparam_experiments.figures.base import moving_size


class SeriesSummary(NamedTuple):
    """One series of an experiment under one engine; NaN where a figure does not exist."""

    series: str
    engine: str
    predicted: float
    by_batch: float
    by_delay: float
    largest_speedup: float


def summarise(table: pd.DataFrame) -> list[SeriesSummary]:
    """All series of a speedup table."""
    rows = []
    for (series, engine), lines in table.groupby(["series", "engine"], sort=False):
        fitted = {"batch_size": np.nan, "delay": np.nan}
        for _, line in lines.groupby("panel", sort=False):
            fit, _ = fit_rows(line)
            if fit is not None:
                fitted[moving_size(line)] = fit.critical_parallelism
        speedup = lines["speedup"].max()
        rows.append(
            SeriesSummary(
                str(series),
                str(engine),
                predicted_parallelism(lines),
                fitted["batch_size"],
                fitted["delay"],
                float(speedup),
            )
        )
    return rows
