"""Cells: what they accept, and what tuning them with the exact engine finds."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from critparam.cell import Cell, LearningRate, compute, first_guess
from critparam.delays.base import Delay, Schedule
from critparam.delays.constant import Constant
from critparam.errors import ArgumentError
from critparam.methods.sgd import SGD
from critparam.noise.additive import Additive
from critparam.noise.isotropic import Isotropic
from critparam.noise.sampling import Sampling
from critparam.problems.logistic_regression import LogisticRegression
from critparam.problems.quadratic import Quadratic
from critparam.runs import NEVER
from critparam.target import Target
from critparam.types import DIVERGENCE_FACTOR, Status

TUNE = LearningRate(tune=True)


def cell(
    problem=None,
    noise=None,
    *,
    batch_size=1,
    delay=0,
    metric="suboptimality",
    relative=1e-2,
    learning_rate=TUNE,
    engine="exact",
    max_steps=20_000,
    **options,
) -> Cell:
    return Cell(
        problem=Quadratic(dim=3, condition_number=10.0) if problem is None else problem,
        noise=Isotropic(M=10.0) if noise is None else noise,
        delay=Constant(),
        method=SGD(),
        target=Target(metric, relative=relative),
        batch_size=batch_size,
        delay_size=delay,
        learning_rate=learning_rate,
        engine=engine,
        max_steps=max_steps,
        **options,
    )


def reported(outcome) -> int:
    return outcome.runs.steps[outcome.chosen, 0]


class Scan:
    """First hits of many learning rates at once by the renewal equation, term by term.

    u(t) = a(t) + gamma^2/b sum_{s < t} k(t - 1 - s) (M u(max(s - tau, 0)) + sigma2) with plain
    sums, for noise of equal variance in every direction.
    """

    def __init__(self, cell: Cell) -> None:
        assert isinstance(cell.noise, Isotropic)
        self.h, self.start = cell.problem.curvatures, np.asarray(cell.problem.initial)
        self.M, self.sigma2 = cell.noise.M, cell.noise.sigma2
        self.b, self.tau = cell.batch_size, cell.delay_size
        self.metric, self.relative = cell.target.metric, cell.target.relative

    def hits(self, rates: np.ndarray, steps: int) -> np.ndarray:
        """First hits within `steps` steps, `NEVER` where there is none or it diverges before."""
        with np.errstate(over="ignore", invalid="ignore"):
            metric = self._metric(rates, steps)
            beyond = np.logical_or.accumulate(~(metric <= DIVERGENCE_FACTOR * metric[:1]), axis=0)
        met = (metric <= self.relative * metric[:1]) & ~beyond
        return np.where(met.any(axis=0), met.argmax(axis=0), NEVER)

    def _metric(self, rates: np.ndarray, steps: int) -> np.ndarray:
        d, tau = len(self.h), self.tau
        path, kernels = self._sums(rates, steps)
        share = rates**2 / (self.b * d)
        norm = np.empty((steps + 1, len(rates)))
        noise = np.empty((steps, len(rates)))
        values = np.empty_like(norm)
        for t in range(steps + 1):
            added = [(kernel[t - 1 :: -1][:t] * noise[:t]).sum(axis=0) for kernel in kernels]
            norm[t] = path[0, t] + added[0]
            values[t] = norm[t] if self.metric == "gradient_norm" else path[1, t] + added[1]
            if t < steps:
                noise[t] = share * (self.M * norm[max(t - tau, 0)] + self.sigma2)
        return values

    def _sums(self, rates: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Both metrics of the noise-free path [2, t, c], and of an impulse [2, t, c]."""
        weights = np.stack([self.h**2, self.h / 2])
        path = np.empty((2, steps + 1, len(rates)))
        kernels = np.empty((2, steps + 1, len(rates)))
        window = np.ones((self.tau + 1, len(rates), len(self.h)))
        for t in range(steps + 1):
            # the window holds psi(t), ..., psi(t + tau)
            path[:, t] = weights * self.start**2 @ (window[-1] ** 2).T
            kernels[:, t] = weights @ (window[0] ** 2).T
            new = window[-1] - rates[:, None] * self.h * window[0]
            window = np.concatenate([window[1:], new[None]])
        return path, kernels


def quadratic(dim: int, condition_number: float) -> Quadratic:
    return Quadratic(dim=dim, condition_number=condition_number)


CELLS = {
    "d=20, noisy": cell(quadratic(20, 10.0), Isotropic(M=100.0), relative=1e-2),
    "d=20, batch": cell(quadratic(20, 10.0), Isotropic(M=100.0), batch_size=64, relative=1e-4),
    "d=20, ill-conditioned": cell(quadratic(20, 100.0), Isotropic(M=1.0), relative=1e-1),
    "d=20, delay": cell(quadratic(20, 10.0), Isotropic(M=10.0), delay=15, relative=1e-2),
    "d=20, long delay": cell(quadratic(20, 10.0), Isotropic(M=100.0), delay=255, relative=1e-1),
    "d=20, batch and delay": cell(
        quadratic(20, 10.0), Isotropic(M=30.0), batch_size=16, delay=31, relative=1e-2
    ),
    "d=20, little noise and delay": cell(
        quadratic(20, 10.0), Isotropic(M=0.1), batch_size=64, delay=127, relative=1e-1
    ),
    "d=20, little noise and delay, gradient": cell(
        quadratic(20, 10.0),
        Isotropic(M=1.0),
        batch_size=256,
        delay=127,
        relative=1e-2,
        metric="gradient_norm",
    ),
    "d=20, additive": cell(
        quadratic(20, 10.0), Isotropic(M=1.0, sigma2=0.02), relative=1e-1, delay=3
    ),
    "d=20, additive, gradient": cell(
        quadratic(20, 100.0), Isotropic(sigma2=1e-3), relative=1e-1, metric="gradient_norm"
    ),
    "d=2, to 1e-6": cell(quadratic(2, 10.0), Isotropic(M=10.0), batch_size=4, relative=1e-6),
    "d=2, delay": cell(quadratic(2, 100.0), Isotropic(M=10.0), delay=7, relative=1e-1),
    "d=2, delay, no noise": cell(quadratic(2, 10.0), Isotropic(), delay=15, relative=1e-2),
    "d=1": cell(quadratic(1, 1.0), Isotropic(M=10.0), relative=1e-6),
    "d=1, delay": cell(quadratic(1, 1.0), Isotropic(M=1.0), delay=63, batch_size=8, relative=1e-4),
    "d=1, long delay, no noise": cell(
        quadratic(1, 1.0), Isotropic(), delay=127, relative=1e-3, metric="gradient_norm"
    ),
    "d=2, long delay, little noise": cell(
        quadratic(2, 100.0),
        Isotropic(M=1.0),
        delay=127,
        batch_size=2048,
        relative=1e-1,
        metric="gradient_norm",
    ),
    "d=20, equal curvatures, long delay": cell(
        quadratic(20, 1.0),
        Isotropic(M=1.0),
        delay=255,
        batch_size=2048,
        relative=1e-4,
        metric="gradient_norm",
    ),
    "d=1, additive": cell(quadratic(1, 1.0), Isotropic(sigma2=0.1), relative=1e-3, batch_size=2),
}


@pytest.mark.parametrize("name", CELLS)
def test_tuned_steps_are_within_one_percent_of_the_best(name):
    """Against 300 rates over four decades, and finely about the reported one."""
    chosen = CELLS[name]
    outcome = compute(chosen)
    steps, rate = reported(outcome), outcome.runs.learning_rates[outcome.chosen]
    assert outcome.runs.status[outcome.chosen, 0] == Status.REACHED
    assert not outcome.at_edge
    scan = Scan(chosen)
    assert scan.hits(np.array([rate]), steps).item() == steps
    rates = np.concatenate([np.geomspace(3e-4, 3.0, 300), rate * np.geomspace(0.8, 1.25, 60)])
    # a better rate would have to hit before this
    sooner = int(np.ceil((steps - 1) / 1.01)) - 1
    if sooner >= 1:
        hits = scan.hits(rates, sooner)
        better = np.where(hits == NEVER, sooner + 1, hits).argmin()
        assert np.all(hits == NEVER), f"{steps} at {rate}, {hits[better]} at {rates[better]}"


def test_tuned_reference(tuned_reference):
    for row in tuned_reference:
        if int(row["delay"]) > 255:
            continue
        outcome = compute(
            cell(
                quadratic(20, 10.0),
                Isotropic(M=float(row["M"])),
                batch_size=int(row["batch_size"]),
                delay=int(row["delay"]),
                relative=1e-4,
                max_steps=400_000,
            )
        )
        steps = int(row["steps"])
        assert steps / 1.01 - 1 <= reported(outcome) <= 1.01 * steps + 1, row
        assert not outcome.at_edge


class TestPolicies:
    def test_a_given_value_is_used_as_it_is(self):
        # h = 1, no noise: f falls to a quarter a step
        problem = Quadratic(spectrum=[1.0])
        outcome = compute(cell(problem, Isotropic(), learning_rate=LearningRate(value=0.5)))
        assert list(outcome.runs.learning_rates) == [0.5]
        assert reported(outcome) == 4
        assert not outcome.at_edge

    def test_the_best_of_a_grid(self):
        problem = Quadratic(spectrum=[1.0])
        policy = LearningRate(grid=[0.9, 0.1, 0.5, 1.8])
        outcome = compute(cell(problem, Isotropic(), learning_rate=policy))
        assert list(outcome.runs.learning_rates) == [0.5, 0.9, 1.8]
        assert outcome.chosen == 1
        assert reported(outcome) == 1
        assert not outcome.at_edge

    def test_a_grid_is_not_extended(self):
        policy = LearningRate(grid=[0.01, 0.02])
        outcome = compute(cell(learning_rate=policy))
        assert outcome.at_edge
        assert outcome.runs.learning_rates[outcome.chosen] == 0.02

    def test_a_value_that_diverges_is_data(self):
        outcome = compute(cell(learning_rate=LearningRate(value=9.0)))
        assert outcome.runs.status.item() == Status.DIVERGED
        assert outcome.runs.steps.item() == NEVER

    @pytest.mark.parametrize("engine", ["exact", "monte_carlo"])
    def test_a_target_out_of_reach_is_data(self, engine):
        outcome = compute(cell(engine=engine, max_steps=2, relative=1e-6, replicates=2))
        assert np.all(outcome.runs.steps == NEVER)
        assert Status.REACHED not in set(outcome.runs.status.ravel())

    @pytest.mark.parametrize("engine", ["exact", "monte_carlo"])
    @pytest.mark.parametrize("policy", [TUNE, LearningRate(value=0.1), LearningRate(grid=[0.1, 9])])
    def test_a_target_met_at_the_start_takes_no_step(self, engine, policy):
        met = replace(
            cell(engine=engine, learning_rate=policy, replicates=2, max_steps=50),
            target=Target("suboptimality", absolute=2.0),
        )
        outcome = compute(met)
        assert np.all(outcome.runs.steps[outcome.chosen] == 0)

    @pytest.mark.parametrize(
        "arguments", [{}, {"tune": True, "value": 0.1}, {"value": 0.1, "grid": [0.1]}]
    )
    def test_exactly_one_of_three(self, arguments):
        with pytest.raises(ArgumentError, match="exactly one"):
            LearningRate(**arguments)

    @pytest.mark.parametrize(
        ("arguments", "argument"),
        [
            ({"value": 0.0}, "value"),
            ({"value": np.nan}, "value"),
            ({"grid": []}, "grid"),
            ({"grid": [0.1, -1.0]}, "grid"),
        ],
    )
    def test_impossible_rates(self, arguments, argument):
        with pytest.raises(ArgumentError) as error:
            LearningRate(**arguments)
        assert error.value.argument == argument


class TestMonteCarlo:
    def test_the_same_twice(self):
        chosen = cell(engine="monte_carlo", batch_size=4, delay=1, replicates=6, max_steps=4000)
        once, again = compute(chosen), compute(chosen)
        assert once.chosen == again.chosen
        for field in ("learning_rates", "steps", "noise", "signal"):
            np.testing.assert_array_equal(getattr(once.runs, field), getattr(again.runs, field))
        assert np.array_equal(once.runs.status, again.runs.status)

    def test_tuned_near_the_exact_rate(self):
        sampled = compute(cell(engine="monte_carlo", batch_size=4, replicates=16, max_steps=4000))
        exact = compute(cell(batch_size=4))
        assert sampled.runs.steps.shape[1] == 16
        assert sampled.runs.all_reached()[sampled.chosen]
        ratio = (
            sampled.runs.learning_rates[sampled.chosen] / exact.runs.learning_rates[exact.chosen]
        )
        assert 0.5 < ratio < 2

    def test_without_noise_both_engines_agree(self):
        options = {"noise": Isotropic(), "learning_rate": LearningRate(value=0.7), "delay": 1}
        exact = compute(cell(**options))
        sampled = compute(cell(engine="monte_carlo", replicates=3, max_steps=500, **options))
        assert np.all(sampled.runs.steps == reported(exact))

    def test_on_data(self):
        problem = LogisticRegression("breast_cancer", l2=1e-2)
        policy = LearningRate(grid=[1e-4, 0.2])
        outcome = compute(
            cell(
                problem,
                Sampling(),
                engine="monte_carlo",
                batch_size=16,
                relative=0.1,
                learning_rate=policy,
                max_steps=2000,
                replicates=4,
            )
        )
        assert outcome.runs.learning_rates[outcome.chosen] == 0.2
        assert outcome.runs.all_reached()[outcome.chosen]


@dataclass(frozen=True)
class Alternating(Delay):
    """0 and `size` in turn."""

    def schedule(self, size, dim, seed):
        return Schedule(
            lambda first, steps: np.arange(first, first + steps, dtype=np.int32) % 2 * size, size
        )


class TestValidation:
    @pytest.mark.parametrize(
        ("field", "value", "argument"),
        [
            ("batch_size", 0, "batch_size"),
            ("delay_size", -1, "delay"),
            ("replicates", 0, "replicates"),
            ("max_steps", 0, "max_steps"),
            ("seed", -1, "seed"),
            ("noise", Sampling(), "kind"),
            ("target", Target("accuracy", absolute=0.9), "metric"),
            ("delay", Alternating(), "engine"),
        ],
    )
    def test_refused(self, field, value, argument):
        with pytest.raises(ArgumentError) as error:
            replace(cell(), **{field: value})
        assert error.value.argument == argument
        assert "\n" not in str(error.value)

    def test_exact_dynamics_where_they_exist(self):
        data = LogisticRegression("breast_cancer", l2=1e-2)
        assert cell().has_exact_dynamics
        assert cell(noise=Additive(sigma2=0.1, covariance="curvature")).has_exact_dynamics
        sampled = cell(engine="monte_carlo")
        assert not replace(sampled, delay=Alternating()).has_exact_dynamics
        assert not replace(sampled, problem=data, noise=Sampling()).has_exact_dynamics
        with pytest.raises(ArgumentError, match="exact"):
            cell(data, Sampling())

    def test_metric_at_start(self):
        problem = Quadratic(spectrum=[0.1, 2.0], start=[1.0, 3.0])
        assert cell(problem).metric_at_start() == pytest.approx(0.05 + 9, rel=1e-15)
        gradient = cell(problem, metric="gradient_norm").metric_at_start()
        assert gradient == pytest.approx(0.01 + 36, rel=1e-15)

    def test_expected_effort(self):
        assert cell(batch_size=5, delay=3).expected_effort() == pytest.approx(1 + 10 / 5 + 3)


class TestFirstGuess:
    def test_without_additive_noise(self):
        problem = Quadratic(spectrum=[0.1, 2.0], start=[1.0, 3.0])
        # 1/(L (1 + M/b + tau))
        guess = first_guess(cell(problem, batch_size=5, delay=3))
        assert guess == pytest.approx(1 / (2 * (1 + 2 + 3)))

    def test_lowered_to_the_noise_floor(self):
        problem = Quadratic(spectrum=[1.0, 2.0], start=[1.0, 1.0])
        # eps = 1.5e-2; b eps/sigma2 = 2 * 1.5e-2/3
        guess = first_guess(cell(problem, Isotropic(sigma2=3.0), batch_size=2))
        assert guess == pytest.approx(0.01)

    def test_on_data_the_noise_is_measured(self):
        problem = LogisticRegression("breast_cancer", l2=1e-2)
        chosen = cell(problem, Sampling(), engine="monte_carlo")
        rows = np.asarray(problem.labels)[:, None] * np.asarray(problem.features)
        # at the origin every slope is -1/2
        gradients = -0.5 * rows
        mean = gradients.mean(axis=0)
        M = ((gradients - mean) ** 2).sum(axis=1).mean() / (mean @ mean)
        assert first_guess(chosen) == pytest.approx(1 / (problem.constants.L * (1 + M)), rel=1e-6)
