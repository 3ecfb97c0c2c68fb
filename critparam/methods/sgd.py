"""Stochastic gradient descent, with mini-batches and stale gradients alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from critparam.methods.base import Context, Method
from critparam.types import Point, Scalar


@dataclass(frozen=True)
class SGD(Method):
    """x_{t+1} = x_t - gamma g_t, g_t the mini-batch gradient at x_{max(t - tau, 0)}."""

    @property
    def is_plain_sgd(self) -> bool:
        """By definition."""
        return True

    def init(self, x0: Point) -> Point:
        """The state is the iterate."""
        return x0

    def query(self, state: Point) -> Point:
        """The iterate."""
        return state

    def step(self, state: Point, gradient: Point, learning_rate: Scalar, context: Context) -> Point:
        """One gradient step."""
        return state - learning_rate * gradient

    def iterate(self, state: Point) -> Point:
        """The iterate."""
        return state

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """There is one."""
        return [cls()]
