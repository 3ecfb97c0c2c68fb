"""What a method promises to the simulator."""

from abc import abstractmethod
from typing import Any, NamedTuple

from jaxtyping import Array, Int

from critparam.component import Component
from critparam.types import Key, Point, Scalar


class Context(NamedTuple):
    """What a step may know besides its gradient.

    Attributes:
        t: number of steps taken before this one.
        key: randomness of this step and replicate, independent of the gradient's noise.
        delay: staleness of the gradient, a number or one for each coordinate [d].
        sample: the draw that made the gradient noisy, by which it can be taken again elsewhere.
    """

    t: Int[Array, ""]
    key: Key
    delay: Int[Array, "..."]
    sample: Any


class Method(Component):
    """A pure update rule; its state is any pytree of arrays, one for each run."""

    @property
    def is_plain_sgd(self) -> bool:
        """Whether a step is x - gamma g and nothing else, as the exact engine requires."""
        return False

    @abstractmethod
    def init(self, x0: Point) -> Any:
        """The state before the first step."""

    @abstractmethod
    def query(self, state: Any) -> Point:
        """The point at which the next gradient is taken; delays act on the sequence of these."""

    @abstractmethod
    def step(self, state: Any, gradient: Point, learning_rate: Scalar, context: Context) -> Any:
        """The state after one step with a (noisy, possibly stale) gradient."""

    @abstractmethod
    def iterate(self, state: Any) -> Point:
        """The point by which the run is judged."""
