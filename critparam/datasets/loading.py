"""From a description of data to a data set, each read and prepared once."""

from functools import lru_cache
from typing import Annotated, Any

from critparam.datasets import datasets
from critparam.datasets.base import Dataset, Source
from critparam.datasets.preparation import prepare
from critparam.errors import ArgumentError
from critparam.registry import MemberOf

DataSpec = Annotated[str | dict[str, Any], MemberOf(datasets)]
"""A name, for a data set with its defaults, or a mapping with `kind` and options."""


def load_dataset(data: DataSpec) -> Dataset:
    """The data set that a name or a mapping describes.

    Raises:
        ArgumentError: about `data`, or `data.<key>`, if there is none.
    """
    if isinstance(data, str):
        data = {"kind": data}
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        raise ArgumentError("data", "must be a name, or a mapping with a kind", data)
    options = {key: value for key, value in data.items() if key != "kind"}
    try:
        source = datasets.load(data["kind"])(**options)
        return _load(source, source.stamp())
    except ArgumentError as error:
        inner = "" if error.argument == "kind" else f".{error.argument}"
        raise ArgumentError(
            f"data{inner}", error.reason, error.value, accepted=error.accepted
        ) from None
    except TypeError as error:
        raise ArgumentError("data", str(error).partition("() ")[2] or str(error), data) from None


@lru_cache(maxsize=16)
def _load(source: Source, stamp: tuple) -> Dataset:
    return prepare(source.read(), source)
