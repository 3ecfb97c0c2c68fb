"""Curvature of a problem around a point, by Hessian-vector products."""

import jax
import jax.numpy as jnp

from critparam.component import as_dtype
from critparam.problems.base import Problem
from critparam.types import Point, Scalar

POWER_ITERATIONS = 30


def hessian_product(problem: Problem, x: Point, direction: Point) -> Point:
    """The Hessian of f at x times a direction [d]."""
    return jax.jvp(problem.gradient, (x,), (direction,))[1]


def greatest_curvature(problem: Problem, x: Point) -> float:
    """Largest absolute eigenvalue of the Hessian at x, from below, to a few per cent."""
    single = as_dtype(problem, jnp.float32)
    return float(_greatest_curvature(single, jnp.asarray(x, jnp.float32)))


@jax.jit
def _greatest_curvature(problem: Problem, x: Point) -> Scalar:
    start = jax.random.normal(jax.random.key(0, impl="threefry2x32"), x.shape, x.dtype)

    def iterate(_: int, direction: Point) -> Point:
        product = hessian_product(problem, x, direction)
        return product / jnp.maximum(jnp.linalg.norm(product), jnp.finfo(x.dtype).tiny)

    direction = jax.lax.fori_loop(0, POWER_ITERATIONS, iterate, start)
    return jnp.linalg.norm(hessian_product(problem, x, direction)) / jnp.linalg.norm(direction)
