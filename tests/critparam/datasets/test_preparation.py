"""From a table to a data set: subsample, split, constant columns, scaling, digest, loading."""

import os

import numpy as np
import pytest
from scipy.sparse import csr_array

from critparam.datasets.base import Source, Table
from critparam.datasets.labels import class_codes, numbers, two_classes
from critparam.datasets.loading import load_dataset
from critparam.datasets.preparation import prepare
from critparam.errors import ArgumentError


class Given(Source):
    """Only its options matter: the table is handed to `prepare`."""

    def read(self):
        raise NotImplementedError


def table(n=40, d=3, seed=5):
    """Random features whose first column numbers the rows, and labels equal to it."""
    features = np.random.default_rng(seed).normal(2.0, 3.0, (n, d))
    features[:, 0] = np.arange(n)
    return Table(features, np.arange(n))


class TestRows:
    def test_split_is_a_partition_and_keeps_rows_whole(self):
        data = prepare(table(), Given(test_fraction=0.25, standardise=False))
        assert (len(data.labels), len(data.test_labels)) == (30, 10)
        assert sorted([*data.labels, *data.test_labels]) == list(range(40))
        np.testing.assert_array_equal(data.features[:, 0], data.labels)
        np.testing.assert_array_equal(data.test_features[:, 0], data.test_labels)

    def test_subsample_draws_without_replacement_and_by_seed(self):
        drawn = [prepare(table(), Given(subsample=12, seed=s)).labels for s in (0, 0, 1)]
        assert all(len(np.unique(labels)) == 12 for labels in drawn)
        np.testing.assert_array_equal(drawn[0], drawn[1])
        assert not np.array_equal(drawn[0], drawn[2])

    @pytest.mark.parametrize(
        ("options", "argument"),
        [({"subsample": 41}, "subsample"), ({"test_fraction": 0.001}, "test_fraction")],
    )
    def test_impossible_counts(self, options, argument):
        with pytest.raises(ArgumentError) as error:
            prepare(table(), Given(**options))
        assert error.value.argument == argument

    @pytest.mark.parametrize(
        ("argument", "value"),
        [("subsample", 0), ("test_fraction", 1.0), ("test_fraction", -0.1), ("seed", -1),
         ("constant_columns", "keep")],
    )  # fmt: skip
    def test_impossible_options(self, argument, value):
        with pytest.raises(ArgumentError) as error:
            Given(**{argument: value})
        assert error.value.argument == argument


class TestScaling:
    def test_by_the_training_rows_alone(self):
        data = prepare(table(), Given(test_fraction=0.25))
        raw = prepare(table(), Given(test_fraction=0.25, standardise=False))
        np.testing.assert_allclose(data.features.mean(axis=0), 0, atol=1e-14)
        np.testing.assert_allclose(data.features.std(axis=0), 1)
        expected = (raw.test_features - raw.features.mean(axis=0)) / raw.features.std(axis=0)
        np.testing.assert_allclose(data.test_features, expected)
        assert np.abs(data.test_features.mean(axis=0)).max() > 1e-3

    def test_sparse_zeros_stay_zeros(self):
        dense = np.array([[0, 2.0, 0], [4, 0, 1], [0, 0, 1], [3, 2, 0]])
        data = prepare(Table(csr_array(dense), np.arange(4)), Given())
        expected = dense / np.sqrt(np.mean(dense**2, axis=0))
        np.testing.assert_allclose(data.features, expected)

    def test_images_are_scaled_by_channel(self):
        images = np.random.default_rng(0).uniform(0, 255, (6, 4, 5, 2))
        images[..., 1] *= 0.01
        images[:, 0, 0, :] = 3.0  # a pixel that never changes is no constant column
        data = prepare(Table(images, np.arange(6)), Given())
        means, deviations = images.mean(axis=(0, 1, 2)), images.std(axis=(0, 1, 2))
        np.testing.assert_allclose(
            data.features.reshape(images.shape), (images - means) / deviations
        )
        assert data.image_shape == (4, 5, 2)


class TestConstantColumns:
    def columns(self):
        features = np.random.default_rng(0).normal(size=(10, 4))
        features[:, 1], features[:, 3] = 7.0, 0.0
        return Table(features, np.arange(10))

    def test_refused_by_number(self):
        with pytest.raises(ArgumentError, match=r"2 of 4 columns \(number 2, 4 from 1\)"):
            prepare(self.columns(), Given())

    def test_dropped(self):
        data = prepare(self.columns(), Given(constant_columns="drop", standardise=False))
        np.testing.assert_array_equal(data.features, self.columns().features[:, [0, 2]])

    def test_nothing_left(self):
        with pytest.raises(ArgumentError, match="the same in every training row"):
            prepare(Table(np.ones((4, 2)), np.arange(4)), Given(constant_columns="drop"))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("convert", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_what_is_not_finite_is_refused_by_row(bad, convert):
    features = np.eye(4)
    features[2, 2] = bad
    with pytest.raises(ArgumentError, match=r"row 3 \(from 1\)"):
        prepare(Table(convert(features), np.arange(4)), Given())
    with pytest.raises(ArgumentError, match=r"labels: must be finite, but row 2"):
        prepare(Table(convert(np.eye(4)), np.array([0, bad, 1, 0])), Given())


@pytest.mark.parametrize(
    ("features", "labels", "argument"),
    [
        (np.zeros((3, 2, 2)), np.arange(3), "features"),
        (np.zeros((0, 2)), np.arange(0), "features"),
        (np.zeros((3, 2)), np.arange(2), "labels"),
        (np.zeros((3, 2)), np.zeros((3, 1)), "labels"),
    ],
)
def test_shapes_must_fit(features, labels, argument):
    with pytest.raises(ArgumentError) as error:
        prepare(Table(features, labels), Given())
    assert error.value.argument == argument


def test_too_large_to_be_dense_is_refused_before_it_is_made():
    huge = csr_array((300_000, 1_000_000))
    with pytest.raises(ArgumentError, match=r"subsample: .*do not fit into memory"):
        prepare(Table(huge, np.arange(300_000)), Given(constant_columns="drop"))


def test_digest_knows_every_number():
    first = prepare(table(), Given()).digest
    changed = table()
    changed.features[3, 1] += 1e-9
    assert prepare(table(), Given()).digest == first
    assert prepare(changed, Given()).digest != first
    relabelled = table()._replace(labels=np.arange(40)[::-1])
    assert prepare(relabelled, Given()).digest != first


class TestLabels:
    def dataset(self, labels, **options):
        features = np.random.default_rng(0).normal(size=(len(labels), 2))
        return prepare(Table(features, np.asarray(labels)), Given(**options))

    def test_the_larger_of_two_is_positive(self):
        assert two_classes(self.dataset(["no", "yes", "no"])).train.tolist() == [-1, 1, -1]

    def test_chosen_ones_of_several(self):
        labels = two_classes(self.dataset([3, 1, 2, 1]), [1, 3]).train
        assert labels.tolist() == [1, 1, -1, 1]

    @pytest.mark.parametrize(
        ("labels", "positive", "argument"),
        [
            ([1, 1, 1], None, "data"),
            ([0, 1, 2], None, "positive"),
            ([0, 1, 2], [7], "positive"),
            ([0, 1, 2], [0, 1, 2], "data"),
        ],
    )
    def test_no_two_classes(self, labels, positive, argument):
        with pytest.raises(ArgumentError) as error:
            two_classes(self.dataset(labels), positive)
        assert error.value.argument == argument

    def test_codes_cover_held_out_classes(self):
        data = self.dataset(["a", "c", "b", "c"], test_fraction=0.25)
        codes, count = class_codes(data)
        assert count == 3
        names = np.array(["a", "b", "c"])
        np.testing.assert_array_equal(names[codes.train], data.labels)
        np.testing.assert_array_equal(names[codes.test], data.test_labels)

    def test_one_class_has_no_codes(self):
        with pytest.raises(ArgumentError, match="one class only"):
            class_codes(self.dataset([4, 4]))

    def test_numbers(self):
        assert numbers(self.dataset([2, 5])).train.dtype == float
        with pytest.raises(ArgumentError, match="no numbers"):
            numbers(self.dataset(["2", "5"]))


class TestLoading:
    def csv(self, folder, slope=1):
        path = folder / "data.csv"
        path.write_text("x,y\n" + "".join(f"{slope * i},{i % 2}\n" for i in range(1, 9)))
        return {"kind": "csv", "path": str(path), "target": "y", "standardise": False}

    def test_a_name_stands_for_its_defaults(self):
        assert load_dataset("iris").digest == load_dataset({"kind": "iris"}).digest

    def test_the_place_of_a_file_does_not_matter(self, tmp_path):
        (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
        first, second = (load_dataset(self.csv(tmp_path / name)) for name in "ab")
        assert first.digest == second.digest

    def test_a_file_is_read_once_and_again_when_it_changes(self, tmp_path):
        data = self.csv(tmp_path)
        first = load_dataset(data)
        assert load_dataset(data) is first
        self.csv(tmp_path, slope=2)
        later = (tmp_path / "data.csv").stat().st_mtime_ns + 10**9
        os.utime(tmp_path / "data.csv", ns=(later, later))
        np.testing.assert_array_equal(load_dataset(data).features, 2 * first.features)

    def test_relative_to_the_current_folder(self, tmp_path, monkeypatch):
        data = self.csv(tmp_path)
        monkeypatch.chdir(tmp_path)
        assert load_dataset({**data, "path": "data.csv"}).digest == load_dataset(data).digest

    @pytest.mark.parametrize(
        ("data", "argument"),
        [
            ("mnist", "data"),
            ({"kind": "mnist"}, "data"),
            ({"path": "x.csv"}, "data"),
            (["iris"], "data"),
            ({"kind": "iris", "subsample": 0}, "data.subsample"),
            ({"kind": "iris", "colour": "red"}, "data"),
            ({"kind": "csv"}, "data"),
            ({"kind": "csv", "path": "/nowhere.csv", "target": "y"}, "data.path"),
        ],
    )
    def test_refused(self, data, argument):
        with pytest.raises(ArgumentError) as error:
            load_dataset(data)
        assert error.value.argument == argument
        assert "\n" not in str(error.value)
