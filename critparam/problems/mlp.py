"""A fully connected neural network."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, Self

from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.datasets.loading import DataSpec
from critparam.problems.classifier import Classifier
from critparam.types import Point


@dataclass(frozen=True)
class Mlp(Classifier):
    """Layers of all-to-all connections, with softmax cross-entropy: not convex.

    Attributes:
        data: name of a data set, or a mapping with its kind and options; labels are classes.
        hidden: widths of the hidden layers; none makes it a linear classifier.
        activation: of the hidden layers, tanh or relu.
        seed: of the initial weights.
    """

    data: DataSpec
    hidden: list[int]
    activation: Literal["tanh", "relu"] = "tanh"
    seed: int = 0

    def __post_init__(self) -> None:
        for width in self.hidden:
            require_at_least(1, hidden=width)
        super().__post_init__()

    @cached_property
    def layers(self) -> tuple[tuple[int, int], ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """From the features through the hidden layers to the classes."""
        return tuple(pairwise((self.dataset.features.shape[1], *self.hidden, self.classes)))

    def scores(self, x: Point, features: Float[Array, "b d"]) -> Float[Array, "b classes"]:
        """The scores of the classes."""
        *hidden, (matrix, bias) = self.unpacked(x)
        signal = features
        for weights, shift in hidden:
            signal = self.activate(signal @ weights + shift)
        return signal @ matrix + bias

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Two depths and both activations, one with rows held out."""
        return [
            cls({"kind": "iris", "test_fraction": 0.2}, hidden=[4]),
            cls({"kind": "digits", "subsample": 50}, hidden=[6, 5], activation="relu"),
        ]
