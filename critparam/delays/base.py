"""What a delay promises to the engines."""

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from critparam.component import Component

Staleness = Int[np.ndarray, "steps"] | Int[np.ndarray, "steps d"]


class Schedule(NamedTuple):
    """Staleness of every step's gradient, which ignores x.

    Attributes:
        window: maps the first of some steps and their number to integers >= 0, a staleness for
            each step, or for each of its coordinates; made as they are asked for, so that memory
            does not grow with the number of steps.
        maximum: a bound on them, which sizes the memory of past points.
    """

    window: Callable[[int, int], Staleness]
    maximum: int


class Delay(Component):
    """A family of delay sequences, indexed by its size tau."""

    @property
    def is_constant(self) -> bool:
        """Whether every step has delay `size`, as the exact engine requires."""
        return False

    @abstractmethod
    def schedule(self, size: int, dim: int, seed: int) -> Schedule:
        """The delays at this size, for iterates [dim]; deterministic in (size, dim, seed)."""
