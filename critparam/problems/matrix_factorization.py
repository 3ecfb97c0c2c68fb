"""Factorisation of a matrix of which some entries are observed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, cast

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from critparam.arguments import require_at_least, require_positive
from critparam.datasets.labels import numbers
from critparam.datasets.loading import DataSpec
from critparam.errors import ArgumentError
from critparam.problems.base import Rows
from critparam.problems.on_data import OnData
from critparam.types import Constants, Point

INITIALISATION_STREAM = 5
"""Keeps the draw of the start apart from those of a data set with the same seed."""


@dataclass(frozen=True)
class MatrixFactorization(OnData):
    """f(U, V) = 1/(2n) sum over observed (i, j) of (Y_ij - <u_i, v_j>)^2: not convex.

    The start is random: where U and V are 0, so is the gradient, and nothing would move.

    Attributes:
        data: name of a data set, or a mapping with its kind and options; it has two columns,
            which say in which row and which column of the matrix an entry stands (any values:
            equal ones are one row), and its labels are the entries.
        rank: number of columns of U and V.
        start_scale: standard deviation of the entries of <u_i, v_j> at the start.
        seed: of the start.
    """

    traced: ClassVar[tuple[str, ...]] = ("left", "right", "entries")
    static: ClassVar[tuple[str, ...]] = ("shape", "rank")

    data: DataSpec
    rank: int
    start_scale: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        require_at_least(1, rank=self.rank)
        require_positive(start_scale=self.start_scale)
        require_at_least(0, seed=self.seed)
        columns = self.dataset.features.shape[1]
        if columns != 2:
            reason = f"must have two columns, the places of the entries, not {columns}"
            raise ArgumentError("data", reason, self.data)
        _ = self.entries

    @cached_property
    def _places(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For rows and for columns: the values that occur, and which of them each entry has."""
        return [np.unique(column, return_inverse=True) for column in self.dataset.features.T]

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix in which an entry is observed."""
        rows, columns = (len(values) for values, _ in self._places)
        return rows, columns

    @cached_property
    def left(self) -> Float[Array, "n rows"]:
        """The row of each entry as an indicator: products are cheaper to batch than look-ups."""
        return cast(Array, np.eye(self.shape[0])[self._places[0][1]])

    @cached_property
    def right(self) -> Float[Array, "n columns"]:
        """The column of each entry as an indicator."""
        return cast(Array, np.eye(self.shape[1])[self._places[1][1]])

    @cached_property
    def entries(self) -> Float[Array, "n"]:
        """The entries Y_ij."""
        return cast(Array, numbers(self.dataset).train)

    @property
    def rows(self) -> Rows:
        """Places and entries."""
        return self.left, self.right, self.entries

    @property
    def metrics(self) -> tuple[str, ...]:
        """Without suboptimality: the least value is not known."""
        return ("gradient_norm", "loss")

    @cached_property
    def initial(self) -> Point:  # pyright: ignore[reportIncompatibleMethodOverride]
        """U and V one after the other, row by row: normal, so that <u_i, v_j> has start_scale."""
        rng = np.random.default_rng([self.seed, INITIALISATION_STREAM])
        deviation = np.sqrt(self.start_scale / np.sqrt(self.rank))
        return cast(Array, rng.normal(0.0, deviation, sum(self.shape) * self.rank))

    def losses(self, x: Point, rows: Rows) -> Float[Array, "b"]:
        """1/2 (Y_ij - <u_i, v_j>)^2 of each entry."""
        left, right, entries = rows
        factors = x.reshape(-1, self.rank)
        u, v = left @ factors[: self.shape[0]], right @ factors[self.shape[0] :]
        return 0.5 * (entries - jnp.sum(u * v, axis=1)) ** 2

    @property
    def constants(self) -> Constants:
        """Unknown: the gradient is Lipschitz on bounded sets alone."""
        return Constants(L=None, mu=None, f_star=None)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """All entries of a matrix of the same rank, and some noisy ones of a higher rank."""
        noisy = {"observed": 0.6, "label_noise": 0.1}
        return [
            cls({"kind": "low_rank", "rows": 8, "columns": 6, "rank": 2}, rank=2),
            cls({"kind": "low_rank", "rows": 12, "columns": 9, "rank": 4, **noisy}, rank=1, seed=1),
        ]
