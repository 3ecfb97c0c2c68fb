"""Results that are there already: read, checked, judged, drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from critparam_experiments.catalog import Source, named_experiments
from critparam_experiments.config import Experiment, resolve
from critparam_experiments.errors import ConfigError
from critparam_experiments.figures.render import render
from critparam_experiments.files import sha256_of
from critparam_experiments.manifest import MANIFEST, read_manifest
from critparam_experiments.tables import SPEEDUP_COLUMNS, read_csv
from critparam_experiments.verdicts import Judgement, all_as_expected, judge
from critparam_experiments.yaml_loader import Document

NOT_SCIENCE = ("title", "claim", "figure", "claims")
"""Keys that change how a table is shown and judged, not what is in it."""


@dataclass(frozen=True)
class StoredResult:
    """A results folder.

    Attributes:
        experiment: from the current file where there is one, else from the manifest.
        trouble: what is wrong with the result as a whole: stale, altered, incomplete.
    """

    folder: Path
    manifest: dict[str, Any]
    experiment: Experiment
    table: pd.DataFrame
    trouble: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """What `verify` finds of a result."""

    name: str
    trouble: tuple[str, ...]
    judgements: list[Judgement]

    @property
    def passes(self) -> bool:
        """Whether the result is sound and every claim as expected."""
        return not self.trouble and all_as_expected(self.judgements)


def results_in(out: Path, names: Sequence[str]) -> list[Path]:
    """The folders of these results, or of all there are.

    Raises:
        ConfigError: there are none.
    """
    if names:
        return [out / name for name in names]
    found = [path.parent for path in out.glob(f"*/{MANIFEST}")]
    if not found:
        raise ConfigError("no results here; run an experiment first", source=str(out))
    order = list(named_experiments())
    return sorted(found, key=lambda path: (
        order.index(path.name) if path.name in order else len(order), path.name
    ))  # fmt: skip


def load_result(folder: Path) -> StoredResult:
    """A result, its experiment, and what is wrong with it.

    Raises:
        ConfigError: there is no readable result.
    """
    manifest = read_manifest(folder)
    table_path = folder / "speedup.csv"
    trouble = [f"{name} was altered" for name in _altered(folder, manifest)]
    if not manifest.get("complete", False):
        trouble.append("the run is not complete")
    recorded = Document(manifest["config"], str(folder / MANIFEST), {})
    experiment = _current_experiment(manifest) or resolve(recorded)
    if _science(experiment.resolved) != _science(manifest["config"]):
        trouble.append("the experiment file has changed since; run it again")
    try:
        table = read_csv(table_path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot be read: {error}", source=str(table_path)) from None
    if list(table.columns) != list(SPEEDUP_COLUMNS):
        raise ConfigError("has not the columns of a speedup table", source=str(table_path))
    return StoredResult(folder, manifest, experiment, table, tuple(trouble))


def verify(folder: Path) -> Check:
    """Recompute the verdicts of a result from its table."""
    result = load_result(folder)
    return Check(result.experiment.name, result.trouble, judge(result.experiment, result.table))


def plot(result: StoredResult, formats: Sequence[str]) -> list[Path]:
    """Draw a result's figure again."""
    quick = bool(result.manifest.get("quick"))
    return render(result.experiment, result.table, result.folder, formats, quick=quick)


def _altered(folder: Path, manifest: dict[str, Any]) -> list[str]:
    return [
        name
        for name, record in manifest["tables"].items()
        if not (folder / name).is_file() or sha256_of(folder / name) != record["sha256"]
    ]


def _current_experiment(manifest: dict[str, Any]) -> Experiment | None:
    """The experiment as its file stands now: the named one, or the file it was run from."""
    named = named_experiments().get(manifest["name"])
    source = Path(manifest.get("source", ""))
    path = named if named is not None and named.name == source.name else source
    if not path.is_file():
        return None
    return resolve(Source(path, tuple(manifest.get("overrides", ()))).load())


def _science(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in NOT_SCIENCE}
