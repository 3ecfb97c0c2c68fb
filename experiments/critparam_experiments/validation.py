"""From plain data to typed objects, every mistake an error of one line at its place in the file."""

import dataclasses
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from critparam.errors import ArgumentError, shown
from critparam.registry import MemberOf, Registry, nearest
from critparam_experiments.errors import ConfigError, dotted
from critparam_experiments.yaml_loader import Document, KeyPath

T = TypeVar("T")
ModelT = TypeVar("ModelT", bound=BaseModel)

STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)

_TYPE_REASONS = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
}


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a mapping stands in its document.

    Attributes:
        document: the experiment file.
        path: of the mapping.
        origins: paths of those of its keys that come from elsewhere: from the section at the
            top level that a panel overrides, from `series`, or from the command line.
    """

    document: Document
    path: KeyPath = ()
    origins: Mapping[str, KeyPath] = dataclasses.field(default_factory=dict)

    def of(self, location: KeyPath) -> KeyPath:
        """The path in the document of a location inside the mapping."""
        if location and location[0] in self.origins:
            return (*self.origins[str(location[0])], *location[1:])
        return (*self.path, *location)

    def error(
        self,
        location: KeyPath,
        reason: str,
        value: Any = None,
        accepted: typing.Sequence[str] = (),
    ) -> ConfigError:
        """The error at a location inside the mapping; `accepted` are names it could have been."""
        path = self.of(location)
        source, line = self._position(path)
        return ConfigError(
            reason,
            source,
            line,
            dotted(path),
            got=None if value is None else shown(value),
            suggestion=nearest(value, list(accepted)) if isinstance(value, str) else None,
        )

    def _position(self, path: KeyPath) -> tuple[str, int | None]:
        """Source and line of the deepest part of the path that stands anywhere."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.document.overridden:
                return "--set", None
            if path[:length] in self.document.lines:
                return self.document.source, self.document.lines[path[:length]]
            if any(made[:length] == path[:length] for made in self.document.overridden):
                return "--set", None
        return self.document.source, self.document.lines.get(())


def validate(model: type[ModelT], data: Any, place: Place) -> ModelT:
    """The model made from `data`.

    Raises:
        ConfigError: the first thing that does not fit.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _explained(error, model, data, place) from None


def build(cls: type[T], values: Mapping[str, Any], place: Place) -> T:
    """The dataclass made from plain values, types checked strictly, values by its constructor.

    Raises:
        ConfigError: an unknown key, a wrong type, or a value that the constructor refuses.
    """
    _require_described_members(cls, values, place)
    model = validate(model_of(cls), dict(values), place)
    try:
        return cls(**{name: getattr(model, name) for name in type(model).model_fields})
    except ArgumentError as error:
        location = tuple(error.argument.split("."))
        location = location if location[0] in values else ()
        reason = error.reason if location else f"{error.argument} {error.reason}"
        raise place.error(location, reason, error.value, error.accepted) from None


def build_member(registry: Registry, values: Mapping[str, Any], place: Place) -> Any:
    """The member of a family that `kind` names, made from the other keys."""
    kind = values.get("kind")
    if not isinstance(kind, str):
        choices = ", ".join(registry.names())
        raise place.error((), f"needs a kind: {choices}", kind)
    try:
        cls = registry.load(kind)
    except ArgumentError as error:
        raise place.error(("kind",), error.reason, kind, error.accepted) from None
    return build(cls, {key: value for key, value in values.items() if key != "kind"}, place)


def _require_described_members(cls: type, values: Mapping[str, Any], place: Place) -> None:
    """Fields that describe a member of a family by its name or a mapping must describe one."""
    for name, registry in described_members(cls).items():
        value = values.get(name)
        if isinstance(value, str) and value not in registry.names():
            raise place.error((name,), f"unknown {registry.family}", value, registry.names())
        if isinstance(value, Mapping):
            build_member(registry, value, Place(place.document, place.of((name,))))


def described_members(cls: type) -> dict[str, Registry]:
    """The fields of a dataclass marked by `MemberOf`, and the family of each."""
    hints = typing.get_type_hints(cls, include_extras=True)
    marks = {
        name: [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, MemberOf)]
        for name, hint in hints.items()
    }
    return {name: found[0].registry for name, found in marks.items() if found}


@cache
def model_of(cls: type) -> type[BaseModel]:
    """The strict pydantic model with the fields of a dataclass."""
    hints = typing.get_type_hints(cls)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        required = default is dataclasses.MISSING
        fields[field.name] = (hints[field.name], ... if required else default)
    return create_model(cls.__name__, __config__=STRICT, __doc__=cls.__doc__, **fields)


def _explained(
    error: ValidationError, model: type[BaseModel], data: Any, place: Place
) -> ConfigError:
    """The deepest of pydantic's errors (of a union, the member that fitted best) as one of ours."""
    details = _most_telling(error)
    kind, value = details["type"], details["input"]
    location = _in_data(details["loc"], data)
    if kind == "extra_forbidden":
        key = str(location[-1])
        known = place.error(location, "unknown key", key, _keys_beside(location, model))
        known_names = f", not one of {', '.join(model.model_fields)}" if len(location) == 1 else ""
        return ConfigError(
            f"unknown key{known_names if known.suggestion is None else ''}",
            known.source,
            known.line,
            known.path,
            suggestion=known.suggestion,
        )
    if kind == "missing":
        return place.error(location[:-1], f"{location[-1]} is missing")
    if kind == "literal_error":
        expected = details.get("ctx", {}).get("expected", "")
        choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
        return place.error(location, f"must be {expected}", value, choices)
    reason = _TYPE_REASONS.get(kind) or details["msg"][:1].lower() + details["msg"][1:]
    return place.error(location, reason.removeprefix("value error, "), value)


def _most_telling(error: ValidationError) -> Any:
    """An unknown key if there is one, since it may be a required one misspelt.

    Else the deepest error: of a union, the member that fitted best.
    """
    errors = error.errors(include_url=False)
    unknown = [item for item in errors if item["type"] == "extra_forbidden"]
    return max(unknown or errors, key=lambda item: len(item["loc"]))


def _keys_beside(location: KeyPath, model: type[BaseModel]) -> list[str]:
    """The keys that could stand where an unknown one does."""
    for step in location[:-1]:
        field = model.model_fields.get(str(step)) if isinstance(step, str) else None
        inner = [] if field is None else _models_in(field.annotation)
        model = inner[0] if inner else model
    return list(model.model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in _models_in(part)]


def _in_data(location: tuple[int | str, ...], data: Any) -> KeyPath:
    """The part of pydantic's location that is a path in the data, its union tags left out."""
    path: list[int | str] = []
    for index, step in enumerate(location):
        is_tag = isinstance(step, str) and ("[" in step or step in ("str", "int"))
        if isinstance(data, Mapping) and (
            step in data or (index == len(location) - 1 and not is_tag)
        ):
            path.append(step)
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            path.append(step)
            data = data[step]
    return tuple(path)
