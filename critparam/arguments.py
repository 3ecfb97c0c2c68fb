"""Checks of numeric arguments, scalars and arrays alike; all raise `ArgumentError` by name."""

from typing import Any

import numpy as np

from critparam.errors import ArgumentError


def require_at_least(bound: float, **arguments: Any) -> None:
    """Every named argument is finite and >= bound, element by element."""
    for name, value in arguments.items():
        array = _finite(name, value)
        if np.any(array < bound):
            raise ArgumentError(name, f"must be at least {bound:g}", value)


def require_positive(**arguments: Any) -> None:
    """Every named argument is finite and > 0, element by element."""
    for name, value in arguments.items():
        if np.any(_finite(name, value) <= 0):
            raise ArgumentError(name, "must be positive", value)


def require_fraction(*, one_allowed: bool = False, **arguments: Any) -> None:
    """Every named argument lies in (0, 1), or in (0, 1] where `one_allowed`."""
    for name, value in arguments.items():
        array = _finite(name, value)
        if np.any((array <= 0) | (array > 1 if one_allowed else array >= 1)):
            interval = "above 0 and at most 1" if one_allowed else "strictly between 0 and 1"
            raise ArgumentError(name, f"must be {interval}", value)


def _finite(name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(name, "must be a number", value) from None
    if not np.all(np.isfinite(array)):
        raise ArgumentError(name, "must be finite", value)
    return array
