"""Mini-batches drawn from a data set."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from critparam.errors import ArgumentError
from critparam.noise.base import Noise
from critparam.problems.base import FiniteSum, Problem
from critparam.types import Key, Point, Scalar

GATHER_LIMIT = 256
"""Largest batch whose rows are gathered; above it, one product with all data is cheaper."""


@dataclass(frozen=True)
class Sampling(Noise):
    """The mean gradient of `batch_size` samples drawn uniformly.

    Attributes:
        replacement: whether the samples of one mini-batch are drawn with replacement.
    """

    static: ClassVar[tuple[str, ...]] = ("replacement",)

    replacement: bool = True

    def check(self, problem: Problem, batch_size: int = 1) -> None:
        """Sampling needs data, and without replacement no more of it than there is."""
        if not isinstance(problem, FiniteSum):
            raise ArgumentError("kind", "needs a problem on data", "sampling")
        if not self.replacement and batch_size > problem.samples:
            reason = f"exceeds the {problem.samples} samples, drawn without replacement"
            raise ArgumentError("batch_size", reason, batch_size)

    @property
    def batch_size_is_static(self) -> bool:
        """A draw is a list of indices, or of counts."""
        return True

    def draw(self, key: Key, problem: Problem, batch_size: int) -> Any:
        """Indices [b] of the samples, or their relative frequencies [n] for large batches."""
        assert isinstance(problem, FiniteSum)
        n = problem.samples
        if self.replacement:
            indices = jax.random.randint(key, (batch_size,), 0, n)
        else:
            indices = jax.random.choice(key, n, (batch_size,), replace=False)
        if batch_size <= GATHER_LIMIT:
            return indices
        weights = jnp.zeros(n, jnp.asarray(problem.initial).dtype)
        return weights.at[indices].add(1.0) / batch_size

    def gradient(
        self, problem: Problem, x: Point, sample: Any, batch_size: int | Float[Array, ""]
    ) -> Point:
        """1/b sum_i grad f_i(x) over the batch."""
        assert isinstance(problem, FiniteSum)
        if jnp.issubdtype(sample.dtype, jnp.integer):
            return problem.batch_gradient(x, sample)
        return problem.weighted_gradient(x, sample)

    def trace(self, problem: Problem, x: Point) -> Scalar:
        """1/n sum_i ||grad f_i||^2 - ||grad f||^2, by a pass over all data."""
        assert isinstance(problem, FiniteSum)
        gradient = problem.gradient(x)
        return problem.mean_squared_gradient(x) - jnp.sum(gradient * gradient)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """With and without replacement."""
        return [cls(), cls(replacement=False)]
