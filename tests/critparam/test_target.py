"""Targets: thresholds, what they accept, and the metrics."""

import jax
import jax.numpy as jnp
import pytest

from critparam.errors import ArgumentError
from critparam.problems.logistic_regression import LogisticRegression
from critparam.problems.quadratic import Quadratic
from critparam.target import Target, evaluate_metric


def test_relative_threshold():
    assert Target("suboptimality", relative=0.25).threshold(8.0) == 2.0
    assert Target(relative=0.25).metric == "suboptimality"


def test_absolute_threshold():
    assert Target("loss", absolute=0.3).threshold(8.0) == 0.3
    assert Target("accuracy", absolute=1.0).threshold(0.1) == 1.0


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"metric": "suboptimalty", "relative": 0.1}, "metric"),
        ({}, "relative"),
        ({"relative": 0.1, "absolute": 0.1}, "relative"),
        ({"relative": 0.0}, "relative"),
        ({"relative": 1.0}, "relative"),
        ({"relative": -0.1}, "relative"),
        ({"relative": float("nan")}, "relative"),
        ({"relative": "a tenth"}, "relative"),
        ({"absolute": 0.0}, "absolute"),
        ({"absolute": -1.0}, "absolute"),
        ({"absolute": float("inf")}, "absolute"),
        ({"metric": "accuracy", "relative": 0.9}, "relative"),
        ({"metric": "accuracy", "absolute": 1.1}, "absolute"),
    ],
)
def test_refused(arguments, argument):
    with pytest.raises(ArgumentError) as error:
        Target(**arguments)
    assert error.value.argument == argument
    assert "\n" not in str(error.value)


def test_unknown_metric_names_the_known_ones():
    with pytest.raises(ArgumentError) as error:
        Target("suboptimalty", relative=0.1)
    known = ("suboptimality", "gradient_norm", "loss", "accuracy", "test_accuracy")
    assert error.value.accepted == known


def test_direction():
    assert Target("accuracy", absolute=0.9).is_met_from_below
    assert Target("test_accuracy", absolute=0.9).is_met_from_below
    assert not any(
        Target(metric, absolute=0.9).is_met_from_below
        for metric in ("suboptimality", "gradient_norm", "loss")
    )


def test_check():
    quadratic, data = Quadratic(dim=2, condition_number=2.0), LogisticRegression("digits", l2=0.01)
    for metric in ("suboptimality", "gradient_norm", "loss"):
        Target(metric, absolute=0.5).check(quadratic)
    Target("accuracy", absolute=0.5).check(data)
    with pytest.raises(ArgumentError, match="not defined") as error:
        Target("accuracy", absolute=0.5).check(quadratic)
    assert "loss" in error.value.accepted


def test_metrics_by_hand():
    problem = Quadratic(spectrum=[0.5, 2.0], start=[1.0, 1.0])
    with jax.enable_x64(True):
        x = jnp.array([2.0, 3.0])
        # f = (0.5 * 4 + 2 * 9)/2, gradient (1, 6)
        assert float(evaluate_metric(problem, "suboptimality", x)) == 10
        assert float(evaluate_metric(problem, "loss", x)) == 10
        assert float(evaluate_metric(problem, "gradient_norm", x)) == 37
