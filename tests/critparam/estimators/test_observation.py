"""Observations of problems against plain NumPy."""

import numpy as np
import pytest

from critparam.errors import ArgumentError
from critparam.estimators import observation
from critparam.estimators.noise_to_signal import NoiseToSignal
from critparam.estimators.observation import observe, observe_gradients
from critparam.noise.isotropic import Isotropic
from critparam.noise.sampling import Sampling
from critparam.problems.least_squares import LeastSquares
from critparam.problems.quadratic import Quadratic

DATA = {"kind": "gaussian", "samples": 30, "dim": 4, "condition_number": 8.0, "label_noise": 0.5}
PROBLEM = LeastSquares(DATA, l2=0.1)
POINT = np.array([0.5, -1.0, 0.25, 2.0])


@pytest.fixture
def gradients():
    a, y = np.asarray(PROBLEM.features), np.asarray(PROBLEM.labels)
    return a * (a @ POINT - y)[:, None] + 0.1 * POINT


@pytest.fixture
def hessian():
    a = np.asarray(PROBLEM.features)
    return a.T @ a / 30 + 0.1 * np.eye(4)


def test_full_pass(gradients, hessian):
    (seen,) = observe(PROBLEM, Sampling(), [POINT], curvature=True)
    mean = gradients.mean(axis=0)
    deviations = gradients - mean
    assert seen.plain.noise == pytest.approx(np.mean(np.sum(deviations**2, axis=1)), rel=1e-10)
    assert seen.plain.signal == pytest.approx(mean @ mean, rel=1e-10)
    covariance = deviations.T @ deviations / 30
    assert seen.curved.noise == pytest.approx(np.trace(hessian @ covariance), rel=1e-10)
    assert seen.curved.signal == pytest.approx(mean @ hessian @ mean, rel=1e-10)
    assert seen.plain.is_exact
    assert seen.curved.is_exact
    assert seen.touches.counts.tolist() == [30] * 4


def test_drawn_gradients_are_those_of_the_data(gradients, hessian):
    seen = observe(PROBLEM, Sampling(), np.tile(POINT, (50, 1)), samples=64, curvature=True)
    exact, curved = observe(PROBLEM, Sampling(), POINT, curvature=True)[0][:2]
    # means of 50 independent estimates; four standard errors
    for got, expected in (("plain", exact), ("curved", curved)):
        for part in ("noise", "signal"):
            values = np.array([getattr(getattr(each, got), part) for each in seen])
            error = values.std(ddof=1) / np.sqrt(50)
            assert abs(values.mean() - getattr(expected, part)) < 4 * error


def test_gradients_handed_in_are_those_observed(gradients, hessian):
    seen = observe_gradients(gradients, gradients @ hessian)
    mean, m = gradients.mean(axis=0), 30
    off_diagonal = (m**2 * mean @ hessian @ mean - np.sum((gradients @ hessian) * gradients)) / (
        m * (m - 1)
    )
    assert seen.curved.signal == pytest.approx(off_diagonal, rel=1e-10)
    assert not seen.plain.is_exact


def test_synthetic_noise_is_drawn():
    problem, noise = Quadratic(dim=5, condition_number=4.0), Isotropic(M=2.0, sigma2=1.0)
    (seen,) = observe(problem, noise, [problem.initial])
    assert seen.plain.degrees == observation.SAMPLES - 1
    signal = np.sum((problem.curvatures * problem.initial) ** 2)
    low, high = NoiseToSignal().estimate([seen])["noise"][2:]
    assert low < 2 * signal + 1 < high


def test_dear_full_passes_become_draws(monkeypatch):
    monkeypatch.setattr(observation, "FULL_PASS_PRODUCTS", 30 * 4)
    assert observe(PROBLEM, Sampling(), POINT)[0].plain.is_exact
    seen = observe(PROBLEM, Sampling(), POINT, curvature=True)[0]
    assert seen.plain.is_exact
    assert seen.curved.degrees == observation.SAMPLES - 1
    monkeypatch.setattr(observation, "FULL_PASS_PRODUCTS", 1)
    assert not observe(PROBLEM, Sampling(), POINT)[0].plain.is_exact


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"points": [[1.0, 2.0]]}, "points"),
        ({"points": [np.full(4, np.nan)]}, "points"),
        ({"points": [POINT], "samples": 3}, "samples"),
        ({"points": [POINT], "seed": -1}, "seed"),
    ],
)
def test_mistakes_are_named(arguments, reason):
    with pytest.raises(ArgumentError, match=reason):
        observe(PROBLEM, Sampling(), **arguments)


def test_noise_must_fit_the_problem():
    with pytest.raises(ArgumentError, match="problem on data"):
        observe(Quadratic(dim=2, condition_number=2.0), Sampling(), [[1.0, 1.0]])


def test_gradients_must_be_a_table():
    with pytest.raises(ArgumentError, match="gradients"):
        observe_gradients(np.ones(5))
    with pytest.raises(ArgumentError, match="products"):
        observe_gradients(np.ones((5, 2)), np.ones((5, 3)))
