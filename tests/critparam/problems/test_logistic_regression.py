"""Logistic regression against plain NumPy, and its minimum against another solver."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn import datasets

from critparam.errors import ArgumentError
from critparam.problems.logistic_regression import LogisticRegression


def rows(data):
    """Standardised features and a bias, times the label, from scikit-learn itself."""
    features, classes = getattr(datasets, f"load_{data}")(return_X_y=True)
    scale = features.std(axis=0)
    features = ((features - features.mean(axis=0)) / np.where(scale > 0, scale, 1))[:, scale > 0]
    labels = np.where(classes % 2 == 1, 1.0, -1.0)  # odd digits; benign tumours are 1
    return labels[:, None] * np.column_stack([features, np.ones(len(features))])


def value(margins, x, l2):
    return np.mean(np.logaddexp(0, -margins)) + 0.5 * l2 * x @ x


def newton(A, l2):
    """Damped Newton steps until the decrement is nothing: min f and its point."""
    n, d = A.shape
    x = np.zeros(d)
    for _ in range(200):
        p = (1 - np.tanh(A @ x / 2)) / 2
        gradient = -p @ A / n + l2 * x
        hessian = (A.T * (p * (1 - p))) @ A / n + l2 * np.eye(d)
        step = np.linalg.solve(hessian, gradient)
        decrement = gradient @ step
        if decrement < 1e-20:
            break
        size = 1.0
        while value(A @ (x - size * step), x - size * step, l2) > (
            value(A @ x, x, l2) - 1e-4 * size * decrement
        ):
            size /= 2
            if size < 1e-10:
                break
        x = x - size * step
    return value(A @ x, x, l2), x


@pytest.mark.parametrize(
    ("data", "l2"),
    [
        ("digits", 1e-2),
        ("digits", 1e-3),
        ("digits", 0.0),
        ("breast_cancer", 1.0),
        ("breast_cancer", 1e-2),
        ("breast_cancer", 1e-3),
        ("breast_cancer", 1e-6),
    ],
)
def test_least_value(data, l2):
    expected, _ = newton(rows(data), l2)
    assert LogisticRegression(data, l2=l2).f_star == pytest.approx(expected, abs=1e-9)


def test_least_value_by_a_quasi_newton_method():
    A, l2 = rows("breast_cancer"), 1e-2

    def both(x):
        margins = A @ x
        return value(margins, x, l2), -(1 / (1 + np.exp(margins))) @ A / len(A) + l2 * x

    solution = minimize(
        both,
        np.zeros(A.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000},
    )
    f_star = LogisticRegression("breast_cancer", l2=l2).f_star
    assert f_star == pytest.approx(solution.fun, abs=1e-9)


def test_at_the_origin():
    problem = LogisticRegression("digits", l2=1e-3)
    with jax.enable_x64(True):
        x = problem.initial
        assert not np.any(x)
        assert float(problem.value(x)) == pytest.approx(np.log(2), rel=1e-14)
        # every slope is -1/2; no sample lies on the right side of nothing
        np.testing.assert_allclose(
            problem.gradient(x), -rows("digits").mean(axis=0) / 2, atol=1e-15
        )
        assert float(problem.accuracy(x)) == 0
        expected = (rows("digits") ** 2).sum(axis=1).mean() / 4
        assert float(problem.mean_squared_gradient(x)) == pytest.approx(expected, rel=1e-12)


def test_accuracy():
    problem = LogisticRegression("breast_cancer", l2=1e-2)
    _, best = newton(rows("breast_cancer"), 1e-2)
    with jax.enable_x64(True):
        share = float(problem.accuracy(jnp.asarray(best)))
    assert share == pytest.approx(np.mean(rows("breast_cancer") @ best > 0), rel=1e-6)
    assert share > 0.97


def test_constants():
    A = rows("digits")
    L, mu, f_star = LogisticRegression("digits", l2=1e-3).constants
    assert np.linalg.eigvalsh(A.T @ A)[-1] / (4 * len(A)) + 1e-3 == pytest.approx(L, rel=1e-10)
    assert mu == 1e-3
    assert 0 < f_star < np.log(2)


def test_sizes():
    problem = LogisticRegression("digits", l2=1e-3)
    assert (problem.samples, problem.dim) == (1797, 62)
    assert len(problem.data_digest) == 64


def test_large_margins_do_not_overflow():
    problem = LogisticRegression("digits", l2=1e-3)
    x = jnp.full(problem.dim, 1e4, jnp.float32)
    assert np.isfinite(float(problem.value(x)))
    assert np.all(np.isfinite(problem.gradient(x)))


class TestRefusals:
    def test_separable_without_penalty(self):
        with pytest.raises(ArgumentError, match="separable") as error:
            LogisticRegression("breast_cancer", l2=0.0)
        assert error.value.argument == "l2"
        assert "\n" not in str(error.value)

    def test_not_separable_without_penalty(self):
        assert LogisticRegression("digits").l2 == 0

    def test_whether_they_are_separable(self):
        """Newton's iterates run away on separable data, where some x has every margin positive."""
        _, x = newton(rows("breast_cancer"), 1e-9)
        assert np.all(rows("breast_cancer") @ x > 0)
        _, x = newton(rows("digits"), 0.0)
        assert np.mean(rows("digits") @ x > 0) < 0.99

    @pytest.mark.parametrize(
        ("arguments", "argument"),
        [
            ({"data": "digit"}, "data"),
            ({"data": "digit", "l2": 0.1}, "data"),
            ({"data": 3, "l2": 0.1}, "data"),
            ({"data": "digits", "l2": -1.0}, "l2"),
            ({"data": "digits", "l2": float("nan")}, "l2"),
        ],
    )
    def test_impossible_values(self, arguments, argument):
        with pytest.raises(ArgumentError) as error:
            LogisticRegression(**arguments)
        assert error.value.argument == argument
