"""What every executor promises, over the table of executors."""

import threading

import pytest

from critparam.errors import ArgumentError
from critparam_experiments.executors import executors
from critparam_experiments.executors import local as local_module
from critparam_experiments.executors.base import Done, Executor, Task, perform
from critparam_experiments.executors.local import Local
from critparam_experiments.plan import make_plan


@pytest.fixture
def tasks(resolved):
    panels = [{"name": "p", "sweep": {"batch_size": [1, 2, 4, 8]}}]
    return [Task(c.cell_id, c.cell) for c in make_plan(resolved(panels=panels)).cells]


@pytest.mark.parametrize("name", executors.names())
@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_every_task_is_done_once(name, jobs, tasks):
    executor = executors.load(name)(jobs=jobs)
    assert isinstance(executor, Executor)
    done = {each.cell_id: each for each in executor.execute(tasks)}
    assert set(done) == {task.cell_id for task in tasks}
    # E f falls by 1/4 + 1/(4 b) a step: 1/2, 3/8, 5/16, 9/32 to at most 1/10
    steps = [done[task.cell_id].outcome.runs.steps.tolist() for task in tasks]
    assert steps == [[[4]], [[3]], [[2]], [[2]]]
    assert all(each.failure == "" and each.seconds > 0 for each in done.values())
    assert list(executor.execute([])) == []


@pytest.mark.parametrize("name", executors.names())
def test_at_least_one_job(name):
    with pytest.raises(ArgumentError):
        executors.load(name)(jobs=0)


def broken(cell):
    if cell.batch_size == 2:
        raise ZeroDivisionError("no luck")
    return compute(cell)


compute = local_module.perform.__globals__["compute"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_that_fails_does_not_stop_the_others(jobs, tasks, monkeypatch):
    monkeypatch.setitem(perform.__globals__, "compute", broken)
    done = {each.cell_id: each for each in Local(jobs).execute(tasks)}
    assert len(done) == 4
    failed = done.pop(tasks[1].cell_id)
    assert failed.outcome is None
    assert failed.failure.startswith("Traceback")
    assert failed.failure.strip().endswith("ZeroDivisionError: no luck")
    assert all(each.outcome is not None for each in done.values())


def test_an_interrupt_is_not_a_failure(tasks, monkeypatch):
    def interrupt(cell):
        raise KeyboardInterrupt

    monkeypatch.setitem(perform.__globals__, "compute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        perform(tasks[0])


def test_what_has_not_begun_is_dropped_when_the_run_is_left(tasks, monkeypatch):
    begun, go_on = [], threading.Event()

    def slow(task):
        begun.append(task.cell_id)
        if len(begun) > 1:
            assert go_on.wait(10)
        return Done(task.cell_id, None, "x", 0.0)

    monkeypatch.setattr(local_module, "perform", slow)
    running = Local(jobs=1).execute(tasks)
    next(running)
    running.close()
    go_on.set()
    assert len(begun) <= 2
