"""Synthetic ratings: a matrix of low rank, some of whose entries are observed with noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from critparam.arguments import require_at_least, require_fraction
from critparam.datasets.base import Source, Table

LOW_RANK_STREAM = 4
"""Keeps these draws apart from those of the subsample and the split, which have the same seed."""


@dataclass(frozen=True, kw_only=True)
class LowRank(Source):
    """Entries of A B^T + label_noise * N(0, 1), observed at random: a row (i, j) and its entry.

    A [rows, rank] and B [columns, rank] are normal, so scaled that entries have variance 1.
    `seed` decides the data, too.

    Attributes:
        rows: of the matrix.
        columns: of the matrix.
        rank: of the matrix without its noise.
        observed: share of the entries that is observed, drawn without replacement, in (0, 1].
        label_noise: standard deviation of the noise, >= 0.
    """

    rows: int
    columns: int
    rank: int
    observed: float = 1.0
    label_noise: float = 0.0
    standardise: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(2, rows=self.rows, columns=self.columns)
        require_at_least(1, rank=self.rank)
        require_fraction(one_allowed=True, observed=self.observed)
        require_at_least(0, label_noise=self.label_noise)

    def read(self) -> Table:
        """Row and column numbers from 0, and the entries there."""
        rng = np.random.default_rng([self.seed, LOW_RANK_STREAM])
        left = rng.normal(size=(self.rows, self.rank))
        right = rng.normal(size=(self.columns, self.rank)) / np.sqrt(self.rank)
        total = self.rows * self.columns
        count = max(2, round(self.observed * total))
        chosen = np.sort(rng.choice(total, count, replace=False))
        i, j = np.divmod(chosen, self.columns)
        entries = np.sum(left[i] * right[j], axis=1)
        noise = self.label_noise * rng.normal(size=count)
        return Table(np.column_stack([i, j]).astype(float), entries + noise)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Complete and without noise, incomplete and noisy."""
        return [
            cls(rows=6, columns=5, rank=2),
            cls(rows=20, columns=15, rank=3, observed=0.5, label_noise=0.1, seed=1),
        ]
