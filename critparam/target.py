"""When a run has arrived: a metric and a threshold."""

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import jax

from critparam.arguments import require_fraction, require_positive
from critparam.errors import ArgumentError
from critparam.problems.base import Problem
from critparam.types import Point, Scalar

Metric = Literal["suboptimality", "gradient_norm", "loss", "accuracy", "test_accuracy"]
RISING = ("accuracy", "test_accuracy")
"""Metrics of which more is better."""


@dataclass(frozen=True)
class Target:
    """A threshold that a metric must meet.

    Attributes:
        metric: suboptimality (f - f*), gradient_norm (||grad f||^2), loss (f), accuracy, or
            test_accuracy, of the samples held out; the last two are met from below.
        relative: threshold as a fraction of the metric's own value at the start, in (0, 1).
        absolute: threshold itself; exactly one of the two is given.
    """

    metric: Metric = "suboptimality"
    relative: float | None = None
    absolute: float | None = None

    def __post_init__(self) -> None:
        if self.metric not in get_args(Metric):
            choices = get_args(Metric)
            raise ArgumentError(
                "metric", f"must be one of {', '.join(choices)}", self.metric, accepted=choices
            )
        if (self.relative is None) == (self.absolute is None):
            given = None if self.relative is None else (self.relative, self.absolute)
            raise ArgumentError("relative", "exactly one of relative and absolute is needed", given)
        if self.relative is not None:
            require_fraction(relative=self.relative)
            if self.is_met_from_below:
                reason = f"{self.metric} takes an absolute target"
                raise ArgumentError("relative", reason, self.relative)
        elif self.is_met_from_below:
            require_fraction(absolute=self.absolute, one_allowed=True)
        else:
            require_positive(absolute=self.absolute)

    @property
    def is_met_from_below(self) -> bool:
        """Whether larger values of the metric are better."""
        return self.metric in RISING

    def check(self, problem: Problem) -> None:
        """Raise `ArgumentError` if the problem does not have the metric."""
        if self.metric not in problem.metrics:
            raise ArgumentError(
                "metric", "is not defined on this problem", self.metric, accepted=problem.metrics
            )

    def threshold(self, at_start: float) -> float:
        """The absolute threshold, given the metric's value at the start."""
        if self.absolute is not None:
            return self.absolute
        assert self.relative is not None
        return self.relative * at_start


@partial(jax.jit, static_argnames="metric")
def metric_at(problem: Problem, metric: Metric, x: Point) -> Scalar:
    """`evaluate_metric`, compiled as a whole: op by op, a network costs seconds of compilation."""
    return evaluate_metric(problem, metric, x)


def evaluate_metric(problem: Problem, metric: Metric, x: Point) -> Scalar:
    """The metric at x."""
    if metric == "gradient_norm":
        gradient = problem.gradient(x)
        return (gradient * gradient).sum()
    if metric == "loss":
        return problem.value(x)
    return getattr(problem, metric)(x)
