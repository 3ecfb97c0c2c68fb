"""The data sets that scikit-learn carries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from critparam.datasets.base import Source, Table


@dataclass(frozen=True, kw_only=True)
class Digits(Source):
    """Handwritten digits, 1797 images of 8 x 8 pixels; odd digits count as positive.

    Attributes:
        images: whether they are images; else the pixels are the columns of a table.
    """

    positive: ClassVar[tuple | None] = (1, 3, 5, 7, 9)

    images: bool = False
    constant_columns: Literal["refuse", "drop"] = "drop"

    def read(self) -> Table:
        """Pixels from 0 to 16, and the digits."""
        table = _bundled("digits")
        return (
            table._replace(features=table.features.reshape(-1, 8, 8, 1)) if self.images else table
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """As a table and as images."""
        return [cls(), cls(images=True)]


@dataclass(frozen=True, kw_only=True)
class BreastCancer(Source):
    """Tumours, 569 with 30 features, of which benign (1) or malignant (0)."""

    def read(self) -> Table:
        """Features and diagnoses."""
        return _bundled("breast_cancer")


@dataclass(frozen=True, kw_only=True)
class Iris(Source):
    """Flowers, 150 with 4 features, of three species."""

    def read(self) -> Table:
        """Features and species, 0 to 2."""
        return _bundled("iris")


@dataclass(frozen=True, kw_only=True)
class Wine(Source):
    """Wines, 178 with 13 features, of three cultivars."""

    def read(self) -> Table:
        """Features and cultivars, 0 to 2."""
        return _bundled("wine")


@dataclass(frozen=True, kw_only=True)
class Diabetes(Source):
    """Patients, 442 with 10 features, and the progress of their disease, a number."""

    def read(self) -> Table:
        """Features and progress."""
        return _bundled("diabetes")


def _bundled(name: str) -> Table:
    from sklearn import datasets

    loaded: Any = getattr(datasets, f"load_{name}")()
    return Table(np.asarray(loaded.data, dtype=float), np.asarray(loaded.target))
