"""Exact engine: the expected dynamics of delayed mini-batch SGD on quadratics, without sampling.

With psi_i the response of x_{k+1} = x_k - gamma h_i x_{k - tau} to a unit impulse, the noise-free
path is m_i(t) = x_i(0) psi_i(t + tau), and noise xi_i(s), observed at step s, moves x_i(t) by
-gamma psi_i(t - 1 - s) xi_i(s). Hence u(t) = E||grad f(x_t)||^2 obeys a scalar renewal equation,

    u(t) = a(t) + gamma^2/b sum_{s < t} k(t - 1 - s) u(max(s - tau, 0)),

solved by convolving a with the resolvent of k; E f(x_t) follows by one more convolution.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from critparam.arguments import require_at_least
from critparam.noise.base import SecondMoment
from critparam.renewal import (
    SHORT,
    Rates,
    Rows,
    convolve,
    projected_responses,
    resolvent_of,
    shifted,
)
from critparam.runs import NEVER, Runs
from critparam.target import Target
from critparam.types import DIVERGENCE_FACTOR, Status

Metrics = Float[np.ndarray, "c 2 t"]

FIRST_HORIZON = 128
"""Steps computed at first, before the horizon doubles."""


class Expectations(NamedTuple):
    """Expected metrics at steps 0, 1, ..., infinite from the step at which they diverge.

    Attributes:
        suboptimality: E f(x_t) - f*, [c, steps + 1].
        gradient_norm: E||grad f(x_t)||^2, [c, steps + 1].
    """

    suboptimality: Rows
    gradient_norm: Rows


class Energies(NamedTuple):
    """Sums over coordinates of squared impulse responses, for both metrics.

    Attributes:
        noise_free: the metrics of the noise-free path at t.
        multiplicative: what noise of the variance ||grad f||^2 at step 0 adds to them at t.
        additive: what constant noise at step 0 adds to them at t.
    """

    noise_free: Metrics
    multiplicative: Metrics
    additive: Metrics


@dataclass(frozen=True)
class ExpectedDynamics:
    """Delayed mini-batch SGD on f(x) = 1/2 sum_i h_i x_i^2.

    Attributes:
        curvatures: h, [d].
        initial: x_0, [d].
        noise: second moments of one stochastic gradient's noise.
        batch_size: b; need not be whole.
        delay: tau; the gradient of step t is taken at x_{max(t - tau, 0)}.
    """

    curvatures: Float[np.ndarray, "d"]
    initial: Float[np.ndarray, "d"]
    noise: SecondMoment
    batch_size: float = 1
    delay: int = 0

    def expectations(self, learning_rates: Rates, steps: int) -> Expectations:
        """Expected metrics over `steps` steps for every learning rate, in float64."""
        require_at_least(0, steps=steps)
        if steps == 0:
            return Expectations(*(row[:, :1] for row in self.expectations(learning_rates, 1)))
        energies = self._energies(np.asarray(learning_rates, dtype=float), steps + 1)
        at_start = energies.noise_free[:, :, :1].copy()
        starts = (at_start, *(kernel[:, :, 1:2] for kernel in energies[1:]))
        diverged = np.any([_exceeds(*pair) for pair in zip(energies, starts, strict=True)], axis=0)
        metrics = np.full_like(energies.noise_free, np.inf)
        lengths = np.sum(~diverged[:, 0], axis=1)
        for sequence in energies:
            np.copyto(sequence, 0.0, where=diverged)
        # What comes after a divergence would spoil what is before it, except where it is short.
        horizons = np.where(lengths <= SHORT, min(SHORT, steps + 1), lengths)
        for horizon in np.unique(horizons):
            rows = np.flatnonzero(horizons == horizon)
            metrics[rows, :, :horizon] = self._solve(
                Energies(*(sequence[rows, :, :horizon] for sequence in energies))
            )
        np.copyto(metrics, np.inf, where=diverged | _exceeds(metrics, at_start))
        return Expectations(metrics[:, 0], metrics[:, 1])

    def _solve(self, energies: Energies) -> Metrics:
        """Both metrics, by superposition of the noise-free path and of additive noise."""
        metrics = self._respond(energies.noise_free, energies.multiplicative, history=True)
        if np.any(self.noise.additive):
            forcing = np.cumsum(energies.additive, axis=2)
            metrics += self._respond(forcing, energies.multiplicative, history=False)
        return metrics

    def _energies(self, rates: Rates, length: int) -> Energies:
        """All sums over coordinates that the dynamics need, at steps 0..length - 1."""
        h, noise, tau = self.curvatures, self.noise, self.delay
        metric_weights = np.stack([h / 2, h * h])
        factors = (self.initial**2, noise.multiplicative, noise.additive)
        weights = np.concatenate([metric_weights * factor for factor in factors])
        used = weights.any(axis=1)
        projected = np.zeros((len(rates), len(weights), length))
        projected[:, used] = projected_responses(rates[:, None] * h, tau, weights[used], length)
        # The noise of step 0 acts from step 1 on, and for tau steps nothing contracts it.
        kernels = np.zeros_like(projected[:, 2:])
        kernels[:, :, 1 : tau + 1] = weights[2:].sum(axis=1)[None, :, None]
        kernels[:, :, tau + 1 :] = projected[:, 2:, : max(length - tau - 1, 0)]
        kernels *= (rates**2 / self.batch_size)[:, None, None]
        return Energies(projected[:, :2], kernels[:, :2], kernels[:, 2:])

    def _respond(self, forcing: Metrics, kernels: Metrics, *, history: bool) -> Metrics:
        """The metrics with this forcing, multiplicative noise added to it by feedback.

        With `history`, the first tau steps observe the starting point, before any feedback.
        """
        if not np.any(kernels):
            return forcing.copy()
        tau, length = self.delay, forcing.shape[2]
        resolvent, growth = resolvent_of(shifted(kernels[:, 1], tau), tau)
        observed = np.zeros_like(forcing[:, 1])
        early: Rows | float = 0.0
        if not history:
            growth = np.maximum(growth, 1.0)  # constant forcing: the solution tends to a floor
        elif tau:
            observed[:, :tau] = forcing[:, 1, :1]
            early = convolve(kernels[:, 1], observed[:, :tau], growth)
        gradient_norm = convolve(resolvent, forcing[:, 1] + early, growth)
        observed[:, tau:] = gradient_norm[:, : max(length - tau, 0)]
        suboptimality = forcing[:, 0] + convolve(kernels[:, 0], observed, growth)
        return np.stack([suboptimality, gradient_norm], axis=1)


def _exceeds(metrics: Metrics, at_start: Float[np.ndarray, "c 2 1"]) -> np.ndarray:
    """Whether some metric has diverged by each step, [c, 1, t]."""
    beyond = ~(metrics <= DIVERGENCE_FACTOR * at_start)
    return np.logical_or.accumulate(beyond.any(axis=1, keepdims=True), axis=2)


def first_hits(
    dynamics: ExpectedDynamics,
    target: Target,
    learning_rates: Rates,
    max_steps: int,
    *,
    bound: float = np.inf,
    race: bool = True,
) -> Runs:
    """First steps at which the expected metric meets the target, one replicate each.

    E f need not be monotone, so every step is looked at. Where no bound is known, the horizon
    doubles until a learning rate has hit.

    Args:
        dynamics: the system.
        target: on suboptimality, loss (the same, since f* = 0) or gradient_norm.
        learning_rates: [c].
        max_steps: steps after which a run is given up as not reached.
        bound: number of steps known to be attainable.
        race: whether learning rates slower than the first to hit, or than `bound`, are given up
            (beaten); else every one is followed to its fate.
    """
    rates = np.asarray(learning_rates, dtype=float)
    runs = _nothing_yet(rates)
    limit = max(int(min(max_steps, bound)), 1) if race else max_steps
    horizon = min(FIRST_HORIZON + 4 * dynamics.delay, limit) if np.isinf(bound) else limit
    waiting = np.arange(len(rates))
    while len(waiting):
        expectations = dynamics.expectations(rates[waiting], horizon)
        _note_arrivals(runs, waiting, expectations, target, dynamics.noise)
        waiting = np.flatnonzero(runs.status[:, 0] == Status.NOT_REACHED)
        if horizon >= limit or (race and np.any(runs.steps != NEVER)):
            break
        horizon = min(2 * horizon, limit)
    if race and (horizon < max_steps):
        runs.status[waiting] = Status.BEATEN
    return runs


def _nothing_yet(rates: Rates) -> Runs:
    shape = (len(rates), 1)
    return Runs(
        learning_rates=rates,
        steps=np.full(shape, NEVER),
        status=np.full(shape, Status.NOT_REACHED, dtype=object),
        noise=np.full(shape, np.nan),
        signal=np.full(shape, np.nan),
    )


def _note_arrivals(
    runs: Runs,
    waiting: np.ndarray,
    expectations: Expectations,
    target: Target,
    noise: SecondMoment,
) -> None:
    """Enter into `runs` what these expectations decide about the waiting learning rates."""
    norms = expectations.gradient_norm
    metrics = norms if target.metric == "gradient_norm" else expectations.suboptimality
    met = metrics <= target.threshold(metrics[0, 0])
    for row, index in enumerate(waiting):
        if met[row].any():
            step = int(met[row].argmax())
            signal = norms[row, step]
            runs.steps[index], runs.status[index] = step, Status.REACHED
            runs.signal[index] = signal
            runs.noise[index] = noise.multiplicative.sum() * signal + noise.additive.sum()
        elif np.isinf(metrics[row, -1]):
            runs.status[index] = Status.DIVERGED
