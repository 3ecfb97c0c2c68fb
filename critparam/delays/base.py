"""What a delay promises to the engines."""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from critparam.component import Component


class Schedule(NamedTuple):
    """Staleness of every step's gradient, made before a simulation since it ignores x.

    Attributes:
        delays: integers >= 0, [steps] or, for coordinate-wise staleness, [steps, d].
        maximum: a bound on them, which sizes the memory of past points.
    """

    delays: np.ndarray
    maximum: int


class Delay(Component):
    """A family of delay sequences, indexed by its size tau."""

    @property
    def is_constant(self) -> bool:
        """Whether every step has delay `size`, as the exact engine requires."""
        return False

    @abstractmethod
    def schedule(self, size: int, steps: int, seed: int) -> Schedule:
        """The delays of the first `steps` steps; deterministic in (size, steps, seed)."""
