"""What a problem promises to the engines, and the capabilities it may declare."""

from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from critparam.component import Component
from critparam.types import Constants, Point, Scalar

Rows = Any
"""Samples of a data set: arrays, or a tuple of them, whose first axis counts the samples."""

GRADIENTS_AT_ONCE = 256
"""Single-sample gradients held in memory at once."""


class Problem(Component):
    """A function f : R^d -> R to be minimised from a fixed start.

    Attributes:
        cheap_evaluation: whether a metric costs about as much as a gradient of one sample, so
            that engines may look at it after every step.
        data_digest: SHA-256 of the data the problem is made of, empty for synthetic problems.
    """

    cheap_evaluation: ClassVar[bool] = True
    data_digest: str = ""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics by which a target on this problem may be set; each is a method by name."""
        return ("suboptimality", "gradient_norm", "loss")

    @property
    @abstractmethod
    def initial(self) -> Point:
        """The point x_0 from which every run starts."""

    @abstractmethod
    def value(self, x: Point) -> Scalar:
        """f(x)."""

    @abstractmethod
    def gradient(self, x: Point) -> Point:
        """The exact gradient of f at x."""

    @property
    @abstractmethod
    def constants(self) -> Constants:
        """L, mu and f*, None where unknown."""

    def suboptimality(self, x: Point) -> Scalar:
        """f(x) - f*, for problems that have this metric."""
        raise NotImplementedError(f"f* of {type(self).__name__} is unknown")

    @property
    def curvatures(self) -> np.ndarray | None:
        """The spectrum h [d] if f is a diagonal quadratic 1/2 sum_i h_i x_i^2; else None."""
        return None

    def identity(self) -> dict[str, Any]:
        """What decides the function beside `data_digest`: the spec but for where data lies."""
        return {key: value for key, value in self.spec().items() if key != "data"}


class FiniteSum(Problem):
    """A problem f = 1/n sum_i f_i whose gradients can be sampled.

    Members give the losses of samples; gradients follow by differentiation, unless a member
    knows a faster way.
    """

    cheap_evaluation: ClassVar[bool] = False

    @property
    @abstractmethod
    def rows(self) -> Rows:
        """The samples, first axis n."""

    @abstractmethod
    def losses(self, x: Point, rows: Rows) -> Float[Array, "b"]:
        """f_i(x) of each of these samples."""

    @property
    def samples(self) -> int:
        """Number of samples n."""
        return len(jax.tree.leaves(self.rows)[0])

    def value(self, x: Point) -> Scalar:
        """f(x), by a pass over all data."""
        return jnp.mean(self.losses(x, self.rows))

    def gradient(self, x: Point) -> Point:
        """The full gradient."""
        return jax.grad(self.value)(x)

    def batch_gradient(self, x: Point, indices: Int[Array, "b"]) -> Point:
        """Mean gradient of the samples at `indices`, repetitions counted."""
        rows = jax.tree.map(lambda array: array[indices], self.rows)
        return jax.grad(lambda x: jnp.mean(self.losses(x, rows)))(x)

    def weighted_gradient(self, x: Point, weights: Float[Array, "n"]) -> Point:
        """sum_i weights_i grad f_i(x), the weights summing to 1."""
        return jax.grad(lambda x: jnp.dot(weights, self.losses(x, self.rows)))(x)

    def mean_squared_gradient(self, x: Point) -> Scalar:
        """1/n sum_i ||grad f_i(x)||^2."""

        def squared_norm(row: Rows) -> Scalar:
            one = jax.tree.map(lambda array: array[None], row)
            gradient = jax.grad(lambda x: self.losses(x, one)[0])(x)
            return jnp.sum(gradient * gradient)

        return jnp.mean(jax.lax.map(squared_norm, self.rows, batch_size=GRADIENTS_AT_ONCE))
