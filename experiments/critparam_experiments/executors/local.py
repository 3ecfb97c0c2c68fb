"""This machine: one process, or several that share the cells out."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from critparam.arguments import require_at_least
from critparam_experiments.compilation import use_persistent_cache
from critparam_experiments.executors.base import Done, Executor, Task, perform


@dataclass(frozen=True)
class Local(Executor):
    """Cells one after another, or in `jobs` processes.

    Attributes:
        jobs: worker processes; 1 computes in this one.
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        require_at_least(1, jobs=self.jobs)

    def execute(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """Every task, as it is done."""
        if self.jobs == 1 or len(tasks) < 2:
            use_persistent_cache()
            yield from map(perform, tasks)
            return
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(
            min(self.jobs, len(tasks)), mp_context=context, initializer=use_persistent_cache
        )
        try:
            futures = [pool.submit(perform, task) for task in tasks]
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
