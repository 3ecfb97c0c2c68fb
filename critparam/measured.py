"""B measured from gradients of a data set: at the target and along the way there."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.component import as_dtype
from critparam.curvature import greatest_curvature
from critparam.estimators.moments import Moments
from critparam.estimators.observation import observe
from critparam.lanes import is_met
from critparam.noise.base import Noise
from critparam.problems.base import Problem
from critparam.target import Metric, Target, evaluate_metric, metric_at
from critparam.types import Point

MOST_ARRIVALS = 4
"""Runs whose arrivals are looked at, at most."""

PATH_POINTS = 16
"""Points of a path that are looked at, at most, evenly spread over its steps."""

PATH_OCTAVES = 6
"""Factors of 2 beyond 1/L that the rate of a path may have."""

PATH_STEPS = (100, 1_000, 10_000)
"""Steps after which all rates are given up, unless one has met the target: few first."""


class Measured(NamedTuple):
    """Noise-to-signal ratios; None where the target is not met or a ratio has no positive signal.

    Attributes:
        weighted: tr(H Sigma)/(grad^T H grad) where runs meet the target, a ratio of averages.
        path: median of E||xi||^2/||grad f||^2 along gradient descent to the target.
        path_weighted: median of the weighted ratio along it.
    """

    weighted: float | None
    path: float | None
    path_weighted: float | None


def measure(
    problem: Problem, noise: Noise, target: Target, arrivals: Float[np.ndarray, "r d"]
) -> Measured:
    """The ratios that speedups on data are compared with.

    Args:
        problem: a finite sum.
        noise: how its gradients are observed.
        target: where the path ends.
        arrivals: [r, d], where runs at batch size 1 met the target.
    """
    arrived = observe(problem, noise, arrivals[:MOST_ARRIVALS], curvature=True)
    noises, signals = np.array([seen.curved[:2] for seen in arrived if seen.curved]).T
    weighted = Moments(float(noises.mean()), float(signals.mean())).ratio
    points = descent_path(problem, target)
    if points is None:
        return Measured(_known(weighted), None, None)
    path = observe(problem, noise, points, curvature=True)
    return Measured(
        _known(weighted),
        _median([seen.plain.ratio for seen in path]),
        _median([seen.curved.ratio for seen in path if seen.curved]),
    )


def _median(ratios: list[float]) -> float | None:
    """Of those that exist."""
    known = [ratio for ratio in ratios if np.isfinite(ratio)]
    return float(np.median(known)) if known else None


def _known(ratio: float) -> float | None:
    return ratio if np.isfinite(ratio) else None


def descent_path(problem: Problem, target: Target) -> Float[np.ndarray, "k d"] | None:
    """Points of gradient descent to the target, None where it is not met.

    The rate is that of 1/L, 2/L, 4/L, ..., L the curvature at the start, which takes the fewest
    steps. At most `PATH_POINTS` points, evenly spread over them, start and end included.
    """
    guess = 1 / (problem.constants.L or greatest_curvature(problem, problem.initial))
    with jax.enable_x64(True):
        problem = as_dtype(problem, jnp.float64)
        x = jnp.asarray(problem.initial)
        threshold = target.threshold(float(metric_at(problem, target.metric, x)))

        def steps_at(rate: float, most: int) -> int:
            rising = target.is_met_from_below
            return int(_steps_to(problem, x, rate, threshold, most, target.metric, rising=rising))

        rates = guess * 2.0 ** np.arange(PATH_OCTAVES + 1)
        for most in PATH_STEPS:
            steps = [steps_at(rate, most) for rate in rates]
            if min(steps) < most:
                break
        else:
            return None
        rate = rates[int(np.argmin(steps))]
        times = np.unique(np.linspace(0, min(steps), PATH_POINTS).round().astype(int))
        points = [x]
        for taken in np.diff(times):
            points.append(_descend(problem, points[-1], rate, int(taken)))
        return np.stack([np.asarray(point) for point in points])


@partial(jax.jit, static_argnames=("metric", "rising"))
def _steps_to(
    problem: Problem,
    x: Point,
    rate: float,
    threshold: float,
    most: int,
    metric: Metric,
    *,
    rising: bool,
) -> Array:
    """Steps until the target is met, `most` if it is not before, or if descent diverges."""

    def has_arrived(value: Array) -> Array:
        return is_met(value, jnp.asarray(threshold), rising)

    def is_under_way(carry: tuple[Array, Array, Array]) -> Array:
        taken, _, value = carry
        return ~has_arrived(value) & jnp.isfinite(value) & (taken < most)

    def step(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        taken, x, _ = carry
        x = x - rate * problem.gradient(x)
        return taken + 1, x, evaluate_metric(problem, metric, x)

    start = jnp.asarray(x)
    first = jnp.asarray(0), start, evaluate_metric(problem, metric, start)
    taken, _, value = jax.lax.while_loop(is_under_way, step, first)
    return jnp.where(has_arrived(value), taken, most)


@jax.jit
def _descend(problem: Problem, x: Point, rate: float, steps: int) -> Array:
    return jax.lax.fori_loop(0, steps, lambda _, x: x - rate * problem.gradient(x), jnp.asarray(x))
