"""Which learning rates need not be followed further, because they cannot be the best."""

import numpy as np

from critparam.lanes import Lanes
from critparam.runs import NEVER


def under_way(lanes: Lanes) -> np.ndarray:
    """Which runs have neither met their target nor diverged, [c, r]."""
    return (np.asarray(lanes.steps) == NEVER) & ~np.asarray(lanes.diverged)


def cannot_win(lanes: Lanes, taken: int, bound: float, keep: int | None) -> np.ndarray:
    """Learning rates whose mean steps will exceed the bound or that of a finished one, [c]."""
    steps, waiting = np.asarray(lanes.steps), under_way(lanes)
    finished = (steps != NEVER).all(axis=1)
    if finished.any():
        bound = min(bound, float(steps[finished].mean(axis=1).min()))
    at_least = np.where(steps == NEVER, taken, steps).mean(axis=1)
    beaten = (at_least > bound) & waiting.any(axis=1)
    if keep is not None:
        beaten[keep] = False
    return beaten
