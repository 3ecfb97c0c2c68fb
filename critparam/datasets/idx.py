"""Images in the IDX format of MNIST and the data sets made like it."""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from critparam.datasets.base import Table
from critparam.datasets.files import FolderSource, absolute, missing_files, opened, reading
from critparam.errors import ArgumentError

PAGES = "yann.lecun.com/exdb/mnist or github.com/zalandoresearch/fashion-mnist"
PREFIXES = {"train": "train", "test": "t10k"}
TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""What the third byte of a file says about its numbers, all of them big-endian."""


@dataclass(frozen=True, kw_only=True)
class Idx(FolderSource):
    """Files train-images-idx3-ubyte, train-labels-idx1-ubyte and the two of t10k.

    They may be compressed as they are distributed, with .gz added to the name.
    """

    @property
    def files(self) -> list[Path]:
        """Images and labels of each part."""
        names = [
            f"{PREFIXES[part]}-{content}"
            for part in self.parts
            for content in ("images-idx3-ubyte", "labels-idx1-ubyte")
        ]
        folder = absolute(self.folder)
        found = [_plain_or_compressed(folder / name) for name in names]
        if missing := [name for name, path in zip(names, found, strict=True) if path is None]:
            raise missing_files(self.folder, [f"{name}[.gz]" for name in missing], PAGES)
        return [path for path in found if path is not None]

    def read(self) -> Table:
        """Images [n, height, width, 1], as the numbers in the files, and labels."""
        files, tables = self.files, []
        for images_file, labels_file in zip(files[::2], files[1::2], strict=True):
            images, labels = read_idx(images_file, ndim=3), read_idx(labels_file, ndim=1)
            if len(images) != len(labels):
                reason = (
                    f"{images_file.name} has {len(images)} images, {labels_file.name} has "
                    f"{len(labels)} labels"
                )
                raise ArgumentError("folder", reason, self.folder)
            tables.append((images[..., np.newaxis], labels.astype(int)))
        if len({images.shape[1:] for images, _ in tables}) > 1:
            raise ArgumentError("folder", "has images of different sizes", self.folder)
        images, labels = (np.concatenate(parts) for parts in zip(*tables, strict=True))
        return Table(images, labels)


def read_idx(path: Path, ndim: int) -> np.ndarray:
    """The array in an IDX file.

    Args:
        path: of the file.
        ndim: how many axes it must have.

    Raises:
        ArgumentError: about `folder`, if it is no such file or not of the length it states.
    """
    with reading(path, "folder"), opened(path, "rb") as file:
        header = file.read(4)
        if len(header) < 4 or header[:2] != b"\0\0" or header[2] not in TYPES:
            raise ValueError("it does not begin as an IDX file does")
        if header[3] != ndim:
            raise ValueError(f"it has {header[3]} axes instead of {ndim}")
        sizes = file.read(4 * ndim)
        if len(sizes) < 4 * ndim:
            raise ValueError("it ends within its header")
        shape, dtype = struct.unpack(f">{ndim}I", sizes), np.dtype(TYPES[header[2]])
        expected = int(np.prod(shape, dtype=object)) * dtype.itemsize
        content = file.read(expected + 1)
        if len(content) != expected:
            found = "more" if len(content) > expected else f"{len(content)} bytes"
            raise ValueError(f"its header announces {expected} bytes, but {found} follow")
    return np.frombuffer(content, dtype).reshape(shape)


def _plain_or_compressed(path: Path) -> Path | None:
    candidates = (path, path.with_name(f"{path.name}.gz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)
