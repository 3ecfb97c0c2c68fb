"""The critical parallelism from noise, target and sparsity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from critparam.errors import ArgumentError
from critparam.theory import (
    critical_parallelism,
    critical_parallelism_of_sparsity,
    noise_to_signal,
)


def test_gradient_norm_by_hand():
    # 15 + 2/0.1, whatever L is
    assert critical_parallelism("gradient_norm", M=15, sigma2=2, eps=0.1) == pytest.approx(35)
    assert critical_parallelism("gradient_norm", M=15, sigma2=2, eps=0.1, L=4) == pytest.approx(35)


def test_suboptimality_by_hand():
    # 15 + 2/(4 * 0.1)
    assert critical_parallelism("suboptimality", M=15, sigma2=2, eps=0.1, L=4) == pytest.approx(20)


@pytest.mark.parametrize(("eps", "expected"), [(0.01, 100), (0.1, 10)])
def test_additive_noise_of_the_design(eps, expected):
    assert critical_parallelism("suboptimality", M=0, sigma2=1, eps=eps, L=1) == pytest.approx(
        expected
    )


def test_smoothness_is_needed_only_where_noise_stays():
    assert critical_parallelism("suboptimality", M=15, sigma2=0, eps=0.1) == 15
    with pytest.raises(ArgumentError, match="needed") as error:
        critical_parallelism("suboptimality", M=15, sigma2=[0, 1e-9], eps=0.1)
    assert error.value.argument == "L"


def test_noise_to_signal_by_hand():
    assert noise_to_signal(3, 2, 0.5) == pytest.approx(7)
    assert noise_to_signal(3, 0, 0.5) == 3


@pytest.mark.parametrize(("delta", "expected"), [(1, 0), (0.5, 1), (0.25, 3), (0.01, 99)])
def test_sparsity_by_hand(delta, expected):
    assert critical_parallelism_of_sparsity(delta) == pytest.approx(expected)


@given(
    gradient=st.lists(st.floats(0.1, 10), min_size=1, max_size=8),
    delta=st.floats(1e-3, 1),
)
def test_coordinate_sampling_attains_the_bound(gradient, delta):
    """E g_j^2 = Delta ((grad f)_j/Delta)^2, so its variance is (1/Delta - 1) (grad f)_j^2."""
    g = np.array(gradient)
    variance = np.sum(delta * (g / delta) ** 2 - g**2)
    ratio = variance / np.sum(g**2)
    assert ratio == pytest.approx(critical_parallelism_of_sparsity(delta), rel=1e-9, abs=1e-12)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=2, max_size=12))
def test_no_finite_set_of_gradients_falls_below_the_bound(rows):
    """Uniform over rows: Delta is the largest share of rows that touch a column."""
    g = np.round(np.array(rows))
    mean = g.mean(axis=0)
    signal = np.sum(mean**2)
    if signal == 0:
        return
    noise = np.mean(np.sum((g - mean) ** 2, axis=1))
    delta = np.max(np.mean(g != 0, axis=0))
    assert noise / signal >= critical_parallelism_of_sparsity(delta) - 1e-9


@given(M=st.floats(0, 1e6), sigma2=st.floats(0, 1e6), eps=st.floats(1e-6, 1e6))
def test_noise_to_signal_where_the_gradient_meets_its_target_is_the_parallelism(M, sigma2, eps):
    B = critical_parallelism("gradient_norm", M=M, sigma2=sigma2, eps=eps)
    assert pytest.approx(B, rel=1e-14) == noise_to_signal(M, sigma2, eps)


NOT_NUMBERS = [math.nan, math.inf, -math.inf, "loud", [1.0, math.nan]]


@pytest.mark.parametrize("metric", ["gradient_norm", "suboptimality"])
@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *((name, value) for name in ("M", "sigma2") for value in (-1e-9, [1, -1], *NOT_NUMBERS)),
        *((name, value) for name in ("eps", "L") for value in (0, -1, [1, 0], *NOT_NUMBERS)),
    ],
)
def test_bad_arguments_of_the_critical_parallelism(metric, argument, value):
    good = {"M": 1.0, "sigma2": 1.0, "eps": 0.1, "L": 1.0}
    with pytest.raises(ArgumentError) as error:
        critical_parallelism(metric, **{**good, argument: value})
    assert error.value.argument == argument


@pytest.mark.parametrize("metric", ["loss", "", None, 1, ["suboptimality"]])
def test_an_unknown_metric_says_which_are_known(metric):
    with pytest.raises(ArgumentError) as error:
        critical_parallelism(metric, M=1.0, sigma2=0.0, eps=0.1)
    assert error.value.argument == "metric"
    assert error.value.accepted == ("gradient_norm", "suboptimality")


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *((name, value) for name in ("M", "sigma2") for value in (-1, *NOT_NUMBERS)),
        *(("squared_gradient_norm", value) for value in (0, -1, *NOT_NUMBERS)),
    ],
)
def test_bad_arguments_of_the_noise_to_signal_ratio(argument, value):
    good = {"M": 1.0, "sigma2": 1.0, "squared_gradient_norm": 1.0}
    with pytest.raises(ArgumentError) as error:
        noise_to_signal(**{**good, argument: value})
    assert error.value.argument == argument


@pytest.mark.parametrize("delta", [0, -0.1, 1.001, [0.5, 0], *NOT_NUMBERS])
def test_bad_sparsity(delta):
    with pytest.raises(ArgumentError) as error:
        critical_parallelism_of_sparsity(delta)
    assert error.value.argument == "delta"


def test_broadcasting():
    M, eps = np.array([0, 10]), np.array([[0.1], [0.5]])
    B = critical_parallelism("suboptimality", M=M, sigma2=2, eps=eps, L=2)
    np.testing.assert_allclose(B, [[10, 20], [2, 12]])
    np.testing.assert_allclose(noise_to_signal(M, 1.0, eps), [[10, 20], [2, 12]])
    np.testing.assert_allclose(critical_parallelism_of_sparsity([1, 0.2]), [0, 4], atol=1e-12)


def test_scalars_give_floats():
    B = critical_parallelism("gradient_norm", M=1, sigma2=0, eps=np.float32(1))
    assert type(B) is float
    assert type(noise_to_signal(np.array(1), 0, 1)) is float
    assert type(critical_parallelism_of_sparsity(1)) is float
