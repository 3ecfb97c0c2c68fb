"""B from gradients, against plain NumPy on a least-squares problem."""

import numpy as np
import pytest

from critparam.measured import MOST_ARRIVALS, PATH_POINTS, descent_path, measure
from critparam.noise.sampling import Sampling
from critparam.problems.least_squares import LeastSquares
from critparam.problems.logistic_regression import LogisticRegression
from critparam.problems.matrix_factorization import MatrixFactorization
from critparam.target import Target

DATA = {"kind": "gaussian", "samples": 50, "dim": 4, "condition_number": 30.0, "label_noise": 0.5}
PROBLEM = LeastSquares(DATA, l2=0.01)


@pytest.fixture
def data():
    """A, y and H = A^T A/n + l2."""
    features, labels = np.asarray(PROBLEM.features), np.asarray(PROBLEM.labels)
    return features, labels, features.T @ features / len(labels) + 0.01 * np.eye(4)


def ratios(data, x):
    """E||xi||^2, ||grad f||^2, tr(H Sigma), grad^T H grad over all samples, at x."""
    features, labels, H = data
    gradients = features * (features @ x - labels)[:, None] + 0.01 * x
    mean = gradients.mean(axis=0)
    noise = gradients - mean
    return np.array(
        [
            np.mean(np.sum(noise**2, axis=1)),
            mean @ mean,
            np.mean(np.sum(noise @ H * noise, axis=1)),
            mean @ H @ mean,
        ]
    )


def descent(data, rate, eps, most=200):
    """Iterates of gradient descent, to the first that meets f - f* <= eps; None beyond `most`."""
    features, labels, H = data
    optimum = np.linalg.solve(H, features.T @ labels / len(labels))
    points = [np.zeros(4)]
    while 0.5 * (points[-1] - optimum) @ H @ (points[-1] - optimum) > eps:
        if len(points) > most:
            return None
        points.append(points[-1] - rate * H @ (points[-1] - optimum))
    return np.array(points)


@pytest.fixture
def path(data):
    """The shortest of the paths at rates 2^k/L to f - f* <= 0.01, of which more than 16 points."""
    L = np.linalg.eigvalsh(data[2])[-1]
    found = [descent(data, 2.0**k / L, 0.01) for k in range(3)]
    return min((each for each in found if each is not None), key=len)


def test_the_path_is_the_shortest_of_gradient_descent(path):
    points = descent_path(PROBLEM, Target(absolute=0.01))
    assert len(path) > PATH_POINTS
    assert len(points) == PATH_POINTS
    times = np.linspace(0, len(path) - 1, PATH_POINTS).round().astype(int)
    np.testing.assert_allclose(points, path[times], rtol=1e-9, atol=1e-12)


def test_short_paths_are_kept_whole():
    points = descent_path(PROBLEM, Target(relative=0.5))
    assert 2 <= len(points) <= 4
    np.testing.assert_array_equal(points[0], 0)


def test_ratios_at_arrivals_and_along_the_path(data, path):
    arrivals = np.random.default_rng(0).normal(size=(MOST_ARRIVALS + 2, 4))
    measured = measure(PROBLEM, Sampling(), Target(absolute=0.01), arrivals)
    seen = np.mean([ratios(data, x) for x in arrivals[:MOST_ARRIVALS]], axis=0)
    assert measured.weighted == pytest.approx(seen[2] / seen[3], rel=1e-6)
    times = np.linspace(0, len(path) - 1, PATH_POINTS).round().astype(int)
    along = np.array([ratios(data, x) for x in path[times]])
    assert measured.path == pytest.approx(np.median(along[:, 0] / along[:, 1]), rel=1e-6)
    assert measured.path_weighted == pytest.approx(np.median(along[:, 2] / along[:, 3]), rel=1e-6)


def test_a_target_that_descent_does_not_meet_has_no_path():
    """One below the least loss."""
    target = Target("loss", absolute=0.9 * PROBLEM.f_star)
    assert descent_path(PROBLEM, target) is None
    measured = measure(PROBLEM, Sampling(), target, np.ones((1, 4)))
    assert (measured.path, measured.path_weighted) == (None, None)
    assert measured.weighted > 0


@pytest.mark.parametrize(
    ("problem", "target"),
    [
        (LogisticRegression("breast_cancer", l2=0.1), Target("accuracy", absolute=0.9)),
        (
            MatrixFactorization({"kind": "low_rank", "rows": 6, "columns": 5, "rank": 1}, rank=1),
            Target("loss", relative=0.1),
        ),
    ],
)
def test_metrics_met_from_either_side_and_problems_of_unknown_smoothness(problem, target):
    points = descent_path(problem, target)
    assert len(points) >= 2
    metric = {"accuracy": "accuracy", "loss": "value"}[target.metric]
    first, *_, last = (float(getattr(problem, metric)(point)) for point in points)
    threshold = target.threshold(first)
    assert (last >= threshold) is target.is_met_from_below


def test_a_rate_at_which_descent_diverges_is_not_taken_for_one_that_arrives():
    """f overflows at 64/L long before its 100 steps are over."""
    points = descent_path(PROBLEM, Target(absolute=1e-6))
    assert np.isfinite(points).all()
    assert float(PROBLEM.suboptimality(points[-1])) <= 1e-6
