"""Additive noise by hand."""

import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import as_dtype
from critparam.errors import ArgumentError
from critparam.noise.additive import Additive
from critparam.problems.logistic_regression import LogisticRegression
from critparam.problems.quadratic import Quadratic

H = [0.5, 2.0]
PROBLEM = as_dtype(Quadratic(spectrum=H, start="ones"), jnp.float32)
X = jnp.array([2.0, 3.0], jnp.float32)  # gradient (1, 6)
SAMPLE = jnp.array([1.0, -1.0], jnp.float32)


@pytest.mark.parametrize(
    ("covariance", "variances", "total"),
    [("identity", [4.0, 4.0], 8.0), ("curvature", [4.0, 16.0], 20.0)],
)
def test_by_hand(covariance, variances, total):
    noise = Additive(sigma2=8.0, covariance=covariance)
    cast = as_dtype(noise, jnp.float32)
    out = cast.gradient(PROBLEM, X, SAMPLE, jnp.float32(4))
    np.testing.assert_allclose(out, [1, 6] + np.sqrt(np.array(variances) / 4) * [1, -1], rtol=1e-6)
    assert float(cast.trace(PROBLEM, X)) == pytest.approx(total)
    assert noise.constants(Quadratic(spectrum=H)) == (0.0, total)
    moment = noise.second_moment(np.array(H))
    np.testing.assert_array_equal(moment.multiplicative, [0, 0])
    np.testing.assert_allclose(moment.additive, variances)


def test_curvature_needs_a_quadratic():
    problem = LogisticRegression("digits", l2=0.01)
    Additive(sigma2=1.0).check(problem)
    with pytest.raises(ArgumentError, match="quadratic"):
        Additive(sigma2=1.0, covariance="curvature").check(problem)


@pytest.mark.parametrize(
    ("arguments", "argument"), [({"sigma2": -1.0}, "sigma2"), ({"covariance": "cov"}, "covariance")]
)
def test_refused(arguments, argument):
    with pytest.raises(ArgumentError) as error:
        Additive(**arguments)
    assert error.value.argument == argument
