import io

import pytest
from rich.console import Console
from rich.progress import Progress

from critparam_cli.progress import Bars, Lines, Quiet, described, progress
from critparam_experiments.config import resolve
from critparam_experiments.plan import make_plan
from critparam_experiments.yaml_loader import load_file


@pytest.fixture
def plan(tiny, tmp_path):
    """A plan whose panels have these names."""

    def make(*names):
        panels = [
            {"name": name, "sweep": {"batch_size": [b, 8]}} for b, name in enumerate(names, 1)
        ]
        return make_plan(resolve(load_file(tmp_path / tiny(panels=panels))))

    return make


def test_lines_say_when_a_panel_is_done(plan, capsys):
    listener, made = Lines(), plan("first", "second")
    listener.planned(made, set(), 0)
    for planned in made.distinct():
        listener.finished(planned, 0.1)
    out, err = capsys.readouterr()
    assert out == ""
    first, *others = err.splitlines()
    assert first == "tiny: 3 cells to do, 0 stored"
    assert sorted(others) == ["first: 2 cells done", "second: 1 cells done"]


def test_stored_cells_and_those_set_aside_are_counted(plan, capsys):
    made = plan("first")
    Lines().planned(made, {made.cells[0].cell_id}, 3)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tiny: 1 cells to do, 1 stored, 3 ")


def test_failures_and_waiting_are_told_even_where_quiet(plan, capsys):
    planned = plan("first").cells[0]
    Quiet().failed(planned, "Boom")
    Quiet().waiting("waiting for it")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"failed: {described(planned)}: Boom", "waiting for it"]
    assert described(planned) == "first, exact, batch_size=1 delay=0"


@pytest.mark.parametrize("name", ["batch size", "[red]", "[/b]", "[link=x]y"])
def test_bars_show_names_as_they_are(plan, name):
    made = plan(name)
    written = io.StringIO()
    with Progress(console=Console(file=written, force_terminal=True, width=120)) as bars:
        listener = Bars(bars)
        listener.planned(made, {made.cells[0].cell_id}, 0)
        listener.finished(made.cells[1], 0.1)
        bars.refresh()
    assert name in written.getvalue()
    assert "100%" in written.getvalue()


def test_no_bars_where_there_is_no_terminal():
    with progress(quiet=False) as listener:
        assert type(listener) is Lines
    with progress(quiet=True) as listener:
        assert type(listener) is Quiet
