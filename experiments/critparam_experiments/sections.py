"""Sections of an experiment file: overridden by panels, reached into by dotted keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from critparam_experiments.validation import Place
from critparam_experiments.yaml_loader import Document, KeyPath

SECTIONS = ("problem", "noise", "delay", "method", "target", "learning_rate")
SCALARS = ("engine", "precision", "replicates", "max_steps", "seed")

EXCLUSIVE = {"target": {"relative", "absolute"}, "learning_rate": {"tune", "value", "grid"}}
"""Keys of which a section holds one: an override by one of them replaces the others."""


@dataclass(frozen=True)
class Section:
    """A mapping put together from several places.

    Attributes:
        name: e.g. noise.
        values: its keys.
        origins: where in the document each key stands.
    """

    name: str
    values: Mapping[str, Any]
    origins: Mapping[str, KeyPath]

    @classmethod
    def at(cls, name: str, values: Mapping[str, Any], path: KeyPath) -> "Section":
        """The section as it stands at one place."""
        return cls(name, dict(values), {key: (*path, key) for key in values})

    def overridden(self, values: Mapping[str, Any], path: KeyPath) -> "Section":
        """With a panel's section over it.

        One that names a kind replaces the whole section; another changes the keys it gives.
        """
        if "kind" in values:
            return Section.at(self.name, values, path)
        section = self
        for key, value in values.items():
            section = section.with_key(key, value, (*path, key))
        return section

    def with_key(self, key: str, value: Any, origin: KeyPath) -> "Section":
        """With one key set."""
        rivals = EXCLUSIVE.get(self.name, set())
        dropped = rivals if key in rivals else {key}
        values = {name: kept for name, kept in self.values.items() if name not in dropped}
        return Section(self.name, {**values, key: value}, {**self.origins, key: origin})

    def place(self, document: Document) -> Place:
        """Where messages about this section point."""
        return Place(document, (self.name,), self.origins)


@dataclass(frozen=True)
class Settings:
    """All that a cell needs beside its sizes, before it is validated.

    Attributes:
        sections: by name; problem, noise and target may be missing.
        scalars: by name.
        scalar_origins: where in the document each scalar stands.
    """

    sections: Mapping[str, Section]
    scalars: Mapping[str, Any]
    scalar_origins: Mapping[str, KeyPath]

    @classmethod
    def at_top(cls, data: Mapping[str, Any]) -> "Settings":
        """What stands at the top level of an experiment."""
        sections = {
            name: Section.at(name, data[name], (name,)) for name in SECTIONS if data.get(name)
        }
        scalars = {name: data[name] for name in SCALARS if data.get(name) is not None}
        return cls(sections, scalars, {name: (name,) for name in scalars})

    def overridden(self, panel: Mapping[str, Any], path: KeyPath) -> "Settings":
        """With what a panel says over it."""
        settings = self
        for name in SECTIONS:
            if panel.get(name):
                base = settings.sections.get(name, Section(name, {}, {}))
                section = base.overridden(panel[name], (*path, name))
                settings = settings._with_section(section)
        for name in SCALARS:
            if panel.get(name) is not None:
                settings = settings.with_dotted(name, panel[name], (*path, name))
        return settings

    def with_dotted(self, key: str, value: Any, origin: KeyPath) -> "Settings":
        """With the value at a dotted key, `section.key` or a scalar's name, replaced.

        Raises:
            KeyError: there is no such section or scalar.
        """
        name, _, inner = key.partition(".")
        if inner and name in SECTIONS:
            base = self.sections.get(name, Section(name, {}, {}))
            return self._with_section(base.with_key(inner, value, origin))
        if key not in SCALARS:
            raise KeyError(key)
        return Settings(
            self.sections,
            {**self.scalars, key: value},
            {**self.scalar_origins, key: origin},
        )

    def _with_section(self, section: Section) -> "Settings":
        sections = {**self.sections, section.name: section}
        return Settings(sections, self.scalars, self.scalar_origins)
