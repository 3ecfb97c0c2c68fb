"""Steps of many runs at once: what is compiled of the Monte-Carlo engine.

A lane is one learning rate and one replicate. Learning rates, noise parameters, delays and, for
synthetic noise, the batch size are traced: changing them compiles nothing.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from critparam.methods.base import Context, Method
from critparam.noise.base import Noise
from critparam.problems.base import Problem
from critparam.runs import NEVER
from critparam.target import RISING, Metric, evaluate_metric
from critparam.types import Key


class Setting(NamedTuple):
    """What stays the same from step to step, as jitted code needs it."""

    problem: Problem
    noise: Noise
    method: Method
    learning_rates: Float[Array, "c"]
    keys: Key
    batch_size: Float[Array, ""]
    threshold: Float[Array, ""]
    bound: Float[Array, ""]
    max_steps: Int[Array, ""]
    period: Int[Array, ""]


class Lanes(NamedTuple):
    """What changes from step to step, for each learning rate and replicate.

    Attributes:
        state: the method's states, [c, r, ...].
        ring: the last points queried, step t's in slot t mod period; empty without delays.
        steps: first step that met the target, [c, r].
        diverged: whether the metric has left all bounds, [c, r].
        arrival: the iterate at that first step, [c, r, d].
    """

    state: Any
    ring: Float[Array, "slots c r d"]
    steps: Int[Array, "c r"]
    diverged: Bool[Array, "c r"]
    arrival: Float[Array, "c r d"]


@partial(jax.jit, static_argnames=("metric", "batch_size", "block", "every"), donate_argnums=0)
def advance(
    lanes: Lanes,
    setting: Setting,
    wanted: Bool[Array, "c"],
    delays: Int[Array, "..."],
    looks: Bool[Array, "steps"],
    taken: Int[Array, ""],
    blocks: Int[Array, ""],
    *,
    metric: Metric,
    batch_size: int | None,
    block: int,
    every: bool,
) -> Lanes:
    """Up to `blocks` blocks of steps, fewer once no wanted lane is under way."""
    look = partial(_look, setting=setting, metric=metric)

    def step(lanes: Lanes, inputs: tuple) -> tuple[Lanes, None]:
        t, sample, delay, looking = inputs
        lanes = _step(lanes, setting, t, sample, delay, batch_size)
        if every:
            return look(lanes, t), None
        return jax.lax.cond(looking, look, lambda lanes, _: lanes, lanes, t), None

    def one_block(carry: tuple) -> tuple:
        done, lanes = carry
        times = taken + done * block + jnp.arange(block, dtype=jnp.int32)
        samples = _draw(setting, times, batch_size)
        window = [
            jax.lax.dynamic_slice_in_dim(array, done * block, block) for array in (delays, looks)
        ]
        lanes, _ = jax.lax.scan(step, lanes, (times, samples, *window))
        return done + 1, lanes

    def unfinished(carry: tuple) -> Array:
        done, lanes = carry
        waiting = (lanes.steps == NEVER) & ~lanes.diverged & wanted[:, None]
        return (done < blocks) & jnp.any(waiting)

    return jax.lax.while_loop(unfinished, one_block, (jnp.int32(0), lanes))[1]


@partial(jax.jit, static_argnames=("metric", "batch_size"))
def trace_metric(
    lanes: Lanes,
    setting: Setting,
    delays: Int[Array, "..."],
    *,
    metric: Metric,
    batch_size: int | None,
) -> Float[Array, "steps c r"]:
    """The metric after every step."""

    def step(lanes: Lanes, inputs: tuple) -> tuple[Lanes, Array]:
        t, delay = inputs
        sample = jax.tree.map(lambda leaf: leaf[0], _draw(setting, t[None], batch_size))
        lanes = _step(lanes, setting, t, sample, delay, batch_size)
        return lanes, _evaluate(lanes, setting, metric)[1]

    return jax.lax.scan(step, lanes, (jnp.arange(len(delays), dtype=jnp.int32), delays))[1]


def _draw(setting: Setting, times: Int[Array, "t"], batch_size: int | None) -> Any:
    """The draws of these steps for every replicate, [t, r, ...]."""

    def draw(key: Key, t: Array) -> Any:
        size = 1 if batch_size is None else batch_size
        return setting.noise.draw(jax.random.fold_in(key, t), setting.problem, size)

    over_replicates = jax.vmap(draw, in_axes=(0, None))
    return jax.vmap(over_replicates, in_axes=(None, 0))(setting.keys, times)


def _step(
    lanes: Lanes, setting: Setting, t: Array, sample: Any, delay: Array, batch_size: int | None
) -> Lanes:
    """One step of every lane."""
    size = setting.batch_size if batch_size is None else batch_size
    points = _over_lanes(setting.method.query)(lanes.state)
    ring, stale = _recall(lanes.ring, points, t, delay, setting.period)

    def step(rate: Array, state: Any, x: Array, sample: Any, key: Key) -> Any:
        gradient = setting.noise.gradient(setting.problem, x, sample, size)
        context = Context(t, jax.random.fold_in(jax.random.fold_in(key, t), 1), delay, sample)
        return setting.method.step(state, gradient, rate, context)

    over_replicates = jax.vmap(step, in_axes=(None, 0, 0, 0, 0))
    over_rates = jax.vmap(over_replicates, in_axes=(0, 0, 0, None, None))
    state = over_rates(setting.learning_rates, lanes.state, stale, sample, setting.keys)
    return lanes._replace(state=state, ring=ring)


def _recall(
    ring: Array, points: Array, t: Array, delay: Array, period: Array
) -> tuple[Array, Array]:
    """The ring with this step's points, and those of `delay` steps ago, or of the start."""
    if ring.shape[0] == 0:
        return ring, points
    ring = jax.lax.dynamic_update_index_in_dim(ring, points, t % period, 0)
    slot = (t - jnp.minimum(delay, t)) % period
    if delay.ndim == 0:
        return ring, jax.lax.dynamic_index_in_dim(ring, slot, 0, keepdims=False)
    by_coordinate = ring[slot, :, :, jnp.arange(ring.shape[-1], dtype=jnp.int32)]
    return ring, jnp.moveaxis(by_coordinate, 0, -1)


def _look(lanes: Lanes, t: Array, setting: Setting, metric: Metric) -> Lanes:
    """Note which lanes have met the target with the step just taken, and which have diverged."""
    iterates, values = _evaluate(lanes, setting, metric)
    counts = t < setting.max_steps  # a block may overshoot
    diverged = lanes.diverged | (counts & ~(values <= setting.bound))
    met = is_met(values, setting.threshold, metric in RISING)
    arriving = met & (lanes.steps == NEVER) & ~diverged & counts
    arrival = jax.lax.cond(
        jnp.any(arriving),
        lambda kept: jnp.where(arriving[:, :, None], iterates, kept),
        lambda kept: kept,
        lanes.arrival,
    )
    return lanes._replace(
        steps=jnp.where(arriving, t + 1, lanes.steps), diverged=diverged, arrival=arrival
    )


def _evaluate(lanes: Lanes, setting: Setting, metric: Metric) -> tuple[Array, Array]:
    """The iterates [c, r, d] and their metrics [c, r]."""
    iterates = _over_lanes(setting.method.iterate)(lanes.state)
    evaluate = partial(evaluate_metric, setting.problem, metric)
    return iterates, _over_lanes(evaluate)(iterates)


@jax.jit
def measure_noise(points: Float[Array, "c r d"], setting: Setting) -> tuple[Array, Array]:
    """E||xi||^2 and ||grad f||^2 at every point, [c, r]."""

    def measure(x: Array) -> tuple[Array, Array]:
        gradient = setting.problem.gradient(x)
        return setting.noise.trace(setting.problem, x), jnp.sum(gradient * gradient)

    return jax.lax.map(jax.vmap(measure), points)


def _over_lanes(function: Any) -> Any:
    return jax.vmap(jax.vmap(function))


def is_met(values: Array, threshold: Array, from_below: bool) -> Array:
    """Which values meet the threshold, as booleans of their shape."""
    return values >= threshold if from_below else values <= threshold
