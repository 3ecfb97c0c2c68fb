import hashlib
import os

import pytest

from critparam_experiments.errors import ConfigError
from critparam_experiments.files import make_folder, sha256_of, write_atomically, write_text


def test_text_is_written_in_utf8_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "f.txt"
    write_text(path, "é\n")
    assert path.read_bytes() == b"\xc3\xa9\n"
    write_text(path, "new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left"), ValueError("x"), KeyboardInterrupt()]
)
def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "f.csv"
    path.write_text("old")

    def half(temporary):
        temporary.write_text("ne")
        raise error

    with pytest.raises(type(error)):
        write_atomically(path, half)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_sees_the_old_file_until_the_new_one_is_whole_and_flushed(tmp_path, monkeypatch):
    path = tmp_path / "f.csv"
    path.write_text("old")
    seen = []
    flush = os.fsync

    def spy(descriptor):
        seen.append((path.read_text(), os.fstat(descriptor).st_size))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", spy)
    write_atomically(path, lambda temporary: temporary.write_text("newer"))
    assert seen == [("old", 5)]
    assert path.read_text() == "newer"


def test_the_temporary_name_keeps_the_suffix_and_the_folder(tmp_path):
    seen = []
    write_atomically(tmp_path / "f.svg", lambda temporary: seen.append(temporary))
    assert [(name.suffix, name.parent) for name in seen] == [(".svg", tmp_path)]


def test_files_are_as_readable_as_any_other(tmp_path):
    old = os.umask(0o027)
    try:
        write_text(tmp_path / "f", "x")
    finally:
        os.umask(old)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


def test_where_the_folder_is_missing_nothing_is_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "none" / "f", "x")
    assert list(tmp_path.iterdir()) == []


def test_checksum(tmp_path):
    (tmp_path / "f").write_bytes(b"abc" * 10**6)
    assert sha256_of(tmp_path / "f") == hashlib.sha256(b"abc" * 10**6).hexdigest()


def test_folders_are_made_with_their_parents_and_left_empty(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a").iterdir()) == [tmp_path / "a" / "b"]
    assert list((tmp_path / "a" / "b").iterdir()) == []


@pytest.mark.parametrize("place", ["file", "file/below", "file/below/that"])
def test_a_file_in_place_of_the_folder(tmp_path, place):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError, match="cannot be written to") as caught:
        make_folder(tmp_path / place)
    assert str(caught.value).startswith(str(tmp_path / place))
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_refuses_files(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    # Not by chmod: tests may run as root, who may write everywhere.
    monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
    with pytest.raises(ConfigError, match="Read-only file system"):
        make_folder(tmp_path / "a")
