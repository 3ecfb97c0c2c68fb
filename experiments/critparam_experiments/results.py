"""Results that are there already: read, checked, judged, drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from critparam.errors import shown
from critparam.registry import nearest
from critparam_experiments.catalog import Source, find, named_experiments
from critparam_experiments.config import Experiment, resolve
from critparam_experiments.errors import ConfigError
from critparam_experiments.figures.render import render
from critparam_experiments.files import sha256_of
from critparam_experiments.manifest import MANIFEST, TABLES, Manifest, read_manifest
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
        is_altered: whether some table is not the one that the run wrote.
    """

    folder: Path
    manifest: Manifest
    experiment: Experiment
    table: pd.DataFrame
    trouble: tuple[str, ...]
    is_altered: bool


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
        return [_folder_of(out, name) for name in names]
    found = [path.parent for path in out.glob(f"*/{MANIFEST}")]
    if not found:
        raise ConfigError("no results here; run an experiment first", source=str(out))
    order = list(named_experiments())
    return sorted(found, key=lambda path: (
        order.index(path.name) if path.name in order else len(order), path.name
    ))  # fmt: skip


def _folder_of(out: Path, name: str) -> Path:
    folder = out / name
    if not (folder / MANIFEST).is_file():
        existing = [path.parent.name for path in out.glob(f"*/{MANIFEST}")]
        raise ConfigError(
            "no results of this name", str(out), got=shown(name), suggestion=nearest(name, existing)
        )
    return folder


def load_result(folder: Path) -> StoredResult:
    """A result, its experiment, and what is wrong with it.

    Raises:
        ConfigError: there is no readable result.
    """
    manifest = read_manifest(folder)
    altered = [name for name in TABLES if _is_altered(folder / name, manifest)]
    trouble = [f"{name} was altered" for name in altered]
    if not manifest.complete:
        trouble.append("the run is not complete")
    recorded = resolve(Document(manifest.config, str(folder / MANIFEST), {}))
    try:
        experiment = _current_experiment(manifest) or recorded
    except ConfigError as error:
        trouble.append(f"the experiment file is not valid now: {error}")
        experiment = recorded
    if _science(experiment.resolved) != _science(recorded.resolved):
        trouble.append("the experiment file has changed since; run it again")
    table_path = folder / "speedup.csv"
    table = read_csv(table_path)
    if list(table.columns) != list(SPEEDUP_COLUMNS):
        raise ConfigError("has not the columns of a speedup table", source=str(table_path))
    return StoredResult(folder, manifest, experiment, table, tuple(trouble), bool(altered))


def verify(folder: Path) -> Check:
    """Recompute the verdicts of a result from its table; of an altered one there are none."""
    result = load_result(folder)
    judgements = [] if result.is_altered else judge(result.experiment, result.table)
    return Check(result.experiment.name, result.trouble, judgements)


def plot(result: StoredResult, formats: Sequence[str]) -> list[Path]:
    """Draw a result's figure again."""
    quick = result.manifest.quick
    return render(result.experiment, result.table, result.folder, formats, quick=quick)


def _is_altered(path: Path, manifest: Manifest) -> bool:
    return not path.is_file() or sha256_of(path) != manifest.tables[path.name].sha256


def _current_experiment(manifest: Manifest) -> Experiment | None:
    """The experiment as its file stands now, by name or by the path it was run from."""
    try:
        path = find(manifest.source)
    except ConfigError:
        return None
    return resolve(Source(path, tuple(manifest.overrides)).load()) if path.is_file() else None


def _science(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in NOT_SCIENCE}
