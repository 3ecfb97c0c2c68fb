"""Far below B, speedup is linear."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from critparam.arguments import require_fraction, require_positive
from critparam_experiments.claims.base import (
    Claim,
    Ruling,
    Verdict,
    lines_of,
    predicted_parallelism,
    undecided,
)


@dataclass(frozen=True, kw_only=True)
class LinearRegime(Claim):
    """Speedup is at least `efficiency` times P wherever P <= `up_to` times the predicted B.

    Attributes:
        efficiency: least speedup a gradient in flight.
        up_to: share of B up to which it is asked for.
    """

    efficiency: float = 0.8
    up_to: float = 0.125

    def __post_init__(self) -> None:
        require_fraction(efficiency=self.efficiency, one_allowed=True)
        require_positive(up_to=self.up_to)

    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """One verdict a line, on its least efficient point.

        Lines without a point P > 1 in the regime, of which nothing is claimed, have none.
        """
        for part, rows in lines_of(table):
            limit = self.up_to * predicted_parallelism(rows)
            inside = rows[(rows["parallelism"] > 1) & (rows["parallelism"] <= limit)]
            if inside.empty:
                continue
            known = inside[inside["status"] == "ok"].dropna(subset=["speedup"])
            if len(known) < len(inside):
                yield undecided(part, self.efficiency, "points without a speedup in the regime")
                continue
            least = float((known["speedup"] / known["parallelism"]).min())
            ruling = Ruling.HOLDS if least >= self.efficiency else Ruling.FAILS
            note = f"speedup at least {self.efficiency:g} P up to P = {limit:.3g}"
            yield Verdict(part, ruling, least, self.efficiency, least / self.efficiency, note)
