"""What every registered data set keeps: the same sound data each time it is read."""

import dataclasses
import json

import numpy as np
import pytest

from critparam.datasets import datasets
from critparam.datasets.base import Source
from critparam.datasets.loading import load_dataset
from critparam.datasets.preparation import prepare

EXAMPLES = [
    pytest.param(name, source, id=f"{name}-{index}")
    for name in datasets.members
    for index, source in enumerate(datasets.load(name).examples())
]


@pytest.mark.parametrize("name", datasets.members)
def test_every_member_is_a_source_with_a_docstring(name):
    member = datasets.load(name)
    assert issubclass(member, Source)
    assert member.__doc__
    assert dataclasses.is_dataclass(member)


@pytest.mark.parametrize(("name", "source"), EXAMPLES)
class TestExamples:
    def test_is_the_same_each_time(self, name, source):
        first, second = prepare(source.read(), source), prepare(source.read(), source)
        assert first.digest == second.digest
        np.testing.assert_array_equal(first.features, second.features)

    def test_is_sound(self, name, source):
        data = prepare(source.read(), source)
        for features, labels in (
            (data.features, data.labels),
            (data.test_features, data.test_labels),
        ):
            assert features.dtype == float
            assert features.ndim == 2
            assert labels.shape == features.shape[:1]
            assert np.all(np.isfinite(features))
        assert data.features.size > 0
        if data.image_shape is not None:
            assert np.prod(data.image_shape) == data.features.shape[1]

    def test_is_the_one_that_its_options_describe(self, name, source):
        options = json.loads(json.dumps(dataclasses.asdict(source)))
        assert load_dataset({"kind": name, **options}).digest == (
            prepare(source.read(), source).digest
        )
