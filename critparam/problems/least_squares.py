"""Linear least squares, with or without ridge penalty, on data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, cast

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.datasets.labels import Labels, numbers
from critparam.datasets.loading import DataSpec
from critparam.problems.linear_model import LinearModel
from critparam.types import Constants, Point, Scalar


@dataclass(frozen=True)
class LeastSquares(LinearModel):
    """f(x) = 1/(2n) sum_i (<a_i, x> - y_i)^2 + l2/2 ||x||^2, from x_0 = 0.

    f is a quadratic with Hessian H = A^T A/n + l2: strongly convex where H is regular.

    Attributes:
        data: name of a data set, or a mapping with its kind and options; labels are numbers.
        l2: ridge penalty, >= 0, on all coordinates, the bias included.
        bias: whether a constant feature is added.
    """

    traced: ClassVar[tuple[str, ...]] = (*LinearModel.traced, "minimiser", "root_hessian")

    data: DataSpec
    l2: float = 0.0
    bias: bool = False

    def __post_init__(self) -> None:
        require_at_least(0, l2=self.l2)
        _ = self.targets

    @cached_property
    def targets(self) -> Labels:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The labels as they are."""
        return numbers(self.dataset)

    def loss(self, predictions: Array, labels: Array) -> Array:
        """1/2 (p - y)^2."""
        return 0.5 * (predictions - labels) ** 2

    def slope(self, predictions: Array, labels: Array) -> Array:
        """P - y."""
        return predictions - labels

    def suboptimality(self, x: Point) -> Scalar:
        """f(x) - f* = 1/2 ||H^(1/2) (x - x*)||^2, which loses no digits near x*."""
        return 0.5 * jnp.sum((self.root_hessian @ (x - self.minimiser)) ** 2)

    @cached_property
    def minimiser(self) -> Float[Array, "d"]:
        """The minimiser x* nearest to the origin."""
        labels = np.asarray(self.labels) / np.sqrt(self.samples)
        right = np.concatenate([labels, np.zeros(self.dim)])
        return cast(Array, np.linalg.lstsq(self._stacked, right)[0])

    @cached_property
    def root_hessian(self) -> Float[Array, "d d"]:
        """R with R^T R = H, upper triangular."""
        return cast(Array, np.linalg.qr(self._stacked, mode="r"))

    @cached_property
    def _stacked(self) -> np.ndarray:
        """B with B^T B = H, [n + d, d]: the features, and the penalty as further rows."""
        features = np.asarray(self.features) / np.sqrt(self.samples)
        return np.vstack([features, np.sqrt(self.l2) * np.eye(self.dim)])

    @cached_property
    def f_star(self) -> float:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Min f, in closed form."""
        x, features = np.asarray(self.minimiser), np.asarray(self.features)
        residuals = features @ x - np.asarray(self.labels)
        return float(0.5 * np.mean(residuals**2) + 0.5 * self.l2 * x @ x)

    @property
    def constants(self) -> Constants:
        """L and mu, the extreme eigenvalues of H, and f*."""
        singular_values = np.linalg.svd(self._stacked, compute_uv=False)
        mu = max(float(singular_values[-1]) ** 2, self.l2)
        return Constants(L=self.greatest_curvature(1.0), mu=mu, f_star=self.f_star)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Synthetic, with noise and interpolating, and on data."""
        noisy = {"kind": "gaussian", "samples": 60, "dim": 5, "condition_number": 10.0}
        return [
            cls({**noisy, "label_noise": 1.0}, l2=0.1),
            cls({"kind": "gaussian", "samples": 30, "spectrum": [1.0, 0.5, 0.1]}),
            cls("diabetes", bias=True),
        ]
