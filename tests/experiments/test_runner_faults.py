"""Runs that are interrupted, fail, or find something in their way."""

import contextlib
import json

import pytest

from critparam_experiments.errors import ConfigError, FolderInUseError
from critparam_experiments.lock import writing

SWEEP = [{"name": "p", "sweep": {"batch_size": [1, 2, 4, 8, 16]}, "series": {"noise.M": [1, 2]}}]
CELLS = 10


@pytest.fixture
def content(config):
    return config(panels=SWEEP)


@pytest.fixture
def undisturbed(content, run_in, tables_of, tmp_path):
    """The CSVs of a run that nothing disturbs."""
    result, _ = run_in(content, out=tmp_path / "undisturbed")
    return tables_of(result.folder)


@pytest.mark.parametrize("after", [0, 1, 4, CELLS - 1])
def test_an_interrupted_run_keeps_its_cells_and_goes_on(
    after, content, run_in, one_by_one, undisturbed, tables_of
):
    result, ear = run_in(content, executor=one_by_one(interrupt_after=after), formats=("svg",))
    assert result.interrupted
    assert len(ear.done) == after
    assert len(list((result.folder / "cells").glob("*.json"))) == after
    assert len(result.table) == after
    manifest = json.loads((result.folder / "manifest.json").read_text())
    assert not manifest["complete"]
    assert set(tables_of(result.folder)) == set(undisturbed)
    again, ear = run_in(content)
    assert (len(ear.done), ear.stored) == (CELLS - after, after)
    assert not again.interrupted
    assert tables_of(again.folder) == undisturbed
    assert json.loads((again.folder / "manifest.json").read_text())["complete"]


def test_interrupted_again_and_again(content, run_in, one_by_one, undisturbed, tables_of):
    for _ in range(CELLS):
        result, _ = run_in(content, executor=one_by_one(interrupt_after=1))
    assert tables_of(result.folder) == undisturbed


def large(cell):
    return cell.batch_size >= 8


def test_a_failed_cell_costs_no_other_and_is_tried_again(
    content, run_in, one_by_one, undisturbed, tables_of
):
    result, ear = run_in(content, executor=one_by_one(failing=large))
    assert len(result.failures) == len(ear.failures) == 4
    assert {reason for _, reason in ear.failures} == {"Boom: no luck"}
    assert len(ear.done) == len(result.table) == 6
    assert "Boom: no luck" in (result.folder / "failures.txt").read_text()
    assert not json.loads((result.folder / "manifest.json").read_text())["complete"]
    again, ear = run_in(content)
    assert (len(ear.done), ear.stored) == (4, 6)
    assert not again.failures
    assert not (again.folder / "failures.txt").exists()
    assert tables_of(again.folder) == undisturbed


def test_a_problem_that_raises_is_a_failed_cell(content, run_in, resolved, monkeypatch):
    cls = type(resolved().panels[0].series[0].template.problem)
    curvatures = cls.curvatures

    def broken(cell):
        raise RuntimeError("toy problem\nof two lines")

    monkeypatch.setattr("critparam_experiments.executors.base.compute", broken)
    result, ear = run_in(content)
    assert len(result.failures) == CELLS
    assert {reason for _, reason in ear.failures} == {"of two lines"}
    assert result.table.empty
    monkeypatch.undo()
    assert cls.curvatures is curvatures
    _, ear = run_in(content)
    assert len(ear.done) == CELLS


def spoil_half(raw):
    return raw[: len(raw) // 2]


@pytest.mark.parametrize("spoil", [spoil_half, lambda raw: b"", lambda raw: raw[::-1]])
def test_a_spoilt_cell_is_computed_again(content, run_in, undisturbed, tables_of, spoil):
    result, _ = run_in(content)
    victim = sorted((result.folder / "cells").glob("*.json"))[3]
    victim.write_bytes(spoil(victim.read_bytes()))
    again, ear = run_in(content)
    assert (len(ear.done), ear.stored) == (1, CELLS - 1)
    assert tables_of(again.folder) == undisturbed


def test_a_spoilt_cell_is_spoken_of(content, run_in):
    result, _ = run_in(content)
    victim = sorted((result.folder / "cells").glob("*.json"))[3]
    victim.write_bytes(spoil_half(victim.read_bytes()))
    _, ear = run_in(content)
    assert ear.set_aside == 1


def test_cells_that_were_swapped_are_not_believed(content, run_in, undisturbed, tables_of):
    result, _ = run_in(content)
    first, second = sorted((result.folder / "cells").glob("*.json"))[:2]
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    again, ear = run_in(content)
    assert len(ear.done) == 2
    assert tables_of(again.folder) == undisturbed


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be(content, run_in, tmp_path, place):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError, match="cannot be written to"):
        run_in(content, out=tmp_path / place)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_file_in_place_of_the_results_folder(content, run_in, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "tiny").write_text("mine")
    with pytest.raises(ConfigError, match="cannot be written to"):
        run_in(content)


def test_a_folder_in_use(content, run_in, tmp_path):
    folder = tmp_path / "out" / "tiny"
    folder.mkdir(parents=True)
    with (
        writing(folder, wait=False, notify=print),
        pytest.raises(FolderInUseError, match="in use by another run"),
    ):
        run_in(content, wait=False)
    assert not (folder / "cells").exists()
    result, _ = run_in(content, wait=False)
    assert len(result.table) == CELLS


def test_a_full_disk_ends_the_run_and_the_next_goes_on(
    content, run_in, undisturbed, tables_of, monkeypatch
):
    count = 0

    def full(*_, **__):
        nonlocal count
        count += 1
        if count > 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run_in(content)
    monkeypatch.undo()
    result, ear = run_in(content)
    assert ear.stored == 3
    assert tables_of(result.folder) == undisturbed
    assert not [path for path in result.folder.rglob(".*-*") if "lock" not in path.name]


def test_a_manifest_that_is_none_does_not_stop_a_full_run(content, run_in):
    result, _ = run_in(content)
    (result.folder / "manifest.json").write_text("{")
    again, ear = run_in(content)
    assert ear.done == []
    assert json.loads((again.folder / "manifest.json").read_text())["complete"]


@pytest.mark.parametrize("listener", ["planned", "finished"])
def test_an_interrupt_at_any_moment_leaves_a_folder_that_goes_on(
    content, run_in, undisturbed, tables_of, listener
):
    class Stop:
        def __getattr__(self, name):
            def say(*_):
                if name == listener:
                    raise KeyboardInterrupt

            return say

    with contextlib.suppress(KeyboardInterrupt):
        run_in(content, ear=Stop())
    result, _ = run_in(content)
    assert tables_of(result.folder) == undisturbed
