"""Binary logistic regression with ridge penalty, on data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from critparam.arguments import require_at_least
from critparam.errors import ArgumentError
from critparam.problems.base import FiniteSum
from critparam.problems.data import DATASETS, Dataset, load_dataset
from critparam.types import Constants, Point, Scalar


@dataclass(frozen=True)
class LogisticRegression(FiniteSum):
    """f(x) = 1/n sum_i log(1 + exp(-y_i <a_i, x>)) + l2/2 ||x||^2, from x_0 = 0.

    Attributes:
        data: name of the data set.
        l2: ridge penalty, >= 0, on all coordinates, the bias included. Without it there is a
            minimiser only if no hyperplane separates the classes.
    """

    traced: ClassVar[tuple[str, ...]] = ("signed_features", "l2", "f_star")
    metrics: ClassVar[tuple[str, ...]] = ("suboptimality", "gradient_norm", "loss", "accuracy")

    data: str
    l2: float = 0.0

    def __post_init__(self) -> None:
        if self.data not in DATASETS:
            raise ArgumentError("data", "unknown data set", self.data, accepted=DATASETS)
        require_at_least(0, l2=self.l2)
        if self.l2 == 0 and _is_separable(self.data):
            reason = f"must be positive: {self.data} is separable, so that no minimiser exists"
            raise ArgumentError("l2", reason, self.l2)

    @cached_property
    def _dataset(self) -> Dataset:
        return load_dataset(self.data)

    @property
    def data_digest(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """SHA-256 of the data set."""
        return self._dataset.digest

    @cached_property
    def signed_features(self) -> Float[Array, "n d"]:
        """y_i a_i, all that the loss knows of the data."""
        dataset = self._dataset
        return dataset.labels[:, None] * dataset.features  # pyright: ignore[reportReturnType]

    @property
    def dim(self) -> int:
        """Features and bias."""
        return self.signed_features.shape[1]

    @property
    def samples(self) -> int:
        """Rows of the data set."""
        return self.signed_features.shape[0]

    @property
    def initial(self) -> Point:
        """The origin."""
        return jnp.zeros_like(self.signed_features[0])

    def value(self, x: Point) -> Scalar:
        """f(x)."""
        losses = jax.nn.softplus(-(self.signed_features @ x))
        return jnp.mean(losses) + 0.5 * self.l2 * jnp.sum(x * x)

    def suboptimality(self, x: Point) -> Scalar:
        """f(x) - f*."""
        return self.value(x) - self.f_star

    def accuracy(self, x: Point) -> Scalar:
        """Share of samples classified rightly; on the hyperplane counts as wrong."""
        return jnp.mean(self.signed_features @ x > 0)

    def gradient(self, x: Point) -> Point:
        """The full gradient."""
        return self.weighted_gradient(x, jnp.full(self.samples, 1 / self.samples, x.dtype))

    def batch_gradient(self, x: Point, indices: Int[Array, "b"]) -> Point:
        """Mean gradient of the samples at `indices`."""
        rows = self.signed_features[indices]
        slopes = -jax.nn.sigmoid(-(rows @ x)) / indices.shape[0]
        return slopes @ rows + self.l2 * x

    def weighted_gradient(self, x: Point, weights: Float[Array, "n"]) -> Point:
        """The gradient with sample i weighted by weights_i."""
        slopes = -jax.nn.sigmoid(-(self.signed_features @ x)) * weights
        return slopes @ self.signed_features + self.l2 * x

    def mean_squared_gradient(self, x: Point) -> Scalar:
        """1/n sum_i ||grad f_i(x)||^2."""
        slopes = -jax.nn.sigmoid(-(self.signed_features @ x))
        gradients = slopes[:, None] * self.signed_features + self.l2 * x
        return jnp.mean(jnp.sum(gradients * gradients, axis=1))

    @cached_property
    def f_star(self) -> float:
        """Min f, to 1e-10."""
        return _minimum(self.data, self.l2)

    @property
    def constants(self) -> Constants:
        """L = largest eigenvalue of A^T A/(4 n) + l2, mu = l2, f* as solved."""
        largest = np.linalg.norm(np.asarray(self.signed_features), ord=2)
        smoothness = float(largest) ** 2 / (4 * self.samples) + self.l2
        return Constants(L=smoothness, mu=self.l2, f_star=self.f_star)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Both data sets."""
        return [cls("digits", l2=1e-2), cls("breast_cancer", l2=1e-2)]


@cache
def _minimum(data: str, l2: float) -> float:
    """Min f by a trust-region Newton method, in float64."""
    from scipy.optimize import minimize
    from scipy.special import expit

    dataset = load_dataset(data)
    rows = dataset.labels[:, None] * dataset.features
    n, d = rows.shape

    def value(x: np.ndarray) -> float:
        return float(np.mean(np.logaddexp(0, -rows @ x)) + 0.5 * l2 * x @ x)

    def gradient(x: np.ndarray) -> np.ndarray:
        return -expit(-rows @ x) @ rows / n + l2 * x

    def hessian(x: np.ndarray) -> np.ndarray:
        slopes = expit(-rows @ x)
        return (rows.T * (slopes * (1 - slopes))) @ rows / n + l2 * np.eye(d)

    solution = minimize(
        value,
        np.zeros(d),
        jac=gradient,
        hess=hessian,
        method="trust-exact",
        options={"gtol": 1e-9},
    )
    return float(solution.fun)


@cache
def _is_separable(data: str) -> bool:
    """Whether some hyperplane has every sample on its right side: a linear programme."""
    from scipy.optimize import linprog

    dataset = load_dataset(data)
    rows = dataset.labels[:, None] * dataset.features
    n, d = rows.shape
    programme = linprog(np.zeros(d), A_ub=-rows, b_ub=-np.ones(n), bounds=(None, None))
    return programme.status == 0
