"""What every registered estimator keeps."""

import dataclasses
import math

import pytest

from critparam.errors import ArgumentError
from critparam.estimators import estimators
from critparam.estimators.base import Estimator

EXAMPLES = [
    pytest.param(name, estimator, evidence, id=f"{name}-{index}")
    for name in estimators.members
    for index, (estimator, evidence) in enumerate(estimators.load(name).examples())
]


@pytest.mark.parametrize("name", estimators.members)
def test_every_member_is_a_frozen_estimator_with_a_docstring(name):
    member = estimators.load(name)
    assert issubclass(member, Estimator)
    assert member.__doc__
    assert member.__dataclass_params__.frozen
    assert member.quantities


@pytest.mark.parametrize(("name", "estimator", "evidence"), EXAMPLES)
class TestExamples:
    def test_is_known_by_its_name(self, name, estimator, evidence):
        assert estimators.kind_of(estimator) == name
        assert estimators.load(name)(**dataclasses.asdict(estimator)) == estimator

    def test_gives_what_it_names_within_its_limits(self, name, estimator, evidence):
        estimates = estimator.estimate(evidence)
        assert tuple(estimates) == estimator.quantities
        for estimate in estimates.values():
            assert estimate.low <= estimate.value <= estimate.high
            assert math.isfinite(estimate.value)
            assert estimate.standard_error >= 0

    def test_gives_the_same_each_time(self, name, estimator, evidence):
        assert estimator.estimate(evidence) == estimator.estimate(evidence)

    def test_refuses_no_evidence(self, name, estimator, evidence):
        nothing = (
            evidence[:0] if isinstance(evidence, list) else evidence._replace(small=[], large=[])
        )
        with pytest.raises(ArgumentError):
            estimator.estimate(nothing)
