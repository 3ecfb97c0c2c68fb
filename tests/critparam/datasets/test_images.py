"""Readers of folders of images, on files made here byte by byte."""

import gzip
import struct

import numpy as np
import pytest

from critparam.datasets.cifar10 import Cifar10
from critparam.datasets.idx import Idx, read_idx
from critparam.errors import ArgumentError


def idx(array):
    """Bytes of an IDX file of unsigned bytes."""
    array = np.asarray(array, np.uint8)
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 0x08, array.ndim]) + sizes + array.tobytes()


@pytest.fixture
def mnist(tmp_path):
    """A folder like MNIST's with 4 training and 2 test images of 2 x 3 pixels."""
    for prefix, n in (("train", 4), ("t10k", 2)):
        images = np.arange(n * 6).reshape(n, 2, 3) + (100 if prefix == "t10k" else 0)
        (tmp_path / f"{prefix}-images-idx3-ubyte").write_bytes(idx(images))
        (tmp_path / f"{prefix}-labels-idx1-ubyte").write_bytes(idx(np.arange(n) % 2))
    return tmp_path


class TestIdx:
    def test_training_images(self, mnist):
        table = Idx(folder=str(mnist)).read()
        assert table.features.shape == (4, 2, 3, 1)
        np.testing.assert_array_equal(table.features[1, :, :, 0], [[6, 7, 8], [9, 10, 11]])
        assert table.labels.tolist() == [0, 1, 0, 1]

    def test_parts(self, mnist):
        assert Idx(folder=str(mnist), part="test").read().features[0, 0, 0, 0] == 100
        assert len(Idx(folder=str(mnist), part="all").read().labels) == 6

    def test_compressed(self, mnist):
        for path in list(mnist.iterdir()):
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        assert Idx(folder=str(mnist), part="all").read().features.shape == (6, 2, 3, 1)

    def test_missing_files_are_named_with_their_page(self, mnist):
        (mnist / "train-labels-idx1-ubyte").unlink()
        with pytest.raises(ArgumentError) as error:
            Idx(folder=str(mnist)).read()
        message = str(error.value)
        assert error.value.argument == "folder"
        assert "lacks train-labels-idx1-ubyte[.gz]; download them from" in message
        assert "yann.lecun.com" in message

    def test_missing_folder(self, tmp_path):
        with pytest.raises(ArgumentError, match=r"there is no folder .*put train-images"):
            Idx(folder=str(tmp_path / "none")).read()

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "does not begin"),
            (b"\0\0", "does not begin"),
            (b"GIF89a..", "does not begin"),
            (idx(np.zeros((2, 2))), "2 axes instead of 3"),
            (idx(np.zeros((4, 2, 3)))[:-1], "announces 24 bytes, but 23 bytes follow"),
            (idx(np.zeros((4, 2, 3))) + b"\0", "announces 24 bytes, but more follow"),
            (idx(np.zeros((4, 2, 3)))[:9], "ends within its header"),
        ],
    )
    def test_broken(self, mnist, content, message):
        (mnist / "train-images-idx3-ubyte").write_bytes(content)
        with pytest.raises(ArgumentError, match=message) as error:
            Idx(folder=str(mnist)).read()
        assert "train-images-idx3-ubyte" in str(error.value)

    def test_counts_must_agree(self, mnist):
        (mnist / "train-labels-idx1-ubyte").write_bytes(idx([0, 1, 0]))
        with pytest.raises(ArgumentError, match=r"has 4 images, .* has 3 labels"):
            Idx(folder=str(mnist)).read()

    def test_sizes_must_agree_between_parts(self, mnist):
        (mnist / "t10k-images-idx3-ubyte").write_bytes(idx(np.zeros((2, 3, 3))))
        with pytest.raises(ArgumentError, match="different sizes"):
            Idx(folder=str(mnist), part="all").read()

    @pytest.mark.parametrize(("code", "dtype"), [(0x0C, ">i4"), (0x0D, ">f4"), (0x0E, ">f8")])
    def test_numbers_are_big_endian(self, tmp_path, code, dtype):
        values = np.array([-3, 70_000, 5], dtype)
        path = tmp_path / "numbers"
        path.write_bytes(bytes([0, 0, code, 1]) + struct.pack(">I", 3) + values.tobytes())
        np.testing.assert_array_equal(read_idx(path, ndim=1), [-3, 70_000, 5])


def cifar_records(count, first_label=0):
    """Records whose pixel (plane, row, column) is known: see the test."""
    records = np.zeros((count, 3073), np.uint8)
    records[:, 0] = (first_label + np.arange(count)) % 10
    planes = records[:, 1:].reshape(count, 3, 32, 32)
    planes[:, 0, 5, 7], planes[:, 1, 5, 7], planes[:, 2, 5, 7] = 10, 20, 30
    planes[:, 2, 31, 0] = np.arange(count)
    return records.tobytes()


@pytest.fixture
def cifar(tmp_path):
    """A folder like CIFAR-10's with batches of 3 images."""
    for number in range(1, 6):
        (tmp_path / f"data_batch_{number}.bin").write_bytes(cifar_records(3, number))
    (tmp_path / "test_batch.bin").write_bytes(cifar_records(2))
    return tmp_path


class TestCifar10:
    def test_order_of_planes_rows_and_batches(self, cifar):
        table = Cifar10(folder=str(cifar)).read()
        assert table.features.shape == (15, 32, 32, 3)
        assert table.features[4, 5, 7].tolist() == [10, 20, 30]
        assert table.features[4, 31, 0].tolist() == [0, 0, 1]
        assert table.labels.tolist() == [1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5, 6, 5, 6, 7]

    def test_parts(self, cifar):
        assert Cifar10(folder=str(cifar), part="test").read().labels.tolist() == [0, 1]
        assert len(Cifar10(folder=str(cifar), part="all").read().labels) == 17

    def test_the_folder_that_the_archive_unpacks_to(self, cifar, tmp_path_factory):
        parent = tmp_path_factory.mktemp("parent")
        cifar.rename(parent / "cifar-10-batches-bin")
        assert len(Cifar10(folder=str(parent)).read().labels) == 15

    def test_missing_files_are_named_with_their_page(self, cifar):
        (cifar / "data_batch_2.bin").unlink()
        with pytest.raises(ArgumentError, match=r"lacks data_batch_2\.bin; .*cs\.toronto\.edu"):
            Cifar10(folder=str(cifar)).read()

    def test_part_is_known(self, cifar):
        with pytest.raises(ArgumentError, match="must be train, test or all"):
            Cifar10(folder=str(cifar), part="validation")  # pyright: ignore[reportArgumentType]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "0 bytes"),
            (cifar_records(2)[:-1], "6145 bytes, no multiple of 3073"),
            (b"\x0a" + bytes(3072), "labels beyond 9"),
        ],
    )
    def test_broken(self, cifar, content, message):
        (cifar / "data_batch_3.bin").write_bytes(content)
        with pytest.raises(ArgumentError, match=message) as error:
            Cifar10(folder=str(cifar)).read()
        assert "data_batch_3.bin" in str(error.value)
