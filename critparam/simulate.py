"""Monte-Carlo engine: many runs at once, vectorised over learning rates and replicates.

All learning rates of a replicate share its draws (common random numbers): a draw is keyed by
(seed, problem, noise, replicate, step) alone. Steps are taken in blocks of one compiled scan with
all state donated; between chunks of blocks the host looks in and gives up learning rates that can
no longer be the best. Learning rates, noise parameters, delays and, for synthetic noise, the
batch size are traced: changing them compiles nothing.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from critparam.component import as_dtype
from critparam.delays.base import Delay, Schedule
from critparam.methods.base import Context, Method
from critparam.noise.base import Noise
from critparam.problems.base import Problem
from critparam.runs import NEVER, Runs
from critparam.target import Metric, Target, evaluate_metric
from critparam.types import DIVERGENCE_FACTOR, Key, Status

BLOCK_STEPS = 64
"""Steps of one scan, whose random draws are made together, at most."""

BLOCK_DRAWS = 2**23
"""Numbers drawn for one block, at most."""

CHUNK_BLOCKS = 64
"""Blocks between two looks of the host, at most."""

EVALUATION_CADENCE = 0.01
"""Where evaluation is dear, steps between two of them, as a share of the steps taken."""

RING_TIER = 8
"""Memories of past points are sized in powers of this, so that few sizes are compiled."""

LANE_WIDTH = 4
"""Learning rates are run in multiples of this many, so that few widths are compiled."""

Stream = Literal["tuning", "reporting"]
Precision = Literal["float32", "float64"]


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


@dataclass(frozen=True)
class Simulation:
    """Runs of one method on one problem, at one batch size and delay.

    Attributes:
        batch_size: gradients averaged in a step.
        delay_size: the size by which `delay` is indexed, tau for constant delays.
        max_steps: steps after which a run is given up as not reached.
        seed: of all randomness.
        precision: in which steps are computed.
    """

    problem: Problem
    noise: Noise
    delay: Delay
    method: Method
    target: Target
    batch_size: int
    delay_size: int
    max_steps: int
    seed: int = 0
    precision: Precision = "float32"

    def run(
        self,
        learning_rates: Float[np.ndarray, "c"],
        replicates: int,
        *,
        stream: Stream = "reporting",
        bound: float = np.inf,
        keep: int | None = None,
    ) -> Runs:
        """Run every learning rate on the same replicates until each has met its fate.

        Args:
            learning_rates: [c].
            replicates: number r of replicates; the draws of each do not depend on it.
            stream: whose randomness: tuning and reporting share none.
            bound: a mean number of steps known to be attainable; a learning rate that cannot
                attain it is given up (beaten), as is one that another of these beats.
            keep: index of a learning rate that is never given up.
        """
        count = len(learning_rates)
        padded = np.resize(learning_rates, -(-count // LANE_WIDTH) * LANE_WIDTH)
        with self._environment():
            schedule = self.delay.schedule(self.delay_size, self.max_steps, self.seed)
            setting = self._setting(padded, replicates, schedule, stream)
            lanes = self._start(setting, schedule)
            beaten = np.arange(len(padded)) >= count
            for latest, steps in self._chunks(lanes, setting, schedule, beaten):
                beaten |= _cannot_win(latest, steps, bound, keep)
                lanes = latest
            noise, signal = _measure(lanes.arrival, setting)
        return self._runs(learning_rates, lanes, beaten, noise, signal)

    def trace(
        self, learning_rate: float, replicates: int, *, stream: Stream = "reporting"
    ) -> Float[np.ndarray, "steps r"]:
        """The metric after each of `max_steps` steps, for every replicate."""
        with self._environment():
            schedule = self.delay.schedule(self.delay_size, self.max_steps, self.seed)
            setting = self._setting(np.array([learning_rate]), replicates, schedule, stream)
            lanes = self._start(setting, schedule)
            values = _trace(
                lanes,
                setting,
                jnp.asarray(schedule.delays),
                metric=self.target.metric,
                batch_size=self._static_batch_size,
            )
            return np.asarray(values[:, 0])

    @contextmanager
    def _environment(self) -> Iterator[None]:
        with jax.enable_x64(self.precision == "float64"), jax.threefry_partitionable(True):
            yield

    @property
    def _static_batch_size(self) -> int | None:
        return self.batch_size if self.noise.batch_size_is_static else None

    def _setting(
        self, rates: np.ndarray, replicates: int, schedule: Schedule, stream: Stream
    ) -> Setting:
        dtype = jnp.dtype(self.precision)
        problem = as_dtype(self.problem, dtype)
        at_start = float(evaluate_metric(problem, self.target.metric, problem.initial))
        rising = self.target.is_met_from_below
        return Setting(
            problem=problem,
            noise=as_dtype(self.noise, dtype),
            method=as_dtype(self.method, dtype),
            learning_rates=jnp.asarray(rates, dtype),
            keys=self._keys(replicates, stream),
            batch_size=jnp.asarray(self.batch_size, dtype),
            threshold=jnp.asarray(self.target.threshold(at_start), dtype),
            bound=jnp.asarray(np.inf if rising else DIVERGENCE_FACTOR * at_start, dtype),
            max_steps=jnp.asarray(self.max_steps, jnp.int32),
            period=jnp.asarray(schedule.maximum + 1, jnp.int32),
        )

    def _keys(self, replicates: int, stream: Stream) -> Key:
        """One key a replicate, of (seed, problem, kind of noise, stream) and its number alone."""
        source = [self.problem.spec(), self.problem.data_digest, type(self.noise).__name__, stream]
        digest = hashlib.sha256(json.dumps(source, sort_keys=True).encode()).digest()
        key = jax.random.key(self.seed, impl="threefry2x32")
        key = jax.random.fold_in(key, int.from_bytes(digest[:4], "little"))
        return jax.vmap(partial(jax.random.fold_in, key))(jnp.arange(replicates))

    def _start(self, setting: Setting, schedule: Schedule) -> Lanes:
        shape = (len(setting.learning_rates), len(setting.keys))
        x0 = jnp.asarray(setting.problem.initial)
        state = jax.tree.map(
            lambda leaf: jnp.broadcast_to(leaf, shape + leaf.shape).copy(),
            setting.method.init(x0),
        )
        metric = evaluate_metric(setting.problem, self.target.metric, x0)
        arrived = _is_met(metric, setting.threshold, self.target.is_met_from_below)
        return Lanes(
            state=state,
            ring=jnp.zeros((_ring_slots(schedule.maximum), *shape, len(x0)), x0.dtype),
            steps=jnp.where(arrived, 0, jnp.full(shape, NEVER, jnp.int32)),
            diverged=jnp.zeros(shape, bool),
            arrival=jnp.broadcast_to(x0, (*shape, len(x0))).copy(),
        )

    def _chunks(
        self, lanes: Lanes, setting: Setting, schedule: Schedule, beaten: np.ndarray
    ) -> Iterator[tuple[Lanes, int]]:
        """The lanes and the steps taken, after each chunk, while a run not beaten is under way.

        The first chunks are short, since most bad learning rates show early.
        """
        block = self._block_steps(setting)
        looks = _evaluation_times(self.max_steps, self.problem.cheap_evaluation)
        taken, blocks = 0, 1
        while taken < self.max_steps and np.any(_under_way(lanes)[~beaten]):
            ahead = slice(taken, taken + blocks * block)
            delays = _padded(schedule.delays[ahead], CHUNK_BLOCKS * block)
            lanes = _advance(
                lanes,
                setting,
                jnp.asarray(~beaten),
                jnp.asarray(delays),
                jnp.asarray(_padded(looks[ahead], CHUNK_BLOCKS * block)),
                jnp.int32(taken),
                jnp.int32(blocks),
                metric=self.target.metric,
                batch_size=self._static_batch_size,
                block=block,
                every=self.problem.cheap_evaluation,
            )
            taken = min(taken + blocks * block, self.max_steps)
            blocks = min(2 * blocks, CHUNK_BLOCKS)
            yield lanes, taken

    def _block_steps(self, setting: Setting) -> int:
        draw = partial(setting.noise.draw, problem=setting.problem, batch_size=self.batch_size)
        sample = jax.eval_shape(draw, setting.keys[0])
        size = sum(leaf.size for leaf in jax.tree.leaves(sample)) * len(setting.keys)
        return max(1, min(BLOCK_STEPS, BLOCK_DRAWS // size))

    def _runs(
        self, rates: np.ndarray, lanes: Lanes, beaten: np.ndarray, noise: Array, signal: Array
    ) -> Runs:
        count = len(rates)
        steps, diverged = np.asarray(lanes.steps)[:count], np.asarray(lanes.diverged)[:count]
        reached = steps != NEVER
        status = np.full(steps.shape, Status.NOT_REACHED, dtype=object)
        status[np.broadcast_to(beaten[:count, None], steps.shape)] = Status.BEATEN
        status[diverged] = Status.DIVERGED
        status[reached] = Status.REACHED
        return Runs(
            learning_rates=np.asarray(rates, dtype=float),
            steps=steps.astype(np.int64),
            status=status,
            noise=np.where(reached, np.asarray(noise, dtype=float)[:count], np.nan),
            signal=np.where(reached, np.asarray(signal, dtype=float)[:count], np.nan),
        )


@partial(jax.jit, static_argnames=("metric", "batch_size", "block", "every"), donate_argnums=0)
def _advance(
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
        times = taken + done * block + jnp.arange(block)
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
def _trace(
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

    return jax.lax.scan(step, lanes, (jnp.arange(len(delays)), delays))[1]


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
    by_coordinate = ring[slot, :, :, jnp.arange(ring.shape[-1])]
    return ring, jnp.moveaxis(by_coordinate, 0, -1)


def _look(lanes: Lanes, t: Array, setting: Setting, metric: Metric) -> Lanes:
    """Note which lanes have met the target with the step just taken, and which have diverged."""
    iterates, values = _evaluate(lanes, setting, metric)
    diverged = lanes.diverged | ~(values <= setting.bound)
    met = _is_met(values, setting.threshold, metric == "accuracy")
    arriving = met & (lanes.steps == NEVER) & ~diverged & (t < setting.max_steps)
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
def _measure(points: Float[Array, "c r d"], setting: Setting) -> tuple[Array, Array]:
    """E||xi||^2 and ||grad f||^2 at every point, [c, r]."""

    def measure(x: Array) -> tuple[Array, Array]:
        gradient = setting.problem.gradient(x)
        return setting.noise.trace(setting.problem, x), jnp.sum(gradient * gradient)

    return jax.lax.map(jax.vmap(measure), points)


def _over_lanes(function: Any) -> Any:
    return jax.vmap(jax.vmap(function))


def _is_met(values: Array, threshold: Array, from_below: bool) -> Array:
    return values >= threshold if from_below else values <= threshold


def _under_way(lanes: Lanes) -> np.ndarray:
    return (np.asarray(lanes.steps) == NEVER) & ~np.asarray(lanes.diverged)


def _cannot_win(lanes: Lanes, taken: int, bound: float, keep: int | None) -> np.ndarray:
    """Learning rates whose mean steps will exceed the bound or that of a finished one, [c]."""
    steps, under_way = np.asarray(lanes.steps), _under_way(lanes)
    finished = (steps != NEVER).all(axis=1)
    if finished.any():
        bound = min(bound, float(steps[finished].mean(axis=1).min()))
    at_least = np.where(steps == NEVER, taken, steps).mean(axis=1)
    beaten = (at_least > bound) & under_way.any(axis=1)
    if keep is not None:
        beaten[keep] = False
    return beaten


def _ring_slots(maximum: int) -> int:
    """Slots for delays up to `maximum`: none, or the next power of `RING_TIER`."""
    slots = 1
    while slots < maximum + 1:
        slots *= RING_TIER
    return slots if maximum else 0


def _evaluation_times(max_steps: int, every_step: bool) -> Bool[np.ndarray, "steps"]:
    """After which steps the metric is evaluated: gaps of at most 1 % of the steps taken."""
    looks = np.ones(max_steps, dtype=bool)
    if every_step:
        return looks
    looks[:] = False
    t = 0
    while t < max_steps:
        t += max(1, int(t * EVALUATION_CADENCE))
        looks[min(t, max_steps) - 1] = True
    return looks


def _padded(array: np.ndarray, length: int) -> np.ndarray:
    return np.resize(array, (length, *array.shape[1:])) if len(array) < length else array
