"""Least squares against the normal equations, and what single precision must not lose."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import datasets

from critparam.component import as_dtype
from critparam.errors import ArgumentError
from critparam.problems.least_squares import LeastSquares


def diabetes():
    """Standardised features, and labels, from scikit-learn itself."""
    features, labels = datasets.load_diabetes(return_X_y=True)
    return (features - features.mean(axis=0)) / features.std(axis=0), labels


def normal_equations(features, labels, l2):
    """Min f, its point, and the Hessian."""
    n, d = features.shape
    hessian = features.T @ features / n + l2 * np.eye(d)
    x = np.linalg.solve(hessian, features.T @ labels / n)
    return 0.5 * np.mean((features @ x - labels) ** 2) + 0.5 * l2 * x @ x, x, hessian


@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
def test_least_value_and_constants(l2):
    least, x, hessian = normal_equations(*diabetes(), l2)
    problem = LeastSquares("diabetes", l2=l2)
    eigenvalues = np.linalg.eigvalsh(hessian)
    assert problem.f_star == pytest.approx(least, rel=1e-12)
    np.testing.assert_allclose(problem.minimiser, x, rtol=1e-8)
    assert pytest.approx(eigenvalues[-1], rel=1e-12) == problem.constants.L
    assert problem.constants.mu == pytest.approx(eigenvalues[0], rel=1e-9)


def test_a_bias_takes_the_mean_of_the_labels():
    _, labels = diabetes()
    assert LeastSquares("diabetes", bias=True).minimiser[-1] == pytest.approx(labels.mean())


def test_without_label_noise_the_data_is_interpolated():
    problem = LeastSquares({"kind": "gaussian", "samples": 50, "dim": 8, "condition_number": 5.0})
    assert problem.f_star == pytest.approx(0, abs=1e-24)
    with jax.enable_x64(True):
        at_minimiser = problem.mean_squared_gradient(jnp.asarray(problem.minimiser))
        at_start = problem.mean_squared_gradient(jnp.asarray(problem.initial))
    assert float(at_minimiser) < 1e-24 * float(at_start)


def test_with_fewer_samples_than_columns_the_least_value_is_zero():
    problem = LeastSquares(
        {"kind": "gaussian", "samples": 5, "dim": 8, "condition_number": 5.0, "label_noise": 1.0}
    )
    assert problem.f_star == pytest.approx(0, abs=1e-24)
    assert problem.constants.mu == pytest.approx(0, abs=1e-24)


def test_suboptimality_close_to_the_minimum_in_single_precision():
    """f - f* = 1e-9 where f itself is 3: the difference of the two values would be noise."""
    data = {"kind": "gaussian", "samples": 200, "dim": 4, "condition_number": 10.0}
    problem = LeastSquares({**data, "label_noise": 2.5})
    _, x, hessian = normal_equations(np.asarray(problem.features), np.asarray(problem.labels), 0.0)
    single = as_dtype(problem, jnp.float32)
    for size in (1e-2, 1e-4):
        point = jnp.asarray(x + size * np.ones(4), jnp.float32)
        away = np.asarray(point, dtype=float) - x
        expected = 0.5 * away @ hessian @ away
        # the stored x* is rounded to 2^-24 of its size, about 5
        assert float(single.suboptimality(point)) == pytest.approx(expected, rel=1e-6 / size + 1e-5)


def test_labels_must_be_numbers(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, features=np.eye(3), labels=np.array(["a", "b", "c"]))
    with pytest.raises(ArgumentError, match="labels that are no numbers") as error:
        LeastSquares({"kind": "npz", "path": str(path), "constant_columns": "drop"})
    assert error.value.argument == "data"


@pytest.mark.parametrize("l2", [-1.0, float("nan")])
def test_penalty_is_refused(l2):
    with pytest.raises(ArgumentError) as error:
        LeastSquares("diabetes", l2=l2)
    assert error.value.argument == "l2"
