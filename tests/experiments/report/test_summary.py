import math

import pandas as pd
import pytest

from critparam_experiments.report.summary import summarise


def joined(*tables):
    return pd.concat(tables, ignore_index=True)


def test_a_line_a_series_and_engine(batches, delays):
    table = joined(
        *(
            make(panel=panel, series=f"noise.M={B}", B=B, engine=engine)
            for make, panel in ((batches, "batch"), (delays, "delay"))
            for B in (10, 40)
            for engine in ("exact", "monte_carlo")
        )
    )
    rows = summarise(table)
    assert [(row.panels, row.series, row.engine, row.predicted) for row in rows] == [
        ("batch, delay", "noise.M=10", "exact", 10),
        ("batch, delay", "noise.M=10", "monte_carlo", 10),
        ("batch, delay", "noise.M=40", "exact", 40),
        ("batch, delay", "noise.M=40", "monte_carlo", 40),
    ]
    for row in rows:
        assert (row.by_batch, row.by_delay) == pytest.approx((row.predicted,) * 2, rel=1e-3)
        # P (1 + B)/(P + B) at P = 512
        limit = 512 * (1 + row.predicted) / (512 + row.predicted)
        assert row.largest_speedup == pytest.approx(limit, rel=1e-3)


def test_what_does_not_exist_is_nan(not_reached, batches):
    (row,) = summarise(not_reached)
    assert row.predicted == 10
    assert all(map(math.isnan, (row.by_batch, row.by_delay, row.largest_speedup)))
    (row,) = summarise(batches().head(2))
    assert all(map(math.isnan, (row.by_batch, row.by_delay)))
    assert row.largest_speedup == pytest.approx(2 * 11 / 12)  # P (1 + B)/(P + B) at P = 2


def test_a_single_point_is_no_sweep(batches):
    assert summarise(batches().head(1)) == []
    assert summarise(batches().head(0)) == []
