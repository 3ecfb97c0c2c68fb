"""What problems have in common whose losses depend on one inner product with each sample."""

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar, cast

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from critparam.datasets.labels import Labels
from critparam.problems.base import Rows
from critparam.problems.on_data import OnData
from critparam.types import Point, Scalar


class LinearModel(OnData):
    """f(x) = 1/n sum_i loss(<a_i, x>, y_i) + l2/2 ||x||^2, from x_0 = 0.

    Members have the fields `l2` and `bias`, too, and know their loss and their labels.
    """

    traced: ClassVar[tuple[str, ...]] = (
        "features", "labels", "test_features", "test_labels", "l2", "f_star",
    )  # fmt: skip

    l2: float
    bias: bool

    @abstractmethod
    def loss(self, predictions: Array, labels: Array) -> Array:
        """The loss of predictions p and labels y, element by element."""

    @abstractmethod
    def slope(self, predictions: Array, labels: Array) -> Array:
        """The loss's derivative by p, element by element."""

    @property
    @abstractmethod
    def targets(self) -> Labels:
        """The labels y of training rows and of those held out."""

    @property
    @abstractmethod
    def f_star(self) -> float:
        """Min f."""

    @cached_property
    def features(self) -> Float[Array, "n d"]:
        """a_i, the bias last."""
        return self._with_bias(self.dataset.features)

    @cached_property
    def labels(self) -> Float[Array, "n"]:
        """y_i."""
        return cast(Array, self.targets.train)

    @cached_property
    def test_features(self) -> Float[Array, "m d"]:
        """The a_i held out."""
        return self._with_bias(self.dataset.test_features)

    @cached_property
    def test_labels(self) -> Float[Array, "m"]:
        """The y_i held out."""
        return cast(Array, self.targets.test)

    def _with_bias(self, features: np.ndarray) -> Array:
        ones = np.ones((len(features), 1))
        return cast(Array, np.hstack([features, ones]) if self.bias else features)

    @property
    def rows(self) -> Rows:
        """Features and labels."""
        return self.features, self.labels

    @property
    def dim(self) -> int:
        """Number of coordinates: features, and the bias where there is one."""
        return self.features.shape[1]

    @property
    def initial(self) -> Point:
        """The origin."""
        return jnp.zeros_like(self.features[0])

    def suboptimality(self, x: Point) -> Scalar:
        """f(x) - f*."""
        return self.value(x) - self.f_star

    def losses(self, x: Point, rows: Rows) -> Float[Array, "b"]:
        """Loss and penalty of each sample."""
        features, labels = rows
        return self.loss(features @ x, labels) + 0.5 * self.l2 * jnp.sum(x * x)

    def gradient(self, x: Point) -> Point:
        """The full gradient."""
        return self.weighted_gradient(x, jnp.full(self.samples, 1 / self.samples, x.dtype))

    def batch_gradient(self, x: Point, indices: Int[Array, "b"]) -> Point:
        """Mean gradient of the samples at `indices`."""
        features, labels = self.features[indices], self.labels[indices]
        slopes = self.slope(features @ x, labels) / indices.shape[0]
        return slopes @ features + self.l2 * x

    def weighted_gradient(self, x: Point, weights: Float[Array, "n"]) -> Point:
        """The gradient with sample i weighted by weights_i."""
        slopes = self.slope(self.features @ x, self.labels) * weights
        return slopes @ self.features + self.l2 * x

    def mean_squared_gradient(self, x: Point) -> Scalar:
        """1/n sum_i ||grad f_i(x)||^2."""
        predictions = self.features @ x
        slopes = self.slope(predictions, self.labels)
        of_losses = slopes * slopes * jnp.sum(self.features * self.features, axis=1)
        mixed = 2 * self.l2 * slopes * predictions
        return jnp.mean(of_losses + mixed) + self.l2 * self.l2 * jnp.sum(x * x)

    def greatest_curvature(self, of_loss: float) -> float:
        """L where the loss has second derivatives up to `of_loss`."""
        largest = float(np.linalg.norm(np.asarray(self.features), ord=2))
        return of_loss * largest**2 / self.samples + self.l2
