"""Speedups follow the saturation law."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from critparam.arguments import require_positive
from critparam_experiments.claims.base import Claim, Ruling, Verdict, lines_of, undecided


@dataclass(frozen=True, kw_only=True)
class SaturationLaw(Claim):
    """Root mean square of log2(speedup/law) over each line, the law at the predicted B.

    Attributes:
        rms_log2: the largest that is accepted; 1 is a factor of 2.
    """

    rms_log2: float = 0.5

    def __post_init__(self) -> None:
        require_positive(rms_log2=self.rms_log2)

    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """One verdict a line of at least three points."""
        for part, rows in lines_of(table):
            known = rows[rows["status"] == "ok"].dropna(subset=["speedup", "theory_speedup"])
            if len(known) < 3:
                yield undecided(part, 0.0, "fewer than three speedups with a law")
                continue
            errors = np.log2(known["speedup"] / known["theory_speedup"])
            observed = float(np.sqrt(np.mean(errors**2)))
            margin = self.rms_log2 / observed if observed else np.inf
            ruling = Ruling.HOLDS if observed <= self.rms_log2 else Ruling.FAILS
            note = f"rms of log2(speedup/law) at most {self.rms_log2:g}"
            yield Verdict(part, ruling, observed, 0.0, margin, note)
