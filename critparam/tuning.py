"""Search for the best constant learning rate, on a lattice of powers around a first guess."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Rates = Float[np.ndarray, "c"]
Score = Callable[[Rates, float], Float[np.ndarray, "c"]]

LARGEST_OCTAVE = 12
"""The search ends this many factors of 2 from the first guess."""

LARGEST_HOPELESS_OCTAVE = 6
"""It ends earlier where no rate has met the target at all."""


@dataclass(frozen=True)
class Lattice:
    """Learning rates guess * 2^(k / per_octave), searched at strides from coarse to 1.

    Attributes:
        per_octave: lattice points in a factor of 2.
        strides: falling, the last one 1; each is at most `radius` + 1 times the next.
        radius: points tried at once on either side of the best one.
    """

    per_octave: int
    strides: tuple[int, ...]
    radius: int = 3

    def rates(self, guess: float, indices: list[int]) -> Rates:
        """The learning rates at these lattice points."""
        return guess * 2.0 ** (np.asarray(indices) / self.per_octave)


EXACT = Lattice(per_octave=64, strides=(64, 16, 4, 1))
"""Neighbours 1.1 % apart, so that the best rate is within 1 % of the best of all."""

EXACT_NEAR_SCAN = Lattice(per_octave=64, strides=(4, 1))
"""The same where a scan has already found the neighbourhood."""

SAMPLED = Lattice(per_octave=8, strides=(8, 2, 1))
"""Neighbours 9 % apart, which Monte Carlo can hardly tell from one another."""

SAMPLED_NEAR_EXACT = Lattice(per_octave=8, strides=(1,), radius=1)
"""The same where the exact engine has already found the neighbourhood."""


@dataclass(frozen=True)
class Tuned:
    """The outcome of a search.

    Attributes:
        learning_rates: the best rate and its neighbours in the final grid, ascending.
        chosen: index of the best among them.
        score: its score, infinite where it was not tried.
        at_edge: whether the search ended with the best rate on the edge of the grid.
    """

    learning_rates: Rates
    chosen: int
    score: float
    at_edge: bool


def tune(score: Score, guess: float, lattice: Lattice, start: Sequence[int] = (0,)) -> Tuned:
    """The lattice point of least score, its grid extended while the optimum lies on its edge.

    Args:
        score: maps learning rates and the best score so far, beyond which a rate need not be
            followed, to their scores: mean steps to target, infinite where given up or where no
            run met it.
        guess: the learning rate at lattice point 0.
        lattice: the grid.
        start: lattice points to try first.
    """
    scores: dict[int, float] = {}
    if len(start) > 1:
        tried = score(lattice.rates(guess, list(start)), np.inf)
        scores |= zip(start, tried.tolist(), strict=True)
    best = _best(scores) if scores else start[0]
    for stride in lattice.strides:
        while new := _untried(scores, best, stride, lattice):
            bound = min(scores.values(), default=np.inf)
            scores |= zip(new, score(lattice.rates(guess, new), bound).tolist(), strict=True)
            best = _best(scores)
    neighbours = [k for k in (best - 1, best, best + 1) if k in scores]
    return Tuned(
        learning_rates=lattice.rates(guess, neighbours),
        chosen=neighbours.index(best),
        score=scores[best],
        at_edge=len(neighbours) < 3,
    )


def choose(score: Score, rates: Rates) -> Tuned:
    """The rate of least score among those given, which are sorted first."""
    ascending = np.unique(rates)
    if len(ascending) == 1:
        return Tuned(ascending, 0, np.inf, at_edge=False)
    scores = score(ascending, np.inf)
    best = _best(dict(enumerate(scores.tolist())))
    first, last = max(best - 1, 0), min(best + 1, len(ascending) - 1)
    at_edge = best in (0, len(ascending) - 1)
    return Tuned(ascending[first : last + 1], best - first, float(scores[best]), at_edge)


def _untried(scores: dict[int, float], best: int, stride: int, lattice: Lattice) -> list[int]:
    """Lattice points to try next at this stride: none once the best has both its neighbours.

    As long as no rate has met the target at all, the grid grows on both sides.
    """
    least, greatest, octaves = best, best, LARGEST_OCTAVE
    if scores and np.isinf(min(scores.values())):
        least, greatest, octaves = min(scores), max(scores), LARGEST_HOPELESS_OCTAVE
    elif best - stride in scores and best + stride in scores:
        return []
    below = [least - stride * offset for offset in range(lattice.radius, 0, -1)]
    above = [greatest + stride * offset for offset in range(1, lattice.radius + 1)]
    limit = octaves * lattice.per_octave
    return [k for k in (*below, best, *above) if k not in scores and abs(k) <= limit]


def _best(scores: dict[int, float]) -> int:
    """The middle one of the points of least score: steps are whole numbers, so ties are common."""
    least = min(scores.values())
    tied = sorted(k for k, value in scores.items() if value == least)
    return tied[(len(tied) - 1) // 2]
