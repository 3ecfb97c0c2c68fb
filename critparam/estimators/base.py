"""What an estimator promises: values with intervals that hold at a stated rate."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from critparam.errors import ArgumentError
from critparam.estimators.observation import Observation

MISS_RATE = 0.05
"""Rate at which an interval may miss the truth: intervals are of 95 % confidence."""


class Estimate(NamedTuple):
    """A value and what is known of its error.

    Attributes:
        value: NaN where the data do not determine one.
        standard_error: of the value, to first order; NaN with it.
        low, high: 95 % confidence limits; infinite where the data set none.
    """

    value: float
    standard_error: float
    low: float
    high: float

    @classmethod
    def within(cls, value: float, error: float, limits: tuple[float, float]) -> Self:
        """With limits that rounding does not move past the value."""
        low, high = limits
        return cls(
            float(value), float(error), float(np.fmin(low, value)), float(np.fmax(high, value))
        )


class Estimator(ABC):
    """Estimates named quantities; members are frozen dataclasses of their options.

    Attributes:
        quantities: the names of what `estimate` returns.
    """

    quantities: ClassVar[tuple[str, ...]]

    @abstractmethod
    def estimate(self, evidence: Any) -> dict[str, Estimate]:
        """Each quantity, from observations along a path or from what else the member reads.

        Raises:
            ArgumentError: the evidence is too little, or is not what this estimator reads.
        """

    @classmethod
    @abstractmethod
    def examples(cls) -> Sequence[tuple[Self, Any]]:
        """Small instances, each with evidence it reads; the contract tests run on them."""


def require_path(evidence: Sequence[Observation], least: int = 1) -> None:
    """At least so many observations, in the order of the path."""
    if len(evidence) < least:
        reason = f"needs at least {least} point{'s' if least > 1 else ''}"
        raise ArgumentError("evidence", reason, len(evidence))
