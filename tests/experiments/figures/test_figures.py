"""What every figure promises, over the table of figures; warnings are errors."""

import dataclasses
import math

import pandas as pd
import pytest

from critparam_experiments.figures import figures
from critparam_experiments.figures.base import Figure, moving_size, series_name
from critparam_experiments.figures.render import render
from critparam_experiments.plan import make_plan
from critparam_experiments.tables import read_csv, speedup_table, write_csv

EXAMPLES = [
    pytest.param(example, id=f"{name}-{index}")
    for name in figures.names()
    for index, example in enumerate(figures.load(name).examples())
]
NOTHING = {"critical_parallelism": math.nan, "measured_parallelism": math.nan}


def joined(*tables):
    return pd.concat(tables, ignore_index=True)


TABLES = {
    "one sweep": lambda b, d, n: b(),
    "one series of many": lambda b, d, n: joined(
        *(b(series=f"noise.M={M}", B=M) for M in (1, 10, 100, 1000, 2, 3, 4))
    ),
    "two panels": lambda b, d, n: joined(b(panel="batch size"), d(panel="delay")),
    "both sizes": lambda b, d, n: joined(b(), d(panel="p").tail(5)),
    "both engines": lambda b, d, n: joined(
        b(), b(engine="monte_carlo", bend=1.1).assign(speedup_low=lambda t: t.speedup / 2)
    ),
    "Monte Carlo only": lambda b, d, n: b(engine="monte_carlo", replicates=8),
    "one point": lambda b, d, n: b().head(1),
    "no sequential run": lambda b, d, n: b(
        speedup=math.nan, speedup_low=math.nan, speedup_high=math.nan
    ).tail(4),
    "no B": lambda b, d, n: b(**NOTHING, theory_speedup=math.nan),
    "B is 0": lambda b, d, n: b(B=0.0),
    "B is huge": lambda b, d, n: b(B=1e12),
    "target met at the start": lambda b, d, n: b(
        steps=0.0, steps_low=0.0, steps_high=0.0, speedup=math.nan, speedup_low=math.nan,
        speedup_high=math.nan,
    ),
    "grid edges": lambda b, d, n: b(status="grid_edge"),
    "some not reached": lambda b, d, n: joined(b().head(4), n.tail(6)),
    "not reached": lambda b, d, n: n,
    "largest sizes": lambda b, d, n: b().assign(parallelism=lambda t: t.parallelism * 2**40),
    "empty": lambda b, d, n: b().head(0),
}  # fmt: skip

SAVED = ("two panels", "both engines", "one point", "not reached", "empty")


@pytest.fixture
def drawn(resolved, tmp_path):
    """Renders a table with a figure; returns the SVG's text."""

    def draw(figure, table, *, quick=False, save=True):
        experiment = dataclasses.replace(resolved(title="The title"), figure=figure)
        paths = render(experiment, table, tmp_path, ["svg"] if save else [], quick=quick)
        return "".join(path.read_text(encoding="utf-8") for path in paths)

    return draw


@pytest.mark.parametrize("name", figures.names())
def test_members_are_frozen_figures_with_examples(name):
    cls = figures.load(name)
    assert issubclass(cls, Figure)
    assert cls.__doc__
    assert cls.examples()
    for example in cls.examples():
        assert figures.kind_of(example) == name
        assert type(example).__dataclass_params__.frozen


@pytest.mark.parametrize("figure", EXAMPLES)
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_is_drawn(figure, kind, batches, delays, not_reached, drawn):
    table = TABLES[kind](make_safe(batches), delays, not_reached)
    before = table.copy()
    text = drawn(figure, table, save=kind in SAVED)  # which costs most of the time
    pd.testing.assert_frame_equal(table, before)
    assert ("The title" in text) is (kind in SAVED)


def make_safe(make):
    """Lets columns of the law be overridden too."""

    def safe(**columns):
        later = {name: columns.pop(name) for name in list(columns) if name in make().columns}
        shape = {name: later.pop(name) for name in ("panel", "series", "engine") if name in later}
        return make(**columns, **shape).assign(**later)

    return safe


@pytest.mark.parametrize("figure", EXAMPLES)
def test_a_table_without_any_outcome_is_drawn(figure, resolved, drawn, tmp_path):
    table = speedup_table(make_plan(resolved()), {})
    drawn(figure, table)
    write_csv(table, tmp_path / "t.csv")
    drawn(figure, read_csv(tmp_path / "t.csv"))


@pytest.mark.parametrize("figure", EXAMPLES)
def test_engines_are_explained_and_said_to_differ(figure, batches):
    both = joined(batches(), batches(engine="monte_carlo", replicates=8))
    caption = figure.caption(figure.tabulate(both))
    for words in ("8 replicates", "95 %", "differ"):
        assert words in caption
    alone = figure.caption(figure.tabulate(batches()))
    assert "replicates" not in alone
    assert "differ" not in alone


@pytest.mark.parametrize("figure", EXAMPLES)
def test_quick_versions_say_so(figure, batches, drawn):
    assert "QUICK" in drawn(figure, batches(), quick=True)
    assert "QUICK" not in drawn(figure, batches())


@pytest.mark.parametrize("name", ["speedup", "steps"])
def test_an_empty_panel_says_why(name, batches, not_reached, drawn):
    figure = figures.load(name)()
    assert "no run met the target" in drawn(figure, not_reached)
    if name == "speedup":
        without = make_safe(batches)(speedup=math.nan)
        assert "no cell at batch size 1, delay 0" in drawn(figure, without)


def test_fitted_parallelism_is_tabulated(batches):
    figure = figures.load("speedup")(fitted=True)
    table = figure.tabulate(make_safe(batches)(critical_parallelism=30.0))
    assert table["fitted"].tolist() == pytest.approx([10] * 10, rel=1e-3)
    assert table["predicted"].tolist() == [30] * 10


def test_collapse_scales_by_theory_else_by_what_was_measured(batches):
    figure = figures.load("collapse")()
    table = figure.tabulate(batches())
    assert table["x"].tolist() == [2**k / 10 for k in range(10)]
    assert table["y"].tolist() == pytest.approx((batches()["speedup"] / 11).tolist())
    measured = make_safe(batches)(critical_parallelism=math.nan, measured_parallelism=3.0)
    table = figure.tabulate(measured)
    assert table["x"].tolist() == pytest.approx([2**k / 3 for k in range(10)])
    assert figure.tabulate(make_safe(batches)(**NOTHING)).empty


def test_the_law_of_steps_goes_through_the_first_point(batches):
    table = figures.load("steps")().tabulate(batches())
    assert table["scale"].tolist() == [1000.0] * 10  # T(1, 0)/(1 + B) = 11000/11


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([(1, 0), (2, 0)], "batch_size"),
        ([(1, 0), (1, 3)], "delay"),
        ([(1, 0), (2, 3)], "parallelism"),
        ([(1, 0)], "batch_size"),
    ],
)
def test_which_size_moves(sizes, expected):
    assert moving_size(pd.DataFrame(sizes, columns=["batch_size", "delay"])) == expected


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("", ""),
        ("noise.M=10", "$M$ = 10"),
        ("noise.M=10, noise.sigma2=0.5", r"$M$ = 10, $\sigma^2$ = 0.5"),
        ("problem.data=breast_cancer", "breast cancer"),
        ("seed=3", "seed = 3"),
    ],
)
def test_series_in_a_legend(label, name):
    assert series_name(label) == name
