"""A small convolutional neural network for images."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import ClassVar, Literal, Self

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least
from critparam.datasets.loading import DataSpec
from critparam.errors import ArgumentError
from critparam.problems.classifier import Classifier
from critparam.types import Point

KERNEL = 3


@dataclass(frozen=True)
class ConvNet(Classifier):
    """Convolutions of 3 x 3 pixels with stride, then one fully connected layer: not convex.

    Attributes:
        data: name of a data set of images, or a mapping with its kind and options; labels are
            classes.
        channels: output channels of each convolution.
        stride: of every convolution: by how much it divides height and width, rounding up.
        activation: after every convolution, relu or tanh.
        seed: of the initial weights.
    """

    static: ClassVar[tuple[str, ...]] = (*Classifier.static, "stride", "image_shape")

    data: DataSpec
    channels: list[int]
    stride: int = 2
    activation: Literal["tanh", "relu"] = "relu"
    seed: int = 0

    def __post_init__(self) -> None:
        for count in self.channels:
            require_at_least(1, channels=count)
        require_at_least(1, stride=self.stride)
        super().__post_init__()

    @cached_property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width and channels of an image."""
        shape = self.dataset.image_shape
        if shape is None:
            reason = "must be images, as {kind: digits, images: true} is"
            raise ArgumentError("data", reason, self.data)
        return shape

    @cached_property
    def layers(self) -> tuple[tuple[int, int], ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The convolutions as matrices applied to every patch, and the last layer."""
        height, width, colours = self.image_shape
        convolutions = [
            (KERNEL**2 * inputs, outputs) for inputs, outputs in pairwise((colours, *self.channels))
        ]
        for _ in self.channels:
            height, width = -(-height // self.stride), -(-width // self.stride)
        flat = height * width * (colours, *self.channels)[-1]
        return (*convolutions, (flat, self.classes))

    def scores(self, x: Point, features: Float[Array, "b d"]) -> Float[Array, "b classes"]:
        """The scores of the classes."""
        *convolutions, (matrix, bias) = self.unpacked(x)
        images = features.reshape(-1, *self.image_shape)
        for kernel, shift in convolutions:
            images = self.activate(_patches(images, self.stride) @ kernel + shift)
        size = int(np.prod(images.shape[1:]))
        return images.reshape(-1, size) @ matrix + bias

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Both activations; one whose sizes are odd after the first convolution."""
        digits = {"kind": "digits", "images": True, "subsample": 40}
        return [
            cls(digits, channels=[2, 3]),
            cls({**digits, "test_fraction": 0.2}, channels=[2], stride=3, activation="tanh"),
        ]


def _patches(images: Float[Array, "b h w c"], stride: int) -> Float[Array, "b i j k"]:
    """The surroundings of every stride-th pixel, zero beyond the border, k = (row, column, c).

    One product with them is the convolution; unlike XLA's own, it stays one matrix product when
    every replicate and learning rate has a kernel of its own.
    """
    _, height, width, _ = images.shape
    margin = KERNEL // 2
    padded = jnp.pad(images, ((0, 0), (margin, margin), (margin, margin), (0, 0)))
    shifted = [
        padded[:, row : row + height : stride, column : column + width : stride]
        for row, column in product(range(KERNEL), repeat=2)
    ]
    return jnp.concatenate(shifted, axis=-1)
