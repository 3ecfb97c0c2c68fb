"""CIFAR-10 in its binary version."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from critparam.datasets.base import Table
from critparam.datasets.files import FolderSource, absolute, missing_files, reading
from critparam.errors import ArgumentError

PAGE = "www.cs.toronto.edu/~kriz/cifar.html (CIFAR-10 binary version)"
UNPACKED = "cifar-10-batches-bin"
BATCHES = {
    "train": [f"data_batch_{number}.bin" for number in range(1, 6)],
    "test": ["test_batch.bin"],
}
IMAGE = (3, 32, 32)
RECORD = 1 + 3 * 32 * 32
"""Bytes of an image with its label: the label, then the red, the green and the blue plane."""


@dataclass(frozen=True, kw_only=True)
class Cifar10(FolderSource):
    """Files data_batch_1.bin to data_batch_5.bin and test_batch.bin, of photographs.

    `folder` holds them, or the folder cifar-10-batches-bin that the archive unpacks to.
    """

    @property
    def files(self) -> list[Path]:
        """The batches of each part."""
        folder = absolute(self.folder)
        folder = folder / UNPACKED if (folder / UNPACKED).is_dir() else folder
        files = [folder / name for part in self.parts for name in BATCHES[part]]
        if missing := [path.name for path in files if not path.is_file()]:
            raise missing_files(self.folder, missing, PAGE)
        return files

    def read(self) -> Table:
        """Images [n, 32, 32, 3] of numbers from 0 to 255, and classes 0 to 9."""
        records = np.concatenate([_records(path) for path in self.files])
        images = records[:, 1:].reshape(-1, *IMAGE).transpose(0, 2, 3, 1)
        return Table(images, records[:, 0].astype(int))


def _records(path: Path) -> np.ndarray:
    with reading(path, "folder"):
        content = np.fromfile(path, np.uint8)
    count, rest = divmod(len(content), RECORD)
    if rest or not count:
        reason = f"{path.name} has {len(content)} bytes, no multiple of {RECORD}"
        raise ArgumentError("folder", reason, str(path))
    records = content.reshape(count, RECORD)
    if records[:, 0].max() > 9:
        reason = f"{path.name} has labels beyond 9, so that it is not of CIFAR-10"
        raise ArgumentError("folder", reason, int(records[:, 0].max()))
    return records
