"""The figure of settings side by side: which rows go where, and what is drawn beside them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

from critparam.errors import ArgumentError
from critparam_experiments.figures.settings import Settings

FIGURE = Settings(
    columns={"one": ["b", "d", "accuracy"], "two": ["b2", "d2"]}, guides={"accuracy": [1]}
)


@pytest.fixture
def rows(batches, delays, accuracies):
    return pd.concat(
        [
            batches(panel="b", B=10),
            delays(panel="d", B=40),
            accuracies(),
            batches(panel="b2", B=20),
            batches(panel="elsewhere"),
        ],
        ignore_index=True,
    )


def test_rows_of_listed_panels_with_both_parameters(rows):
    table = FIGURE.tabulate(rows)
    assert list(dict.fromkeys(table["axes"])) == ["one: speedup", "accuracy", "two: speedup"]
    assert set(table["panel"]) == {"b", "d", "accuracy", "b2"}
    by_panel = table.groupby("panel", sort=False)[["predicted", "fitted"]].first()
    assert by_panel.loc[["b", "d", "b2"], "predicted"].tolist() == [10, 40, 20]
    assert by_panel.loc[["b", "d", "b2"], "fitted"].tolist() == pytest.approx(
        [10, 40, 20], rel=0.01
    )
    assert by_panel.loc["accuracy"].isna().all()


def test_columns_stand_side_by_side(rows):
    names = list(dict.fromkeys(FIGURE.tabulate(rows)["axes"]))
    assert FIGURE.layout(names) == [["one: speedup", "two: speedup"], ["accuracy", None]]
    assert FIGURE.layout([""]) == [[""]]


def test_the_guide_goes_through_the_last_point_with_its_power(accuracies):
    figure = Settings(columns={"one": ["accuracy"]}, guides={"accuracy": [2]})
    axes = Canvas().subplots()
    figure.draw(figure.tabulate(accuracies()), {"accuracy": axes})
    guides = [
        np.array(line.get_data(), dtype=float) for line in axes.lines if len(line.get_xdata()) == 8
    ]
    slopes = [np.polyfit(np.log(x), np.log(y), 1)[0] for x, y in guides]
    assert sorted(slopes) == pytest.approx([1, 2])
    assert all(y[-1] == pytest.approx(256_000) for _, y in guides)


def test_lines_with_and_without_noise_are_told_apart(accuracies):
    table = pd.concat([accuracies(M=0.0), accuracies(M=0.0, sigma2=2.0)], ignore_index=True)
    figure = Settings(columns={"one": ["accuracy"]}, guides={"accuracy": ["log", 2]})
    axes = Canvas().subplots()
    figure.draw(figure.tabulate(table), {"accuracy": axes})
    first, second = [text.get_text() for text in axes.texts]
    assert "= 0\nrate" in first
    assert "log" in first
    assert "= 2\nrate" in second
    assert "^{2}" in second


@pytest.mark.parametrize(
    "bad",
    [
        {"columns": {}},
        {"columns": {"one": []}},
        {"columns": {"one": ["p"], "two": ["p"]}},
        {"columns": {"one": ["p"]}, "guides": {"q": [1]}},
        {"columns": {"one": ["p"]}, "guides": {"p": ["steep"]}},
    ],
)
def test_impossible_values(bad):
    with pytest.raises(ArgumentError):
        Settings(**bad)
