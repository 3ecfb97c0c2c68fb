"""Data sets for binary classification, read once and standardised."""

import hashlib
from functools import cache
from typing import NamedTuple

import numpy as np

from critparam.errors import ArgumentError

DATASETS = ("digits", "breast_cancer")


class Dataset(NamedTuple):
    """A standardised data set with a bias column, in float64.

    Attributes:
        features: [n, d], every column but the last of mean 0 and variance 1, the last all ones;
            columns constant over the data carry nothing beside the bias and are left out.
        labels: [n], -1 or 1.
        digest: SHA-256 of features and labels.
    """

    features: np.ndarray
    labels: np.ndarray
    digest: str


@cache
def load_dataset(name: str) -> Dataset:
    """One of scikit-learn's bundled data sets.

    Args:
        name: digits (handwritten digits, odd against even) or breast_cancer (malignant against
            benign).

    Raises:
        ArgumentError: no such data set.
    """
    from sklearn import datasets

    if name == "digits":
        features, classes = datasets.load_digits(return_X_y=True)
        positive = classes % 2 == 1
    elif name == "breast_cancer":
        features, classes = datasets.load_breast_cancer(return_X_y=True)
        positive = classes == 1
    else:
        raise ArgumentError("data", "unknown data set", name, accepted=DATASETS)
    features = with_bias(standardised(np.asarray(features, dtype=float)))
    labels = np.where(positive, 1.0, -1.0)
    digest = hashlib.sha256(features.tobytes() + labels.tobytes()).hexdigest()
    return Dataset(features, labels, digest)


def standardised(features: np.ndarray) -> np.ndarray:
    """Columns shifted to mean 0 and scaled to variance 1, constant ones left out."""
    scale = features.std(axis=0)
    varying = scale > 0
    return (features[:, varying] - features[:, varying].mean(axis=0)) / scale[varying]


def with_bias(features: np.ndarray) -> np.ndarray:
    """The features and a last column of ones."""
    return np.column_stack([features, np.ones(len(features))])
