"""Synthetic sparse data: features as frequent as words are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from critparam.arguments import require_at_least, require_fraction
from critparam.datasets.base import Source, Table

POWER_LAW_STREAM = 2
"""Keeps these draws apart from those of the subsample and the split, which have the same seed."""


@dataclass(frozen=True, kw_only=True)
class PowerLaw(Source):
    """Columns j = 1, 2, ... that are +-1 with probability frequency * j^-exponent, and else 0.

    Labels are the sign of <a, w> for normal weights w, a share of them flipped. A gradient of a
    linear model without bias touches column j only where it is not 0: `frequency` is its Delta.
    `seed` decides the data, too. Columns that are never drawn are dropped.

    Attributes:
        samples: number of rows n.
        dim: number of columns d, before any are dropped.
        frequency: of the most frequent column, in (0, 1].
        exponent: of the decay, >= 0; about 1 for words of a language (Zipf).
        label_noise: share of the labels that is flipped, in [0, 1/2].
    """

    samples: int
    dim: int
    frequency: float = 0.5
    exponent: float = 1.0
    label_noise: float = 0.0
    standardise: bool = False
    constant_columns: Literal["refuse", "drop"] = "drop"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(2, samples=self.samples)
        require_at_least(1, dim=self.dim)
        require_fraction(one_allowed=True, frequency=self.frequency)
        require_at_least(0, exponent=self.exponent)
        if self.label_noise != 0:
            require_fraction(one_allowed=True, label_noise=2 * self.label_noise)

    def read(self) -> Table:
        """A CSR matrix, and labels -1 and 1."""
        from scipy.sparse import csr_array

        rng = np.random.default_rng([self.seed, POWER_LAW_STREAM])
        probabilities = self.frequency * np.arange(1.0, self.dim + 1) ** -self.exponent
        touched = [np.flatnonzero(rng.random(self.samples) < p) for p in probabilities]
        rows = np.concatenate(touched)
        columns = np.repeat(np.arange(self.dim), [len(column) for column in touched])
        signs = rng.choice([-1.0, 1.0], len(rows))
        shape = (self.samples, self.dim)
        features = csr_array((signs, (rows, columns)), shape=shape)
        margins = features @ rng.normal(size=self.dim)
        empty = margins == 0  # rows without features are of either class
        labels = np.where(empty, rng.choice([-1, 1], self.samples), np.sign(margins).astype(int))
        return Table(
            features, labels * np.where(rng.random(self.samples) < self.label_noise, -1, 1)
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Like words, and dense with noisy labels."""
        return [
            cls(samples=50, dim=40),
            cls(samples=50, dim=4, frequency=1.0, exponent=0.0, label_noise=0.1),
        ]
