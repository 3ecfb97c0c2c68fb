"""Binary logistic regression, with or without ridge penalty, on data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from critparam.arguments import require_at_least
from critparam.datasets.labels import Labels, two_classes
from critparam.datasets.loading import DataSpec
from critparam.errors import ArgumentError
from critparam.problems.linear_model import LinearModel
from critparam.types import Constants, Point, Scalar


@dataclass(frozen=True)
class LogisticRegression(LinearModel):
    """f(x) = 1/n sum_i log(1 + exp(-y_i <a_i, x>)) + l2/2 ||x||^2, from x_0 = 0.

    Attributes:
        data: name of a data set, or a mapping with its kind and options.
        l2: ridge penalty, >= 0, on all coordinates, the bias included. Without it there is a
            minimiser only if no hyperplane separates the classes.
        bias: whether a constant feature is added.
        positive: the labels that count as y = 1; where it is left out, the data set's own choice,
            else the larger of two.
    """

    data: DataSpec
    l2: float = 0.0
    bias: bool = True
    positive: list[int | float | str] | None = None

    def __post_init__(self) -> None:
        require_at_least(0, l2=self.l2)
        rows = self._signed_rows
        if self.l2 == 0 and _is_separable(rows):
            reason = "must be positive: the classes are separable, so that no minimiser exists"
            raise ArgumentError("l2", reason, self.l2)

    @cached_property
    def targets(self) -> Labels:  # pyright: ignore[reportIncompatibleMethodOverride]
        """-1 or 1."""
        return two_classes(self.dataset, self.positive)

    @cached_property
    def _signed_rows(self) -> np.ndarray:
        """y_i a_i, all that the loss knows of the data, [n, d]."""
        return np.asarray(self.labels)[:, None] * np.asarray(self.features)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Accuracy too; on the rows held out where there are any."""
        held_out = ("test_accuracy",) if len(self.test_labels) else ()
        return (*super().metrics, "accuracy", *held_out)

    def loss(self, predictions: Array, labels: Array) -> Array:
        """log(1 + exp(-y p))."""
        return jax.nn.softplus(-labels * predictions)

    def slope(self, predictions: Array, labels: Array) -> Array:
        """-y/(1 + exp(y p))."""
        return -labels * jax.nn.sigmoid(-labels * predictions)

    def accuracy(self, x: Point) -> Scalar:
        """Share of samples classified rightly; on the hyperplane counts as wrong."""
        return jnp.mean(self.labels * (self.features @ x) > 0)

    def test_accuracy(self, x: Point) -> Scalar:
        """The same share, of the samples held out."""
        return jnp.mean(self.test_labels * (self.test_features @ x) > 0)

    @cached_property
    def f_star(self) -> float:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Min f, to 1e-10."""
        return _minimum(self._signed_rows, self.l2)

    @property
    def constants(self) -> Constants:
        """L = largest eigenvalue of A^T A/(4 n) + l2, mu = l2, f* as solved."""
        return Constants(L=self.greatest_curvature(1 / 4), mu=self.l2, f_star=self.f_star)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Strongly convex, merely convex, and with some rows held out."""
        return [
            cls("digits", l2=1e-2),
            cls("digits"),
            cls({"kind": "breast_cancer", "test_fraction": 0.25, "seed": 1}, l2=1e-2),
        ]


def _minimum(rows: np.ndarray, l2: float) -> float:
    """Min f by a trust-region Newton method, in float64; rows are y_i a_i, [n, d]."""
    from scipy.optimize import minimize
    from scipy.special import expit

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


def _is_separable(rows: np.ndarray) -> bool:
    """Whether some hyperplane has every sample on its right side: a linear programme."""
    from scipy.optimize import linprog

    n, d = rows.shape
    programme = linprog(np.zeros(d), A_ub=-rows, b_ub=-np.ones(n), bounds=(None, None))
    return programme.status == 0
