"""The CSV tables of an experiment: their columns, and how outcomes become rows."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from critparam import theory
from critparam.cell import Cell, Outcome
from critparam.runs import NEVER
from critparam.types import NoiseConstants, Status
from critparam_experiments.config import FAMILIES
from critparam_experiments.errors import ConfigError
from critparam_experiments.files import write_atomically
from critparam_experiments.plan import Plan, PlannedCell
from critparam_experiments.verdicts import Judgement

Outcomes = Mapping[str, Outcome]

RUNS_COLUMNS = (
    "experiment", "panel", "series", "engine", "batch_size", "delay", "learning_rate",
    "replicate", "steps", "status",
)  # fmt: skip
SPEEDUP_COLUMNS = (
    "experiment", "panel", "series", "engine", "estimand", "problem", "noise", "M", "sigma2",
    "eps", "batch_size", "delay", "parallelism", "learning_rate", "steps", "steps_low",
    "steps_high", "replicates", "reached", "diverged", "speedup", "speedup_low", "speedup_high",
    "critical_parallelism", "measured_parallelism", "weighted_parallelism", "path_parallelism",
    "path_weighted_parallelism", "theory_speedup", "status",
)  # fmt: skip
CLAIMS_COLUMNS = (
    "experiment", "claim", "part", "observed", "expected", "margin", "verdict", "note",
)  # fmt: skip
TEXT_COLUMNS = (
    "experiment", "panel", "series", "engine", "estimand", "problem", "noise", "status", "claim",
    "part", "verdict", "note",
)  # fmt: skip

ESTIMANDS = {"exact": "hit_of_mean", "monte_carlo": "mean_hit"}
RESAMPLES = 2000
LIMITS = (2.5, 97.5)


def runs_table(plan: Plan, outcomes: Outcomes) -> pd.DataFrame:
    """A row for every run of the reported learning rates and their neighbours in the grid."""
    rows = (
        row
        for planned in plan.cells
        if planned.cell_id in outcomes
        for row in _run_rows(plan.experiment.name, planned, outcomes[planned.cell_id])
    )
    return pd.DataFrame(rows, columns=list(RUNS_COLUMNS)).astype({"steps": "Int64"})


def _run_rows(name: str, planned: PlannedCell, outcome: Outcome) -> Iterator[tuple]:
    runs, point = outcome.runs, planned.point
    place = (name, planned.panel, planned.series.label, planned.series.engine, *point)
    for rate, steps, statuses in zip(runs.learning_rates, runs.steps, runs.status, strict=True):
        for replicate, (step, status) in enumerate(zip(steps, statuses, strict=True)):
            yield (*place, rate, replicate, None if step == NEVER else step, str(status))


def speedup_table(plan: Plan, outcomes: Outcomes) -> pd.DataFrame:
    """A row for every planned cell that has an outcome, in plan order."""
    baselines = {
        _line(planned): outcomes[planned.cell_id]
        for planned in plan.cells
        if planned.point == (1, 0) and planned.cell_id in outcomes
    }
    rows = [
        _speedup_row(
            plan.experiment.name, planned, outcomes[planned.cell_id], baselines.get(_line(planned))
        )
        for planned in plan.cells
        if planned.cell_id in outcomes
    ]
    return pd.DataFrame(rows, columns=list(SPEEDUP_COLUMNS))


def _line(planned: PlannedCell) -> tuple[str, str, str]:
    return planned.panel, planned.series.label, planned.series.engine


def _speedup_row(
    name: str, planned: PlannedCell, outcome: Outcome, baseline: Outcome | None
) -> dict[str, Any]:
    cell, point, series = planned.cell, planned.point, planned.series
    statuses = outcome.runs.status[outcome.chosen]
    noise = cell.noise.constants(cell.problem)
    critical, measured = critical_parallelism(cell, noise), _measured_parallelism(baseline)
    best_known = measured if critical is None else critical
    return {
        "experiment": name,
        "panel": planned.panel,
        "series": series.label,
        "engine": series.engine,
        "estimand": ESTIMANDS[series.engine],
        "problem": FAMILIES["problem"].kind_of(cell.problem),
        "noise": FAMILIES["noise"].kind_of(cell.noise),
        "M": noise.M,
        "sigma2": noise.sigma2,
        "eps": cell.target.threshold(cell.metric_at_start()),
        "batch_size": point.batch_size,
        "delay": point.delay,
        "parallelism": point.parallelism,
        "learning_rate": outcome.runs.learning_rates[outcome.chosen],
        "replicates": len(statuses),
        "reached": int(np.sum(statuses == Status.REACHED)),
        "diverged": int(np.sum(statuses == Status.DIVERGED)),
        "critical_parallelism": critical,
        "measured_parallelism": measured,
        **_otherwise_measured(baseline),
        "theory_speedup": best_known
        if best_known is None
        else theory.speedup(point.parallelism, best_known),
        "status": _status(outcome),
        **_steps_and_speedup(outcome, baseline, cell),
    }


def _status(outcome: Outcome) -> str:
    if not outcome.runs.all_reached()[outcome.chosen]:
        return "not_reached"
    return "grid_edge" if outcome.at_edge else "ok"


def _steps_and_speedup(outcome: Outcome, baseline: Outcome | None, cell: Cell) -> dict[str, float]:
    """Means and their 95 % limits, by a bootstrap over replicates; paired for the ratio.

    An exact value is its own limits; one replicate alone has none. Where runs did not meet the
    target, all that is known is that the mean is at least that of min(steps, max_steps).
    """
    steps = _reached_steps(outcome)
    if steps is None:
        return {"steps_low": float(_capped_steps(outcome, cell.max_steps).mean())}
    resamples = _resamples(len(steps))
    has_limits = cell.engine == "exact" or len(steps) > 1
    columns = {"steps": float(steps.mean())}
    if has_limits:
        columns |= _limits("steps", steps[resamples].mean(axis=1))
    sequential = None if baseline is None else _reached_steps(baseline)
    if sequential is None or min(steps.min(), sequential.min()) == 0:
        return columns
    workers = cell.delay_size + 1
    columns["speedup"] = workers * float(sequential.mean() / steps.mean())
    if has_limits:
        ratios = sequential[resamples].mean(axis=1) / steps[resamples].mean(axis=1)
        columns |= _limits("speedup", workers * ratios)
    return columns


def _reached_steps(outcome: Outcome) -> np.ndarray | None:
    """Steps of the reported learning rate's replicates, if all of them met the target."""
    if not outcome.runs.all_reached()[outcome.chosen]:
        return None
    return outcome.runs.steps[outcome.chosen].astype(float)


def _capped_steps(outcome: Outcome, max_steps: int) -> np.ndarray:
    steps = outcome.runs.steps[outcome.chosen]
    return np.where(steps == NEVER, max_steps, steps)


def _resamples(replicates: int) -> np.ndarray:
    """Replicates drawn with replacement, the same draws for every cell, [resamples, r]."""
    return np.random.default_rng(0).integers(replicates, size=(RESAMPLES, replicates))


def _limits(column: str, resampled: np.ndarray) -> dict[str, float]:
    low, high = np.percentile(resampled, LIMITS)
    return {f"{column}_low": float(low), f"{column}_high": float(high)}


def critical_parallelism(cell: Cell, noise: NoiseConstants) -> float | None:
    """B from theory, None where theory gives none."""
    metric = cell.target.metric
    if noise.M is None or noise.sigma2 is None or metric not in ("suboptimality", "gradient_norm"):
        return None
    smoothness = cell.problem.constants.L
    if metric == "suboptimality" and noise.sigma2 > 0 and smoothness is None:
        return None
    eps = cell.target.threshold(cell.metric_at_start())
    return float(
        theory.critical_parallelism(metric, M=noise.M, sigma2=noise.sigma2, eps=eps, L=smoothness)
    )


def _measured_parallelism(baseline: Outcome | None) -> float | None:
    """The noise-to-signal ratio where b = 1 meets the target: a ratio of averages."""
    if baseline is None:
        return None
    noise = baseline.runs.noise[baseline.chosen]
    signal = baseline.runs.signal[baseline.chosen]
    known = np.isfinite(signal) & (signal > 0)
    return float(noise[known].mean() / signal[known].mean()) if known.any() else None


def _otherwise_measured(baseline: Outcome | None) -> dict[str, float | None]:
    """Weighted by curvature, and along the path: of sequential runs on data."""
    if baseline is None or baseline.measured is None:
        return {}
    return {f"{name}_parallelism": value for name, value in baseline.measured._asdict().items()}


def claims_table(name: str, judgements: Iterable[Judgement]) -> pd.DataFrame:
    """A row for every verdict."""
    rows = []
    for judgement in judgements:
        part, _, observed, expected, margin, note = judgement.verdict
        note = "; ".join(filter(None, (note, judgement.known_deviation)))
        rows.append(
            (name, judgement.claim, part, observed, expected, margin, judgement.label, note)
        )
    return pd.DataFrame(rows, columns=list(CLAIMS_COLUMNS))


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table atomically: UTF-8, 17 significant digits, empty where nothing exists."""

    def write(temporary: Path) -> None:
        table.to_csv(temporary, index=False, float_format=_written, lineterminator="\n")

    table = table.replace([np.inf, -np.inf], np.nan)
    write_atomically(path, write)


def _written(value: float) -> str:
    return f"{value:.17g}"


def read_csv(path: Path) -> pd.DataFrame:
    """Read a table that `write_csv` wrote: text as it stands, numbers to the last bit.

    Raises:
        ConfigError: the file cannot be read, or is no such table.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        for column in table.columns.difference(list(TEXT_COLUMNS)):
            numbers = (float(value) if value else np.nan for value in table[column])
            table[column] = np.fromiter(numbers, dtype=float, count=len(table))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot be read: {error}", source=str(path)) from None
    return table
