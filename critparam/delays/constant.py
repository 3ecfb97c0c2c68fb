"""The same delay at every step: what tau + 1 equally fast asynchronous workers produce."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from critparam.delays.base import Delay, Schedule


@dataclass(frozen=True)
class Constant(Delay):
    """tau_t = tau; steps before the tau-th read the starting point."""

    @property
    def is_constant(self) -> bool:
        """By definition."""
        return True

    def schedule(self, size: int, dim: int, seed: int) -> Schedule:
        """`size` at every step."""
        return Schedule(lambda first, steps: np.broadcast_to(np.int32(size), (steps,)), size)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """There is one."""
        return [cls()]
