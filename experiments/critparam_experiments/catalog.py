"""Where experiments are found: files by their path, named ones in a folder of configs."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from critparam.registry import nearest
from critparam_experiments.errors import ConfigError
from critparam_experiments.yaml_loader import Document, load_file, parse_value

LONGEST_KEY = 200


class Source(NamedTuple):
    """An experiment file and the overrides of the command line."""

    path: Path
    overrides: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """What `find` finds it by: the name of a named experiment, else the path as given."""
        is_named = self.path.parent == configs_folder()
        return self.path.stem if is_named else str(self.path)

    def load(self) -> Document:
        """The document, overrides applied."""
        document = load_file(self.path)
        for override in self.overrides:
            document = _overridden(document, override)
        return document


def configs_folder() -> Path:
    """`./configs` where the current folder is a critparam checkout, else the installed ones."""
    here = Path.cwd()
    if (here / "configs").is_dir() and (here / "experiments" / "critparam_experiments").is_dir():
        return here / "configs"
    spec = find_spec("critparam_experiments")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent.parent / "configs"


def named_experiments() -> dict[str, Path]:
    """All named experiments and their files, in natural order."""
    paths = configs_folder().glob("*.yaml")
    return {path.stem: path for path in sorted(paths, key=lambda path: _natural(path.stem))}


def find(name_or_file: str) -> Path:
    """The file that a name or path stands for.

    Raises:
        ConfigError: there is none.
    """
    if name_or_file.endswith((".yaml", ".yml")) or "/" in name_or_file:
        return Path(name_or_file)
    experiments = named_experiments()
    if name_or_file not in experiments:
        raise ConfigError(
            f"no experiment of this name in {configs_folder()}",
            got=repr(name_or_file),
            suggestion=nearest(name_or_file, list(experiments)),
        )
    return experiments[name_or_file]


def summary(path: Path) -> tuple[str, str]:
    """Name and title of an experiment file, without validating the rest."""
    data = load_file(path).data
    return str(data.get("name", path.stem)), str(data.get("title", ""))


def _overridden(document: Document, override: str) -> Document:
    """The document with one `KEY=VALUE` applied to it.

    Raises:
        ConfigError: no `=`, a value that is no YAML, or a key that leads nowhere.
    """
    key, equals, text = override.partition("=")
    if len(key) > LONGEST_KEY:
        raise ConfigError("the key is too long", source=f"--set {key[:LONGEST_KEY]}")
    if not equals or not key:
        raise ConfigError("must be KEY=VALUE", source="--set", got=repr(override))
    steps = key.split(".")
    data = _with(document.data, steps, parse_value(text, f"--set {key}"), key)
    path = tuple(int(step) if step.isdecimal() else step for step in steps)
    lines = {known: line for known, line in document.lines.items() if known[: len(path)] != path}
    return Document(data, document.source, lines, document.overridden | {path})


def _with(data: Any, steps: list[str], value: Any, key: str) -> Any:
    step, *rest = steps
    if isinstance(data, list) and step.isdecimal() and int(step) < len(data):
        index = int(step)
        inner = _with(data[index], rest, value, key) if rest else value
        return [*data[:index], inner, *data[index + 1 :]]
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise ConfigError("leads into what is not a mapping", source=f"--set {key}", got=repr(data))
    inner = _with(data.get(step), rest, value, key) if rest else value
    return {**_without_rivals(data, step, rest), step: inner}


def _without_rivals(data: dict, step: str, rest: list[str]) -> dict:
    """A section that holds one of several keys gives way to the one that is set."""
    from critparam_experiments.sections import EXCLUSIVE

    for rivals in EXCLUSIVE.values():
        if not rest and step in rivals:
            return {name: kept for name, kept in data.items() if name not in rivals}
    return data


def _natural(name: str) -> tuple:
    digits = "".join(char for char in name if char.isdigit())
    return name.rstrip("0123456789"), int(digits or 0)
