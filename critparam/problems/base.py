"""What a problem promises to the engines, and the capabilities it may declare."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from jaxtyping import Array, Float, Int

from critparam.component import Component
from critparam.types import Constants, Point, Scalar


class Problem(Component):
    """A function f : R^d -> R to be minimised from a fixed start.

    Attributes:
        metrics: the metrics by which a target on this problem may be set.
        cheap_evaluation: whether a metric costs about as much as a gradient of one sample, so
            that engines may look at it after every step.
        data_digest: SHA-256 of the data the problem is made of, empty for synthetic problems.
    """

    metrics: ClassVar[tuple[str, ...]] = ("suboptimality", "gradient_norm", "loss")
    cheap_evaluation: ClassVar[bool] = True
    data_digest: str = ""

    @property
    @abstractmethod
    def initial(self) -> Point:
        """The point x_0 from which every run starts."""

    @abstractmethod
    def value(self, x: Point) -> Scalar:
        """f(x)."""

    @abstractmethod
    def suboptimality(self, x: Point) -> Scalar:
        """f(x) - f*."""

    @abstractmethod
    def gradient(self, x: Point) -> Point:
        """The exact gradient of f at x."""

    @property
    @abstractmethod
    def constants(self) -> Constants:
        """L, mu and f*, None where unknown."""

    @property
    def curvatures(self) -> np.ndarray | None:
        """The spectrum h [d] if f is a diagonal quadratic 1/2 sum_i h_i x_i^2; else None."""
        return None


class FiniteSum(Problem):
    """A problem f = 1/n sum_i f_i whose gradients can be sampled."""

    cheap_evaluation: ClassVar[bool] = False

    @property
    @abstractmethod
    def samples(self) -> int:
        """Number of samples n."""

    @abstractmethod
    def batch_gradient(self, x: Point, indices: Int[Array, "b"]) -> Point:
        """Mean gradient of the samples at `indices`, repetitions counted."""

    @abstractmethod
    def weighted_gradient(self, x: Point, weights: Float[Array, "n"]) -> Point:
        """sum_i weights_i grad f_i(x), the weights summing to 1."""

    @abstractmethod
    def mean_squared_gradient(self, x: Point) -> Scalar:
        """1/n sum_i ||grad f_i(x)||^2."""
