"""Components: a spec of plain values, and what jitted code sees of it."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import Component, as_dtype
from critparam.errors import ArgumentError


@dataclass(frozen=True)
class Toy(Component):
    """Validates, derives an array, and selects code."""

    traced: ClassVar[tuple[str, ...]] = ("scale", "table")
    static: ClassVar[tuple[str, ...]] = ("mode",)
    scale: float
    mode: str = "plus"
    sizes: list[int] | tuple[int, ...] = (1, 2)

    def __post_init__(self):
        if not self.scale > 0:
            raise ArgumentError("scale", "must be positive", self.scale)

    @cached_property
    def table(self):
        return np.asarray(self.sizes)

    def apply(self, x):
        return x + self.scale if self.mode == "plus" else x - self.scale


def test_spec_is_plain():
    toy = Toy(2.0, sizes=(3, (4, 5)))
    assert toy.spec() == {"scale": 2.0, "mode": "plus", "sizes": [3, [4, 5]]}
    assert json.loads(json.dumps(toy.spec())) == toy.spec()


def test_only_what_is_named_is_traced():
    leaves, _ = jax.tree.flatten(Toy(2.0))
    assert leaves[0] == 2.0
    np.testing.assert_array_equal(leaves[1], [1, 2])
    assert len(leaves) == 2


def test_values_are_traced_and_modes_select_code():
    traces = []

    @jax.jit
    def apply(toy, x):
        traces.append(toy.mode)
        return toy.apply(x)

    x = jnp.float32(1)
    cast = [as_dtype(toy, jnp.float32) for toy in (Toy(2.0), Toy(3.0), Toy(3.0, "minus"), Toy(5.0))]
    assert [float(apply(toy, x)) for toy in cast] == [3.0, 4.0, -2.0, 6.0]
    assert traces == ["plus", "minus"]


def test_tracers_are_not_validated_but_values_are():
    with pytest.raises(ArgumentError):
        Toy(-1.0)
    # gradients are negative: unflattening must not run the constructor
    gradient = jax.grad(lambda toy: -toy.scale * 3.0, allow_int=True)(
        as_dtype(Toy(2.0), jnp.float32)
    )
    assert type(gradient) is Toy
    assert float(gradient.scale) == -3
    negative = jax.tree.map(lambda leaf: -leaf, Toy(2.0))
    assert negative.scale == -2.0


def test_vectorised_over_components():
    stacked = jax.tree.map(
        lambda *leaves: jnp.stack(leaves),
        *(as_dtype(Toy(scale), jnp.float32) for scale in (1.0, 2.0)),
    )
    out = jax.vmap(lambda toy, x: toy.apply(x), in_axes=(0, None))(stacked, jnp.float32(1))
    np.testing.assert_array_equal(out, [2, 3])


def test_as_dtype_casts_floats_only():
    cast = as_dtype(Toy(2.0), jnp.float16)
    assert cast.scale.dtype == jnp.float16
    assert jnp.issubdtype(cast.table.dtype, jnp.integer)
    with jax.enable_x64(True):
        assert as_dtype(Toy(2.0), jnp.float64).scale.dtype == jnp.float64


def test_a_member_without_examples_says_so():
    with pytest.raises(NotImplementedError, match="Toy"):
        Toy.examples()
