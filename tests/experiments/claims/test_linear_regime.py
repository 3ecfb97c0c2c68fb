import math

import pandas as pd
import pytest

from critparam.errors import ArgumentError
from critparam_experiments.claims.base import Ruling
from critparam_experiments.claims.linear_regime import LinearRegime


@pytest.mark.parametrize(
    ("up_to", "observed"),
    [
        # the law's (1 + B)/(P + B) at the largest P <= up_to B = 10 up_to: 2, 8, 16
        (0.2, 11 / 12),
        (0.39, 11 / 12),
        (0.8, 11 / 18),
        (1.6, 11 / 26),
    ],
)
def test_least_efficiency_in_the_regime(batches, up_to, observed):
    (verdict,) = LinearRegime(efficiency=0.8, up_to=up_to).evaluate(batches())
    assert verdict.observed == pytest.approx(observed, rel=1e-3)
    assert verdict.expected == 0.8
    assert verdict.margin == pytest.approx(observed / 0.8, rel=1e-3)
    assert verdict.ruling is (Ruling.HOLDS if observed >= 0.8 else Ruling.FAILS)


def test_lines_without_a_point_in_the_regime_are_passed_over(batches, delays):
    table = pd.concat([batches(panel="b"), delays(panel="d", B=100.0)], ignore_index=True)
    (verdict,) = LinearRegime().evaluate(table)  # B/8 is 1.25 and 12.5
    assert verdict.part == "d, exact"
    # tau + 1 = 8 is the largest: 101/108
    assert verdict.observed == pytest.approx(101 / 108, rel=1e-3)


@pytest.mark.parametrize(
    ("at", "columns"),
    [(1, {"speedup": math.nan}), (1, {"status": "grid_edge"}), (2, {"status": "not_reached"})],
)
def test_a_gap_in_the_regime_decides_nothing(batches, at, columns):
    table = batches()
    table.loc[at, list(columns)] = list(columns.values())
    (verdict,) = LinearRegime(up_to=0.8).evaluate(table)
    assert verdict.ruling is Ruling.INCONCLUSIVE


def test_a_gap_beyond_the_regime_does_not_matter(batches):
    table = batches()
    table.loc[5:, "speedup"] = math.nan
    (verdict,) = LinearRegime(up_to=0.2).evaluate(table)
    assert verdict.ruling is Ruling.HOLDS


@pytest.mark.parametrize(
    "tolerances", [{"efficiency": 0}, {"efficiency": 1.1}, {"up_to": 0}, {"up_to": math.inf}]
)
def test_tolerances_that_are_none(tolerances):
    with pytest.raises(ArgumentError):
        LinearRegime(**tolerances)
