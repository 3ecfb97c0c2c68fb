"""The Monte-Carlo engine against plain NumPy, and what it promises whatever the noise."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from critparam.delays.base import Delay, Schedule
from critparam.delays.constant import Constant
from critparam.methods.base import Method
from critparam.methods.sgd import SGD
from critparam.noise.additive import Additive
from critparam.noise.base import Noise
from critparam.noise.isotropic import Isotropic
from critparam.noise.sampling import Sampling
from critparam.problems.base import FiniteSum, Problem
from critparam.problems.quadratic import Quadratic
from critparam.runs import NEVER
from critparam.simulate import Simulation
from critparam.target import Target
from critparam.types import Constants, Status

CURVATURES = [0.1, 0.5, 1.0]
START = [2.0, -1.0, 0.5]
NO_NOISE = Isotropic()


def simulation(noise=NO_NOISE, **options) -> Simulation:
    arguments = {
        "problem": Quadratic(spectrum=CURVATURES, start=START),
        "noise": noise,
        "delay": Constant(),
        "method": SGD(),
        "target": Target("suboptimality", relative=1e-2),
        "batch_size": 1,
        "delay_size": 0,
        "max_steps": 2000,
    }
    return Simulation(**(arguments | options))


def assert_same(first, second):
    for field in ("learning_rates", "steps", "noise", "signal"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field))
    assert np.array_equal(first.status, second.status)


# --- Seeing what the engine does, one coordinate at a time, through its public trace


@dataclass(frozen=True)
class Probe(Problem):
    """The quadratic of this file, whose loss is coordinate 0 of the point it is shown."""

    @property
    def initial(self):
        return np.asarray(START)

    def value(self, x):
        return x[0]

    def suboptimality(self, x):
        return x[0]

    def gradient(self, x):
        return jnp.asarray(CURVATURES, x.dtype) * x

    @property
    def constants(self):
        return Constants()


@dataclass(frozen=True)
class Shown(Method):
    """SGD that shows its iterate, or the last draw, its coordinate `first` to the front."""

    traced: ClassVar[tuple[str, ...]] = ("first", "draws")
    first: int = 0
    draws: bool = False

    def init(self, x0):
        return x0, jnp.zeros_like(x0)

    def query(self, state):
        return state[0]

    def step(self, state, gradient, learning_rate, context):
        return state[0] - learning_rate * gradient, context.sample

    def iterate(self, state):
        return jnp.roll(jnp.where(self.draws, state[1], state[0]), -self.first)


def observed(*, draws=False, learning_rate=0.1, replicates=2, stream="reporting", **options):
    """Iterates x_1, x_2, ..., or draws of step 0, 1, ..., float32 [steps, r, d]."""
    coordinates = [
        simulation(
            problem=Probe(),
            method=Shown(first, draws),
            target=Target("loss", absolute=1e-9),
            **({"max_steps": 40} | options),
        ).trace(learning_rate, replicates, stream=stream)
        for first in range(3)
    ]
    return np.stack(coordinates, axis=-1)


def plain_sgd(draws, *, M, sigma2, batch_size, learning_rate, delays):
    """x_{t+1} = x_t - gamma g(x_{max(t - tau_t, 0)}) in float32; draws [steps, r, d]."""
    h, one = np.asarray(CURVATURES, np.float32), np.float32(1)
    path = [np.broadcast_to(np.asarray(START, np.float32), draws.shape[1:])]
    for t, draw in enumerate(draws):
        read = np.maximum(t - np.broadcast_to(delays[t], 3), 0)
        stale = np.stack([path[read[i]][:, i] for i in range(3)], axis=-1)
        gradient = h * stale
        trace = np.float32(M) * (gradient * gradient).sum(axis=-1, keepdims=True)
        variance = (trace + np.float32(sigma2)) / np.float32(batch_size * 3)
        gradient = gradient + np.sqrt(variance) * draw * one
        path.append(path[-1] - np.float32(learning_rate) * gradient)
    return np.stack(path[1:])


class TestAgainstPlainNumPy:
    @pytest.mark.parametrize(
        ("M", "sigma2", "batch_size", "delay"),
        [(3.0, 0.2, 1, 0), (0.0, 0.5, 1, 0), (3.0, 0.2, 5, 0), (3.0, 0.2, 1, 2), (3.0, 0.0, 4, 9)],
    )
    def test_noisy_paths(self, M, sigma2, batch_size, delay):
        options = {
            "noise": Isotropic(M, sigma2),
            "batch_size": batch_size,
            "delay_size": delay,
            "replicates": 3,
        }
        draws = observed(draws=True, **options)
        assert draws.dtype == np.float32
        expected = plain_sgd(
            draws,
            M=M,
            sigma2=sigma2,
            batch_size=batch_size,
            learning_rate=0.1,
            delays=[delay] * len(draws),
        )
        np.testing.assert_allclose(observed(**options), expected, rtol=2e-5, atol=2e-6)

    @pytest.mark.parametrize("delay", [0, 1, 2, 7, 8, 63])
    def test_delays_without_noise(self, delay):
        path = observed(delay_size=delay, max_steps=150)
        assert np.array_equal(path[:, 0], path[:, 1])
        expected = plain_sgd(
            np.zeros((150, 2, 3), np.float32),
            M=0,
            sigma2=0,
            batch_size=1,
            learning_rate=0.1,
            delays=[delay] * 150,
        )
        np.testing.assert_allclose(path, expected, rtol=2e-6, atol=1e-6)

    @pytest.mark.parametrize("delay", [0, 5])
    def test_hits_without_noise(self, delay):
        """Steps, noise and signal at the first hit, by a float64 loop."""
        h, rates = np.asarray(CURVATURES), [0.02, 0.11, 0.3]
        chosen = simulation(Isotropic(sigma2=0.0, M=0.0), delay_size=delay)
        runs = chosen.run(np.array(rates), 2, keep=0)
        for index, rate in enumerate(rates):
            path = [np.asarray(START)]
            while h @ path[-1] ** 2 > 1e-2 * (h @ path[0] ** 2):
                stale = path[max(len(path) - 1 - delay, 0)]
                path.append(path[-1] - rate * h * stale)
            if runs.status[index, 0] != Status.BEATEN:
                assert list(runs.steps[index]) == [len(path) - 1] * 2
                signal = np.sum((h * path[-1]) ** 2)
                np.testing.assert_allclose(runs.signal[index], signal, rtol=1e-4)
                np.testing.assert_array_equal(runs.noise[index], 0)
        assert runs.status[0, 0] == Status.REACHED

    def test_delayed_steps_with_delay_zero_equal_undelayed_ones(self):
        noise = Isotropic(M=3.0, sigma2=0.1)
        undelayed = observed(noise=noise)
        # memory for delays, but none used
        delayed = observed(noise=noise, delay=Recorded(columns=0), delay_size=0)
        np.testing.assert_array_equal(undelayed, delayed)


@dataclass(frozen=True)
class Recorded(Delay):
    """A fixed irregular pattern up to `size`; one for each of `columns` coordinates, if any."""

    columns: int = 0

    def schedule(self, size, dim, seed):
        shape = (10_000, self.columns) if self.columns else (10_000,)
        pattern = np.random.default_rng(5).integers(0, size + 1, shape, dtype=np.int32)
        return Schedule(lambda first, steps: pattern[first : first + steps], size + 4)


@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("size", [3, 11])
def test_irregular_delays(columns, size):
    """Staleness that differs from step to step, and from coordinate to coordinate."""
    delay, noise = Recorded(columns), Isotropic(M=2.0, sigma2=0.1)
    delays = delay.schedule(size, 3, 0).window(0, 70)
    assert len(np.unique(delays)) > 2
    options = {"noise": noise, "delay": delay, "delay_size": size, "max_steps": 70}
    expected = plain_sgd(
        observed(draws=True, **options),
        M=2.0,
        sigma2=0.1,
        batch_size=1,
        learning_rate=0.1,
        delays=delays,
    )
    np.testing.assert_allclose(observed(**options), expected, rtol=5e-5, atol=5e-6)
    # the same through run, which hands the schedule on in chunks
    runs = simulation(noise, delay=delay, delay_size=size).run(np.array([0.1]), 2)
    assert np.all(runs.status == Status.REACHED)


class TestRandomNumbers:
    noise = Isotropic(M=3.0, sigma2=0.1)

    def test_common_to_learning_rates_batch_sizes_delays_methods_and_noise_levels(self):
        draws = observed(draws=True, noise=self.noise)
        for options in (
            {"learning_rate": 0.01},
            {"batch_size": 64},
            {"delay_size": 3},
            {"noise": Isotropic(M=100.0)},
            {"max_steps": 90},
        ):
            other = observed(draws=True, **({"noise": self.noise} | options))
            np.testing.assert_array_equal(other[:40], draws)

    def test_differ_between_seeds_streams_noises_replicates_and_steps(self):
        draws = observed(draws=True, noise=self.noise)
        assert len(np.unique(draws)) == draws.size
        for options in (
            {"seed": 1},
            {"seed": 2**31},
            {"stream": "tuning"},
            {"noise": Additive(sigma2=0.1)},
        ):
            other = observed(draws=True, **({"noise": self.noise} | options))
            assert not np.intersect1d(draws, other).size

    def test_a_replicate_does_not_depend_on_how_many_there_are(self):
        eight = observed(draws=True, noise=self.noise, replicates=8)
        four = observed(draws=True, noise=self.noise, replicates=4)
        np.testing.assert_array_equal(eight[:, :4], four)


@pytest.fixture(scope="module")
def alone():
    """Every rate on its own: nothing races against it."""
    chosen = simulation(TestRun.noise)
    return [chosen.run(np.array([rate]), 8) for rate in TestRun.rates]


class TestRun:
    noise = Isotropic(M=10.0, sigma2=1e-3)
    rates = np.array([0.02, 0.05, 0.09, 0.13, 0.3])

    def test_deterministic(self):
        chosen = simulation(self.noise)
        assert_same(chosen.run(self.rates, 8), chosen.run(self.rates, 8))
        other = simulation(self.noise, seed=1).run(self.rates, 8)
        assert not np.array_equal(chosen.run(self.rates, 8).steps, other.steps)
        tuning = chosen.run(self.rates, 8, stream="tuning")
        assert not np.array_equal(chosen.run(self.rates, 8).steps, tuning.steps)

    def test_first_replicates_are_a_prefix(self, alone):
        four = simulation(self.noise).run(self.rates[2:3], 4)
        for field in ("steps", "status", "noise", "signal"):
            np.testing.assert_array_equal(getattr(alone[2], field)[:, :4], getattr(four, field))

    def test_what_runs_beside_changes_nothing(self, alone):
        for index in range(len(self.rates)):
            together = simulation(self.noise).run(self.rates, 8, keep=index)
            for field in ("steps", "status", "noise", "signal"):
                np.testing.assert_array_equal(
                    getattr(together, field)[index], getattr(alone[index], field)[0]
                )

    @pytest.mark.parametrize("slack", [np.inf, 1.0, 1.5])
    def test_racing_never_changes_the_winner(self, alone, slack):
        scores = np.array([runs.scores(2000)[0] for runs in alone])
        bound = slack * scores.min()
        together = simulation(self.noise).run(self.rates, 8, bound=bound)
        raced = together.scores(2000)
        assert raced.argmin() == scores.argmin()
        assert raced.min() == scores.min()
        assert np.all((raced == scores) | np.isinf(raced))
        for index, runs in enumerate(alone):
            same = together.steps[index] == runs.steps[0]
            assert np.all(same | (together.steps[index] == NEVER))

    def test_a_bound_out_of_reach_gives_everything_up(self):
        runs = simulation(self.noise).run(self.rates[:3], 8, bound=1.0)
        assert np.all(np.isinf(runs.scores(2000)))
        assert Status.BEATEN in set(runs.status.ravel())

    def test_shapes_and_consistency(self, alone):
        for rate, runs in zip(self.rates, alone, strict=True):
            assert list(runs.learning_rates) == [rate]
            reached = runs.status == Status.REACHED
            np.testing.assert_array_equal(reached, runs.steps != NEVER)
            np.testing.assert_array_equal(reached, np.isfinite(runs.signal))
            np.testing.assert_array_equal(reached, np.isfinite(runs.noise))

    def test_max_steps(self, alone):
        steps = alone[2].steps[0]
        assert alone[2].all_reached()[0]
        limit = int(np.sort(steps)[4])
        cut = simulation(self.noise, max_steps=limit).run(self.rates[2:3], 8)
        np.testing.assert_array_equal(cut.steps[0], np.where(steps <= limit, steps, NEVER))
        expected = np.where(steps <= limit, Status.REACHED, Status.NOT_REACHED)
        np.testing.assert_array_equal(cut.status[0], expected)

    def test_divergence(self):
        runs = simulation(self.noise).run(np.array([50.0]), 8)
        assert np.all(runs.status == Status.DIVERGED)
        assert np.all(runs.steps == NEVER)

    def test_a_run_that_ends_before_it_diverges_has_not_diverged(self):
        # |1 - gamma h| <= 1.5: after 5 steps f has grown by less than 1.5^10 < 58
        runs = simulation(max_steps=5).run(np.array([2.5]), 2)
        assert np.all(runs.status == Status.NOT_REACHED)
        # but 1.5^(2 t) > 1e6 * 4 long before t = 2000
        runs = simulation().run(np.array([2.5]), 2)
        assert np.all(runs.status == Status.DIVERGED)

    def test_target_met_at_the_start(self):
        met = Target("suboptimality", absolute=100.0)
        runs = simulation(self.noise, target=met).run(np.array([0.1, 50.0]), 3)
        assert np.all(runs.steps == 0)
        assert np.all(runs.status == Status.REACHED)
        signal = np.sum((np.asarray(CURVATURES) * START) ** 2)
        np.testing.assert_allclose(runs.signal, signal, rtol=1e-6)

    @pytest.mark.parametrize("M", [0.5, 40.0])
    def test_noise_to_signal_at_the_hit(self, M):
        runs = simulation(Isotropic(M=M)).run(np.array([0.02, 0.04]), 8, keep=0)
        ratio = (runs.noise / runs.signal)[runs.status == Status.REACHED]
        assert len(ratio) >= 8
        np.testing.assert_allclose(ratio, M, rtol=1e-5)

    def test_gradient_norm_and_loss_targets(self):
        h = np.asarray(CURVATURES)
        path = np.asarray(START) * (1 - 0.3 * h) ** np.arange(2000)[:, None]
        values = {"gradient_norm": (h * path) ** 2 @ np.ones(3), "loss": path**2 @ h / 2}
        for metric, value in values.items():
            target = Target(metric, relative=1e-3)
            runs = simulation(target=target).run(np.array([0.3]), 2)
            assert np.all(runs.steps == np.argmax(value <= 1e-3 * value[0]))


class TestPrecision:
    @pytest.mark.parametrize(("precision", "rtol"), [("float32", 1e-4), ("float64", 1e-12)])
    def test_trace(self, precision, rtol):
        h = np.asarray(CURVATURES)
        path = np.asarray(START) * (1 - 0.3 * h) ** np.arange(1, 101)[:, None]
        values = simulation(max_steps=100, precision=precision).trace(0.3, 2)
        assert values.dtype == precision
        np.testing.assert_allclose(values, np.tile(path**2 @ h / 2, (2, 1)).T, rtol=rtol)

    @pytest.mark.parametrize("delay", [0, 2])
    def test_the_same_hits_in_double_precision(self, delay):
        runs = {
            precision: simulation(Isotropic(M=3.0), precision=precision, delay_size=delay).run(
                np.array([0.02, 0.1]), 4, keep=0
            )
            for precision in ("float32", "float64")
        }
        reached = runs["float64"].status[0] == Status.REACHED
        assert np.all(reached)
        # the draws differ between precisions, the law of the hits does not
        means = [run.steps[0].mean() for run in runs.values()]
        assert 0.7 < means[0] / means[1] < 1.4

    def test_a_target_that_float32_cannot_resolve(self):
        chosen = simulation(precision="float64", target=Target("suboptimality", relative=1e-60))
        runs = chosen.run(np.array([1.0]), 2)
        # slowest direction: 0.9^(2 t) h_1 x_1^2 = 1e-60 sum_i h_i x_i^2
        h, x = np.asarray(CURVATURES), np.asarray(START)
        t = np.log(1e-60 * (h @ x**2) / (h[0] * x[0] ** 2)) / (2 * np.log(0.9))
        assert np.all(runs.steps == np.ceil(t))


# --- Finite sums


@dataclass(frozen=True)
class LeastSquares(FiniteSum):
    """f = 1/n sum_i (<a_i, x> - y_i)^2/2 on a few rows."""

    @property
    def _data(self):
        rng = np.random.default_rng(3)
        return rng.normal(size=(8, 3)), rng.normal(size=8)

    @property
    def initial(self):
        return jnp.asarray(START, jnp.float32)

    @property
    def samples(self):
        return 8

    def _rows(self, x):
        features, labels = self._data
        return jnp.asarray(features, x.dtype), jnp.asarray(labels, x.dtype)

    def value(self, x):
        features, labels = self._rows(x)
        return jnp.mean((features @ x - labels) ** 2) / 2

    def suboptimality(self, x):
        return self.value(x)

    def gradient(self, x):
        return self.batch_gradient(x, jnp.arange(8))

    def batch_gradient(self, x, indices):
        features, labels = (part[indices] for part in self._rows(x))
        return (features @ x - labels) @ features / len(indices)

    def weighted_gradient(self, x, weights):
        features, labels = self._rows(x)
        return ((features @ x - labels) * weights) @ features

    def mean_squared_gradient(self, x):
        features, labels = self._rows(x)
        return jnp.mean((features @ x - labels) ** 2 * (features**2).sum(axis=1))

    @property
    def constants(self):
        return Constants()


class TestEvaluationCadence:
    def test_at_most_one_percent_late(self):
        """All samples in every batch, so that the path is known; slow rates, so that it is long."""
        problem, rates = LeastSquares(), [0.3, 0.03, 0.01, 0.001, 5e-5]
        features, labels = problem._data
        target = Target("loss", relative=0.15)
        late = []
        for rate in rates:
            chosen = simulation(
                Sampling(replacement=False),
                problem=problem,
                batch_size=8,
                target=target,
                max_steps=30_000,
            )
            steps = chosen.run(np.array([rate]), 2).steps[0]
            x, t = np.asarray(START), 0
            threshold = 0.15 * np.mean((features @ x - labels) ** 2)
            while np.mean((features @ x - labels) ** 2) > threshold:
                x, t = x - rate * (features @ x - labels) @ features / 8, t + 1
            # rounding to float32 may move the crossing itself by a step in ten thousand
            slack = 1 + t // 10_000
            assert np.all(steps >= t - slack)
            assert np.all(steps <= t + max(0, 0.01 * t) + slack)
            if t < 100:
                assert np.all(np.abs(steps - t) <= 1)
            late.append(t)
        assert min(late) < 100
        assert max(late) > 5000

    def test_not_reached_within_max_steps(self):
        chosen = simulation(
            Sampling(), problem=LeastSquares(), target=Target("loss", relative=0.15), max_steps=333
        )
        runs = chosen.run(np.array([1e-5]), 2)
        assert np.all(runs.status == Status.NOT_REACHED)


@pytest.mark.parametrize("batch_size", [1, 3, 300])
def test_mini_batches_are_what_plain_sgd_draws(batch_size):
    """Means of trajectories: E x_{t+1} = x_t - gamma E grad f(x_t) is exact for least squares."""
    problem = LeastSquares()
    features, labels = problem._data
    values = simulation(
        Sampling(),
        problem=problem,
        batch_size=batch_size,
        target=Target("loss", relative=0.1),
        max_steps=3,
    ).trace(1e-3, 4000)
    x = np.asarray(START)
    for row in values:
        x = x - 1e-3 * (features @ x - labels) @ features / 8
        # tiny steps: f is linear along them to one part in a thousand
        assert row.mean() == pytest.approx(np.mean((features @ x - labels) ** 2) / 2, rel=2e-3)


# --- Methods


@dataclass(frozen=True)
class Momentum(Method):
    """Heavy ball: v <- beta v + g, x <- x - gamma v."""

    traced: ClassVar[tuple[str, ...]] = ("beta",)
    beta: float = 0.5

    def init(self, x0):
        return {"x": x0, "v": jnp.zeros_like(x0)}

    def query(self, state):
        return state["x"]

    def step(self, state, gradient, learning_rate, context):
        v = self.beta * state["v"] + gradient
        return {"x": state["x"] - learning_rate * v, "v": v}

    def iterate(self, state):
        return state["x"]


@dataclass(frozen=True)
class ErrorFeedback(Method):
    """Random quantisation to multiples of a unit, its error kept for the next step."""

    unit: ClassVar[float] = 0.05

    def init(self, x0):
        return x0, jnp.zeros_like(x0)

    def query(self, state):
        return state[0]

    def step(self, state, gradient, learning_rate, context):
        x, error = state
        wanted = (learning_rate * gradient + error) / self.unit
        up = jax.random.bernoulli(context.key, wanted - jnp.floor(wanted))
        sent = (jnp.floor(wanted) + up.astype(x.dtype)) * self.unit
        return x - sent, wanted * self.unit - sent

    def iterate(self, state):
        return state[0]


@dataclass(frozen=True)
class DelayAdaptive(Method):
    """gamma_t = gamma/(1 + tau_t)."""

    def init(self, x0):
        return x0

    def query(self, state):
        return state

    def step(self, state, gradient, learning_rate, context):
        return state - learning_rate / (1 + context.delay).astype(state.dtype) * gradient

    def iterate(self, state):
        return state


@dataclass(frozen=True)
class Averaged(Method):
    """SGD judged by the mean of its iterates, which needs the number of steps taken."""

    def init(self, x0):
        return x0, x0

    def query(self, state):
        return state[0]

    def step(self, state, gradient, learning_rate, context):
        x = state[0] - learning_rate * gradient
        weight = 1 / (context.t + 2).astype(x.dtype)
        return x, state[1] + weight * (x - state[1])

    def iterate(self, state):
        return state[1]


class TestMethods:
    h = np.asarray(CURVATURES)

    def loss(self, x):
        return self.h @ (x * x) / 2

    def test_momentum(self):
        values = simulation(method=Momentum(0.7), max_steps=60, delay_size=2).trace(0.1, 2)
        path, v = [np.asarray(START)], np.zeros(3)
        for t in range(60):
            v = 0.7 * v + self.h * path[max(t - 2, 0)]
            path.append(path[-1] - 0.1 * v)
        expected = [self.loss(x) for x in path[1:]]
        np.testing.assert_allclose(values[:, 0], expected, rtol=1e-4, atol=1e-7)

    def test_delay_adaptive(self):
        delay = Recorded()
        delays = delay.schedule(4, 3, 0).window(0, 60)
        values = simulation(method=DelayAdaptive(), delay=delay, delay_size=4, max_steps=60).trace(
            0.5, 2
        )
        path = [np.asarray(START)]
        for t in range(60):
            stale = path[max(t - delays[t], 0)]
            path.append(path[-1] - 0.5 / (1 + delays[t]) * self.h * stale)
        expected = [self.loss(x) for x in path[1:]]
        np.testing.assert_allclose(values[:, 0], expected, rtol=1e-4, atol=1e-7)

    def test_averaging(self):
        values = simulation(method=Averaged(), max_steps=50).trace(0.3, 2)
        path = np.asarray(START) * (1 - 0.3 * self.h) ** np.arange(51)[:, None]
        means = np.cumsum(path, axis=0)[1:] / np.arange(2, 52)[:, None]
        np.testing.assert_allclose(values[:, 0], means**2 @ self.h / 2, rtol=1e-4)

    def test_error_feedback(self):
        chosen = simulation(method=ErrorFeedback(), target=Target(relative=0.05))
        values = chosen.trace(0.3, 16)
        # the method's own randomness: replicates differ though the gradients have no noise
        assert len(np.unique(values[5])) > 1
        np.testing.assert_array_equal(values, chosen.trace(0.3, 16))
        # what is sent is what was wanted, but for one unit: x stays near plain SGD
        path = np.asarray(START) * (1 - 0.3 * self.h) ** np.arange(1, 2001)[:, None]
        near = np.abs(values - (path**2 @ self.h / 2)[:, None])
        assert np.all(near[:50] < 0.5)
        runs = chosen.run(np.array([0.3]), 16)
        assert np.all(runs.status == Status.REACHED)
        assert len(np.unique(runs.steps)) > 1

    def test_a_methods_randomness_is_not_that_of_the_noise(self):
        """Keys and draws of the same step, replicate by replicate, are uncorrelated."""
        keys = observed_keys()
        draws = observed(draws=True, noise=Isotropic(M=1.0), replicates=400)[..., 0]
        assert len(np.unique(keys)) > 0.99 * keys.size
        correlation = np.corrcoef(keys.ravel(), draws.ravel())[0, 1]
        # 16,000 pairs: five standard errors, exceeded once in two million
        assert abs(correlation) < 5 / np.sqrt(keys.size)


@dataclass(frozen=True)
class KeyShown(Method):
    """Shows a normal draw from the key that a step is given."""

    def init(self, x0):
        return x0, x0

    def query(self, state):
        return state[0]

    def step(self, state, gradient, learning_rate, context):
        return state[0], jax.random.normal(context.key, (3,), gradient.dtype)

    def iterate(self, state):
        return state[1]


def observed_keys():
    return simulation(
        Isotropic(M=1.0),
        problem=Probe(),
        method=KeyShown(),
        target=Target("loss", absolute=1e-9),
        max_steps=40,
    ).trace(0.1, 400)


def test_a_noise_of_another_make():
    """A member outside the library: what it draws is what its gradient gets."""

    @dataclass(frozen=True)
    class Signs(Noise):
        """Every coordinate of the gradient off by its own size, up or down."""

        def draw(self, key, problem, batch_size):
            return jax.random.rademacher(key, (3,), jnp.float32)

        def gradient(self, problem, x, sample, batch_size):
            return problem.gradient(x) * (1 + sample)

        def trace(self, problem, x):
            return jnp.sum(problem.gradient(x) ** 2)

    # with gamma h = 1/2 a coordinate is kept or set to zero
    chosen = simulation(Signs(), problem=Quadratic(spectrum=[1.0] * 3, start=[1.0] * 3))
    runs = chosen.run(np.array([0.5]), 64)
    assert np.all(runs.status == Status.REACHED)
    # all three are zero after the maximum of three geometric numbers: E = 22/7, sd below 1.7
    assert runs.steps.mean() == pytest.approx(22 / 7, abs=5 * 1.7 / 8)
    assert np.all(runs.signal == 0)
