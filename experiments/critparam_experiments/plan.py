"""From an experiment to the list of cells that it needs."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from critparam.cell import Cell
from critparam.component import Component
from critparam.registry import Registry
from critparam_experiments.config import FAMILIES, Experiment, Series
from critparam_experiments.sweep import Point

QUICK_REPLICATES = 8
QUICK_POINTS = 5
QUICK_PARALLELISM = 1024
NUMERICAL_PACKAGES = ("jax", "jaxlib", "numpy", "scipy")


@dataclass(frozen=True)
class PlannedCell:
    """A cell and where its rows belong."""

    panel: str
    series: Series
    point: Point
    cell: Cell
    cell_id: str


@dataclass(frozen=True)
class Plan:
    """Every cell of an experiment, in the order of its rows.

    Attributes:
        quick: whether this is the smaller version of the experiment.
    """

    experiment: Experiment
    cells: list[PlannedCell]
    quick: bool

    def distinct(self) -> list[PlannedCell]:
        """One planned cell for each cell_id: panels may share cells."""
        return list({planned.cell_id: planned for planned in reversed(self.cells)}.values())[::-1]


def make_plan(experiment: Experiment, *, quick: bool = False) -> Plan:
    """The plan of an experiment, or of its quick version: fewer points and replicates."""
    cells = [
        PlannedCell(panel.name, series, point, cell, cell_id(cell))
        for panel in experiment.panels
        for series in panel.series
        for point, cell in _cells(series, quick=quick)
    ]
    return Plan(experiment, cells, quick)


def _cells(series: Series, *, quick: bool) -> Iterator[tuple[Point, Cell]]:
    replicates = series.template.replicates
    points = series.points
    if quick:
        points, replicates = thinned(points), min(replicates, QUICK_REPLICATES)
    for point in points:
        yield (
            point,
            dataclasses.replace(
                series.template,
                batch_size=point.batch_size,
                delay_size=point.delay,
                replicates=replicates,
            ),
        )


def thinned(points: list[Point]) -> list[Point]:
    """At most `QUICK_POINTS` of the points up to `QUICK_PARALLELISM`, evenly spread.

    The first and the last of these are among them; a sweep beyond that parallelism is thinned
    as it is.
    """
    points = [point for point in points if point.parallelism <= QUICK_PARALLELISM] or points
    if len(points) <= QUICK_POINTS:
        return points
    last = len(points) - 1
    return [points[round(last * k / (QUICK_POINTS - 1))] for k in range(QUICK_POINTS)]


def cell_id(cell: Cell) -> str:
    """SHA-256 of everything that can change the cell's rows."""
    content = {
        "cell": describe(cell),
        "code": code_digest(),
        "packages": {name: metadata.version(name) for name in NUMERICAL_PACKAGES},
        "device": device_kind() if cell.engine == "monte_carlo" else "cpu",
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def describe(cell: Cell) -> dict[str, Any]:
    """The cell's specification as plain values; of the exact engine, nothing about sampling."""
    description: dict[str, Any] = {
        name: _member(FAMILIES[name], getattr(cell, name)) for name in FAMILIES
    }
    for field in dataclasses.fields(cell):
        value = getattr(cell, field.name)
        if dataclasses.is_dataclass(value) and field.name not in FAMILIES:
            description[field.name] = dataclasses.asdict(value)  # pyright: ignore[reportArgumentType]
        elif field.name not in FAMILIES:
            description[field.name] = value
    description["data"] = cell.problem.data_digest
    if cell.engine == "exact":
        for name in ("replicates", "seed", "precision"):
            del description[name]
    return description


def _member(registry: Registry, member: Component) -> dict[str, Any]:
    kind = registry.kind_of(member)
    description = {"kind": kind, **member.spec()}
    if kind in registry.plugins and kind not in registry.members:
        distribution = registry.plugins[kind].dist
        assert distribution is not None
        description["distribution"] = f"{distribution.name} {distribution.version}"
    return description


@cache
def code_digest() -> str:
    """SHA-256 of the source of the `critparam` package."""
    spec = find_spec("critparam")
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(
            path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
        )
    return digest.hexdigest()


@cache
def device_kind() -> str:
    """The kind of device that JAX computes on, e.g. cpu."""
    import jax

    return jax.devices()[0].device_kind
