"""Isotropic noise by hand."""

import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import as_dtype
from critparam.errors import ArgumentError
from critparam.noise.isotropic import Isotropic
from critparam.problems.quadratic import Quadratic

PROBLEM = as_dtype(Quadratic(spectrum=[1.0, 2.0], start="ones"), jnp.float32)
X = jnp.array([3.0, 2.0], jnp.float32)  # gradient (3, 4), squared norm 25


def test_gradient():
    noise = as_dtype(Isotropic(M=2.0, sigma2=14.0), jnp.float32)
    sample = jnp.array([1.0, -0.5], jnp.float32)
    # sqrt((2 * 25 + 14)/(8 * 2)) = 2
    out = noise.gradient(PROBLEM, X, sample, jnp.float32(8))
    np.testing.assert_allclose(out, [5, 3], rtol=1e-6)


def test_trace_and_constants():
    noise = Isotropic(M=2.0, sigma2=14.0)
    assert float(as_dtype(noise, jnp.float32).trace(PROBLEM, X)) == pytest.approx(64)
    assert noise.constants(PROBLEM) == (2.0, 14.0)
    moment = noise.second_moment(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(moment.multiplicative, [1, 1])
    np.testing.assert_array_equal(moment.additive, [7, 7])


def test_without_noise_the_gradient_is_exact():
    noise = as_dtype(Isotropic(), jnp.float32)
    out = noise.gradient(PROBLEM, X, jnp.array([1.0, -0.5], jnp.float32), jnp.float32(1))
    np.testing.assert_array_equal(out, [3, 4])


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [({"M": -1.0}, "M"), ({"sigma2": -1e-9}, "sigma2"), ({"M": float("inf")}, "M")],
)
def test_refused(arguments, argument):
    with pytest.raises(ArgumentError) as error:
        Isotropic(**arguments)
    assert error.value.argument == argument
