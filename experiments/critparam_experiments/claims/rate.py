"""Steps to accuracy grow with 1/eps, or with its logarithm, as the rate says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from critparam.arguments import require_positive
from critparam.theory import accuracy_power
from critparam_experiments.claims.base import Claim, Ruling, Verdict, undecided

LEAST_POINTS = 3


@dataclass(frozen=True, kw_only=True)
class Rate(Claim):
    """Steps at one batch size and delay are a power of 1/eps, or of log(F0/eps), as theory has it.

    A rate is an upper bound over a class of problems. On a family of its worst members the power
    itself is seen: the slope of a least-squares line through log steps. Of a single instance at
    most the bound can be asked for: the largest slope between neighbouring accuracies.

    Attributes:
        setting: non_convex, convex or strongly_convex, which with sigma2 decides the power; noise
            of which sigma2 is not known is taken to stay.
        tolerance: by which the slope may be off, or beyond where `at_most`.
        at_most: whether the slope may be smaller.
        F0: f(x0) - f*; needed where theory has the first power of log(F0/eps).
    """

    setting: str
    tolerance: float = 0.1
    at_most: bool = False
    F0: float | None = None

    def __post_init__(self) -> None:
        accuracy_power(self.setting)
        require_positive(tolerance=self.tolerance)
        if self.F0 is not None:
            require_positive(F0=self.F0)

    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """One verdict for each panel, engine, noise, batch size and delay with several eps."""
        for part, rows in lines_of_accuracy(table):
            sigma2 = float(rows["sigma2"].iloc[0])
            power = accuracy_power(self.setting, sigma2=1.0 if np.isnan(sigma2) else sigma2)
            yield self._verdict(part, rows, float(power))

    def _verdict(self, part: str, rows: pd.DataFrame, power: float) -> Verdict:
        of, abscissa, power = self._abscissa(rows, power)
        known = (rows["status"] == "ok") & (abscissa > 0) & (rows["steps"] > 0)
        if known.sum() < LEAST_POINTS or not known.all():
            return undecided(part, power, f"needs {of} and steps at {LEAST_POINTS} accuracies")
        order = np.argsort(abscissa)
        x, y = np.log(abscissa[order]), np.log(rows["steps"].to_numpy()[order])
        if self.at_most:
            slope = float(np.max(np.diff(y) / np.diff(x)))
            margin = (power + self.tolerance) / slope if slope > 0 else np.inf
            note = f"largest local power of {of} at most {power + self.tolerance:g}"
        else:
            slope = float(np.polyfit(x, y, 1)[0])
            off = abs(slope - power)
            margin = self.tolerance / off if off else np.inf
            note = f"power of {of} within {self.tolerance:g}"
        ruling = Ruling.HOLDS if margin >= 1 else Ruling.FAILS
        return Verdict(part, ruling, slope, power, margin, note)

    def _abscissa(self, rows: pd.DataFrame, power: float) -> tuple[str, np.ndarray, float]:
        """What steps are a power of: its name, its values (NaN if unknown), and the power."""
        eps = rows["eps"].to_numpy()
        if power > 0:
            return "1/eps", 1 / eps, power
        F0 = np.nan if self.F0 is None else self.F0
        return "log(F0/eps)", np.log(F0 / eps), 1.0

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """A power of either, and a bound."""
        return [
            cls(setting="convex"),
            cls(setting="strongly_convex", F0=1.0),
            cls(setting="non_convex", at_most=True),
        ]


def lines_of_accuracy(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Rows that differ in eps alone, where there are several, and what they have in common."""
    keys = ["panel", "engine", "noise", "M", "sigma2", "batch_size", "delay"]
    for key, rows in table.groupby(keys, sort=False, dropna=False):
        if rows["eps"].nunique() < 2:
            continue
        panel, engine, _, M, sigma2, b, tau = key
        numbers = {"M": M, "sigma2": sigma2, "b": b, "tau": tau}
        usual = {"b": 1, "tau": 0}
        shown = [
            f"{name}={value:g}"
            for name, value in numbers.items()
            if np.isfinite(value) and value != usual.get(name)
        ]
        yield ", ".join((str(panel), *shown, str(engine))), rows
