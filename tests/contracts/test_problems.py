"""What every registered problem keeps: its gradient, its constants, its sampling."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import as_dtype
from critparam.problems import problems
from critparam.problems.base import FiniteSum
from critparam.target import Target, evaluate_metric

EXAMPLES = [
    pytest.param(name, index, id=f"{name}-{index}")
    for name in problems.members
    for index in range(len(problems.load(name).examples()))
]
pytestmark = pytest.mark.parametrize(("name", "index"), EXAMPLES)


@pytest.fixture
def problem(name, index):
    return problems.load(name).examples()[index]


@pytest.fixture(autouse=True)
def _double_precision():
    with jax.enable_x64(True):
        yield


def points(problem, count=3):
    """The start, and points around it."""
    start = np.asarray(problem.initial, dtype=float)
    rng = np.random.default_rng(0)
    others = [start + rng.normal(size=start.shape) / np.sqrt(len(start)) for _ in range(count)]
    return [jnp.asarray(x) for x in (start, *others)]


def test_start(problem):
    start = np.asarray(problem.initial)
    assert start.ndim == 1
    assert np.all(np.isfinite(start))
    assert np.issubdtype(start.dtype, np.floating)


def test_shapes_and_types(problem):
    x = points(problem)[1]
    for metric in problem.metrics:
        assert jnp.shape(evaluate_metric(problem, metric, x)) == ()
    assert problem.gradient(x).shape == x.shape


def test_gradient_is_that_of_the_value(problem):
    for x in points(problem):
        expected = jax.grad(problem.value)(x)
        np.testing.assert_allclose(problem.gradient(x), expected, rtol=1e-10, atol=1e-14)


def test_suboptimality_is_the_value_above_the_least(problem):
    if "suboptimality" not in problem.metrics:
        with pytest.raises(NotImplementedError):
            problem.suboptimality(problem.initial)
        pytest.skip("f* unknown")
    f_star = problem.constants.f_star
    for x in points(problem):
        assert float(problem.suboptimality(x)) >= 0
        if f_star is not None:
            difference = float(problem.value(x)) - f_star
            expected = pytest.approx(difference, rel=1e-12, abs=1e-12)
            assert float(problem.suboptimality(x)) == expected


def test_least_value_is_approached(problem):
    """Gradient descent with 1/L comes down to f_star at the rate that mu says, and not below."""
    L, mu, f_star = problem.constants
    if L is None or not mu or f_star is None:
        pytest.skip("constants unknown")
    steps = 300

    def descend(x, _):
        return x - problem.gradient(x) / L, None

    x = jax.lax.scan(descend, jnp.asarray(problem.initial), None, length=steps)[0]
    start = float(problem.value(jnp.asarray(problem.initial))) - f_star
    end = float(problem.value(x)) - f_star
    assert -1e-9 <= end <= (1 - mu / L) ** steps * start + 1e-12


def test_constants_bound_the_curvature(problem):
    L, mu, _ = problem.constants
    for x in points(problem, 2):
        eigenvalues = np.linalg.eigvalsh(np.asarray(jax.hessian(problem.value)(x)))
        if L is not None:
            assert eigenvalues[-1] <= L * (1 + 1e-10)
        if mu is not None:
            assert eigenvalues[0] >= mu * (1 - 1e-10) - 1e-12 * eigenvalues[-1]


def test_curvatures_are_the_whole_problem_where_it_is_a_quadratic(problem):
    h = problem.curvatures
    if h is None:
        pytest.skip("not a diagonal quadratic")
    assert h.dtype == float
    for x in points(problem):
        assert float(problem.value(x)) == pytest.approx(float(h @ np.asarray(x) ** 2) / 2)
        np.testing.assert_allclose(problem.gradient(x), h * np.asarray(x))


def test_every_metric_can_be_evaluated_and_targeted(problem):
    assert set(problem.metrics) >= {"gradient_norm", "loss"}
    x = points(problem)[1]
    for metric in problem.metrics:
        assert np.isfinite(float(evaluate_metric(problem, metric, x)))
        Target(metric, absolute=0.5).check(problem)
    gradient = np.asarray(problem.gradient(x))
    norm = float(evaluate_metric(problem, "gradient_norm", x))
    assert norm == pytest.approx(gradient @ gradient)
    assert float(evaluate_metric(problem, "loss", x)) == pytest.approx(float(problem.value(x)))


def test_jitted_in_single_precision_it_is_the_same_problem(problem):
    x = points(problem)[1]
    value, gradient = jax.jit(lambda p, x: (p.value(x), p.gradient(x)))(
        as_dtype(problem, jnp.float32), x.astype(jnp.float32)
    )
    assert value.dtype == gradient.dtype == jnp.float32
    assert float(value) == pytest.approx(float(problem.value(x)), rel=1e-5)
    np.testing.assert_allclose(gradient, problem.gradient(x), rtol=1e-4, atol=1e-5)


def test_equal_specs_have_equal_data(problem):
    again = type(problem)(**problem.spec())
    assert again == problem
    assert again.data_digest == problem.data_digest
    np.testing.assert_array_equal(again.initial, problem.initial)
    assert bool(problem.data_digest) == isinstance(problem, FiniteSum)


class TestFiniteSums:
    @pytest.fixture(autouse=True)
    def _finite_sum(self, problem):
        if not isinstance(problem, FiniteSum):
            pytest.skip("not a finite sum")

    def sample_gradients(self, problem, x):
        """Of every sample, one at a time, [n, d]."""
        traced = as_dtype(problem, jnp.float64)
        one = jax.vmap(lambda i: traced.batch_gradient(x, i[None]))
        return np.asarray(one(jnp.arange(problem.samples)))

    def test_mean_of_the_sample_gradients(self, problem):
        for x in points(problem, 1):
            expected = self.sample_gradients(problem, x).mean(axis=0)
            np.testing.assert_allclose(problem.gradient(x), expected, rtol=1e-9, atol=1e-13)

    def test_batches_are_means_and_count_repetitions(self, problem):
        x, rng = points(problem)[1], np.random.default_rng(1)
        gradients = self.sample_gradients(problem, x)
        for indices in ([0], [0, 0, 1], rng.integers(0, problem.samples, 40)):
            indices = np.asarray(indices)
            weights = np.bincount(indices, minlength=problem.samples) / len(indices)
            expected = gradients[indices].mean(axis=0)
            options = {"rtol": 1e-9, "atol": 1e-13}
            np.testing.assert_allclose(
                problem.batch_gradient(x, jnp.asarray(indices)), expected, **options
            )
            np.testing.assert_allclose(
                problem.weighted_gradient(x, jnp.asarray(weights)), expected, **options
            )

    def test_mean_squared_gradient(self, problem):
        for x in points(problem, 1):
            total = sum(gradient @ gradient for gradient in self.sample_gradients(problem, x))
            expected = total / problem.samples
            assert float(problem.mean_squared_gradient(x)) == pytest.approx(expected, rel=1e-10)
