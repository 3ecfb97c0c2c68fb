"""Shared memory without locks: every coordinate is read with a staleness of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Int

from critparam.arguments import require_fraction
from critparam.delays.base import Delay, Schedule

BLOCK = 256
"""Steps whose staleness is drawn at a time."""


@dataclass(frozen=True)
class LockFree(Delay):
    """Inconsistent reads of tau + 1 equally fast workers, as in Hogwild-style training.

    While a worker computes the gradient of step t the others write tau steps. It reads the
    coordinates one by one, each at a random moment of the first share `reading` of that time: the
    first ones tau steps stale, the last ones (1 - reading) tau. Writes are never lost.

    Attributes:
        reading: share of its time during which a worker reads, in (0, 1]; towards 0 all
            coordinates are tau steps stale, as with constant delay.
    """

    reading: float = 1.0

    def __post_init__(self) -> None:
        require_fraction(one_allowed=True, reading=self.reading)

    def schedule(self, size: int, dim: int, seed: int) -> Schedule:
        """Uniform on ceil((1 - reading) tau), ..., tau, independent in steps and coordinates.

        All sizes share their random numbers.
        """
        least = int(np.ceil((1 - self.reading) * size))

        def block(number: int) -> Int[np.ndarray, "steps d"]:
            uniform = np.random.default_rng([seed, number]).random((BLOCK, dim))
            return (least + np.floor(uniform * (size - least + 1))).astype(np.int32)

        def window(first: int, steps: int) -> Int[np.ndarray, "steps d"]:
            numbers = range(first // BLOCK, -(-(first + steps) // BLOCK))
            offset = first % BLOCK
            return np.concatenate([block(n) for n in numbers])[offset : offset + steps]

        return Schedule(window, size)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Reading all the time, and half of it."""
        return [cls(), cls(reading=0.5)]
