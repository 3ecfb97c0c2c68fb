"""Spectra of curvatures, from the names that experiment files give them."""

from collections.abc import Sequence

import numpy as np

from critparam.arguments import require_at_least, require_positive
from critparam.errors import ArgumentError

SPECTRA = ("geometric", "linear", "harmonic")
LARGEST_DIM = 10_000_000


def check_spectrum(
    spectrum: str | Sequence[float], dim: int | None, condition_number: float | None
) -> None:
    """Raise `ArgumentError` unless the three describe a spectrum; see `curvatures`."""
    if dim is not None:
        require_at_least(1, dim=dim)
        if dim > LARGEST_DIM:
            raise ArgumentError("dim", f"must be at most {LARGEST_DIM:,}", dim)
    if condition_number is not None:
        require_at_least(1, condition_number=condition_number)
    require_choice("spectrum", spectrum, SPECTRA)
    if not isinstance(spectrum, str):
        require_positive(spectrum=spectrum)
        require_length("spectrum", spectrum, dim)
    elif dim is None:
        raise ArgumentError("dim", f"is needed for a {spectrum} spectrum", None)
    elif spectrum != "harmonic" and condition_number is None:
        raise ArgumentError("condition_number", f"is needed for a {spectrum} spectrum", None)


def curvatures(
    spectrum: str | Sequence[float], dim: int | None, condition_number: float | None
) -> np.ndarray:
    """The spectrum h, float64 [d].

    Args:
        spectrum: geometric or linear from 1/condition_number to 1, harmonic (h_i = 1/i), or the
            list of the h_i.
        dim: number of coordinates d; may be None where a list says it.
        condition_number: largest over smallest, for geometric and linear.
    """
    if not isinstance(spectrum, str):
        return np.asarray(spectrum, dtype=float)
    assert dim is not None
    if spectrum == "harmonic":
        return 1 / np.arange(1.0, dim + 1)
    assert condition_number is not None
    if dim == 1:
        return np.ones(1)
    space = np.geomspace if spectrum == "geometric" else np.linspace
    return space(1 / condition_number, 1, dim)


def require_length(name: str, values: Sequence[float], dim: int | None) -> None:
    """A list must not be empty, and must have `dim` values where that is known."""
    if len(values) == 0:
        raise ArgumentError(name, "must not be empty", values)
    if dim is not None and len(values) != dim:
        raise ArgumentError(name, f"must have {dim} values, not {len(values)}", values)


def require_choice(name: str, value: str | Sequence[float], choices: tuple[str, ...]) -> None:
    """A name must be one of several; a list is another matter."""
    if isinstance(value, str) and value not in choices:
        raise ArgumentError(
            name, f"must be {', '.join(choices)} or a list of numbers", value, accepted=choices
        )
