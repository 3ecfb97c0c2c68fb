"""What every claim promises, over the table of claims."""

import dataclasses
import math

import pandas as pd
import pytest

from critparam_experiments.claims import claims
from critparam_experiments.claims.base import Claim, Ruling, Verdict

EXAMPLES = [
    pytest.param(example, id=f"{name}-{index}")
    for name in claims.names()
    for index, example in enumerate(claims.load(name).examples())
]


@pytest.fixture
def tables(batches, delays, accuracies, not_reached):
    nothing = {"critical_parallelism": math.nan, "measured_parallelism": math.nan}
    both = pd.concat([batches(panel="b", B=40), delays(panel="d", B=40)], ignore_index=True)
    engines = pd.concat(
        [
            make(engine=engine)
            for make in (batches, accuracies)
            for engine in ("exact", "monte_carlo")
        ],
        ignore_index=True,
    )
    return {
        "powers of eps": accuracies(),
        "logarithms of eps": accuracies(lambda eps: -1000 * math.log(eps)),
        "batches": batches(),
        "delays": delays(),
        "both": both,
        "engines": engines,
        "off the law": batches(bend=8.0),
        "short": batches().head(3),
        "one point": batches().head(1),
        "no sequential run": batches(speedup=math.nan).tail(4),
        "no B": batches(**nothing, theory_speedup=math.nan),
        "no B, as objects": batches(**dict.fromkeys([*nothing, "theory_speedup"])),
        "grid edges": batches(status="grid_edge"),
        "not reached": not_reached,
        "empty": batches().head(0),
    }


@pytest.mark.parametrize("name", claims.names())
def test_members_are_frozen_claims_with_examples(name):
    cls = claims.load(name)
    assert issubclass(cls, Claim)
    assert cls.__doc__
    examples = cls.examples()
    assert examples
    for example in examples:
        assert claims.kind_of(example) == name
        with pytest.raises(dataclasses.FrozenInstanceError):
            example.reason = "x"


@pytest.mark.parametrize("claim", EXAMPLES)
def test_verdicts_on_every_kind_of_table(claim, tables):
    for kind, table in tables.items():
        before = table.copy()
        verdicts = claim.evaluate(table)
        assert verdicts, kind
        assert verdicts == claim.evaluate(table) or any(map(has_nan, verdicts)), kind
        pd.testing.assert_frame_equal(table, before)
        for verdict in verdicts:
            check(verdict, kind)


def has_nan(verdict):
    return any(isinstance(part, float) and math.isnan(part) for part in verdict)


def check(verdict, kind):
    assert isinstance(verdict, Verdict), kind
    assert verdict.note, kind
    if verdict.ruling is Ruling.INCONCLUSIVE:
        assert math.isnan(verdict.margin), kind
    else:
        assert (verdict.margin >= 1) is (verdict.ruling is Ruling.HOLDS), kind
        assert not math.isnan(verdict.observed), kind


@pytest.mark.parametrize("claim", EXAMPLES)
@pytest.mark.parametrize("kind", ["not reached", "empty", "one point"])
def test_where_nothing_is_known_nothing_is_decided(claim, kind, tables):
    rulings = {verdict.ruling for verdict in claim.evaluate(tables[kind])}
    assert rulings == {Ruling.INCONCLUSIVE}


@pytest.mark.parametrize("claim", EXAMPLES)
def test_tables_that_follow_the_law_bear_every_example_out(claim, tables):
    lawful = ("both", "powers of eps", "logarithms of eps")
    rulings = [{verdict.ruling for verdict in claim.evaluate(tables[kind])} for kind in lawful]
    assert {Ruling.HOLDS} in rulings


@pytest.mark.parametrize("claim", EXAMPLES)
@pytest.mark.parametrize("where", [{"engine": "monte_carlo"}, {"panel": "nowhere"}])
def test_a_claim_about_rows_that_are_not_there_is_inconclusive(claim, where, tables):
    (verdict,) = dataclasses.replace(claim, **where).evaluate(tables["both"])
    assert verdict.ruling is Ruling.INCONCLUSIVE
    assert "no rows" in verdict.note


@pytest.mark.parametrize("claim", EXAMPLES)
def test_engine_and_panel_choose_the_rows(claim, tables):
    table = tables["engines"]
    parts = {verdict.part for verdict in dataclasses.replace(claim, engine="exact").evaluate(table)}
    assert not any("monte_carlo" in part for part in parts)
