"""Networks against a forward pass by hand in NumPy and SciPy, and what they refuse."""

import jax
import numpy as np
import pytest
from scipy.signal import correlate2d
from sklearn.datasets import load_digits, load_iris

from critparam.errors import ArgumentError
from critparam.problems.convnet import ConvNet
from critparam.problems.mlp import Mlp


@pytest.fixture(autouse=True)
def _double_precision():
    with jax.enable_x64(True):
        yield


def weights(problem, seed=0):
    return np.random.default_rng(seed).normal(size=problem.initial.size) / 3


def cross_entropy(scores, labels):
    scores = scores - scores.max(axis=1, keepdims=True)
    logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(len(labels)), labels])


def relu(inputs):
    return np.maximum(inputs, 0)


def layer(x, inputs, outputs):
    """Matrix and bias at the head of x, and the rest of x."""
    matrix, bias, rest = np.split(x, [inputs * outputs, inputs * outputs + outputs])
    return matrix.reshape(inputs, outputs), bias, rest


class TestMlp:
    def test_two_hidden_layers(self):
        features, labels = load_iris(return_X_y=True)
        features = (features - features.mean(axis=0)) / features.std(axis=0)
        problem = Mlp("iris", hidden=[5, 3])
        x = weights(problem)
        first, shift, rest = layer(x, 4, 5)
        second, turn, rest = layer(rest, 5, 3)
        last, bias, rest = layer(rest, 3, 3)
        assert rest.size == 0
        scores = np.tanh(np.tanh(features @ first + shift) @ second + turn) @ last + bias
        assert float(problem.value(x)) == pytest.approx(cross_entropy(scores, labels), rel=1e-12)
        accuracy = np.mean(scores.argmax(axis=1) == labels)
        assert float(problem.accuracy(x)) == pytest.approx(accuracy)

    def test_without_hidden_layers_it_is_a_linear_classifier(self):
        features, labels = load_iris(return_X_y=True)
        problem = Mlp({"kind": "iris", "standardise": False}, hidden=[])
        x = weights(problem)
        matrix, bias, _ = layer(x, 4, 3)
        expected = cross_entropy(features @ matrix + bias, labels)
        assert float(problem.value(x)) == pytest.approx(expected, rel=1e-12)

    def test_names_of_classes_do_not_matter(self, tmp_path):
        features, labels = load_iris(return_X_y=True)
        names = np.array(["ape", "bee", "cat"])[labels]
        path = tmp_path / "iris.npz"
        np.savez(path, features=features, labels=names)
        named = Mlp({"kind": "npz", "path": str(path)}, hidden=[2])
        x = weights(named)
        assert float(named.value(x)) == float(Mlp("iris", hidden=[2]).value(x))

    def test_initial_weights_keep_the_size_of_the_signal(self):
        """Chi-squared with 64 * 400 and 400 * 10 degrees of freedom: 6 standard errors."""
        data = {"kind": "digits", "constant_columns": "drop"}
        for activation, gain in (("tanh", 1.0), ("relu", 2.0)):
            problem = Mlp(data, hidden=[400], activation=activation)
            columns = problem.features.shape[1]
            first, shift, rest = layer(np.asarray(problem.initial), columns, 400)
            last, bias, _ = layer(rest, 400, 10)
            for matrix in (first, last):
                ratio = np.mean(matrix**2) * len(matrix) / gain
                assert ratio == pytest.approx(1, abs=6 * np.sqrt(2 / matrix.size))
            assert not shift.any()
            assert not bias.any()

    def test_seed_decides_the_start(self):
        starts = [Mlp("iris", hidden=[3], seed=seed).initial for seed in (0, 0, 1)]
        np.testing.assert_array_equal(starts[0], starts[1])
        assert not np.array_equal(starts[0], starts[2])


class TestConvNet:
    def convolved(self, images, kernel, shift, stride):
        """By SciPy, one pair of channels at a time; kernels [3, 3, inputs, outputs]."""
        outputs = []
        for out in range(kernel.shape[3]):
            total = sum(
                np.stack([correlate2d(image, kernel[:, :, c, out], mode="same")
                          for image in images[..., c]])
                for c in range(kernel.shape[2])
            )  # fmt: skip
            outputs.append(total[:, ::stride, ::stride] + shift[out])
        return np.stack(outputs, axis=-1)

    @pytest.mark.parametrize(("stride", "flat"), [(1, 8 * 8 * 3), (2, 2 * 2 * 3), (3, 1 * 1 * 3)])
    def test_two_convolutions(self, stride, flat):
        pixels, labels = load_digits(return_X_y=True)
        data = {"kind": "digits", "images": True, "standardise": False}
        problem = ConvNet(data, channels=[2, 3], stride=stride)
        x = weights(problem) / 16
        first, shift, rest = layer(x, 9, 2)
        second, turn, rest = layer(rest, 18, 3)
        last, bias, rest = layer(rest, flat, 10)
        assert rest.size == 0
        images = pixels.reshape(-1, 8, 8, 1)
        images = relu(self.convolved(images, first.reshape(3, 3, 1, 2), shift, stride))
        images = relu(self.convolved(images, second.reshape(3, 3, 2, 3), turn, stride))
        scores = images.reshape(len(labels), -1) @ last + bias
        assert float(problem.value(x)) == pytest.approx(cross_entropy(scores, labels), rel=1e-12)

    def test_a_table_is_no_image(self):
        with pytest.raises(ArgumentError, match="must be images") as error:
            ConvNet("digits", channels=[2])
        assert error.value.argument == "data"


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"hidden": [3, 0]}, "hidden"),
        ({"hidden": [3], "activation": "sigmoid"}, "activation"),
        ({"hidden": [3], "seed": -1}, "seed"),
        ({"hidden": [3], "data": "nonsense"}, "data"),
    ],
)
def test_refused(options, argument):
    with pytest.raises(ArgumentError) as error:
        Mlp(**{"data": "iris"} | options)
    assert error.value.argument == argument


@pytest.mark.parametrize(("option", "value"), [("channels", [0]), ("stride", 0)])
def test_convolutions_refused(option, value):
    with pytest.raises(ArgumentError) as error:
        ConvNet(**{"data": {"kind": "digits", "images": True}, "channels": [2], option: value})
    assert error.value.argument == option
