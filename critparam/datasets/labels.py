"""Labels as problems need them: two classes, several, or numbers."""

from typing import NamedTuple

import numpy as np

from critparam.datasets.base import Dataset
from critparam.errors import ArgumentError, shown


class Labels(NamedTuple):
    """Labels of the training rows [n] and of those held out [m]."""

    train: np.ndarray
    test: np.ndarray


def two_classes(dataset: Dataset, positive: list | None = None) -> Labels:
    """Labels -1 and 1, as floats.

    Args:
        dataset: with labels of any kind.
        positive: which count as 1; where it is left out, the data set's own choice, else the
            larger of two.

    Raises:
        ArgumentError: the training rows are all of one class, or which labels count as positive
            is not said and not obvious.
    """
    classes = np.unique(dataset.labels).tolist()
    chosen = list(positive or dataset.positive or ())
    if not chosen:
        if len(classes) > 2:
            reason = f"is needed for labels of {len(classes)} kinds: which of them count as 1"
            raise ArgumentError("positive", reason, None)
        chosen = classes[1:]
    unknown = [label for label in chosen if label not in classes]
    if unknown and positive is not None:
        raise ArgumentError(
            "positive", f"is no label of the data, which has {shown(classes)}", unknown[0]
        )
    signs = [np.where(np.isin(part, chosen), 1.0, -1.0) for part in _parts(dataset)]
    if len(np.unique(signs[0])) < 2:
        raise ArgumentError("data", "has one class only in its training rows", classes[0])
    return Labels(*signs)


def class_codes(dataset: Dataset) -> tuple[Labels, int]:
    """Labels as whole numbers from 0, in the order of the labels, and how many there are.

    Raises:
        ArgumentError: the training rows are all of one class.
    """
    train, test = _parts(dataset)
    if len(np.unique(train)) < 2:
        raise ArgumentError("data", "has one class only in its training rows", train[0].item())
    classes = np.unique(np.concatenate([train, test]))
    return Labels(np.searchsorted(classes, train), np.searchsorted(classes, test)), len(classes)


def numbers(dataset: Dataset) -> Labels:
    """Labels as floats.

    Raises:
        ArgumentError: they are no numbers.
    """
    if dataset.labels.dtype.kind not in "biuf":
        raise ArgumentError("data", "has labels that are no numbers", dataset.labels[0].item())
    return Labels(*(part.astype(float) for part in _parts(dataset)))


def _parts(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    return dataset.labels, dataset.test_labels
