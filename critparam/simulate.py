"""Monte-Carlo engine: many runs at once, vectorised over learning rates and replicates.

All learning rates of a replicate share its draws (common random numbers): a draw is keyed by
(seed, problem, noise, replicate, step) alone. Steps are taken in blocks of one compiled scan with
all state donated; between chunks of blocks the host looks in and gives up learning rates that can
no longer be the best.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from critparam.component import as_dtype
from critparam.delays.base import Delay, Schedule
from critparam.lanes import Lanes, Setting, advance, is_met, measure_noise, trace_metric
from critparam.methods.base import Method
from critparam.noise.base import Noise
from critparam.problems.base import Problem
from critparam.racing import cannot_win, under_way
from critparam.runs import NEVER, Runs
from critparam.target import Target, metric_at
from critparam.types import DIVERGENCE_FACTOR, Key, Status

BLOCK_STEPS = 64
"""Steps of one scan, whose random draws are made together, at most."""

BLOCK_DRAWS = 2**23
"""Numbers drawn for one block, at most."""

CHUNK_BLOCKS = 64
"""Blocks between two looks of the host, at most."""

EVALUATION_CADENCE = 0.01
"""Where evaluation is dear, steps between two of them, as a share of the steps taken."""

RING_TIERS = (64, 1024)
"""Sizes of small memories of past points, so that few are compiled; large ones fit closely."""

LANE_WIDTH = 4
"""Learning rates are run in multiples of this many, so that few widths are compiled."""

Stream = Literal["tuning", "reporting"]
Precision = Literal["float32", "float64"]


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
        measure: bool = True,
    ) -> Runs:
        """Run every learning rate on the same replicates until each has met its fate.

        Args:
            learning_rates: [c].
            replicates: number r of replicates; the draws of each do not depend on it.
            stream: whose randomness: tuning and reporting share none.
            bound: a mean number of steps known to be attainable; a learning rate that cannot
                attain it is given up (beaten), as is one that another of these beats.
            keep: index of a learning rate that is never given up.
            measure: whether noise and signal are measured where runs meet the target, which may
                cost passes over all data.
        """
        count = len(learning_rates)
        padded = np.resize(learning_rates, -(-count // LANE_WIDTH) * LANE_WIDTH)
        with self._environment():
            schedule = self._schedule()
            setting = self._setting(padded, replicates, schedule, stream)
            lanes = self._start(setting, schedule)
            beaten = np.arange(len(padded)) >= count
            for latest, steps in self._chunks(lanes, setting, schedule, beaten):
                beaten |= cannot_win(latest, steps, bound, keep)
                lanes = latest
            seen = np.full((2, *lanes.steps.shape), np.nan)
            if measure:
                seen = np.asarray(measure_noise(lanes.arrival, setting), dtype=float)
        return self._runs(learning_rates, lanes, beaten, *seen)

    def trace(
        self, learning_rate: float, replicates: int, *, stream: Stream = "reporting"
    ) -> Float[np.ndarray, "steps r"]:
        """The metric after each of `max_steps` steps, for every replicate."""
        with self._environment():
            schedule = self._schedule()
            setting = self._setting(np.array([learning_rate]), replicates, schedule, stream)
            lanes = self._start(setting, schedule)
            values = trace_metric(
                lanes,
                setting,
                jnp.asarray(schedule.window(0, self.max_steps)),
                metric=self.target.metric,
                batch_size=self._static_batch_size,
            )
            return np.asarray(values[:, 0])

    @contextmanager
    def _environment(self) -> Iterator[None]:
        with jax.enable_x64(self.precision == "float64"), jax.threefry_partitionable(True):
            yield

    def _schedule(self) -> Schedule:
        return self.delay.schedule(self.delay_size, len(self.problem.initial), self.seed)

    @property
    def _static_batch_size(self) -> int | None:
        return self.batch_size if self.noise.batch_size_is_static else None

    def _setting(
        self, rates: np.ndarray, replicates: int, schedule: Schedule, stream: Stream
    ) -> Setting:
        dtype = jnp.dtype(self.precision)
        problem = as_dtype(self.problem, dtype)
        at_start = float(metric_at(problem, self.target.metric, problem.initial))
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
        problem = self.problem
        source = [problem.identity(), problem.data_digest, type(self.noise).__name__, stream]
        digest = hashlib.sha256(json.dumps(source, sort_keys=True).encode()).digest()
        key = jax.random.key(self.seed, impl="threefry2x32")
        key = jax.random.fold_in(key, int.from_bytes(digest[:4], "little"))
        return jax.vmap(partial(jax.random.fold_in, key))(jnp.arange(replicates, dtype=jnp.int32))

    def _start(self, setting: Setting, schedule: Schedule) -> Lanes:
        shape = (len(setting.learning_rates), len(setting.keys))
        x0 = jnp.asarray(setting.problem.initial)
        state = jax.tree.map(
            lambda leaf: jnp.broadcast_to(leaf, shape + leaf.shape).copy(),
            setting.method.init(x0),
        )
        metric = metric_at(setting.problem, self.target.metric, x0)
        arrived = is_met(metric, setting.threshold, self.target.is_met_from_below)
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

        The caller updates `beaten` [c] between chunks, of which the first are short, since most
        bad learning rates show early.
        """
        block = self._block_steps(setting)
        window = CHUNK_BLOCKS * block
        times = _evaluation_times(self.max_steps)
        taken, blocks = 0, 1
        while taken < self.max_steps and np.any(under_way(lanes)[~beaten]):
            ahead = schedule.window(taken, min(window, self.max_steps - taken))
            lanes = advance(
                lanes,
                setting,
                jnp.asarray(~beaten),
                jnp.asarray(np.resize(ahead, (window, *ahead.shape[1:]))),
                jnp.asarray(np.isin(np.arange(taken + 1, taken + window + 1), times)),
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
        self,
        rates: np.ndarray,
        lanes: Lanes,
        beaten: np.ndarray,
        noise: np.ndarray,
        signal: np.ndarray,
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
            noise=np.where(reached, noise[:count], np.nan),
            signal=np.where(reached, signal[:count], np.nan),
            arrival=np.asarray(lanes.arrival, dtype=float)[:count],
        )


def _ring_slots(maximum: int) -> int:
    """Slots for delays up to `maximum`: none without delay, a tier, or the next power of two."""
    if maximum == 0:
        return 0
    fitting = [tier for tier in RING_TIERS if tier > maximum]
    return fitting[0] if fitting else 1 << maximum.bit_length()


def _evaluation_times(max_steps: int) -> Int[np.ndarray, "looks"]:
    """After which steps a dear metric is evaluated: gaps of at most 1 % of the steps taken."""
    times = [1]
    while times[-1] < max_steps:
        times.append(min(times[-1] + max(1, int(times[-1] * EVALUATION_CADENCE)), max_steps))
    return np.array(times)
