"""Every noise is unbiased and has the variance that it claims.

Seed 0, never tuned. Over all comparisons of this file together, a correct program fails with
probability at most `FAILURE`.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from critparam.component import as_dtype
from critparam.noise.additive import Additive
from critparam.noise.isotropic import Isotropic
from critparam.noise.sampling import GATHER_LIMIT, Sampling
from critparam.problems.base import FiniteSum
from critparam.problems.quadratic import Quadratic
from critparam.types import Constants

FAILURE = 1e-3
COMPARISONS = 200  # a bound on their number
LIMIT = stats.norm.isf(FAILURE / 2 / COMPARISONS)
DRAWS = 20_000


@dataclass(frozen=True)
class Rows(FiniteSum):
    """Least squares on n rows of three features, whose gradients are taken at `X3` only."""

    static: ClassVar[tuple[str, ...]] = ("n",)
    n: int = 12

    @property
    def _data(self):
        rng = np.random.default_rng(self.n)
        return rng.normal(size=(self.n, 3)).astype(np.float32), rng.normal(size=self.n)

    def gradients(self, x):
        """Of every sample, float64 [n, d]."""
        features, labels = self._data
        return (features @ x - labels)[:, None] * features

    @property
    def initial(self):
        return jnp.zeros(3)

    @property
    def samples(self):
        return self.n

    def value(self, x):
        raise NotImplementedError

    suboptimality = value

    def gradient(self, x):
        return self.batch_gradient(x, jnp.arange(self.n))

    def batch_gradient(self, x, indices):
        return jnp.asarray(self.gradients(np.asarray(X3)), jnp.float32)[indices].mean(axis=0)

    def weighted_gradient(self, x, weights):
        return weights @ jnp.asarray(self.gradients(np.asarray(X3)), jnp.float32)

    def mean_squared_gradient(self, x):
        return jnp.asarray((self.gradients(np.asarray(X3)) ** 2).sum(axis=1).mean(), jnp.float32)

    @property
    def constants(self):
        return Constants()


X3 = (0.3, -1.0, 2.0)


def observed_gradients(noise, problem, x, batch_size):
    """Mini-batch gradients at x, float64 [draws, d]."""
    x = jnp.asarray(x, jnp.float32)
    problem, noise = as_dtype(problem, jnp.float32), as_dtype(noise, jnp.float32)

    def one(key):
        sample = noise.draw(key, problem, batch_size)
        size = batch_size if noise.batch_size_is_static else jnp.asarray(batch_size, jnp.float32)
        return noise.gradient(problem, x, sample, size)

    return np.asarray(jax.vmap(one)(jax.random.split(jax.random.key(0), DRAWS)), dtype=float)


def assert_mean(values, expected):
    z = (values.mean(axis=0) - expected) / (values.std(axis=0) / np.sqrt(DRAWS))
    assert np.all(np.abs(z) < LIMIT), z


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize(
    ("noise", "variances"),
    [
        # gradient of the quadratic below: (0.03, -0.5, 4), squared norm 16.2509
        (Isotropic(M=2.0, sigma2=0.6), [(2 * 16.2509 + 0.6) / 3] * 3),
        (Isotropic(M=2.0), [2 * 16.2509 / 3] * 3),
        (Additive(sigma2=0.6), [0.2] * 3),
        (Additive(sigma2=0.6, covariance="curvature"), [0.06, 0.3, 1.2]),
    ],
)
def test_gaussian_noises_on_a_quadratic(noise, variances, batch_size):
    problem = Quadratic(spectrum=[0.1, 0.5, 2.0], start=[1.0, 1.0, 1.0])
    exact = np.array([0.03, -0.5, 4.0])
    deviations = observed_gradients(noise, problem, X3, batch_size) - exact
    assert_mean(deviations, 0)
    assert_mean(deviations**2, np.array(variances) / batch_size)
    # coordinates are independent
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert_mean(deviations[:, i] * deviations[:, j], 0)
    trace = float(noise.trace(as_dtype(problem, jnp.float32), jnp.asarray(X3, jnp.float32)))
    assert trace == pytest.approx(sum(variances), rel=1e-6)


@pytest.mark.parametrize(
    ("n", "replacement", "batch_size"),
    [
        (12, True, 1),
        (12, True, 5),
        (12, True, 30),
        (12, True, GATHER_LIMIT + 44),
        (12, False, 1),
        (12, False, 5),
        (12, False, 11),
        (400, False, 3),
        (400, False, GATHER_LIMIT + 44),
    ],
)
def test_sampling(n, replacement, batch_size):
    problem, noise = Rows(n), Sampling(replacement)
    rows = problem.gradients(np.array(X3))
    exact = rows.mean(axis=0)
    deviations = observed_gradients(noise, problem, X3, batch_size) - exact
    assert_mean(deviations, 0)
    # each of b samples has the variance of the rows; without replacement (n - b)/(n - 1) of it
    factor = 1.0 if replacement else (n - batch_size) / (n - 1)
    assert_mean(deviations**2, rows.var(axis=0) * factor / batch_size)
    trace = float(noise.trace(problem, jnp.asarray(X3, jnp.float32)))
    assert trace == pytest.approx(rows.var(axis=0).sum(), rel=1e-4)


@pytest.mark.parametrize("n", [12, 400])
def test_all_samples_without_replacement_have_no_noise(n):
    problem = Rows(n)
    gradients = observed_gradients(Sampling(replacement=False), problem, X3, n)
    exact = problem.gradients(np.array(X3)).mean(axis=0)
    np.testing.assert_allclose(gradients, np.broadcast_to(exact, gradients.shape), rtol=1e-4)


@pytest.mark.parametrize("replacement", [True, False])
def test_every_sample_is_as_likely(replacement):
    problem, noise = Rows(12), Sampling(replacement)
    keys = jax.random.split(jax.random.key(0), DRAWS)
    indices = np.asarray(jax.vmap(lambda key: noise.draw(key, problem, 4))(keys))
    assert indices.shape == (DRAWS, 4)
    repeats = (np.diff(np.sort(indices, axis=1), axis=1) == 0).any(axis=1)
    # with replacement, 1 - 12*11*10*9/12^4 of the batches repeat a sample
    expected = 1 - 11 * 10 * 9 / 12**3 if replacement else 0
    z = (repeats.mean() - expected) / np.sqrt(max(expected * (1 - expected), 1e-12) / DRAWS)
    assert abs(z) < LIMIT
    counts = np.array([(indices == i).sum(axis=1) for i in range(12)])
    variance = 4 / 12 * 11 / 12 if replacement else 4 / 12 * 8 / 12
    z = (counts.mean(axis=1) - 4 / 12) / np.sqrt(variance / DRAWS)
    assert np.all(np.abs(z) < LIMIT)
