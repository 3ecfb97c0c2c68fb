"""Steps to accuracy grow with 1/eps, or with its logarithm, as the rate says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd

from critparam.arguments import require_at_least, require_positive
from critparam_experiments.claims.base import Claim, Ruling, Verdict, undecided

LEAST_POINTS = 3


@dataclass(frozen=True, kw_only=True)
class Rate(Claim):
    """Steps at one batch size and delay are a power of 1/eps, or of log(scale/eps).

    A rate is an upper bound over a class of problems. On a family of its worst members the power
    itself is seen: the slope of a least-squares line through log steps. Of a single instance at
    most the bound can be asked for: the largest slope between neighbouring accuracies.

    Attributes:
        exponent: the power.
        tolerance: by which the slope may be off, or beyond where `at_most`.
        at_most: whether the slope may be smaller.
        scale: F0 of log(F0/eps); a power of 1/eps where it is left out.
    """

    exponent: float = 1.0
    tolerance: float = 0.1
    at_most: bool = False
    scale: float | None = None

    def __post_init__(self) -> None:
        require_at_least(0, exponent=self.exponent)
        require_positive(tolerance=self.tolerance)
        if self.scale is not None:
            require_positive(scale=self.scale)

    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """One verdict for each panel, engine, noise, batch size and delay with several eps."""
        for part, rows in lines_of_accuracy(table):
            abscissa = 1 / rows["eps"] if self.scale is None else np.log(self.scale / rows["eps"])
            known = (rows["status"] == "ok") & (abscissa > 0) & (rows["steps"] > 0)
            if known.sum() < LEAST_POINTS or not known.all():
                yield undecided(part, self.exponent, "needs steps at three accuracies and at all")
                continue
            x, y = np.log(abscissa.to_numpy()), np.log(rows["steps"].to_numpy())
            order = np.argsort(x)
            yield self._verdict(part, x[order], y[order])

    def _verdict(self, part: str, x: np.ndarray, y: np.ndarray) -> Verdict:
        against = "1/eps" if self.scale is None else f"log({self.scale:g}/eps)"
        if self.at_most:
            slope = float(np.max(np.diff(y) / np.diff(x)))
            margin = (self.exponent + self.tolerance) / slope if slope > 0 else np.inf
            note = f"largest local power of {against} at most {self.exponent + self.tolerance:g}"
        else:
            slope = float(np.polyfit(x, y, 1)[0])
            off = abs(slope - self.exponent)
            margin = self.tolerance / off if off else np.inf
            note = f"power of {against} within {self.tolerance:g}"
        ruling = Ruling.HOLDS if margin >= 1 else Ruling.FAILS
        return Verdict(part, ruling, slope, self.exponent, margin, note)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """A power of either, and a bound."""
        return [cls(), cls(scale=1.0), cls(at_most=True, exponent=2.0)]


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
