import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from critparam.cell import Outcome
from critparam.measured import Measured
from critparam.runs import NEVER, Runs
from critparam.types import Status
from critparam_experiments.store import Store

ID, OTHER = "a" * 64, "b" * 64


MEASURED = Measured(weighted=1 / 3, path=None, path_weighted=0.1)


def outcome(
    rates=(0.1, 0.2),
    steps=((3, NEVER), (2, 4)),
    noise=None,
    chosen=1,
    at_edge=False,
    measured=MEASURED,
    arrival=None,
):
    steps = np.asarray(steps)
    status = np.where(steps == NEVER, Status.DIVERGED, Status.REACHED).astype(object)
    noise = np.where(steps == NEVER, np.nan, 1.5) if noise is None else np.asarray(noise)
    runs = Runs(np.asarray(rates), steps, status, noise, noise / 3, arrival)
    return Outcome(runs, chosen, at_edge, measured)


def assert_same(found, expected):
    assert (found.chosen, found.at_edge) == (expected.chosen, expected.at_edge)
    assert type(found.chosen) is int
    assert type(found.at_edge) is bool
    assert found.measured == expected.measured
    for name in ("learning_rates", "steps", "status", "noise", "signal"):
        array = getattr(expected.runs, name)
        again = getattr(found.runs, name)
        assert again.dtype == array.dtype, name
        np.testing.assert_array_equal(again, array, err_msg=name)
    assert all(type(status) is Status for status in found.runs.status.flat)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cells")


@pytest.fixture
def path(store):
    """The file of a stored cell."""
    store.save(ID, outcome())
    return store.folder / f"{ID}.json"


def test_nothing_is_stored_at_first(store):
    assert store.load(ID) is None
    assert not store.holds(ID)
    assert not store.folder.exists()


def test_what_is_stored_comes_back(store):
    store.save(ID, outcome())
    store.save(OTHER, outcome(chosen=0, at_edge=True, measured=None))
    assert store.holds(ID)
    assert_same(store.load(ID), outcome())
    assert_same(store.load(OTHER), outcome(chosen=0, at_edge=True, measured=None))


def test_points_of_arrival_are_not_stored(store):
    store.save(ID, outcome(arrival=np.ones((2, 2, 3))))
    assert store.load(ID).runs.arrival is None


def test_storing_again_replaces(store, path):
    store.save(ID, outcome(chosen=0))
    assert_same(store.load(ID), outcome(chosen=0))
    assert list(store.folder.iterdir()) == [path]


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


@given(
    st.lists(
        st.floats(min_value=0, exclude_min=True, allow_infinity=False), min_size=1, max_size=3
    ),
    st.data(),
)
@settings(deadline=None, max_examples=50)
def test_every_number_comes_back_to_the_last_bit(tmp_path_factory, rates, data):
    shape = (len(rates), 2)
    rows = st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=shape[0], max_size=shape[0])
    steps = data.draw(st.integers(-1, 2**62))
    stored = outcome(rates, np.full(shape, steps), data.draw(rows), chosen=0)
    store = Store(tmp_path_factory.mktemp("cells"))
    store.save(ID, stored)
    assert_same(store.load(ID), stored)


def edited(change):
    """Changes the file's content, its checksum left as it was."""

    def apply(raw):
        content = json.loads(raw)
        change(content["payload"])
        return json.dumps(content).encode()

    return apply


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda raw: b"", id="empty"),
        pytest.param(lambda raw: raw[: len(raw) // 4], id="a quarter"),
        pytest.param(lambda raw: raw[: len(raw) // 2], id="half"),
        pytest.param(lambda raw: raw[:-1], id="last byte lost"),
        pytest.param(lambda raw: raw + b"x", id="something after it"),
        pytest.param(lambda raw: b"\0" * len(raw), id="zeros, as after a power cut"),
        pytest.param(lambda raw: b"\xff\xfe" + raw, id="not UTF-8"),
        pytest.param(lambda raw: b"null", id="null"),
        pytest.param(lambda raw: b"[]", id="list"),
        pytest.param(lambda raw: b"{}", id="no keys"),
        pytest.param(lambda raw: b'{"payload": 3, "sha256": 4}', id="foreign JSON"),
        pytest.param(lambda raw: b"[" * 100_000, id="deeply nested"),
        pytest.param(lambda raw: raw.replace(b"[0.1,", b"[0.3,"), id="another learning rate"),
        pytest.param(lambda raw: raw.replace(b"reached", b"beaten "), id="another status"),
        pytest.param(edited(lambda p: p.update(chosen=0)), id="other choice"),
        pytest.param(edited(lambda p: p.update(steps=[[1, 2], [3, 4]])), id="other steps"),
        pytest.param(edited(lambda p: p.pop("noise")), id="key dropped"),
        pytest.param(edited(lambda p: p.update(extra=1)), id="key added"),
    ],
)
def test_what_cannot_be_trusted_is_set_aside(store, path, spoil):
    spoilt = spoil(path.read_bytes())
    assert spoilt != path.read_bytes()
    path.write_bytes(spoilt)
    assert store.load(ID) is None
    assert not store.holds(ID)
    assert [kept.read_bytes() for kept in store.folder.glob("*/*")] == [spoilt]
    store.save(ID, outcome())
    assert_same(store.load(ID), outcome())


def test_the_file_of_another_cell_is_not_taken(store, path):
    path.rename(store.folder / f"{OTHER}.json")
    assert store.load(OTHER) is None


def test_truncated_anywhere(store, path):
    raw = path.read_bytes()
    for cut in range(len(raw)):
        path.write_bytes(raw[:cut])
        assert store.load(ID) is None, cut


def test_others_are_set_aside(store, path):
    store.save(OTHER, outcome())
    assert store.set_aside_others([ID]) == 1
    assert store.set_aside_others([ID]) == 0
    assert store.load(OTHER) is None
    assert_same(store.load(ID), outcome())


def test_setting_aside_where_nothing_is_stored(store):
    assert store.set_aside_others([ID]) == 0


def test_a_full_disk_leaves_the_old_file_and_nothing_else(store, path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for name in ("os.fsync", "pathlib.Path.write_text", "pathlib.Path.replace"):
        with monkeypatch.context() as patch:
            patch.setattr(name, full)
            with pytest.raises(OSError, match="No space left"):
                store.save(ID, outcome(chosen=0))
        assert list(store.folder.iterdir()) == [path]
        assert_same(store.load(ID), outcome())
