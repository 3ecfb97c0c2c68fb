"""What an executor promises to the runner."""

import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from critparam.cell import Cell, Outcome, compute


class Task(NamedTuple):
    """A cell to compute."""

    cell_id: str
    cell: Cell


class Done(NamedTuple):
    """What became of a task.

    Attributes:
        outcome: None if it failed.
        failure: the traceback if it failed, else empty.
        seconds: wall-clock time it took.
    """

    cell_id: str
    outcome: Outcome | None
    failure: str
    seconds: float


class Executor(ABC):
    """Computes cells, each a pure function of its specification, in any order."""

    @abstractmethod
    def execute(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """Every task, as it is done; a task that fails does not stop the others."""


def perform(task: Task) -> Done:
    """Compute one cell, its failure caught."""
    started = time.perf_counter()
    outcome, failure = None, ""
    try:
        outcome = compute(task.cell)
    except Exception:  # whatever a problem raises must not cost the other cells
        failure = traceback.format_exc()
    return Done(task.cell_id, outcome, failure, time.perf_counter() - started)
