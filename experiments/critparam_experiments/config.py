"""Experiment files: from YAML to typed, validated experiments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from critparam.cell import Cell, Engine, LearningRate
from critparam.delays import delays
from critparam.errors import ArgumentError
from critparam.methods import methods
from critparam.noise import noises
from critparam.problems import problems
from critparam.problems.base import FiniteSum
from critparam.target import Target
from critparam_experiments.claims import claims
from critparam_experiments.claims.base import Claim
from critparam_experiments.figures import figures
from critparam_experiments.figures.base import Figure
from critparam_experiments.models import EngineChoice, ExperimentModel, PanelModel, Scalars
from critparam_experiments.sections import SCALARS, SECTIONS, Settings
from critparam_experiments.sweep import Point, expand_series, expand_sweep, series_label
from critparam_experiments.validation import Place, build, build_member, validate
from critparam_experiments.yaml_loader import Document, KeyPath

FAMILIES = {"problem": problems, "noise": noises, "delay": delays, "method": methods}
MOST_CELLS = 100_000
ENGINES = ("exact", "monte_carlo")


class Series(NamedTuple):
    """One line of a panel: everything but the sizes, for one engine.

    Attributes:
        label: the mix of keys that sets it apart.
        points: the sizes at which this engine runs.
        template: a cell at the first of them.
    """

    label: str
    engine: Engine
    points: list[Point]
    template: Cell


@dataclass(frozen=True)
class Panel:
    """A validated panel."""

    name: str
    series: list[Series]


@dataclass(frozen=True)
class Experiment:
    """A validated experiment.

    Attributes:
        resolved: the file's content with overrides and defaults, as plain values.
    """

    name: str
    title: str
    claim: str
    panels: list[Panel]
    figure: Figure
    claims: list[Claim]
    resolved: dict[str, Any]


def resolve(document: Document) -> Experiment:
    """The experiment that a document describes.

    Raises:
        ConfigError: the first mistake found, with its place.
    """
    top = Place(document)
    model = validate(ExperimentModel, document.data, top)
    data = model.model_dump(exclude_none=True)
    _require_unique_names(model.panels, top)
    settings = Settings.at_top(data)
    panels = [
        _resolve_panel(settings, panel, ("panels", index), document)
        for index, panel in enumerate(data["panels"])
    ]
    return Experiment(
        name=model.name,
        title=model.title or model.name,
        claim=" ".join(model.claim.split()),
        panels=panels,
        figure=_resolve_figure(model.figure, panels, Place(document, ("figure",))),
        claims=[
            _resolve_claim(claim, panels, Place(document, ("claims", index)))
            for index, claim in enumerate(model.claims)
        ],
        resolved=data,
    )


def _resolve_figure(values: dict[str, Any], panels: list[Panel], place: Place) -> Figure:
    figure = build_member(figures, values, place)
    _require_known(figure.panels(), [panel.name for panel in panels], place, ())
    return figure


def _resolve_claim(values: dict[str, Any], panels: list[Panel], place: Place) -> Claim:
    claim = build_member(claims, values, place)
    accepted = {"panel": [panel.name for panel in panels], "engine": list(ENGINES)}
    for key, names in accepted.items():
        value = getattr(claim, key) or []
        _require_known([value] if isinstance(value, str) else value, names, place, (key,))
    return claim


def _require_known(named: Sequence[str], names: list[str], place: Place, at: KeyPath) -> None:
    for name in named:
        if name not in names:
            raise place.error(at, f"must be one of {', '.join(names)}", name, names)


def _require_unique_names(panels: Sequence[PanelModel], top: Place) -> None:
    names = [panel.name for panel in panels]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise top.error(("panels", index, "name"), "another panel has this name", name)


def _resolve_panel(
    settings: Settings, panel: dict[str, Any], path: KeyPath, document: Document
) -> Panel:
    settings = settings.overridden(panel, path)
    points = expand_sweep(panel["sweep"], Place(document, (*path, "sweep")))
    series_path = (*path, "series")
    mixes = expand_series(panel["series"], Place(document, series_path))
    if len(mixes) * len(points) > MOST_CELLS:
        reason = f"has more than {MOST_CELLS:,} cells"
        raise Place(document, path).error((), reason, len(mixes) * len(points))
    series = []
    for index, mix in enumerate(mixes):
        listed = (index,) if isinstance(panel["series"], list) else ()
        mixed = _mixed(settings, mix, Place(document, (*series_path, *listed)))
        series += _resolve_series(mixed, series_label(mix), points, path, document)
    return Panel(panel["name"], series)


def _mixed(settings: Settings, mix: Mapping[str, Any], place: Place) -> Settings:
    for key, value in mix.items():
        try:
            settings = settings.with_dotted(key, value, place.of((key,)))
        except KeyError:
            keys = [
                *SCALARS,
                *(
                    f"{name}.{inner}"
                    for name in SECTIONS
                    for inner in getattr(settings.sections.get(name), "values", ())
                ),
            ]
            raise place.error((key,), "no such key to vary", key, keys) from None
    return settings


def _resolve_series(
    settings: Settings, label: str, points: list[Point], path: KeyPath, document: Document
) -> Iterator[Series]:
    """One series for each engine."""
    parts = _components(settings, path, document)
    panel = Place(document, path, settings.scalar_origins)
    given = {key: value for key, value in settings.scalars.items() if key != "engine"}
    scalars = validate(Scalars, given, panel).model_dump()
    for choice in _engine_choices(settings, panel, parts):
        chosen = _every(points, choice.every)
        try:
            cells = [
                Cell(
                    **parts,
                    **scalars,
                    batch_size=point.batch_size,
                    delay_size=point.delay,
                    engine=choice.kind,
                )
                for point in chosen
            ]
        except ArgumentError as error:
            location = {"engine": ("engine",), "batch_size": ("sweep", "batch_size")}
            where = location.get(error.argument, ())
            reason = error.reason if where else f"{error.argument} {error.reason}"
            raise panel.error(where, reason, error.value, error.accepted) from None
        yield Series(label, choice.kind, chosen, cells[0])


def _components(settings: Settings, path: KeyPath, document: Document) -> dict[str, Any]:
    """Problem, noise, delay, method, target and learning rate of a series."""
    parts: dict[str, Any] = {}
    for name, registry in FAMILIES.items():
        if name not in settings.sections:
            if name == "noise" and isinstance(parts["problem"], FiniteSum):
                parts["noise"] = noises.load("sampling")()
                continue
            raise Place(document, path).error((), f"{name} is missing, here and at the top level")
        section = settings.sections[name]
        parts[name] = build_member(registry, section.values, section.place(document))
    for name, cls in (("target", Target), ("learning_rate", LearningRate)):
        if name not in settings.sections:
            raise Place(document, path).error((), f"{name} is missing, here and at the top level")
        section = settings.sections[name]
        parts[name] = build(cls, section.values, section.place(document))
    _require_fit(parts, settings, document)
    return parts


def _require_fit(parts: Mapping[str, Any], settings: Settings, document: Document) -> None:
    """Noise and target must make sense on the problem."""
    for name in ("noise", "target"):
        try:
            parts[name].check(parts["problem"])
        except ArgumentError as error:
            place = settings.sections[name].place(document)
            raise place.error(
                (error.argument,), error.reason, error.value, error.accepted
            ) from None


def _engine_choices(
    settings: Settings, place: Place, parts: Mapping[str, Any]
) -> list[EngineChoice]:
    """The engines of a series: as given, else exact where the problem allows it."""
    given = settings.scalars.get("engine")
    if given is None:
        probe = Cell(**parts, batch_size=1, delay_size=0, engine="monte_carlo")
        given = "exact" if probe.has_exact_dynamics else "monte_carlo"
    entries = given if isinstance(given, list) else [given]
    if not entries:
        raise place.error(("engine",), "must not be empty", given)
    choices = [_engine_choice(entry, place) for entry in entries]
    kinds = [choice.kind for choice in choices]
    if len(set(kinds)) < len(kinds):
        raise place.error(("engine",), "must not repeat an engine", given)
    return choices


def _every(points: list[Point], step: int) -> list[Point]:
    """Every step-th point, counted from the last one, and the first: a sweep keeps its ends."""
    kept = points[::-1][::step][::-1]
    return kept if kept[0] == points[0] else [points[0], *kept]


def _engine_choice(entry: Any, place: Place) -> EngineChoice:
    if isinstance(entry, Mapping):
        return EngineChoice(**entry)
    if entry not in ENGINES:
        raise place.error(("engine",), f"must be one of {', '.join(ENGINES)}", entry, ENGINES)
    return EngineChoice(kind=cast(Engine, entry))
