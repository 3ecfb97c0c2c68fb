"""What an engine returns: when each run met the target, and what it met there."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from critparam.types import Status

NEVER = -1
"""Stands for the step of a run that did not meet its target."""


class Runs(NamedTuple):
    """Runs of one cell, for each learning rate and replicate.

    Attributes:
        learning_rates: [c].
        steps: first step at which the target is met, `NEVER` where it is not, [c, r].
        status: how each run ended, [c, r].
        noise: E||xi||^2 of one gradient at that step, NaN where not measured, [c, r].
        signal: ||grad f||^2 at that step, NaN where not measured, [c, r].
        arrival: the iterate at that step, [c, r, d]; not kept once a cell is done.
    """

    learning_rates: Float[np.ndarray, "c"]
    steps: Int[np.ndarray, "c r"]
    status: np.ndarray
    noise: Float[np.ndarray, "c r"]
    signal: Float[np.ndarray, "c r"]
    arrival: Float[np.ndarray, "c r d"] | None = None

    def scores(self, max_steps: int) -> Float[np.ndarray, "c"]:
        """Mean of min(steps, max_steps), infinite where a run was given up or none reached, [c]."""
        reached = self.steps != NEVER
        means = np.where(reached, self.steps, max_steps).mean(axis=1)
        hopeless = (self.status == Status.BEATEN).any(axis=1) | ~reached.any(axis=1)
        return np.where(hopeless, np.inf, means)

    def all_reached(self) -> np.ndarray:
        """Whether every replicate met the target, [c]."""
        return (self.status == Status.REACHED).all(axis=1)
