"""Arrays in NumPy's archives."""

from dataclasses import dataclass

import numpy as np

from critparam.datasets.base import Table
from critparam.datasets.files import FileSource, plain_labels, reading
from critparam.errors import ArgumentError, shown


@dataclass(frozen=True, kw_only=True)
class Npz(FileSource):
    """Two arrays of an .npz archive; pickled objects in it are never loaded.

    Attributes:
        features: name of the array of features: numbers [n, d], or images [n, height, width] or
            [n, height, width, channels].
        labels: name of the array of labels, numbers or strings [n].
    """

    features: str = "features"
    labels: str = "labels"

    def read(self) -> Table:
        """The two arrays."""
        path = self.file
        with reading(path, "path"), path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ArgumentError("path", f"{path.name} is no archive of arrays", self.path)
            features = self._array(archive, "features")
            labels = self._array(archive, "labels")
        if features.dtype.kind not in "biuf":
            raise ArgumentError("features", f"must be numbers, not {features.dtype}", self.features)
        if labels.dtype.kind not in "biufSU":
            reason = f"must be numbers or strings, not {labels.dtype}"
            raise ArgumentError("labels", reason, self.labels)
        if features.ndim == 3:
            features = features[..., np.newaxis]
        if labels.dtype.kind == "S":
            labels = np.char.decode(labels, "utf-8", "replace")
        return Table(features, plain_labels(labels))

    def _array(self, archive: np.lib.npyio.NpzFile, field: str) -> np.ndarray:
        name = getattr(self, field)
        if name not in archive.files:
            reason = f"is no array of the archive, which has {shown(archive.files)}"
            raise ArgumentError(field, reason, name, accepted=tuple(archive.files))
        return archive[name]
