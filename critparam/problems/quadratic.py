"""Diagonal quadratics: the problem on which the expected dynamics are known exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from critparam.arguments import require_at_least
from critparam.errors import ArgumentError
from critparam.problems.diagonal_quadratic import DiagonalQuadratic
from critparam.spectra import check_spectrum, curvatures, require_choice, require_length
from critparam.types import Point

STARTS = ("equal_energy", "ones")


@dataclass(frozen=True)
class Quadratic(DiagonalQuadratic):
    """f(x) = 1/2 sum_i h_i x_i^2, with f* = 0 at the origin.

    Attributes:
        dim: number of coordinates d; may be left out where a list says it.
        condition_number: largest over smallest curvature, for geometric and linear spectra.
        spectrum: geometric or linear from 1/condition_number to 1, harmonic (h_i = 1/i), or the
            list of curvatures h_i > 0.
        start: equal_energy (x_i = sqrt(2/(h_i d)), so f(x_0) = 1), ones, or a list.
    """

    dim: int | None = None
    condition_number: float | None = None
    spectrum: str | list[float] = "geometric"
    start: str | list[float] = "equal_energy"

    def __post_init__(self) -> None:
        check_spectrum(self.spectrum, self.dim, self.condition_number)
        require_choice("start", self.start, STARTS)
        if not isinstance(self.start, str):
            require_at_least(-np.inf, start=self.start)
            require_length("start", self.start, len(self.curvatures))
            if not np.any(np.asarray(self.start)):
                raise ArgumentError("start", "must not be the minimiser itself", self.start)

    @cached_property
    def curvatures(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The spectrum h, float64 [d]."""
        return curvatures(self.spectrum, self.dim, self.condition_number)

    @cached_property
    def initial(self) -> Point:  # pyright: ignore[reportIncompatibleMethodOverride]
        """x_0, float64 [d]."""
        h = self.curvatures
        if self.start == "equal_energy":
            return np.sqrt(2 / (h * len(h)))
        return np.ones_like(h) if self.start == "ones" else np.asarray(self.start, dtype=float)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """One of each spectrum and start."""
        return [
            cls(dim=3, condition_number=10.0),
            cls(dim=2, condition_number=4.0, spectrum="linear", start="ones"),
            cls(dim=4, spectrum="harmonic"),
            cls(spectrum=[0.1, 2.0], start=[1.0, 0.0]),
        ]
