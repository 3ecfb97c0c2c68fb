"""What every problem, noise, delay and method is: a frozen spec that JAX can trace."""

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeVar

import jax
import jax.numpy as jnp

ComponentT = TypeVar("ComponentT", bound="Component")


class Component:
    """Base of the members of a family; members are frozen dataclasses of plain values.

    The dataclass fields are the spec: plain numbers, strings, and lists, validated when the
    component is constructed. What jitted code needs is named separately: `traced` attributes
    (fields or cached properties) enter it as arrays, so that a changed value compiles nothing;
    `static` attributes select the code. Unflattening bypasses the constructor, so tracers are
    never validated.
    """

    traced: ClassVar[tuple[str, ...]] = ()
    static: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        jax.tree_util.register_pytree_node(cls, cls._flatten, cls._unflatten)

    def _flatten(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return (
            tuple(getattr(self, name) for name in self.traced),
            tuple(getattr(self, name) for name in self.static),
        )

    @classmethod
    def _unflatten(cls, static: tuple[Any, ...], traced: Any) -> Self:
        component = object.__new__(cls)
        component.__dict__.update(zip(cls.static, static, strict=True))
        component.__dict__.update(zip(cls.traced, traced, strict=True))
        return component

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Small, valid instances on which the contract tests run."""
        raise NotImplementedError(f"{cls.__name__} has no examples")

    def spec(self) -> dict[str, Any]:
        """The fields as plain values that YAML and JSON can hold."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in dataclasses.fields(self)  # pyright: ignore[reportArgumentType]
        }


def as_dtype(component: ComponentT, dtype: Any) -> ComponentT:
    """The component, its floating traced arrays cast to `dtype`, for use in jitted code."""

    def cast(leaf: Any) -> jax.Array:
        array = jnp.asarray(leaf)
        return array.astype(dtype) if jnp.issubdtype(array.dtype, jnp.floating) else array

    return jax.tree.map(cast, component)


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
