"""Tables in text: comma-separated values with a line of names."""

import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from critparam.datasets.base import Table
from critparam.datasets.files import FileSource, opened, plain_labels, reading
from critparam.errors import ArgumentError, shown


class Row(NamedTuple):
    """One row: the line it ends on, the numbers, the label."""

    line: int
    features: list[float]
    label: str


@dataclass(frozen=True, kw_only=True)
class Csv(FileSource):
    """Numbers in named columns, one of them the target; the file may be .gz, .bz2 or .xz.

    Attributes:
        target: name of the column that holds the labels, numbers or strings.
        ignore: names of columns that are left out, e.g. identifiers.
        delimiter: the character between columns.
    """

    target: str
    ignore: Sequence[str] = ()
    delimiter: str = ","

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ignore", tuple(self.ignore))
        if len(self.delimiter) != 1 or self.delimiter in '\r\n"':
            raise ArgumentError("delimiter", "must be one character", self.delimiter)

    def read(self) -> Table:
        """The columns but target and ignored ones; labels that are all numbers as numbers."""
        path = self.file
        numbers, labels = array("d"), []
        with (
            reading(path, "path"),
            opened(path, "rt", encoding="utf-8-sig", newline="") as lines,
        ):
            for row in self._rows(csv.reader(lines, delimiter=self.delimiter, strict=True)):
                numbers.extend(row.features)
                labels.append(row.label)
        if not labels:
            raise ArgumentError("path", f"{path.name} has no rows below its names", self.path)
        return Table(np.array(numbers).reshape(len(labels), -1), _parsed(labels))

    def _rows(self, reader) -> Iterator[Row]:
        names = [name.strip() for name in next(reader, [])]
        target, kept = self._columns(names)
        for cells in reader:
            if not cells:
                continue
            where = f"line {reader.line_num}"
            if len(cells) != len(names):
                reason = f"{where} has {len(cells)} columns where the first line names {len(names)}"
                raise ArgumentError("path", reason, self.path)
            yield Row(
                reader.line_num,
                [_number(cells[column], f"{where}, column {names[column]}") for column in kept],
                cells[target].strip(),
            )

    def _columns(self, names: list[str]) -> tuple[int, list[int]]:
        """Where the target is, and the features."""
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError("path", "has two columns of one name", twice)
        for field, wanted in (("target", [self.target]), ("ignore", self.ignore)):
            for name in wanted:
                if name not in names:
                    reason = f"is no column of the file, which has {shown(names)}"
                    raise ArgumentError(field, reason, name, accepted=tuple(names))
        kept = [i for i, name in enumerate(names) if name not in (self.target, *self.ignore)]
        if not kept:
            raise ArgumentError("path", "has no column beside target and ignored ones", self.path)
        return names.index(self.target), kept


def _number(cell: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ArgumentError("path", f"{where}: must be a number", cell) from None


def _parsed(labels: list[str]) -> np.ndarray:
    if "" in labels:
        row = labels.index("") + 1
        raise ArgumentError("target", f"has no value in row {row} (from 1)", "")
    try:
        return plain_labels(np.array(labels, dtype=float))
    except ValueError:
        return np.array(labels)
