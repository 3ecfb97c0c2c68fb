"""What every registered problem, noise, delay and method keeps, whatever its family."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import as_dtype
from critparam.delays import delays
from critparam.methods import methods
from critparam.noise import noises
from critparam.problems import problems
from critparam.registry import Registry

FAMILIES: list[Registry] = [problems, noises, delays, methods]
MEMBERS = [(registry, name) for registry in FAMILIES for name in registry.members]
EXAMPLES = [
    pytest.param(registry, name, index, id=f"{registry.family}-{name}-{index}")
    for registry, name in MEMBERS
    for index in range(len(registry.load(name).examples()))
]


@pytest.fixture
def example(registry, name, index):
    return registry.load(name).examples()[index]


@pytest.mark.parametrize(("registry", "name"), MEMBERS)
def test_every_member_has_examples_and_a_docstring(registry, name):
    member = registry.load(name)
    assert len(member.examples()) >= 1
    assert member.__doc__
    assert all(type(example) is member for example in member.examples())


@pytest.mark.parametrize(("registry", "name", "index"), EXAMPLES)
class TestExamples:
    def test_is_known_by_its_name(self, registry, name, index, example):
        assert registry.kind_of(example) == name

    def test_is_frozen(self, registry, name, index, example):
        assert dataclasses.is_dataclass(example)
        for field in dataclasses.fields(example):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(example, field.name, getattr(example, field.name))

    def test_spec_round_trips_through_json(self, registry, name, index, example):
        text = json.dumps(example.spec(), allow_nan=False)
        assert type(example)(**json.loads(text)) == example
        assert set(example.spec()) == {field.name for field in dataclasses.fields(example)}

    def test_every_field_is_traced_static_or_behind_something_traced(
        self, registry, name, index, example
    ):
        """What jitted code sees of a component is what `traced` and `static` name."""
        for attribute in (*example.traced, *example.static):
            assert hasattr(example, attribute)

    def test_flattens_without_validating(self, registry, name, index, example):
        leaves, structure = jax.tree.flatten(example)
        hollow = jax.tree.unflatten(structure, [object() for _ in leaves])
        assert type(hollow) is type(example)
        again = jax.tree.unflatten(structure, leaves)
        for attribute in example.traced:
            np.testing.assert_array_equal(getattr(again, attribute), getattr(example, attribute))
        for attribute in example.static:
            assert getattr(again, attribute) == getattr(example, attribute)

    def test_passes_through_jit(self, registry, name, index, example):
        leaves, structure = jax.tree.flatten(as_dtype(example, jnp.float32))
        returned, same = jax.tree.flatten(jax.jit(lambda it: it)(as_dtype(example, jnp.float32)))
        assert same == structure
        for before, after in zip(leaves, returned, strict=True):
            np.testing.assert_array_equal(before, after)

    def test_a_changed_value_compiles_nothing(self, registry, name, index, example):
        count = 0

        @jax.jit
        def touch(component):
            nonlocal count
            count += 1
            return jax.tree.leaves(component)

        touch(as_dtype(example, jnp.float32))
        touch(jax.tree.map(lambda leaf: leaf + 1, as_dtype(example, jnp.float32)))
        assert count == 1

    def test_casts_to_single_precision(self, registry, name, index, example):
        for leaf in jax.tree.leaves(as_dtype(example, jnp.float32)):
            assert leaf.dtype == jnp.float32 or not jnp.issubdtype(leaf.dtype, jnp.floating)
