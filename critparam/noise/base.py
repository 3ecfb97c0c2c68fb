"""What a noise model promises to the engines."""

from abc import abstractmethod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.component import Component
from critparam.problems.base import Problem
from critparam.types import Key, NoiseConstants, Point, Scalar


class SecondMoment(NamedTuple):
    """Noise on a diagonal quadratic: Var xi_i = multiplicative_i ||grad f||^2 + additive_i.

    Attributes:
        multiplicative: [d], of one gradient, summing to M.
        additive: [d], of one gradient, summing to sigma2.
    """

    multiplicative: np.ndarray
    additive: np.ndarray


class Noise(Component):
    """A distribution of stochastic gradients g(x) with E g(x) = grad f(x).

    A draw does not depend on the point, so that one serves every learning rate; its randomness
    comes from the key alone, so that common keys mean common random numbers.
    """

    def check(self, problem: Problem, batch_size: int = 1) -> None:
        """Raise `ArgumentError` if batches of this size cannot be observed on the problem."""

    def draw(self, key: Key, problem: Problem, batch_size: int) -> Any:
        """What one mini-batch needs of chance: by default, a standard normal vector [d].

        The batch size may decide the shape of a draw only where `batch_size_is_static`.
        """
        initial = jnp.asarray(problem.initial)
        return jax.random.normal(key, initial.shape, initial.dtype)

    @property
    def batch_size_is_static(self) -> bool:
        """Whether draws of different batch sizes differ in shape."""
        return False

    @abstractmethod
    def gradient(
        self, problem: Problem, x: Point, sample: Any, batch_size: int | Float[Array, ""]
    ) -> Point:
        """The mean of `batch_size` stochastic gradients at x, given a draw."""

    @abstractmethod
    def trace(self, problem: Problem, x: Point) -> Scalar:
        """E||xi(x)||^2 of one stochastic gradient."""

    def constants(self, problem: Problem) -> NoiseConstants:
        """M and sigma2 that hold at every point, where known."""
        return NoiseConstants()

    def second_moment(self, curvatures: np.ndarray) -> SecondMoment | None:
        """The noise on a diagonal quadratic with curvatures h [d], where it has this form."""
        return None
