import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from critparam_experiments.errors import ConfigError
from critparam_experiments.sweep import Point, expand_series, expand_sweep, series_label
from critparam_experiments.validation import Place
from critparam_experiments.yaml_loader import load_text

PLACE = Place(load_text("sweep: 1", "f.yaml"), ("sweep",))


def points(sweep):
    return [tuple(point) for point in expand_sweep(sweep, PLACE)]


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        ({}, [(1, 0)]),
        ({"batch_size": [4, 1, 2]}, [(4, 0), (1, 0), (2, 0)]),
        ({"delay": [0, 7]}, [(1, 0), (1, 7)]),
        ({"batch_size": 8}, [(8, 0)]),
        ({"delay": 0}, [(1, 0)]),
        ({"batch_size": {"powers_of_two": [0, 3]}}, [(1, 0), (2, 0), (4, 0), (8, 0)]),
        ({"batch_size": {"powers_of_two": [3, 3]}}, [(8, 0)]),
        ({"delay": {"powers_of_two_minus_one": [0, 3]}}, [(1, 0), (1, 1), (1, 3), (1, 7)]),
        ({"delay": {"powers_of_two": [0, 1]}}, [(1, 1), (1, 2)]),
        ({"batch_size": [1, 4], "delay": [0, 7]}, [(1, 0), (1, 7), (4, 0), (4, 7)]),
        ({"delay": [0, 7], "batch_size": [1, 4]}, [(1, 0), (4, 0), (1, 7), (4, 7)]),
        ({"batch_size": [1, 4], "delay": 3}, [(1, 3), (4, 3)]),
        ({"batch_size": 2**40}, [(2**40, 0)]),
    ],
)
def test_points_in_plan_order(sweep, expected):
    assert points(sweep) == expected


def test_generators_reach_as_far_as_documented():
    assert points({"delay": {"powers_of_two_minus_one": [0, 13]}})[-1] == (1, 8191)
    assert points({"batch_size": {"powers_of_two": [0, 40]}})[-1] == (2**40, 0)


def test_parallelism_is_batch_times_workers():
    assert [Point().parallelism, Point(8, 0).parallelism, Point(8, 7).parallelism] == [1, 8, 64]


@given(
    st.lists(st.integers(1, 100), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(0, 100), min_size=1, max_size=5, unique=True),
)
def test_a_sweep_over_two_keys_is_their_product(batches, delays):
    found = points({"batch_size": batches, "delay": delays})
    assert found == list(itertools.product(batches, delays))


@pytest.mark.parametrize(
    ("sweep", "path", "fragment"),
    [
        ({"batchsize": [1]}, "sweep.batchsize", "did you mean batch_size?"),
        ({"workers": [1]}, "sweep.workers", "only batch_size and delay (got 'workers')"),
        ({"batch_size": []}, "sweep.batch_size", "must not be empty (got [])"),
        ({"batch_size": [1, 0]}, "sweep.batch_size.1", "(got 0)"),
        ({"delay": [-1]}, "sweep.delay.0", "(got -1)"),
        ({"delay": -1}, "sweep.delay", "(got -1)"),
        ({"batch_size": [2**40 + 1]}, "sweep.batch_size.0", f"(got {2**40 + 1})"),
        ({"batch_size": [1.0]}, "sweep.batch_size.0", "whole number (got 1.0)"),
        ({"batch_size": [True]}, "sweep.batch_size.0", "whole number (got True)"),
        ({"batch_size": ["1"]}, "sweep.batch_size.0", "whole number (got '1')"),
        ({"batch_size": [[1]]}, "sweep.batch_size.0", "whole number (got [1])"),
        ({"batch_size": [2, 1, 2]}, "sweep.batch_size", "repeat a value (got [2, 1, 2])"),
        (
            {"batch_size": {"power_of_two": [0, 1]}},
            "sweep.batch_size.power_of_two",
            "powers_of_two?",
        ),
        ({"batch_size": {}}, "sweep.batch_size", "(got {})"),
        ({"batch_size": {"powers_of_two": 3}}, "sweep.batch_size.powers_of_two", "(got 3)"),
        ({"batch_size": {"powers_of_two": [1]}}, "sweep.batch_size.powers_of_two", "(got [1])"),
        (
            {"batch_size": {"powers_of_two": [0, 1, 2]}},
            "sweep.batch_size.powers_of_two",
            "[0, 1, 2]",
        ),
        ({"batch_size": {"powers_of_two": [2, 1]}}, "sweep.batch_size.powers_of_two", "[2, 1]"),
        ({"batch_size": {"powers_of_two": [-1, 1]}}, "sweep.batch_size.powers_of_two", "[-1, 1]"),
        ({"batch_size": {"powers_of_two": [0, 41]}}, "sweep.batch_size.powers_of_two", "[0, 41]"),
        ({"batch_size": {"powers_of_two": [0, True]}}, "sweep.batch_size.powers_of_two", "True"),
        ({"batch_size": {"powers_of_two_minus_one": [0, 1]}}, "sweep.batch_size", "(got 0)"),
        ({"batch_size": list(range(1, 200)), "delay": list(range(200))}, "sweep", "10000 points"),
    ],
)
def test_what_is_no_sweep(sweep, path, fragment):
    with pytest.raises(ConfigError) as caught:
        expand_sweep(sweep, PLACE)
    assert str(caught.value).startswith(f"f.yaml:1: {path}: ")
    assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ({}, [{}]),
        ({"noise.M": [1, 2]}, [{"noise.M": 1}, {"noise.M": 2}]),
        (
            {"noise.M": [1, 2], "seed": [0, 1]},
            [
                {"noise.M": 1, "seed": 0},
                {"noise.M": 1, "seed": 1},
                {"noise.M": 2, "seed": 0},
                {"noise.M": 2, "seed": 1},
            ],
        ),
        ([{"noise.M": 1}, {"noise.sigma2": 2}], [{"noise.M": 1}, {"noise.sigma2": 2}]),
    ],
)
def test_series_are_products_or_chosen_mixes(series, expected):
    assert expand_series(series, PLACE) == expected


@pytest.mark.parametrize(
    ("series", "path", "fragment"),
    [
        ({"noise.M": 1}, "sweep.noise.M", "must be a list of values (got 1)"),
        ({"noise.M": []}, "sweep.noise.M", "must be a list of values (got [])"),
        ({"noise.M": {"powers_of_two": [0, 1]}}, "sweep.noise.M", "must be a list of values"),
        ({"noise.M": [1, 1]}, "sweep", "must not repeat a series (got 'noise.M=1')"),
        ([{"noise.M": 1}, {"noise.M": 1}], "sweep", "must not repeat a series (got 'noise.M=1')"),
    ],
)
def test_what_is_no_series(series, path, fragment):
    with pytest.raises(ConfigError) as caught:
        expand_series(series, PLACE)
    assert str(caught.value).startswith(f"f.yaml:1: {path}: ")
    assert fragment in str(caught.value)


def test_a_list_of_no_mixes_is_refused():
    """It would leave the panel without a single row."""
    with pytest.raises(ConfigError):
        expand_series([], PLACE)


@pytest.mark.parametrize(
    ("mix", "label"),
    [
        ({}, ""),
        ({"noise.M": 10, "noise.sigma2": 0}, "noise.M=10, noise.sigma2=0"),
        ({"noise.M": 0.5}, "noise.M=0.5"),
        ({"problem.data": "digits"}, "problem.data=digits"),
        ({"noise.replacement": True}, "noise.replacement=true"),
        ({"problem.spectrum": [1, 0.5]}, "problem.spectrum=[1, 0.5]"),
    ],
)
def test_labels(mix, label):
    assert series_label(mix) == label
