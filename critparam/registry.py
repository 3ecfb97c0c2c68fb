"""Families of interchangeable members, each loaded only when it is named."""

import difflib
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from critparam.errors import ArgumentError


@dataclass(frozen=True)
class Registry:
    """A family's table.

    Attributes:
        family: what its members are, in the singular, e.g. "problem".
        group: the entry-point group under which other distributions add members.
        members: name -> "module:class"; the class is imported when first asked for.
    """

    family: str
    group: str
    members: dict[str, str]

    @cached_property
    def plugins(self) -> dict[str, EntryPoint]:
        """Members that other installed distributions add, by name; none of them is loaded."""
        return {point.name: point for point in entry_points(group=self.group)}

    def names(self) -> list[str]:
        """All names, the project's own first."""
        return [*self.members, *(name for name in self.plugins if name not in self.members)]

    def load(self, name: str) -> Any:
        """The class registered as `name`.

        Raises:
            ArgumentError: no member has that name.
        """
        if name in self.members:
            module, _, attribute = self.members[name].partition(":")
            return getattr(import_module(module), attribute)
        if name in self.plugins:
            return self.plugins[name].load()
        raise ArgumentError("kind", f"unknown {self.family}", name, accepted=tuple(self.names()))

    def kind_of(self, member: Any) -> str:
        """The name under which the class of `member` is registered."""
        path = f"{type(member).__module__}:{type(member).__qualname__}"
        for name, registered in self.members.items():
            if registered == path:
                return name
        for name, point in self.plugins.items():
            if point.value == path:
                return name
        raise ArgumentError("member", f"not a registered {self.family}", path)


@dataclass(frozen=True)
class MemberOf:
    """Marks, by `Annotated`, a field that describes a member of a family.

    Its value is the member's name, or a mapping with `kind` and the member's own fields.
    """

    registry: Registry


def nearest(name: str, choices: tuple[str, ...] | list[str]) -> str | None:
    """The choice most like `name`, if any is like it at all."""
    matches = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    return matches[0] if matches else None
