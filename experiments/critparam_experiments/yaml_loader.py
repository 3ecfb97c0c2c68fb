"""A strict reader of experiment files: YAML 1.2 scalars, no repeated key, a line for every key.

PyYAML's own loaders read `1e-3` as a string and `no` as false, keep the last of two equal keys,
recurse as deep as the text does and expand every alias. Here its parser only makes a stream of
events, one at a time, so that what is refused is refused before anything behind it is read.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import Reader

from critparam.errors import shown
from critparam_experiments.errors import ConfigError, dotted, one_line

MAX_SIZE = 2**20  # bytes of a file, characters of a text
MAX_DEPTH = 32  # of lists and mappings inside one another, the outermost counted as 1

KeyPath = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_NULL = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class Document:
    """One experiment file as plain data.

    Attributes:
        data: the top-level mapping, of dict, list, str, int, float, bool and None.
        source: the file, or where else the text came from.
        lines: the line, counted from 1, of every key and list item by its path.
        overridden: the paths whose values come from `--set` instead.
    """

    data: dict[str, Any]
    source: str
    lines: dict[KeyPath, int]
    overridden: frozenset[KeyPath] = frozenset()


def load_file(path: Path) -> Document:
    """The experiment file at `path`.

    Raises:
        ConfigError: it cannot be read, or breaks a rule of this module.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_SIZE + 1)
    except FileNotFoundError:
        raise ConfigError("no such file", str(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be read: {reason.lower()}", str(path)) from None
    if len(raw) > MAX_SIZE:
        raise ConfigError(f"larger than {MAX_SIZE} bytes", str(path))
    return load_text(_decoded(raw, str(path)), str(path))


def load_text(text: str, source: str) -> Document:
    """The experiment in `text`; `source` is what messages call it.

    Raises:
        ConfigError: the text breaks a rule of this module.
    """
    builder = _Builder(source)
    if not isinstance(data := builder.document(text), dict):
        raise builder.error("the top level must be a mapping", builder.lines[()], got=shown(data))
    return Document(data, source, builder.lines)


def parse_value(text: str, source: str = "--set") -> Any:
    """The value in `text`, of any kind, by the same rules as in a file.

    Raises:
        ConfigError: the text breaks a rule of this module.
    """
    # A line number would be noise: the text is an argument on the command line.
    return _Builder(source, numbered=False).document(text)


def _decoded(raw: bytes, source: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line, byte = raw.count(b"\n", 0, error.start) + 1, f"byte 0x{raw[error.start]:02x}"
        raise ConfigError("not UTF-8 text", source, line, got=byte) from None


@dataclass(frozen=True)
class _Builder:
    """Builds plain data from the events of one text and notes the line of every path."""

    source: str
    numbered: bool = True
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def error(self, reason: str, line: int | None, path: KeyPath = (), got: str | None = None):
        line = line if self.numbered else None
        return ConfigError(reason, self.source, line, dotted(path), got=got)

    def document(self, text: str) -> Any:
        self.check(text)
        events = self.events(text.removeprefix("\ufeff"))
        next(events)  # start of the stream
        if isinstance(next(events), yaml.StreamEndEvent):
            raise self.error("is empty", None)
        data = self.node(events, next(events), ())
        next(events)  # end of the document
        if not isinstance(after := next(events), yaml.StreamEndEvent):
            raise self.error("several documents in one file are not accepted", _line(after))
        return data

    def check(self, text: str) -> None:
        if len(text) > MAX_SIZE:
            raise self.error(f"larger than {MAX_SIZE} characters", None)
        if bad := Reader.NON_PRINTABLE.search(text):
            line = text.count("\n", 0, bad.start()) + 1
            raise self.error(f"not valid YAML: character U+{ord(bad[0]):04X}", line)

    def events(self, text: str) -> Iterator[Any]:
        loader = yaml.SafeLoader(text)
        try:
            while loader.check_event():
                yield loader.get_event()
        except (yaml.MarkedYAMLError, ValueError, OverflowError) as error:
            # The last two come from chr() of an escape and int() of a %YAML directive.
            line = (getattr(error, "problem_mark", None) or loader).line + 1
            problem = getattr(error, "problem", "number out of range")
            reason = " ".join(filter(None, (problem, getattr(error, "context", None))))
            raise self.error(f"not valid YAML: {one_line(reason, limit=160)}", line) from None

    def node(self, events: Iterator[Any], event: Any, path: KeyPath) -> Any:
        self.lines.setdefault(path, _line(event))
        self.refuse(event, path)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, path)
        if len(path) >= MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} deep", _line(event), path)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        return self.mapping(events, path) if is_mapping else self.sequence(events, path)

    def mapping(self, events: Iterator[Any], path: KeyPath) -> dict[str, Any]:
        data: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            here = (*path, key := self.key(event, path))
            if key in data:
                first = f", first given on line {self.lines[here]}" if self.numbered else ""
                raise self.error(f"duplicate key {shown(key)}{first}", _line(event), here)
            self.lines[here] = _line(event)
            data[key] = self.node(events, next(events), here)
        return data

    def sequence(self, events: Iterator[Any], path: KeyPath) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(self.node(events, event, (*path, len(items))))
        return items

    def key(self, event: Any, path: KeyPath) -> str:
        self.refuse(event, path)
        key = self.scalar(event, path) if isinstance(event, yaml.ScalarEvent) else event
        if not isinstance(key, str):
            got = getattr(event, "value", "a list or mapping") or "nothing"
            raise self.error("a key must be text, quoted if need be", _line(event), path, got)
        if key == "<<" and event.implicit[0]:
            raise self.error("merge keys are not accepted", _line(event), path, key)
        return key

    def scalar(self, event: Any, path: KeyPath) -> Any:
        try:
            return _plain(event.value) if event.implicit[0] else _quoted(event.value)
        except ValueError as error:
            raise self.error(str(error), _line(event), path, event.value[:60]) from None

    def refuse(self, event: Any, path: KeyPath) -> None:
        # A node that can be named and repeated lets a small text expand without bound.
        if event.anchor is not None:
            raise self.error("anchors and aliases are not accepted", _line(event), path)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise self.error("tags are not accepted", _line(event), path, tag)


def _line(event: Any) -> int:
    return event.start_mark.line + 1


def _plain(text: str) -> Any:
    """The value of an unquoted scalar by the core schema of YAML 1.2."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _NOT_FINITE.fullmatch(text) or (_FLOAT.fullmatch(text) and math.isinf(float(text))):
        raise ValueError("numbers must be finite")
    return float(text) if _FLOAT.fullmatch(text) else text


def _integer(text: str) -> int:
    # int() itself refuses thousands of digits, with advice that would puzzle a reader.
    value = int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)) if len(text) <= 64 else 2**63
    if -(2**63) <= value < 2**63:
        return value
    raise ValueError("integer does not fit in 64 bits")


def _quoted(text: str) -> str:
    # JSON escapes a character beyond U+FFFF as two halves, which PyYAML leaves apart.
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ValueError("half of a surrogate pair is not a character") from None
