"""The grammar of sweeps and series: lists, generators, and their products."""

import itertools
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from critparam_experiments.validation import Place

GENERATORS = {
    "powers_of_two": lambda exponent: 2**exponent,
    "powers_of_two_minus_one": lambda exponent: 2**exponent - 1,
}
LARGEST_EXPONENT = 40
SIZES = ("batch_size", "delay")
MOST_POINTS = 10_000


class Point(NamedTuple):
    """Sizes of one cell: gradients averaged in a step, and their staleness."""

    batch_size: int = 1
    delay: int = 0

    @property
    def parallelism(self) -> int:
        """Gradients in flight, P = b (tau + 1)."""
        return self.batch_size * (self.delay + 1)


def expand_sweep(sweep: Any, place: Place) -> list[Point]:
    """The points of a sweep, in plan order: the product of its keys, the first one outermost.

    Raises:
        ConfigError: an unknown key, an empty or repeated list, a size that is none.
    """
    for key in sweep:
        if key not in SIZES:
            raise place.error((key,), f"cannot be swept, only {' and '.join(SIZES)}", key, SIZES)
    axes = {key: _expand_axis(key, values, place) for key, values in sweep.items()}
    return [Point(**dict(zip(axes, mix, strict=True))) for mix in _product(axes, place)]


def _expand_axis(key: str, values: Any, place: Place) -> list[int]:
    sizes = values if isinstance(values, list) else [values]
    if isinstance(values, Mapping):
        sizes = _generate(key, values, place)
    if not sizes:
        raise place.error((key,), "must not be empty", values)
    smallest = 1 if key == "batch_size" else 0
    for index, size in enumerate(sizes):
        location = (key, index) if isinstance(values, list) else (key,)
        if isinstance(size, bool) or not isinstance(size, int):
            raise place.error(location, "must be a whole number", size)
        if not smallest <= size <= 2**LARGEST_EXPONENT:
            reason = f"must be between {smallest} and 2^{LARGEST_EXPONENT}"
            raise place.error(location, reason, size)
    if len(set(sizes)) < len(sizes):
        raise place.error((key,), "must not repeat a value", values)
    return sizes


def _generate(key: str, generator: Mapping[str, Any], place: Place) -> list[int]:
    name = next(iter(generator), None)
    if len(generator) != 1 or name not in GENERATORS:
        choices = tuple(GENERATORS)
        unknown = next((name for name in generator if name not in GENERATORS), None)
        location = (key,) if unknown is None else (key, unknown)
        reason = f"must be a list or one of {', '.join(choices)}"
        raise place.error(location, reason, unknown or dict(generator), choices)
    limits = generator[name]
    is_pair = isinstance(limits, list) and len(limits) == 2
    if not is_pair or not all(type(limit) is int for limit in limits):
        raise place.error((key, name), "must be two whole exponents [first, last]", limits)
    first, last = limits
    if not 0 <= first <= last <= LARGEST_EXPONENT:
        reason = f"must be exponents with 0 <= first <= last <= {LARGEST_EXPONENT}"
        raise place.error((key, name), reason, limits)
    return [GENERATORS[name](exponent) for exponent in range(first, last + 1)]


def expand_series(series: Any, place: Place) -> list[dict[str, Any]]:
    """The mixes of dotted keys that a panel compares: a product of lists, or a list of mixes."""
    if isinstance(series, list):
        if not series:
            raise place.error((), "must not be empty", series)
        mixes = series
    else:
        for key, values in series.items():
            if not isinstance(values, list) or not values:
                raise place.error((key,), "must be a list of values", values)
        names = list(series)
        mixes = [dict(zip(names, mix, strict=True)) for mix in _product(series, place)]
    labels = [series_label(mix) for mix in mixes]
    for index, label in enumerate(labels):
        if label in labels[:index]:
            raise place.error((), "must not repeat a series", label)
    return mixes


def series_label(mix: Mapping[str, Any]) -> str:
    """The name of a series, e.g. `noise.M=10, noise.sigma2=0`; empty for the only one."""
    return ", ".join(f"{key}={_written(value)}" for key, value in mix.items())


def _written(value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("kind"), str):
        options = (f"{key}={_written(inner)}" for key, inner in value.items() if key != "kind")
        return f"{value['kind']}({','.join(options)})"
    return value if isinstance(value, str) else json.dumps(value)


def _product(axes: Mapping[str, list], place: Place) -> list[tuple]:
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > MOST_POINTS:
        raise place.error((), f"has more than {MOST_POINTS} points", count)
    return list(itertools.product(*axes.values()))
