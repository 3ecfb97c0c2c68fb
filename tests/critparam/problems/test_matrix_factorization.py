"""Matrix factorisation against NumPy's own products, and what it refuses."""

import jax
import numpy as np
import pytest

from critparam.errors import ArgumentError
from critparam.problems.matrix_factorization import MatrixFactorization


@pytest.fixture(autouse=True)
def _double_precision():
    with jax.enable_x64(True):
        yield


def complete(rows, columns, true_rank, **options):
    """On all entries of a matrix, row by row."""
    data = {"kind": "low_rank", "rows": rows, "columns": columns, "rank": true_rank}
    return MatrixFactorization(data, **options)


def test_value_and_gradient_of_a_complete_matrix():
    problem = complete(7, 5, 2, rank=3)
    y = np.asarray(problem.entries).reshape(7, 5)
    x = np.random.default_rng(0).normal(size=12 * 3)
    u, v = x[:21].reshape(7, 3), x[21:].reshape(5, 3)
    residuals = u @ v.T - y
    assert float(problem.value(x)) == pytest.approx(np.mean(residuals**2) / 2, rel=1e-12)
    gradient = np.concatenate([(residuals @ v).ravel(), (residuals.T @ u).ravel()]) / 35
    np.testing.assert_allclose(problem.gradient(x), gradient, rtol=1e-10)


def test_the_true_factors_leave_nothing():
    problem = complete(7, 5, 2, rank=2)
    left, singular, right = np.linalg.svd(np.asarray(problem.entries).reshape(7, 5))
    u, v = left[:, :2] * singular[:2], right[:2].T
    x = np.concatenate([u.ravel(), v.ravel()])
    assert float(problem.value(x)) < 1e-28


def test_ratings_of_a_file_with_numbers_of_any_kind(tmp_path):
    """Users 10 and 700, films 3, 5 and 90: a matrix of 2 x 3 with four entries."""
    path = tmp_path / "ratings.csv"
    path.write_text("user,film,rating,time\n700,5,4.5,1\n10,3,2,1\n700,90,1,1\n10,5,3,1\n")
    data = {"kind": "csv", "path": str(path), "target": "rating", "ignore": ["time"]}
    for standardise in (False, True):
        problem = MatrixFactorization({**data, "standardise": standardise}, rank=1)
        assert problem.shape == (2, 3)
        x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        expected = np.mean((np.array([8, 3, 10, 4]) - [4.5, 2, 1, 3]) ** 2) / 2
        assert float(problem.value(x)) == pytest.approx(expected, rel=1e-12)


def test_start_scale_is_that_of_the_products():
    """Products of 300 x 200 places: their standard deviation is known to about 2 %."""
    problem = complete(300, 200, 2, rank=8, start_scale=0.3)
    factors = np.asarray(problem.initial).reshape(500, 8)
    assert np.std(factors[:300] @ factors[300:].T) == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"rank": 0}, "rank"),
        ({"start_scale": 0.0}, "start_scale"),
        ({"seed": -1}, "seed"),
        ({"data": "iris"}, "data"),
    ],
)
def test_refused(options, argument):
    data = {"kind": "low_rank", "rows": 4, "columns": 4, "rank": 1}
    with pytest.raises(ArgumentError) as error:
        MatrixFactorization(**{"data": data, "rank": 1} | options)
    assert error.value.argument == argument
