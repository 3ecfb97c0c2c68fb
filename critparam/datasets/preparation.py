"""From data as read to a data set: checked, drawn from, split, scaled."""

import hashlib
from typing import Any, NamedTuple

import numpy as np

from critparam.datasets.base import Dataset, Source, Table
from critparam.errors import ArgumentError

MOST_NUMBERS = 250_000_000
"""Numbers of a data set held in memory, at most: 2 GB in float64."""


class Split(NamedTuple):
    """Features and labels of the training rows and of those held out."""

    features: np.ndarray
    labels: np.ndarray
    test_features: np.ndarray
    test_labels: np.ndarray


def prepare(table: Table, source: Source) -> Dataset:
    """The data set made of a table, by the options of its source.

    Raises:
        ArgumentError: the table does not make one.
    """
    _require_sound(table)
    is_sparse, is_images = _is_sparse(table.features), _is_images(table.features)
    split = _split(table, source)
    if is_images:
        split = _scaled(split, axes=(0, 1, 2), centred=True) if source.standardise else split
    else:
        split = _without_constant_columns(split, source.constant_columns)
        if source.standardise:
            split = _scaled(split, axes=(0,), centred=not is_sparse)
    image_shape = tuple(table.features.shape[1:]) if is_images else None
    features, test_features = (_flat(part) for part in (split.features, split.test_features))
    content = (features, split.labels, test_features, split.test_labels)
    return Dataset(
        features, split.labels, test_features, split.test_labels, image_shape,
        source.positive, _digest(*content),
    )  # fmt: skip


def _require_sound(table: Table) -> None:
    features, labels = table
    if features.ndim not in (2, 4):
        raise ArgumentError(
            "features", "must be a table [n, d] or images [n, h, w, c]", features.shape
        )
    if labels.ndim != 1 or labels.shape[0] != features.shape[0]:
        reason = f"must be one for each of the {features.shape[0]} rows"
        raise ArgumentError("labels", reason, labels.shape)
    if features.shape[0] == 0 or features.shape[1] == 0:
        raise ArgumentError("features", "must not be empty", features.shape)
    values = features.data if _is_sparse(features) else features
    if not np.all(np.isfinite(values)):
        row = _first_bad_row(features)
        raise ArgumentError("features", f"must be finite, but row {row} (from 1) is not", None)
    if np.issubdtype(labels.dtype, np.floating) and not np.all(np.isfinite(labels)):
        row = int(np.argmin(np.isfinite(labels))) + 1
        raise ArgumentError("labels", f"must be finite, but row {row} (from 1) is not", None)


def _first_bad_row(features: Any) -> int:
    if _is_sparse(features):
        return int(features.tocoo().row[~np.isfinite(features.tocoo().data)].min()) + 1
    return int(np.argmin(np.isfinite(features).reshape(len(features), -1).all(axis=1))) + 1


def _is_sparse(features: Any) -> bool:
    return not isinstance(features, np.ndarray)


def _is_images(features: Any) -> bool:
    return features.ndim == 4


def _split(table: Table, source: Source) -> Split:
    """The rows drawn and split, dense; in the order of the table, so that equal draws are equal."""
    n = len(table.labels)
    rng = np.random.default_rng(source.seed)
    rows = np.arange(n)
    if source.subsample is not None:
        if source.subsample > n:
            raise ArgumentError("subsample", f"exceeds the {n} rows", source.subsample)
        rows = np.sort(rng.choice(n, source.subsample, replace=False))
    held_out = np.zeros(len(rows), dtype=bool)
    if source.test_fraction > 0:
        count = round(source.test_fraction * len(rows))
        if not 0 < count < len(rows):
            reason = f"leaves no rows on one side of the {len(rows)}"
            raise ArgumentError("test_fraction", reason, source.test_fraction)
        held_out[rng.choice(len(rows), count, replace=False)] = True
    train, test = rows[~held_out], rows[held_out]
    return Split(
        _dense(table.features, train), table.labels[train],
        _dense(table.features, test), table.labels[test],
    )  # fmt: skip


def _dense(features: Any, rows: np.ndarray) -> np.ndarray:
    numbers = len(rows) * int(np.prod(features.shape[1:]))
    if numbers > MOST_NUMBERS:
        shape = " x ".join(map(str, (len(rows), *features.shape[1:])))
        reason = f"{shape} numbers do not fit into memory ({numbers * 8 / 1e9:.1f} GB): draw fewer"
        raise ArgumentError("subsample", reason, None)
    chosen = features[rows]
    return np.asarray(chosen.toarray() if _is_sparse(chosen) else chosen, dtype=float)


def _without_constant_columns(split: Split, policy: str) -> Split:
    varying = np.ptp(split.features, axis=0) > 0
    if varying.all():
        return split
    if policy == "refuse":
        columns = np.flatnonzero(~varying) + 1
        shown = ", ".join(map(str, columns[:5])) + (", ..." if len(columns) > 5 else "")
        reason = (
            f"{len(columns)} of {len(varying)} columns (number {shown} from 1) are the same in "
            "every training row: drop them by `constant_columns: drop`"
        )
        raise ArgumentError("constant_columns", reason, policy)
    if not varying.any():
        raise ArgumentError("features", "are the same in every training row", None)
    return split._replace(
        features=split.features[:, varying], test_features=split.test_features[:, varying]
    )


def _scaled(split: Split, axes: tuple[int, ...], centred: bool) -> Split:
    """With columns, or channels, scaled by the training rows."""
    centre = split.features.mean(axis=axes) if centred else 0.0
    deviations = split.features - centre
    scale = np.sqrt(np.mean(deviations * deviations, axis=axes))
    scale = np.where(scale > 0, scale, 1.0)  # a blank channel stays blank
    return split._replace(
        features=deviations / scale, test_features=(split.test_features - centre) / scale
    )


def _flat(features: np.ndarray) -> np.ndarray:
    return features.reshape(len(features), int(np.prod(features.shape[1:])))


def _digest(*arrays: np.ndarray) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.kind} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
