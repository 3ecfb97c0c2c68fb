"""Where to look for the best learning rate of an exactly known system.

Steps to target are not unimodal in the learning rate: with delays the dynamics oscillate, and a
rate at which they cross the target in time lies in a basin a few per cent wide. So a dense scan
comes first. It is affordable because small steps hardly know their size: with time counted in
units of s steps, rates s times as large, delays s times as short and batches s times as large
(noise accumulates over s steps), the dynamics are nearly the same, and take s times fewer steps.
"""

import dataclasses

import numpy as np

from critparam.moments import ExpectedDynamics, first_hits
from critparam.target import Target
from critparam.tuning import EXACT

FINEST = 64.0
"""Least number of steps of size 1/L that the scanned system takes to move by 1/curvature."""

OCTAVES = (-2, 3)
"""Range of the scan around the theoretical rate, in factors of 2."""

TOLERANCE = 1.05
"""Basins whose best scanned steps exceed the least by no more than this factor are looked into."""

MOST_BASINS = 3
MOST_LEAPS = 64


def promising(
    dynamics: ExpectedDynamics, target: Target, guess: float, max_steps: int
) -> list[int]:
    """Points of the exact lattice in whose neighbourhood the best rate may lie, best first.

    Args:
        dynamics: the system.
        target: what is to be met.
        guess: the learning rate at lattice point 0.
        max_steps: steps after which a run is given up.

    Returns:
        Lattice points; none if no scanned rate met the target.
    """
    scale = max(1.0, 1 / (guess * float(np.max(dynamics.curvatures)) * FINEST))
    coarse = dataclasses.replace(
        dynamics,
        batch_size=dynamics.batch_size * scale,
        delay=max(round((dynamics.delay + 1) / scale) - 1, 0),
    )
    points = np.arange(OCTAVES[0] * EXACT.per_octave, OCTAVES[1] * EXACT.per_octave + 1)
    rates = EXACT.rates(guess * scale, points.tolist())
    steps = max(int(max_steps / scale), 1)
    scores = first_hits(coarse, target, rates, steps).scores(steps)
    basins = [int(points[index]) for index in _basins(scores)]
    if not basins:
        return []
    return [*basins, *(point for point in _leaps(dynamics, target, guess) if point not in basins)]


def _leaps(dynamics: ExpectedDynamics, target: Target, guess: float) -> list[int]:
    """Lattice points at which the first steps, before delays come into play, may be enough.

    Until step tau + 1 the noise-free path is x_t = x_0 (1 - gamma t h): where it meets the target
    for some gamma t, as in one dimension, rates gamma t/1, gamma t/2, ... may do, however unstable.
    """
    h, x0 = dynamics.curvatures, np.asarray(dynamics.initial)
    power = 2 if target.metric == "gradient_norm" else 1
    energy = h**power * x0**2
    leap = float((energy @ h) / (energy @ h**2))
    left = float(energy @ (1 - leap * h) ** 2) / float(energy.sum())
    at_start = float(energy.sum()) / (1 if power == 2 else 2)
    if left * at_start > target.threshold(at_start):
        return []
    steps = np.arange(1, min(dynamics.delay + 1, MOST_LEAPS) + 1)
    points = np.round(EXACT.per_octave * np.log2(leap / steps / guess)).astype(int)
    return list(dict.fromkeys(points.tolist()))


def _basins(scores: np.ndarray) -> list[int]:
    """Indices of the local minima that are nearly as low as the lowest, lowest first."""
    if not np.isfinite(scores).any():
        return []
    framed = np.concatenate([[np.inf], scores, [np.inf]])
    is_minimum = (framed[1:-1] <= framed[:-2]) & (framed[1:-1] <= framed[2:])
    is_low = scores <= TOLERANCE * scores.min() + 1
    found = np.flatnonzero(is_minimum & is_low)
    starts = found[np.insert(np.diff(found) > 1, 0, True)]  # one for each run of ties
    return sorted(starts.tolist(), key=lambda index: scores[index])[:MOST_BASINS]
