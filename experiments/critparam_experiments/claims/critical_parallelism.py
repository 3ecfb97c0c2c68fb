"""The fitted critical parallelism is the predicted one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import pandas as pd

from critparam.arguments import require_at_least, require_positive
from critparam.errors import ArgumentError
from critparam_experiments.claims.base import (
    Claim,
    Verdict,
    between,
    fit_rows,
    lines_of,
    predicted_parallelism,
    undecided,
)


@dataclass(frozen=True, kw_only=True)
class CriticalParallelism(Claim):
    """B fitted to each line lies near B from theory, or from gradients where theory has none.

    Attributes:
        within_factor: fitted/predicted lies between 1/this and this.
        between: fitted/predicted lies between these two; instead of `within_factor`.
    """

    within_factor: float | None = None
    between: list[float] | None = None

    def __post_init__(self) -> None:
        if (self.within_factor is None) == (self.between is None):
            reason = "needs exactly one of within_factor and between"
            raise ArgumentError("within_factor", reason, self.within_factor)
        if self.within_factor is not None:
            require_at_least(1, within_factor=self.within_factor)
        if self.between is not None:
            require_positive(between=self.between)
            if len(self.between) != 2 or self.between[0] >= self.between[1]:
                raise ArgumentError("between", "must be two rising factors", self.between)

    @property
    def _limits(self) -> tuple[float, float]:
        if self.between is not None:
            return self.between[0], self.between[1]
        assert self.within_factor is not None
        return 1 / self.within_factor, self.within_factor

    def judge(self, table: pd.DataFrame) -> Iterator[Verdict]:
        """One verdict a line."""
        for part, rows in lines_of(table):
            predicted = predicted_parallelism(rows)
            fit, doubt = fit_rows(rows)
            if fit is None or doubt or not predicted > 0:
                observed = float("nan") if fit is None else fit.critical_parallelism
                yield undecided(part, predicted, doubt or "no predicted B", observed)
            else:
                yield between(part, fit.critical_parallelism, predicted, *self._limits)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Both ways to give the tolerance."""
        return [cls(within_factor=2.0), cls(between=[0.5, 1.5])]
