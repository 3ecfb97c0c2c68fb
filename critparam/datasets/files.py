"""What readers of files have in common: where files are, whether they changed, how they break."""

import bz2
import csv
import gzip
import lzma
import stat
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from critparam.datasets.base import Source
from critparam.errors import ArgumentError

BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, csv.Error)
"""What a file that is unreadable, truncated or of another kind makes its reader raise."""

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@dataclass(frozen=True, kw_only=True)
class FileSource(Source):
    """Data in one file.

    Attributes:
        path: of the file; relative to the current folder, and `~` is the home folder.
    """

    path: str

    @property
    def file(self) -> Path:
        """The file.

        Raises:
            ArgumentError: about `path`, if there is no such file.
        """
        return existing_file("path", self.path)

    def stamp(self) -> tuple:
        """Place, size and time of the file."""
        return file_stamp(self.file)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """None: there is no file to rely on."""
        return []


@dataclass(frozen=True, kw_only=True)
class FolderSource(Source):
    """Data in several files of a folder, parted by its makers into training and test.

    Attributes:
        folder: that holds the files; relative to the current folder, and `~` is the home folder.
        part: which of the files are read; `test_fraction` then splits what they hold.
    """

    folder: str
    part: Literal["train", "test", "all"] = "train"

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = ("train", "test", "all")
        if self.part not in parts:
            raise ArgumentError("part", "must be train, test or all", self.part, accepted=parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts to read, in order."""
        return ("train", "test") if self.part == "all" else (self.part,)

    @property
    @abstractmethod
    def files(self) -> list[Path]:
        """The files to read.

        Raises:
            ArgumentError: about `folder`, if one is missing.
        """

    def stamp(self) -> tuple:
        """Places, sizes and times of the files."""
        return tuple(file_stamp(path) for path in self.files)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """None: there are no files to rely on."""
        return []


def existing_file(field: str, given: str) -> Path:
    """The absolute path of a file.

    Args:
        field: to blame if there is none.
        given: its path; relative to the current folder, and `~` is the home folder.

    Raises:
        ArgumentError: it is missing, a folder, or out of reach.
    """
    try:
        path = absolute(given)
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise ArgumentError(field, f"there is no file {absolute(given)}", given) from None
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: of an unknown `~user`
        raise ArgumentError(field, f"cannot be read: {_explained(error)}", given) from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise ArgumentError(field, f"{path} is {kind}", given)
    return path


def absolute(given: str) -> Path:
    """A path as it was given, from the root; `~` is the home folder."""
    return Path(given).expanduser().absolute()


def file_stamp(path: Path) -> tuple[str, int, int]:
    """Place, size and time of last change: equal ones mean equal content."""
    info = path.stat()
    return str(path), info.st_size, info.st_mtime_ns


def missing_files(folder: str, names: Sequence[str], page: str) -> ArgumentError:
    """The error that files are missing, which says where to get them.

    Args:
        folder: as it was given.
        names: of the files that are missing.
        page: on which the files are offered.
    """
    here = absolute(folder)
    reason = (
        f"{here} lacks {', '.join(names)}; download them from {page}"
        if here.is_dir()
        else f"there is no folder {here}; put {', '.join(names)} there, from {page}"
    )
    return ArgumentError("folder", reason, folder)


@contextmanager
def reading(path: Path, field: str) -> Iterator[None]:
    """Turns what a broken file makes its reader raise into one error.

    Raises:
        ArgumentError: about `field`, in one line that names the file.
    """
    try:
        yield
    except ArgumentError:
        raise
    except BROKEN as error:
        reason = f"{path.name} cannot be read: {_explained(error)}"
        raise ArgumentError(field, reason, str(path)) from None


def opened(path: Path, mode: str, **options: Any) -> Any:
    """The file opened as by `open`, decompressed if its name ends in .gz, .bz2 or .xz."""
    return _OPENERS.get(path.suffix, open)(path, mode, **options)


def plain_labels(labels: np.ndarray) -> np.ndarray:
    """Labels as ints if all are whole numbers, as floats if all are numbers, else as they are."""
    if labels.dtype.kind not in "biuf":
        return labels
    whole = np.all(np.isfinite(labels)) and np.all(np.abs(labels * 1.0) < 2**53)
    return labels.astype(int if whole and np.all(labels == np.floor(labels)) else float)


def _explained(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    return " ".join((reason or str(error)).split()) or type(error).__name__
