"""One parameter explains batches and delays."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from critparam.arguments import require_at_least
from critparam_experiments.claims.base import Claim, Verdict, fit_rows, undecided, within_factor


@dataclass(frozen=True, kw_only=True)
class SameParameter(Claim):
    """B fitted to the batch sweep of a series is B fitted to its delay sweep.

    Attributes:
        within_factor: the two agree within this factor.
    """

    within_factor: float = 2.0

    def __post_init__(self) -> None:
        require_at_least(1, within_factor=self.within_factor)

    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """One verdict a series and engine; the delay sweep's B is the expected one."""
        for key, rows in table.groupby(["series", "engine"], sort=False):
            batches = rows[
                rows["panel"].isin(_pure_sweeps(rows, still="delay", moving="batch_size"))
            ]
            delays = rows[
                rows["panel"].isin(_pure_sweeps(rows, still="batch_size", moving="delay"))
            ]
            if batches.empty or delays.empty:
                continue
            asked = self.panel if isinstance(self.panel, list) else []
            part = ", ".join(filter(None, (" and ".join(asked), *map(str, key))))
            (by_batch, first_doubt), (by_delay, second_doubt) = fit_rows(batches), fit_rows(delays)
            doubt = first_doubt or second_doubt
            if doubt or by_batch is None or by_delay is None:
                yield undecided(part, float("nan"), doubt or "")
            else:
                yield within_factor(
                    part,
                    by_batch.critical_parallelism,
                    by_delay.critical_parallelism,
                    self.within_factor,
                )


def _pure_sweeps(rows: pd.DataFrame, *, still: str, moving: str) -> list[str]:
    """The panels in which one size moves and the other does not."""
    counts = rows.groupby("panel", sort=False)[[still, moving]].nunique()
    return list(counts.index[(counts[still] == 1) & (counts[moving] > 1)])
