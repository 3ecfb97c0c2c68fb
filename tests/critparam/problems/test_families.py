"""Families of problems indexed by their accuracy, against what they are made for."""

import jax
import numpy as np
import pytest

from critparam.errors import ArgumentError
from critparam.problems.valley import Valley
from critparam.problems.worst_quadratic import WorstQuadratic


def test_no_curvature_takes_gradient_descent_longer():
    """At rate 1/L, over a fine grid of curvatures and in plain recursions."""
    eps = 1e-3
    weak = np.geomspace(2 * eps, 1, 4001)
    # (1 - mu)^2t mu R0^2/2 <= eps
    steps = np.maximum(np.log(weak / (2 * eps)), 0) / (-2 * np.log1p(-np.minimum(weak, 1 - 1e-9)))
    assert WorstQuadratic(eps=eps).curvatures[0] == pytest.approx(weak[np.argmax(steps)], rel=0.02)
    assert np.max(steps) == pytest.approx(1 / (4 * np.e * eps), rel=0.02)


@pytest.mark.parametrize("problem", [WorstQuadratic(eps=1e-2, R0=2.0), WorstQuadratic(eps=1e-4)])
def test_distance_and_curvatures_are_those_asked_for(problem):
    assert np.sum(problem.initial**2) == pytest.approx(problem.R0**2)
    assert problem.constants.L == problem.L
    assert problem.constants.mu == pytest.approx(2 * np.e * problem.eps / problem.R0**2)


def test_an_accuracy_that_no_curvature_reaches_is_refused():
    with pytest.raises(ArgumentError, match="eps"):
        WorstQuadratic(eps=0.3)
    WorstQuadratic(eps=0.18)


@pytest.mark.parametrize("eps", [1e-3, 1e-2, 0.1])
def test_the_target_is_met_at_the_end_of_the_valley_alone(eps):
    problem = Valley(eps=eps)
    with jax.enable_x64(True):
        assert float(problem.value(problem.initial)) == pytest.approx(problem.F0)
        end = np.sqrt(2 * eps) / problem.L
        for along, is_met in ((1.0, False), (0.71, False), (0.70, True)):
            x = np.zeros(problem.dim)
            x[0] = along * end
            gradient = np.asarray(problem.gradient(x))
            assert bool(gradient @ gradient <= eps) is is_met


@pytest.mark.parametrize("eps", [1e-3, 1e-2])
def test_gradient_descent_walks_as_long_as_the_slope_says(eps):
    problem = Valley(eps=eps)
    with jax.enable_x64(True):
        x, rate, steps = np.asarray(problem.initial), 0.5, 0
        while np.sum((gradient := np.asarray(problem.gradient(x))) ** 2) > eps:
            x, steps = x - rate * gradient, steps + 1
    assert steps == pytest.approx(problem.F0 / (2 * rate * eps), rel=0.02, abs=5)


def test_valley_arguments():
    for mistake in ({"eps": 0}, {"eps": 1, "dim": 1}, {"eps": 1, "L": -1}, {"eps": 1, "F0": 0}):
        with pytest.raises(ArgumentError):
            Valley(**mistake)
