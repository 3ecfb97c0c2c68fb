"""Sampling: what it accepts and what it draws; its moments are in tests/statistical."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import as_dtype
from critparam.errors import ArgumentError
from critparam.noise.sampling import GATHER_LIMIT, Sampling
from critparam.problems.logistic_regression import LogisticRegression
from critparam.problems.quadratic import Quadratic

PROBLEM = LogisticRegression("breast_cancer", l2=0.01)
ROWS = np.asarray(PROBLEM.labels)[:, None] * np.asarray(PROBLEM.features)


def test_needs_data():
    with pytest.raises(ArgumentError, match="data"):
        Sampling().check(Quadratic(dim=2, condition_number=2.0))


def test_no_more_than_there_is_without_replacement():
    Sampling(replacement=False).check(PROBLEM, 569)
    Sampling().check(PROBLEM, 570)
    with pytest.raises(ArgumentError, match="569 samples") as error:
        Sampling(replacement=False).check(PROBLEM, 570)
    assert error.value.argument == "batch_size"


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("batch_size", [1, GATHER_LIMIT, GATHER_LIMIT + 1, 569])
def test_indices_or_frequencies(replacement, batch_size):
    """Either way the gradient is the mean over the same kind of batch."""
    cast = as_dtype(PROBLEM, jnp.float32)
    noise = Sampling(replacement)
    sample = noise.draw(jax.random.key(0), cast, batch_size)
    if batch_size <= GATHER_LIMIT:
        assert sample.shape == (batch_size,)
        counts = np.bincount(np.asarray(sample), minlength=569)
    else:
        assert sample.shape == (569,)
        counts = np.asarray(sample) * batch_size
        np.testing.assert_allclose(counts, np.round(counts), atol=1e-4)
    assert counts.sum() == pytest.approx(batch_size, rel=1e-5)
    if not replacement:
        assert counts.max() == pytest.approx(1, abs=1e-4)
    x = jnp.linspace(-1, 1, 31, dtype=jnp.float32)
    margins = ROWS @ np.asarray(x, float)
    gradients = -ROWS / (1 + np.exp(margins))[:, None]
    expected = counts @ gradients / batch_size + 0.01 * np.asarray(x)
    np.testing.assert_allclose(noise.gradient(cast, x, sample, batch_size), expected, atol=2e-5)
