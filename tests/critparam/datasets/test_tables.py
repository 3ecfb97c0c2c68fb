"""Readers of tables in a file: CSV, LIBSVM text, NPZ; what they read and what they refuse."""

import bz2
import gzip
import lzma
import re
from pathlib import Path

import numpy as np
import pytest

from critparam.datasets.csv import Csv
from critparam.datasets.npz import Npz
from critparam.datasets.svmlight import Svmlight
from critparam.errors import ArgumentError

COMPRESSED = {
    ".csv": bytes,
    ".csv.gz": gzip.compress,
    ".csv.bz2": bz2.compress,
    ".csv.xz": lzma.compress,
}


def written(folder, name, content):
    """The path of a new file, as a string."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


class TestCsv:
    TEXT = "id,size,kind,weight\na1,1.5,ham,-2\na2,2.5,spam,4e-1\n\na3,3,ham,0\n"

    @pytest.mark.parametrize(("suffix", "compress"), COMPRESSED.items(), ids=COMPRESSED)
    def test_columns_target_and_ignored(self, tmp_path, suffix, compress):
        path = written(tmp_path, f"data{suffix}", compress(self.TEXT.encode()))
        table = Csv(path=path, target="kind", ignore=["id"]).read()
        np.testing.assert_array_equal(table.features, [[1.5, -2.0], [2.5, 0.4], [3.0, 0.0]])
        assert table.labels.tolist() == ["ham", "spam", "ham"]

    @pytest.mark.parametrize(
        ("labels", "expected"), [("1 2 1", [1, 2, 1]), ("0.5 2 1", [0.5, 2.0, 1.0])]
    )
    def test_labels_that_are_numbers(self, tmp_path, labels, expected):
        rows = "".join(f"{label};{i}\n" for i, label in enumerate(labels.split()))
        path = written(tmp_path, "data.csv", "y;x\n" + rows)
        found = Csv(path=path, target="y", delimiter=";").read().labels
        assert found.tolist() == expected
        assert type(found.tolist()[0]) is type(expected[0])

    def test_quotes_windows_line_ends_and_byte_order_mark(self, tmp_path):
        text = '\ufeff"a, b",y\r\n1,"yes, sir"\r\n2,no\r\n'
        table = Csv(path=written(tmp_path, "data.csv", text), target="y").read()
        np.testing.assert_array_equal(table.features, [[1.0], [2.0]])
        assert table.labels.tolist() == ["yes, sir", "no"]

    @pytest.mark.parametrize(
        ("text", "options", "argument", "message"),
        [
            ("a,y\n1,0\n2\n", {}, "path", "line 3 has 1 columns where the first line names 2"),
            ("a,y\n1,0\nx,1\n", {}, "path", "line 3, column a: must be a number (got 'x')"),
            ("a,y\n1,0\n,1\n", {}, "path", "line 3, column a: must be a number (got '')"),
            ("a,y\n1,0\n2,\n", {}, "target", "has no value in row 2"),
            ("a,a,y\n1,2,0\n", {}, "path", "two columns of one name"),
            ("a,y\n", {}, "path", "has no rows"),
            ("", {}, "target", "is no column"),
            ("y\n1\n", {}, "path", "no column beside"),
            ("a,y\n1,0\n", {"target": "z"}, "target", "is no column of the file, which has"),
            ("a,y\n1,0\n", {"ignore": ["z"]}, "ignore", "is no column"),
            ('a,y\n1,"0\n', {}, "path", "cannot be read"),
            (b"a,y\n\xff\xfe,0\n", {}, "path", "cannot be read"),
        ],
    )
    def test_refused(self, tmp_path, text, options, argument, message):
        path = written(tmp_path, "data.csv", text)
        with pytest.raises(ArgumentError, match=re.escape(message)) as error:
            Csv(**{"path": path, "target": "y"} | options).read()
        assert error.value.argument == argument
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("delimiter", ["", "::", "\n", '"'])
    def test_delimiter_is_one_character(self, delimiter):
        with pytest.raises(ArgumentError, match="one character"):
            Csv(path="x.csv", target="y", delimiter=delimiter)

    def test_cut_off_in_its_compression(self, tmp_path):
        whole = gzip.compress(self.TEXT.encode())
        path = written(tmp_path, "data.csv.gz", whole[:-12])
        with pytest.raises(ArgumentError, match=r"data\.csv\.gz cannot be read"):
            Csv(path=path, target="kind", ignore=["id"]).read()


class TestSvmlight:
    TEXT = "# a comment\n+1 1:0.5 3:2\n-1 2:-1.25 # the second\n+1\n"
    DENSE = ((0.5, 0, 2), (0, -1.25, 0), (0, 0, 0))

    @pytest.mark.parametrize(
        ("name", "compress"),
        [("data.txt", bytes), ("data.gz", gzip.compress), ("data.bz2", bz2.compress)],
    )
    def test_indices_from_one(self, tmp_path, name, compress):
        table = Svmlight(path=written(tmp_path, name, compress(self.TEXT.encode()))).read()
        np.testing.assert_array_equal(table.features.toarray(), self.DENSE)
        assert table.labels.tolist() == [1, -1, 1]

    def test_indices_from_zero(self, tmp_path):
        path = written(tmp_path, "data.txt", "1 0:7 1:8\n0 1:9\n")
        for zero_based in ("auto", True):
            features = Svmlight(path=path, zero_based=zero_based).read().features
            np.testing.assert_array_equal(features.toarray(), [[7, 8], [0, 9]])

    def test_empty_last_columns_may_be_announced(self, tmp_path):
        path = written(tmp_path, "data.txt", self.TEXT)
        assert Svmlight(path=path, features=5).read().features.shape == (3, 5)

    @pytest.mark.parametrize(
        ("text", "options", "argument"),
        [
            ("1 0:7\n", {"zero_based": False}, "path"),
            ("1 4:7\n", {"features": 3}, "features"),
            ("1 4:7 x\n", {}, "path"),
            ("one 4:7\n", {}, "path"),
        ],
    )
    def test_refused(self, tmp_path, text, options, argument):
        with pytest.raises(ArgumentError) as error:
            Svmlight(path=written(tmp_path, "data.txt", text), **options).read()
        assert error.value.argument == argument

    def test_cut_off_in_its_compression(self, tmp_path):
        path = written(tmp_path, "data.gz", gzip.compress(self.TEXT.encode())[:-10])
        with pytest.raises(ArgumentError, match="cannot be read"):
            Svmlight(path=path).read()


class TestNpz:
    def saved(self, folder, **arrays):
        path = folder / "data.npz"
        np.savez_compressed(path, **arrays)
        return str(path)

    def test_names_of_the_arrays(self, tmp_path):
        path = self.saved(tmp_path, x_train=np.arange(6).reshape(3, 2), y_train=[0, 1, 1])
        table = Npz(path=path, features="x_train", labels="y_train").read()
        np.testing.assert_array_equal(table.features, [[0, 1], [2, 3], [4, 5]])
        assert table.labels.tolist() == [0, 1, 1]

    def test_grey_images_gain_a_channel(self, tmp_path):
        path = self.saved(
            tmp_path, features=np.ones((3, 4, 5)), labels=np.array([b"a", b"b", b"a"])
        )
        table = Npz(path=path).read()
        assert table.features.shape == (3, 4, 5, 1)
        assert table.labels.tolist() == ["a", "b", "a"]

    @pytest.mark.parametrize(
        ("arrays", "argument", "message"),
        [
            ({"features": np.eye(2)}, "labels", "is no array of the archive"),
            ({"labels": np.eye(2)}, "features", "is no array of the archive"),
            ({"features": np.array(["a"]), "labels": [1]}, "features", "must be numbers"),
            ({"features": np.eye(1), "labels": [1j]}, "labels", "must be numbers or strings"),
        ],
    )
    def test_refused(self, tmp_path, arrays, argument, message):
        with pytest.raises(ArgumentError, match=message) as error:
            Npz(path=self.saved(tmp_path, **arrays)).read()
        assert error.value.argument == argument

    def test_pickled_objects_are_never_loaded(self, tmp_path):
        class Harmful:
            def __reduce__(self):
                return (open, (str(tmp_path / "harm"), "w"))

        path = self.saved(tmp_path, features=np.array([Harmful()]), labels=[1])
        with pytest.raises(ArgumentError, match="cannot be read"):
            Npz(path=path).read()
        assert not (tmp_path / "harm").exists()

    @pytest.mark.parametrize("keep", [0, 40, -30])
    def test_cut_off(self, tmp_path, keep):
        path = self.saved(tmp_path, features=np.eye(20), labels=np.arange(20))
        content = Path(path).read_bytes()
        with pytest.raises(ArgumentError, match="cannot be read"):
            Npz(path=written(tmp_path, "cut.npz", content[:keep])).read()

    def test_a_single_array_is_no_archive(self, tmp_path):
        np.save(tmp_path / "data.npy", np.eye(2))
        with pytest.raises(ArgumentError, match="no archive"):
            Npz(path=str(tmp_path / "data.npy")).read()


@pytest.mark.parametrize(
    "source", [lambda path: Csv(path=path, target="y"), lambda path: Svmlight(path=path),
               lambda path: Npz(path=path)],
    ids=["csv", "svmlight", "npz"],
)  # fmt: skip
class TestPlaces:
    def test_missing(self, source, tmp_path):
        with pytest.raises(ArgumentError, match="there is no file") as error:
            source(str(tmp_path / "nowhere")).read()
        assert error.value.argument == "path"

    def test_folder(self, source, tmp_path):
        with pytest.raises(ArgumentError, match="is a folder"):
            source(str(tmp_path)).read()
