"""Checks of numeric arguments."""

import numpy as np
import pytest

from critparam.arguments import require_at_least, require_fraction, require_positive
from critparam.errors import ArgumentError

NOT_NUMBERS = [float("nan"), float("inf"), -float("inf"), "many", None, [1, None], {}, [1, "x"]]


@pytest.mark.parametrize("value", [1, 1.0, True, np.float32(2), [1, 5], np.array([[1, 2], [3, 4]])])
def test_accepted(value):
    require_at_least(1, value=value)
    require_positive(value=value)


@pytest.mark.parametrize("value", NOT_NUMBERS)
@pytest.mark.parametrize(
    "check", [lambda **kw: require_at_least(-5, **kw), require_positive, require_fraction]
)
def test_not_finite_numbers(check, value):
    with pytest.raises(ArgumentError) as error:
        check(size=value)
    assert error.value.argument == "size"
    assert str(error.value).startswith("size: must be ")


@pytest.mark.parametrize("value", [0.999, -1, [3, 0.5], np.array([2, -2])])
def test_at_least(value):
    with pytest.raises(ArgumentError, match="at least 1"):
        require_at_least(1, value=value)
    require_at_least(-3, value=value)


@pytest.mark.parametrize("value", [0, 0.0, -0.0, -1, [1, 0]])
def test_positive(value):
    with pytest.raises(ArgumentError, match="positive"):
        require_positive(value=value)


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, [0.5, 1]])
def test_fraction(value):
    with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
        require_fraction(value=value)


def test_fraction_with_one_allowed():
    require_fraction(one_allowed=True, value=[0.1, 1])
    with pytest.raises(ArgumentError, match="at most 1"):
        require_fraction(one_allowed=True, value=1.01)


def test_the_first_offender_is_named():
    with pytest.raises(ArgumentError) as error:
        require_positive(good=1, bad=-1, worse=-2)
    assert (error.value.argument, error.value.value) == ("bad", -1)
