import dataclasses
import re

import pandas as pd
import pytest

from critparam_experiments.figures import figures
from critparam_experiments.figures.render import FORMATS, render


@pytest.fixture
def rendered(resolved, batches, tmp_path):
    """Renders a figure of two panels into tmp_path/figures."""
    folder = tmp_path / "figures"
    folder.mkdir()

    def make(*, formats=("svg",), panels=("a", "b"), title="t", table=None):
        experiment = dataclasses.replace(resolved(title=title), figure=figures.load("speedup")())
        if table is None:
            parts = [batches(panel=name).head(4) for name in panels]
            table = pd.concat(parts, ignore_index=True)
        return render(experiment, table, folder, formats, quick=False)

    return make


def text_of(paths):
    """The text in an SVG, its elements joined by spaces."""
    (path,) = paths
    return " ".join(re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8")).split())


def test_every_format_is_written_and_nothing_else(rendered):
    paths = rendered(formats=FORMATS)
    assert [path.name for path in paths] == ["tiny.png", "tiny.pdf", "tiny.svg"]
    starts = [path.read_bytes()[:5] for path in paths]
    assert starts == [b"\x89PNG\r", b"%PDF-", b"<?xml"]
    assert {path.name for path in paths[0].parent.iterdir()} == {path.name for path in paths}


def test_images_are_the_same_bytes_each_time(rendered):
    first = [path.read_bytes() for path in rendered(formats=FORMATS)]
    assert [path.read_bytes() for path in rendered(formats=FORMATS)] == first


def test_panels_are_lettered_and_named(rendered):
    text = text_of(rendered(panels=("first one", "second one"), title="A title"))
    for words in ("(a) first one", "(b) second one", "A title"):
        assert words in text


def test_a_single_panel_has_no_letter(rendered):
    assert "(a)" not in text_of(rendered(panels=("only",)))


def test_every_panel_is_named_however_many(rendered):
    names = [f"panel {index}" for index in range(10)]
    text = text_of(rendered(panels=names))
    assert [name for name in names if name not in text] == []


@pytest.mark.parametrize(
    "name",
    ["$x^$", "50 $", "a_b^c", "\\alpha", "100 %", "<b>&", "批量大小"],
)
@pytest.mark.parametrize("where", ["title", "panels"])
def test_text_of_the_file_is_shown_as_it_is(rendered, where, name):
    """No mathematics, markup or warning comes of it."""
    rendered(**{where: name if where == "title" else (name, "b")})


def test_matplotlib_is_left_as_it_was(rendered):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    rendered()
    assert dict(mpl.rcParams) == before


def test_a_full_disk_leaves_the_old_image(rendered, monkeypatch):
    (path,) = rendered(formats=("png",))
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    with pytest.raises(OSError, match="No space left"):
        rendered(formats=("png",))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
