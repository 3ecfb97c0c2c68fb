"""The vocabulary of types: array shapes, numerical outcomes, and constants that may be unknown.

Shape letters: d coordinates, n samples of a data set, b samples of a mini-batch, c learning
rates, r replicates, t steps.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

Point = Float[Array | np.ndarray, "d"]
Scalar = Float[Array, ""]
Key = PRNGKeyArray


class Status(StrEnum):
    """How a run at one learning rate ended; every one of these is data, none an error."""

    REACHED = "reached"
    NOT_REACHED = "not_reached"
    DIVERGED = "diverged"
    BEATEN = "beaten"


class Constants(NamedTuple):
    """Smoothness L, strong convexity mu and least value f_star of a problem; None: unknown."""

    L: float | None = None
    mu: float | None = None
    f_star: float | None = None


class NoiseConstants(NamedTuple):
    """M and sigma2 of E||xi||^2 <= M ||grad f||^2 + sigma2, of one gradient; None: unknown."""

    M: float | None = None
    sigma2: float | None = None


DIVERGENCE_FACTOR = 1e6
"""A run has diverged once its metric exceeds this many times its value at the start."""
