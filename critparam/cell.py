"""One point of a sweep, tuned and measured: from a specification to runs."""

from dataclasses import dataclass
from typing import Literal

import jax
import numpy as np

from critparam.arguments import require_at_least, require_positive
from critparam.curvature import greatest_curvature
from critparam.delays.base import Delay
from critparam.errors import ArgumentError
from critparam.measured import Measured, measure
from critparam.methods.base import Method
from critparam.moments import ExpectedDynamics, first_hits
from critparam.noise.base import Noise
from critparam.problems.base import FiniteSum, Problem
from critparam.runs import Runs
from critparam.scan import promising
from critparam.simulate import Precision, Simulation
from critparam.target import Target, metric_at
from critparam.theory import admissible_learning_rate
from critparam.tuning import (
    EXACT,
    EXACT_NEAR_SCAN,
    SAMPLED,
    SAMPLED_NEAR_EXACT,
    Rates,
    Tuned,
    choose,
    tune,
)
from critparam.types import Point, Scalar, Status

Engine = Literal["exact", "monte_carlo"]


@dataclass(frozen=True)
class LearningRate:
    """How a cell's constant learning rate is found; exactly one of the three.

    Attributes:
        tune: search for the best one.
        value: this one.
        grid: the best of these.
    """

    tune: bool = False
    value: float | None = None
    grid: list[float] | None = None

    def __post_init__(self) -> None:
        if sum((self.tune, self.value is not None, self.grid is not None)) != 1:
            raise ArgumentError("learning_rate", "needs exactly one of tune, value, grid", self)
        if self.value is not None:
            require_positive(value=self.value)
        if self.grid is not None:
            if not self.grid:
                raise ArgumentError("grid", "must not be empty", self.grid)
            require_positive(grid=self.grid)


@dataclass(frozen=True)
class Cell:
    """Everything that decides the runs at one batch size and delay.

    Attributes:
        batch_size: b, gradients averaged in a step.
        delay_size: size of the delay, tau where it is constant.
        replicates: Monte-Carlo runs that are reported; half as many others tune.
        max_steps: steps after which a run is given up.
    """

    problem: Problem
    noise: Noise
    delay: Delay
    method: Method
    target: Target
    batch_size: int
    delay_size: int
    learning_rate: LearningRate
    engine: Engine
    precision: Precision = "float32"
    replicates: int = 32
    max_steps: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        require_at_least(1, batch_size=self.batch_size, replicates=self.replicates)
        require_at_least(0, delay=self.delay_size, seed=self.seed)
        require_at_least(1, max_steps=self.max_steps)
        self.noise.check(self.problem, self.batch_size)
        self.target.check(self.problem)
        if self.engine == "exact" and not self.has_exact_dynamics:
            reason = "exact needs sgd on a quadratic with Gaussian noise and a constant delay"
            raise ArgumentError("engine", reason, self.engine)

    @property
    def has_exact_dynamics(self) -> bool:
        """Whether the exact engine applies."""
        curvatures = self.problem.curvatures
        return (
            curvatures is not None
            and self.noise.second_moment(curvatures) is not None
            and self.delay.is_constant
            and self.method.is_plain_sgd
        )

    @property
    def is_sequential(self) -> bool:
        """Whether it is what speedups are relative to: one gradient at a time, none stale."""
        return (self.batch_size, self.delay_size) == (1, 0)

    def metric_at_start(self) -> float:
        """The target's metric at x_0, in float64."""
        with jax.enable_x64(True):
            return float(metric_at(self.problem, self.target.metric, self.problem.initial))

    def expected_effort(self) -> float:
        """A number that grows with the time the cell takes: 1 + M/b + tau."""
        M = self.noise.constants(self.problem).M or 0.0
        return 1 + M / self.batch_size + self.delay_size


@dataclass(frozen=True)
class Outcome:
    """A computed cell.

    Attributes:
        runs: of the reported learning rate and its neighbours in the final grid.
        chosen: index of the reported learning rate among them.
        at_edge: whether the best rate lies on the edge of the grid.
        measured: B from gradients, of sequential runs on data that met their target.
    """

    runs: Runs
    chosen: int
    at_edge: bool
    measured: Measured | None = None


def compute(cell: Cell) -> Outcome:
    """Tune the cell's learning rate and run it."""
    solve = _compute_exact if cell.engine == "exact" else _compute_sampled
    return solve(cell)


def _compute_exact(cell: Cell) -> Outcome:
    tuned = _tune_exact(cell)
    runs = first_hits(
        _dynamics(cell), cell.target, tuned.learning_rates, cell.max_steps, bound=tuned.score
    )
    return Outcome(runs, tuned.chosen, tuned.at_edge)


def _tune_exact(cell: Cell) -> Tuned:
    dynamics = _dynamics(cell)

    def score(rates: Rates, bound: float) -> np.ndarray:
        runs = first_hits(dynamics, cell.target, rates, cell.max_steps, bound=bound)
        return runs.scores(cell.max_steps)

    given = _given_rates(cell.learning_rate)
    if given is not None:
        return choose(score, given)
    guess = first_guess(cell)
    start = promising(dynamics, cell.target, guess, cell.max_steps)
    return tune(score, guess, EXACT_NEAR_SCAN, start) if start else tune(score, guess, EXACT)


def _dynamics(cell: Cell) -> ExpectedDynamics:
    curvatures = cell.problem.curvatures
    assert curvatures is not None
    noise = cell.noise.second_moment(curvatures)
    assert noise is not None
    initial = np.asarray(cell.problem.initial)
    return ExpectedDynamics(curvatures, initial, noise, cell.batch_size, cell.delay_size)


def _compute_sampled(cell: Cell) -> Outcome:
    simulation = Simulation(
        problem=cell.problem,
        noise=cell.noise,
        delay=cell.delay,
        method=cell.method,
        target=cell.target,
        batch_size=cell.batch_size,
        delay_size=cell.delay_size,
        max_steps=cell.max_steps,
        seed=cell.seed,
        precision=cell.precision,
    )
    tuned = _tune_sampled(cell, simulation)
    runs = simulation.run(
        tuned.learning_rates, cell.replicates, keep=tuned.chosen, measure=cell.is_sequential
    )
    measured = _measured(cell, runs, tuned.chosen)
    return Outcome(runs._replace(arrival=None), tuned.chosen, tuned.at_edge, measured)


def _measured(cell: Cell, runs: Runs, chosen: int) -> Measured | None:
    if not cell.is_sequential or not isinstance(cell.problem, FiniteSum):
        return None
    reached = runs.status[chosen] == Status.REACHED
    if runs.arrival is None or not reached.any():
        return None
    return measure(cell.problem, cell.noise, cell.target, runs.arrival[chosen][reached])


def _tune_sampled(cell: Cell, simulation: Simulation) -> Tuned:
    """Search on replicates of their own; start where the exact engine, if it applies, ends.

    Half as many replicates are enough, since all learning rates share their random numbers.
    """
    tuning_replicates = -(-cell.replicates // 2)

    def score(rates: Rates, bound: float) -> np.ndarray:
        runs = simulation.run(rates, tuning_replicates, stream="tuning", bound=bound, measure=False)
        return runs.scores(cell.max_steps)

    given = _given_rates(cell.learning_rate)
    if given is not None:
        return choose(score, given)
    if cell.has_exact_dynamics:
        exact = _tune_exact(cell)
        return tune(score, exact.learning_rates[exact.chosen], SAMPLED_NEAR_EXACT)
    return tune(score, first_guess(cell), SAMPLED)


def _given_rates(policy: LearningRate) -> Rates | None:
    if policy.value is not None:
        return np.array([policy.value])
    return None if policy.grid is None else np.asarray(policy.grid, dtype=float)


def first_guess(cell: Cell) -> float:
    """The theoretical learning rate, with what is unknown measured at the start."""
    problem, noise = cell.problem, cell.noise
    M, sigma2 = noise.constants(problem)
    with jax.enable_x64(True):
        x0 = problem.initial
        signal = float(metric_at(problem, "gradient_norm", x0))
        if M is None or sigma2 is None:
            M, sigma2 = float(_noise_trace(noise, problem, x0)) / signal, 0.0
    if cell.target.metric not in ("suboptimality", "gradient_norm"):
        sigma2 = 0.0  # no threshold to compare the noise floor with
    rate = admissible_learning_rate(
        "non_convex" if cell.target.metric == "gradient_norm" else "strongly_convex",
        L=problem.constants.L or greatest_curvature(problem, problem.initial),
        eps=cell.target.threshold(cell.metric_at_start()),
        M=M,
        sigma2=sigma2,
        batch_size=cell.batch_size,
        delay=cell.delay_size,
    )
    return float(rate)


@jax.jit
def _noise_trace(noise: Noise, problem: Problem, x: Point) -> Scalar:
    return noise.trace(problem, x)
