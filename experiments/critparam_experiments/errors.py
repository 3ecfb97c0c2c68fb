"""Errors of running experiments; each ends a command with the exit code of its class."""

from collections.abc import Iterable
from typing import ClassVar

from critparam.errors import CritparamError


class ConfigError(CritparamError):
    """A mistake in an experiment file or in a value given on the command line.

    Its message is always one line, `file:line: path.to.key: what is wrong (got ...); did you
    mean ...?`, where each part is left out if it is unknown.

    Attributes:
        reason: what is wrong.
        source: the file, or where else the text came from; may be empty.
        line: line in the source, counted from 1.
        path: dotted path of the key; may be empty.
        got: what was found, as it may be shown.
        suggestion: what would have been right.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        reason: str,
        source: str = "",
        line: int | None = None,
        path: str = "",
        *,
        got: str | None = None,
        suggestion: str | None = None,
    ) -> None:
        self.reason, self.source, self.line, self.path = reason, source, line, path
        self.got, self.suggestion = got, suggestion
        super().__init__(self._message())

    def _message(self) -> str:
        place = ":".join(part for part in (self.source, str(self.line or "")) if part)
        parts = (one_line(place), one_line(self.path, limit=200), one_line(self.reason))
        text = ": ".join(part for part in parts if part)
        if self.got is not None:
            text += f" (got {one_line(self.got, limit=100)})"
        if self.suggestion is not None:
            text += f"; did you mean {one_line(self.suggestion)}?"
        return text


class RunError(CritparamError):
    """A cell failed; the cells that had finished are kept."""

    exit_code: ClassVar[int] = 3


class FolderInUseError(CritparamError):
    """Another run holds the output folder."""

    exit_code: ClassVar[int] = 4


def dotted(path: Iterable[str | int]) -> str:
    """The path of a key as messages show it, e.g. `panels.0.sweep`."""
    return ".".join(map(str, path))


def one_line(text: str, limit: int | None = None) -> str:
    """The text with whatever is not printable escaped, cut to `limit` characters.

    Text from a file may hold line breaks, terminal commands, or marks that reverse the writing.
    """
    cut = text if limit is None or len(text) <= limit else text[: limit - 3] + "..."
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in cut
    )
