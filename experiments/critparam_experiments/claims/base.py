"""What a claim promises: verdicts from the table that the figure is drawn from."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from critparam.errors import ArgumentError
from critparam.saturation import Fit, fit_law, why_inconclusive


class Ruling(StrEnum):
    """How a claim fares."""

    HOLDS = "holds"
    FAILS = "fails"
    INCONCLUSIVE = "inconclusive"


class Verdict(NamedTuple):
    """A ruling on one part of a claim.

    Attributes:
        part: what it is about, e.g. a panel and a series.
        ruling: whether the claim holds there.
        observed: the figure observed, NaN where there is none.
        expected: the figure expected, NaN where there is none.
        margin: how far inside its tolerance the claim holds, as a factor: at least 1 where it
            holds, below 1 where it fails, NaN where it is inconclusive.
        note: in words, what tolerance applies or why nothing can be said.
    """

    part: str
    ruling: Ruling
    observed: float
    expected: float
    margin: float
    note: str


@dataclass(frozen=True, kw_only=True)
class Claim(ABC):
    """A statement about an experiment's table, with a tolerance set beforehand.

    Attributes:
        reason: why the tolerance is what it is.
        known_deviation: why the claim is known not to hold here, if it is.
        engine: only rows of this engine; all where it is left out.
        panel: only rows of this panel, or of these; all where it is left out.
    """

    reason: str = ""
    known_deviation: str | None = None
    engine: str | None = None
    panel: str | list[str] | None = None

    @abstractmethod
    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """A verdict for each part of the table that the claim is about."""

    def evaluate(self, table: pd.DataFrame) -> list[Verdict]:
        """All verdicts; a claim about nothing is inconclusive."""
        for column in ("engine", "panel"):
            wanted = getattr(self, column)
            if wanted is not None:
                names = [wanted] if isinstance(wanted, str) else wanted
                table = table[table[column].isin(names)]
        verdicts = list(self.judge(table))
        nothing = Verdict("", Ruling.INCONCLUSIVE, np.nan, np.nan, np.nan, "no rows to judge")
        return verdicts or [nothing]

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Instances on which the contract tests run."""
        return [cls()]


def lines_of(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each (panel, series, engine), in the order of the table, and its name."""
    for key, rows in table.groupby(["panel", "series", "engine"], sort=False):
        yield ", ".join(filter(None, map(str, key))), rows


def predicted_parallelism(rows: pd.DataFrame) -> float:
    """B of these rows: from theory, else as measured from gradients at the target, else NaN."""
    for column in ("critical_parallelism", "measured_parallelism"):
        known = rows[column].dropna()
        if len(known):
            return float(known.iloc[0])
    return float("nan")


def fit_rows(rows: pd.DataFrame) -> tuple[Fit | None, str | None]:
    """The law fitted to one line, and why the fit decides nothing, if so."""
    usable = rows[rows["status"] != "grid_edge"]
    censored = usable["status"] == "not_reached"
    b, tau = usable["batch_size"].to_numpy(float), usable["delay"].to_numpy(float)
    steps = usable["steps"].where(~censored, usable["steps_low"]).to_numpy(float)
    known = np.isfinite(steps) & (steps > 0)
    try:
        fit = fit_law(b[known], tau[known], steps[known], censored=censored.to_numpy()[known])
    except ArgumentError as error:
        return None, f"no fit: {error.argument} {error.reason}"
    return fit, why_inconclusive(fit, b[known], tau[known])


def within_factor(part: str, observed: float, expected: float, factor: float) -> Verdict:
    """Whether two positive numbers agree within a factor."""
    return between(part, observed, expected, 1 / factor, factor)


def between(part: str, observed: float, expected: float, low: float, high: float) -> Verdict:
    """Whether observed/expected lies between two factors."""
    ratio = observed / expected
    margin = min(ratio / low, high / ratio)
    ruling = Ruling.HOLDS if margin >= 1 else Ruling.FAILS
    return Verdict(part, ruling, observed, expected, margin, f"{low:.3g} to {high:.3g} x expected")


def undecided(part: str, expected: float, note: str, observed: float = np.nan) -> Verdict:
    """An inconclusive verdict."""
    return Verdict(part, Ruling.INCONCLUSIVE, observed, expected, np.nan, note)
