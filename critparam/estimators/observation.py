"""Gradients at points of a path, reduced to what estimators read."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.component import as_dtype
from critparam.curvature import hessian_product
from critparam.errors import ArgumentError
from critparam.estimators.moments import Moments
from critparam.noise.base import Noise
from critparam.problems.base import GRADIENTS_AT_ONCE, FiniteSum, Problem
from critparam.types import Key, Point, Scalar

FULL_PASS_PRODUCTS = 2**28
"""Multiplications that a full pass over the data at one point may cost, roughly."""

SAMPLES = 128
"""Gradients drawn at a point where a full pass would cost more."""


class Touches(NamedTuple):
    """How many of the gradients at a point are not zero in each coordinate.

    Attributes:
        counts: [d].
        gradients: of how many.
        is_exact: whether these are all there are, equally likely.
    """

    counts: np.ndarray
    gradients: int
    is_exact: bool


class Observation(NamedTuple):
    """What gradients say at one point.

    Attributes:
        plain: E||xi||^2 and ||grad f||^2.
        curved: tr(H Sigma) and grad^T H grad, where asked for.
        touches: coordinates touched, where gradients were looked at one by one.
    """

    plain: Moments
    curved: Moments | None = None
    touches: Touches | None = None


def observe_gradients(
    gradients: Float[np.ndarray, "m d"], products: Float[np.ndarray, "m d"] | None = None
) -> Observation:
    """From m independent stochastic gradients at one point, each of one sample.

    Args:
        gradients: [m, d], m >= 4.
        products: H g_i of each, [m, d], for the curvature-weighted ratio.

    Raises:
        ArgumentError: too few gradients, shapes that do not fit, or a number that is not finite.
    """
    gradients = np.asarray(gradients, dtype=float)
    if gradients.ndim != 2:
        raise ArgumentError("gradients", "must have shape [m, d]", gradients.shape)
    curved = None
    if products is not None:
        products = np.asarray(products, dtype=float)
        if products.shape != gradients.shape:
            raise ArgumentError("products", f"must be {gradients.shape}", products.shape)
        curved = Moments.of_products(gradients @ products.T)
    touches = Touches(np.count_nonzero(gradients, axis=0), len(gradients), is_exact=False)
    return Observation(Moments.of_products(gradients @ gradients.T), curved, touches)


def observe(
    problem: Problem,
    noise: Noise,
    points: Sequence[Point] | Float[np.ndarray, "k d"],
    *,
    samples: int | None = None,
    curvature: bool = False,
    seed: int = 0,
) -> list[Observation]:
    """Gradients of a problem at each of these points, in float64.

    Args:
        problem: where.
        noise: how its gradients are observed.
        points: [k, d].
        samples: gradients drawn at each point, >= 4; where it is left out, all gradients of a
            data set are used if that is affordable, and `SAMPLES` are drawn if not.
        curvature: whether to multiply gradients by the Hessian, one product for each.
        seed: of the draws, >= 0.

    Raises:
        ArgumentError: a problem without these gradients, a size out of range, a point that is
            not finite.
    """
    noise.check(problem)
    require_at_least(0, seed=seed)
    array = np.atleast_2d(np.asarray(points, dtype=float))
    dim = np.size(problem.initial)
    if array.ndim != 2 or array.shape[1] != dim or not np.all(np.isfinite(array)):
        raise ArgumentError("points", f"must be finite numbers, [k, {dim}]", array.shape)
    if samples is not None:
        require_at_least(4, samples=samples)
    with jax.enable_x64(True), jax.threefry_partitionable(True):
        observing = _Observing(
            as_dtype(problem, jnp.float64), as_dtype(noise, jnp.float64), samples, curvature
        )
        keys = jax.random.split(jax.random.key(seed, impl="threefry2x32"), len(array))
        return [observing.at(jnp.asarray(x), key) for x, key in zip(array, keys, strict=True)]


class _Observing(NamedTuple):
    """How points are observed: see `observe`."""

    problem: Problem
    noise: Noise
    samples: int | None
    curvature: bool

    def at(self, x: Array, key: Key) -> Observation:
        """One point; curvature costs more, and may be sampled where the rest is not."""
        if not self._passes_over_all(curvature=False):
            return self._draw(x, key, curvature=self.curvature)
        curvature = self.curvature and self._passes_over_all(curvature=True)
        assert isinstance(self.problem, FiniteSum)
        plain, curved, counts = _all_gradients(self.problem, x, curvature=curvature)
        seen = Observation(
            Moments(*map(float, plain)),
            Moments(*map(float, curved)) if curvature else None,
            Touches(np.asarray(counts), self.problem.samples, is_exact=True),
        )
        if self.curvature and not curvature:
            seen = seen._replace(curved=self._draw(x, key, curvature=True).curved)
        return seen

    def _passes_over_all(self, *, curvature: bool) -> bool:
        if self.samples is not None or not isinstance(self.problem, FiniteSum):
            return False
        n = self.problem.samples
        cost = n * np.size(self.problem.initial) * (n if curvature else 1)
        return cost <= FULL_PASS_PRODUCTS

    def _draw(self, x: Array, key: Key, *, curvature: bool) -> Observation:
        keys = jax.random.split(key, self.samples or SAMPLES)
        gradients = _sampled_gradients(self.problem, self.noise, x, keys)
        products = _hessian_products(self.problem, x, gradients) if curvature else None
        return observe_gradients(
            np.asarray(gradients), None if products is None else np.asarray(products)
        )


@jax.jit
def _sampled_gradients(problem: Problem, noise: Noise, x: Point, keys: Key) -> Array:
    def sample(key: Key) -> Point:
        return noise.gradient(problem, x, noise.draw(key, problem, 1), 1)

    return jax.lax.map(sample, keys, batch_size=GRADIENTS_AT_ONCE)


@jax.jit
def _hessian_products(problem: Problem, x: Point, gradients: Array) -> Array:
    return jax.lax.map(partial(hessian_product, problem, x), gradients)


@partial(jax.jit, static_argnames="curvature")
def _all_gradients(
    problem: FiniteSum, x: Point, *, curvature: bool
) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar], Array]:
    """Noise and signal, plain and weighted by curvature, and coordinates touched, over all data."""
    mean = problem.gradient(x)

    def look(index: Array) -> tuple[Scalar, Scalar, Array]:
        gradient = problem.batch_gradient(x, index[None])
        deviation = gradient - mean
        weighted = hessian_product(problem, x, deviation) if curvature else deviation
        touched = jnp.asarray(gradient) != 0
        return jnp.dot(deviation, deviation), jnp.dot(deviation, weighted), touched

    indices = jnp.arange(problem.samples)
    squares, weighted, touched = jax.lax.map(look, indices, batch_size=GRADIENTS_AT_ONCE)
    curved_mean = hessian_product(problem, x, mean) if curvature else mean
    return (
        (squares.mean(), jnp.dot(mean, mean)),
        (weighted.mean(), jnp.dot(mean, curved_mean)),
        touched.sum(axis=0),
    )
