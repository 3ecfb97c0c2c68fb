"""What every registered noise keeps, on an example of every problem that it accepts.

The two statistical tests have the seed 0, never tuned; together they fail for a correct program
with probability at most `FAILURE`.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from critparam.component import as_dtype
from critparam.errors import ArgumentError
from critparam.noise import noises
from critparam.problems import problems

FAILURE = 1e-3
DRAWS = 2000
PROBLEMS = {name: problems.load(name).examples()[-1] for name in problems.members}


def accepted(noise, problem):
    try:
        noise.check(problem, 4)
    except ArgumentError:
        return False
    return True


PAIRS = [
    pytest.param(noise, problem, id=f"{kind}-{index}-{name}")
    for kind in noises.members
    for index, noise in enumerate(noises.load(kind).examples())
    for name, problem in PROBLEMS.items()
    if accepted(noise, problem)
]
LIMIT = stats.norm.isf(FAILURE / 2 / (len(PAIRS) * 2 * 100))  # up to 100 coordinates each


def single(component):
    return as_dtype(component, jnp.float32)


def somewhere(problem):
    start = np.asarray(problem.initial, dtype=np.float32)
    return jnp.asarray(start + np.random.default_rng(0).normal(size=start.shape) / len(start), "f")


@partial(jax.jit, static_argnames="batch_size")
def mini_batch_gradients(noise, problem, x, size, keys, batch_size):
    """One for each key; `size` is traced, `batch_size` the same where the noise needs it static."""

    def one(key):
        sample = noise.draw(key, problem, batch_size or 1)
        return noise.gradient(problem, x, sample, batch_size or size)

    return jax.lax.map(one, keys, batch_size=50)


@pytest.fixture(scope="module")
def deviations():
    """Noise of mini-batches of `batch_size`, float64 [draws, d]; each pair sampled once."""
    known = {}

    def sample(noise, problem, batch_size):
        key = repr((noise, problem, batch_size))
        if key not in known:
            known[key] = draw(noise, problem, batch_size)
        return known[key]

    return sample


def draw(noise, problem, batch_size):
    x = somewhere(problem)
    gradients = mini_batch_gradients(
        single(noise),
        single(problem),
        x,
        jnp.asarray(batch_size, jnp.float32),
        jax.random.split(jax.random.key(0), DRAWS),
        batch_size if noise.batch_size_is_static else None,
    )
    with jax.enable_x64(True):
        exact = np.asarray(problem.gradient(jnp.asarray(x, jnp.float64)))
    return np.asarray(gradients, dtype=float) - exact


def test_every_noise_has_a_problem():
    kinds = {pair.id.split("-")[0] for pair in PAIRS}
    assert kinds == set(noises.members)


@pytest.mark.parametrize(("noise", "problem"), PAIRS)
class TestPairs:
    def test_unbiased(self, noise, problem, deviations):
        xi = deviations(noise, problem, 4)
        # a constant deviation is rounding
        error = np.maximum(xi.std(axis=0), 1e-6) / np.sqrt(DRAWS)
        assert np.all(np.abs(xi.mean(axis=0)) < LIMIT * error + 1e-6)

    def test_variance_of_one_gradient_is_the_trace(self, noise, problem, deviations):
        squares = (deviations(noise, problem, 1) ** 2).sum(axis=1)
        trace = float(single(noise).trace(single(problem), somewhere(problem)))
        assert trace >= 0
        assert abs(squares.mean() - trace) < LIMIT * squares.std() / np.sqrt(DRAWS) + 1e-5 * trace

    def test_constants_bound_the_trace(self, noise, problem):
        M, sigma2 = noise.constants(problem)
        if M is None or sigma2 is None:
            pytest.skip("constants unknown")
        x = somewhere(problem)
        gradient = np.asarray(single(problem).gradient(x))
        trace = float(single(noise).trace(single(problem), x))
        assert trace <= (M * gradient @ gradient + sigma2) * (1 + 1e-5)

    def test_second_moment_sums_to_the_constants(self, noise, problem):
        h = problem.curvatures
        moment = None if h is None else noise.second_moment(h)
        if moment is None:
            pytest.skip("no second moment on this problem")
        M, sigma2 = noise.constants(problem)
        assert moment.multiplicative.shape == moment.additive.shape == h.shape
        assert moment.multiplicative.sum() == pytest.approx(M)
        assert moment.additive.sum() == pytest.approx(sigma2)

    def test_second_moment_is_that_of_every_coordinate(self, noise, problem, deviations):
        h = problem.curvatures
        moment = None if h is None else noise.second_moment(h)
        if moment is None:
            pytest.skip("no second moment on this problem")
        gradient = h * np.asarray(somewhere(problem), dtype=float)
        variances = moment.multiplicative * (gradient @ gradient) + moment.additive
        squares = deviations(noise, problem, 1) ** 2
        error = squares.std(axis=0) / np.sqrt(DRAWS)
        assert np.all(np.abs(squares.mean(axis=0) - variances) < LIMIT * error + 1e-7)

    def test_a_draw_depends_on_the_key_alone(self, noise, problem):
        cast, of = single(noise), single(problem)
        first, again, other = (
            jax.tree.leaves(cast.draw(jax.random.key(seed), of, 4)) for seed in (1, 1, 2)
        )
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
        assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))

    def test_the_batch_size_shapes_a_draw_only_where_it_says_so(self, noise, problem):
        if noise.batch_size_is_static:
            pytest.skip("draws differ in shape")
        cast, of = single(noise), single(problem)
        small, large = (cast.draw(jax.random.key(1), of, size) for size in (1, 64))
        np.testing.assert_array_equal(small, large)
