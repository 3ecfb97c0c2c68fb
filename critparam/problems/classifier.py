"""What neural networks have in common that sort samples into classes."""

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar, Literal, cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.datasets.labels import Labels, class_codes
from critparam.errors import ArgumentError
from critparam.problems.base import Rows
from critparam.problems.on_data import OnData
from critparam.types import Constants, Point, Scalar

ACTIVATIONS = {"tanh": jnp.tanh, "relu": jax.nn.relu}
GAINS = {"tanh": 1.0, "relu": 2.0}
"""Variance of initial weights times fan-in that keeps the signal's size (LeCun; He et al.)."""

INITIALISATION_STREAM = 3
"""Keeps the draws of initial weights apart from those of a data set with the same seed."""


class Classifier(OnData):
    """f(x) = 1/n sum_i cross-entropy(softmax(scores(x, a_i)), y_i); x holds all the weights.

    Every layer is a matrix and a bias, in x one after the other. Members have the fields
    `activation` and `seed`, too, and know their layers and how to apply them.
    """

    traced: ClassVar[tuple[str, ...]] = (
        "features", "labels", "test_features", "test_labels",
    )  # fmt: skip
    static: ClassVar[tuple[str, ...]] = ("layers", "activation")

    activation: Literal["tanh", "relu"]
    seed: int

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            names = tuple(ACTIVATIONS)
            reason = f"must be {' or '.join(names)}"
            raise ArgumentError("activation", reason, self.activation, accepted=names)
        require_at_least(0, seed=self.seed)
        _ = self.layers, self._targets

    @property
    @abstractmethod
    def layers(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of each layer."""

    @abstractmethod
    def scores(self, x: Point, features: Float[Array, "b d"]) -> Float[Array, "b classes"]:
        """The scores of the classes, before the softmax."""

    @cached_property
    def _targets(self) -> tuple[Labels, int]:
        return class_codes(self.dataset)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self._targets[1]

    @cached_property
    def features(self) -> Float[Array, "n d"]:
        """a_i."""
        return cast(Array, self.dataset.features)

    @cached_property
    def test_features(self) -> Float[Array, "m d"]:
        """The a_i held out."""
        return cast(Array, self.dataset.test_features)

    @cached_property
    def labels(self) -> Float[Array, "n classes"]:
        """y_i as indicators: products of them are cheaper to batch than look-ups."""
        return cast(Array, np.eye(self.classes)[self._targets[0].train])

    @cached_property
    def test_labels(self) -> Float[Array, "m classes"]:
        """The y_i held out."""
        return cast(Array, np.eye(self.classes)[self._targets[0].test])

    @property
    def rows(self) -> Rows:
        """Features and labels."""
        return self.features, self.labels

    @cached_property
    def initial(self) -> Point:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Normal weights of variance gain/fan-in, biases zero."""
        rng = np.random.default_rng([self.seed, INITIALISATION_STREAM])
        parts = []
        for inputs, outputs in self.layers:
            deviation = np.sqrt(GAINS[self.activation] / inputs)
            parts += [rng.normal(0.0, deviation, inputs * outputs), np.zeros(outputs)]
        return cast(Array, np.concatenate(parts))

    def unpacked(self, x: Point) -> list[tuple[Float[Array, "i o"], Float[Array, "o"]]]:
        """Matrix and bias of each layer."""
        unpacked, end = [], 0
        for inputs, outputs in self.layers:
            begin, middle = end, end + inputs * outputs
            end = middle + outputs
            unpacked.append((x[begin:middle].reshape(inputs, outputs), x[middle:end]))
        return unpacked

    def activate(self, inputs: Array) -> Array:
        """The activation, element by element."""
        return ACTIVATIONS[self.activation](inputs)

    def losses(self, x: Point, rows: Rows) -> Float[Array, "b"]:
        """Cross-entropy of each sample, in nats."""
        features, labels = rows
        scores = self.scores(x, features)
        return jax.nn.logsumexp(scores, axis=1) - jnp.sum(labels * scores, axis=1)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Accuracy too; on the rows held out where there are any."""
        held_out = ("test_accuracy",) if len(self.test_labels) else ()
        return ("gradient_norm", "loss", "accuracy", *held_out)

    def accuracy(self, x: Point) -> Scalar:
        """Share of samples whose own class has the highest score, ties counting as right."""
        return self._share_right(x, self.features, self.labels)

    def test_accuracy(self, x: Point) -> Scalar:
        """The same share, of the samples held out."""
        return self._share_right(x, self.test_features, self.test_labels)

    def _share_right(self, x: Point, features: Array, labels: Array) -> Scalar:
        scores = self.scores(x, features)
        return jnp.mean(jnp.sum(labels * scores, axis=1) >= jnp.max(scores, axis=1))

    @property
    def constants(self) -> Constants:
        """Unknown: the loss of a network is not smooth everywhere, and its minimum not known."""
        return Constants(L=None, mu=None, f_star=None)
