"""How every formula of this package takes its numbers and gives them back."""

import numpy as np

from critparam.errors import ArgumentError

Values = float | np.ndarray


def floats(*values: Values) -> tuple[np.ndarray, ...]:
    """The values in double precision, whatever integers or lists they came as."""
    return tuple(np.asarray(value, dtype=float) for value in values)


def plain(result: Values) -> Values:
    """A Python float for a scalar, an array as it is."""
    return float(result) if np.ndim(result) == 0 else result


def require_known(argument: str, name: str, accepted: tuple[str, ...]) -> None:
    """`name` is one of the accepted names."""
    if not isinstance(name, str) or name not in accepted:
        raise ArgumentError(
            argument, f"must be one of {', '.join(accepted)}", name, accepted=accepted
        )
