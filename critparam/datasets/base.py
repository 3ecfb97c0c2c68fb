"""What a reader of data promises, and the data set that problems are made of."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from critparam.arguments import require_at_least, require_fraction
from critparam.errors import ArgumentError


class Table(NamedTuple):
    """Data as it was read.

    Attributes:
        features: numbers [n, d], a SciPy CSR matrix [n, d], or images [n, height, width, channels].
        labels: numbers or strings, [n].
    """

    features: Any
    labels: np.ndarray


class Dataset(NamedTuple):
    """Data as problems use it, in float64.

    Attributes:
        features: of the training samples, [n, d]; images are flattened row by row.
        labels: of the training samples, numbers or strings, [n].
        test_features: of the samples held out, [m, d].
        test_labels: of the samples held out, [m].
        image_shape: (height, width, channels) where the features are images.
        positive: the labels that count as positive where there are two classes only by a
            convention of the data set, e.g. the odd digits; else None.
        digest: SHA-256 of all of this.
    """

    features: np.ndarray
    labels: np.ndarray
    test_features: np.ndarray
    test_labels: np.ndarray
    image_shape: tuple[int, int, int] | None
    positive: tuple | None
    digest: str


@dataclass(frozen=True, kw_only=True)
class Source(ABC):
    """A place that data is read from, and how it is prepared; members are frozen dataclasses.

    Rows are drawn first, then split; columns are judged and scaled by the training rows alone.

    Attributes:
        standardise: shift every column to mean 0 and scale it to variance 1; of sparse data,
            only scale to mean square 1, so that zeros stay zeros; of images, shift and scale
            every channel as a whole.
        constant_columns: what to do about columns that are the same in every training row, and
            so carry nothing: refuse them, or drop them. Images keep them.
        subsample: how many rows to draw, without replacement; all where it is left out.
        test_fraction: share of the rows that is held out, in [0, 1).
        seed: of the subsample and the split.
    """

    positive: ClassVar[tuple | None] = None

    standardise: bool = True
    constant_columns: Literal["refuse", "drop"] = "refuse"
    subsample: int | None = None
    test_fraction: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.constant_columns not in ("refuse", "drop"):
            raise ArgumentError(
                "constant_columns",
                "must be refuse or drop",
                self.constant_columns,
                accepted=("refuse", "drop"),
            )
        if self.subsample is not None:
            require_at_least(1, subsample=self.subsample)
        if self.test_fraction != 0:
            require_fraction(test_fraction=self.test_fraction)
        require_at_least(0, seed=self.seed)

    @abstractmethod
    def read(self) -> Table:
        """All of the data.

        Raises:
            ArgumentError: about the field that is to blame, if the data cannot be read.
        """

    def stamp(self) -> tuple:
        """What changes when the data behind an equal source does, e.g. times of files."""
        return ()

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Small, valid instances that need no files, on which the contract tests run."""
        return [cls()]
