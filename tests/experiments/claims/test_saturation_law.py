import math

import pytest

from critparam.errors import ArgumentError
from critparam_experiments.claims.base import Ruling
from critparam_experiments.claims.saturation_law import SaturationLaw


@pytest.mark.parametrize(
    ("octaves", "ruling"), [(0.3, Ruling.HOLDS), (-0.3, Ruling.HOLDS), (0.7, Ruling.FAILS)]
)
@pytest.mark.parametrize("sweep", ["batches", "delays"])
def test_root_mean_square_by_hand(request, sweep, octaves, ruling):
    """Nine of ten points lie this many octaves off the law, the first on it."""
    table = request.getfixturevalue(sweep)(bend=2.0**octaves)
    (verdict,) = SaturationLaw(rms_log2=0.5).evaluate(table)
    expected = math.sqrt(0.9) * abs(octaves)
    assert verdict.ruling is ruling
    assert verdict.observed == pytest.approx(expected, rel=2e-3)
    assert verdict.margin == pytest.approx(0.5 / expected, rel=2e-3)
    assert verdict.expected == 0


def test_on_the_law_to_the_last_bit(batches):
    table = batches()
    table["theory_speedup"] = table["speedup"]
    (verdict,) = SaturationLaw().evaluate(table)
    assert (verdict.ruling, verdict.observed, verdict.margin) == (Ruling.HOLDS, 0, math.inf)


@pytest.mark.parametrize(
    ("column", "value"),
    [("speedup", math.nan), ("theory_speedup", math.nan), ("status", "grid_edge")],
)
def test_three_speedups_are_needed(batches, column, value):
    table = batches()
    table.loc[2:, column] = value
    (verdict,) = SaturationLaw().evaluate(table)
    assert verdict.ruling is Ruling.INCONCLUSIVE
    table = batches()
    table.loc[3:, column] = value
    (verdict,) = SaturationLaw().evaluate(table)
    assert verdict.ruling is Ruling.HOLDS


@pytest.mark.parametrize("tolerance", [0, -1, math.nan])
def test_tolerances_that_are_none(tolerance):
    with pytest.raises(ArgumentError):
        SaturationLaw(rms_log2=tolerance)
