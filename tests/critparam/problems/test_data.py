"""The data sets, standardised."""

import numpy as np
import pytest

from critparam.errors import ArgumentError
from critparam.problems.data import DATASETS, load_dataset, standardised, with_bias


@pytest.mark.parametrize("name", DATASETS)
def test_standardised_with_bias(name):
    features, labels, digest = load_dataset(name)
    assert features.dtype == labels.dtype == float
    assert set(labels) == {-1.0, 1.0}
    assert len(labels) == len(features)
    np.testing.assert_allclose(features[:, :-1].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(features[:, :-1].std(axis=0), 1, rtol=1e-12)
    np.testing.assert_array_equal(features[:, -1], 1)
    assert len(digest) == 64


def test_sizes_and_classes():
    # scikit-learn's documentation: 1797 digits, 64 pixels of which three are always blank;
    # 569 tumours, 30 features, 357 benign
    features, labels, _ = load_dataset("digits")
    assert features.shape == (1797, 64 - 3 + 1)
    features, labels, _ = load_dataset("breast_cancer")
    assert features.shape == (569, 31)
    assert np.sum(labels == 1) == 357


def test_digits_are_odd_against_even():
    from sklearn.datasets import load_digits

    classes = load_digits(return_X_y=True)[1]
    np.testing.assert_array_equal(
        load_dataset("digits").labels == 1, np.isin(classes, [1, 3, 5, 7, 9])
    )


def test_the_same_twice_and_different_between_sets():
    assert load_dataset("digits").digest == load_dataset("digits").digest
    assert load_dataset("digits").digest != load_dataset("breast_cancer").digest


def test_unknown():
    with pytest.raises(ArgumentError, match="unknown data set") as error:
        load_dataset("digit")
    assert error.value.accepted == DATASETS


def test_helpers_by_hand():
    features = np.array([[1.0, 5, 0], [3, 5, 0], [1, 5, 0], [3, 5, 4]])
    out = standardised(features)
    np.testing.assert_allclose(out[:, 0], [-1, 1, -1, 1])
    # the constant column is gone
    np.testing.assert_allclose(out[:, 1], np.array([-1, -1, -1, 3]) / np.sqrt(3))
    np.testing.assert_array_equal(with_bias(out)[:, 2], 1)
