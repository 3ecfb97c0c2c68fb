"""What a table says of an experiment's claims, and whether that is what is known of them."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from critparam_experiments.claims import claims
from critparam_experiments.claims.base import Ruling, Verdict
from critparam_experiments.config import Experiment


class Judgement(NamedTuple):
    """A verdict and the claim that it is on.

    Attributes:
        claim: kind of the claim.
        known_deviation: why the claim is known not to hold, if it is.
        is_stale: whether the known deviation no longer shows anywhere.
    """

    claim: str
    verdict: Verdict
    known_deviation: str | None
    is_stale: bool

    @property
    def label(self) -> str:
        """The ruling as people read it."""
        if self.is_stale:
            return "holds (known deviation gone)"
        known = self.known_deviation is not None and self.verdict.ruling is Ruling.FAILS
        return f"{self.verdict.ruling} (known)" if known else str(self.verdict.ruling)

    @property
    def is_as_expected(self) -> bool:
        """Whether the claim holds, or fails as it is known to."""
        if self.known_deviation is not None and self.verdict.ruling is Ruling.FAILS:
            return True
        return self.verdict.ruling is Ruling.HOLDS and not self.is_stale


def judge(experiment: Experiment, table: pd.DataFrame) -> list[Judgement]:
    """Every verdict on an experiment's table, in the order of its claims."""
    judgements = []
    for claim in experiment.claims:
        verdicts = claim.evaluate(table)
        all_hold = all(verdict.ruling is Ruling.HOLDS for verdict in verdicts)
        known = claim.known_deviation or None
        is_stale = known is not None and all_hold
        kind = claims.kind_of(claim)
        judgements += [Judgement(kind, verdict, known, is_stale) for verdict in verdicts]
    return judgements


def all_as_expected(judgements: Sequence[Judgement]) -> bool:
    """Whether nothing speaks against the claims."""
    return all(judgement.is_as_expected for judgement in judgements)
