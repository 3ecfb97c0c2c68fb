"""Sparse data in LIBSVM's text format."""

from dataclasses import dataclass
from typing import Any, Literal

from critparam.arguments import require_at_least
from critparam.datasets.base import Table
from critparam.datasets.files import FileSource, plain_labels, reading
from critparam.errors import ArgumentError


@dataclass(frozen=True, kw_only=True)
class Svmlight(FileSource):
    """Lines `label index:value index:value ...`; the file may be compressed, .gz or .bz2.

    Attributes:
        features: number of columns, for files whose last columns may happen to be empty; where it
            is left out, the largest index decides.
        zero_based: whether indices count from 0; "auto" takes them to count from 1 unless a 0
            occurs.
    """

    features: int | None = None
    zero_based: Literal["auto"] | bool = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None:
            require_at_least(1, features=self.features)
        if self.zero_based not in ("auto", True, False):
            raise ArgumentError("zero_based", "must be auto, true or false", self.zero_based)

    def read(self) -> Table:
        """The sparse features and the labels, whole numbers as ints."""
        from sklearn.datasets import load_svmlight_file

        path = self.file
        loaded: Any
        with reading(path, "path"):
            loaded = load_svmlight_file(str(path), zero_based=self.zero_based)
        features, labels = loaded
        if self.features is not None:
            if features.shape[1] > self.features:
                reason = f"{path.name} has {features.shape[1]} columns"
                raise ArgumentError("features", reason, self.features)
            features.resize(features.shape[0], self.features)
        return Table(features, plain_labels(labels))
