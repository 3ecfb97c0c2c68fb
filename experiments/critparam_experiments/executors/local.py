"""This machine: cells shared out over threads."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from critparam.arguments import require_at_least
from critparam_experiments.compilation import use_persistent_cache
from critparam_experiments.executors.base import Done, Executor, Task, perform


@dataclass(frozen=True)
class Local(Executor):
    """Cells in threads: their work is done outside Python, so that threads use all cores.

    Attributes:
        jobs: cells computed at a time.
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        require_at_least(1, jobs=self.jobs)

    def execute(self, tasks: Sequence[Task]) -> Iterator[Done]:
        """Every task, the longest first, as it is done; when left early, the rest are dropped."""
        use_persistent_cache()
        ordered = sorted(tasks, key=lambda task: -task.cell.expected_effort())
        pool = ThreadPoolExecutor(self.jobs)
        try:
            for future in as_completed([pool.submit(perform, task) for task in ordered]):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
