"""Synthetic data for regression: Gaussian features of a known covariance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from critparam.arguments import require_at_least
from critparam.datasets.base import Source, Table
from critparam.spectra import check_spectrum, curvatures

GAUSSIAN_STREAM = 1
"""Keeps these draws apart from those of the subsample and the split, which have the same seed."""


@dataclass(frozen=True, kw_only=True)
class Gaussian(Source):
    """Rows a ~ N(0, diag h) with labels y = <a, w> + label_noise * N(0, 1).

    The weights w_j = +-sqrt(2/(h_j d)), signs at random, have expected loss 1/2 E<a, w>^2 = 1,
    split evenly over the coordinates. `seed` decides the data, too.

    Attributes:
        samples: number of rows n.
        dim: number of columns d; may be left out where `spectrum` is a list.
        condition_number: largest over smallest variance, for geometric and linear spectra.
        spectrum: of the covariance: geometric or linear from 1/condition_number to 1, harmonic
            (h_j = 1/j), or the list of variances h_j > 0.
        label_noise: standard deviation of the labels given the features; without it, and with at
            least as many columns as the labels need, the data can be interpolated.
    """

    samples: int
    dim: int | None = None
    condition_number: float | None = None
    spectrum: str | Sequence[float] = "geometric"
    label_noise: float = 0.0
    standardise: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(2, samples=self.samples)
        require_at_least(0, label_noise=self.label_noise)
        if not isinstance(self.spectrum, str):
            object.__setattr__(self, "spectrum", tuple(self.spectrum))
        check_spectrum(self.spectrum, self.dim, self.condition_number)

    def read(self) -> Table:
        """The features and labels drawn."""
        h = curvatures(self.spectrum, self.dim, self.condition_number)
        rng = np.random.default_rng([self.seed, GAUSSIAN_STREAM])
        features = rng.normal(size=(self.samples, len(h))) * np.sqrt(h)
        weights = rng.choice([-1.0, 1.0], len(h)) * np.sqrt(2 / (h * len(h)))
        labels = features @ weights + self.label_noise * rng.normal(size=self.samples)
        return Table(features, labels)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """With noisy labels and without, from a named spectrum and from a list."""
        return [
            cls(samples=40, dim=3, condition_number=10.0, label_noise=0.5),
            cls(samples=20, spectrum=[1.0, 0.1]),
        ]
