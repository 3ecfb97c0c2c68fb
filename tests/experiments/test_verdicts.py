import math

import pandas as pd
import pytest

from critparam_experiments.tables import claims_table
from critparam_experiments.verdicts import all_as_expected, judge

PARTS = {"holds": 10, "fails": 99, "inconclusive": math.nan}
"""B that is predicted for a line whose B is 10."""


@pytest.fixture
def judged(resolved, batches):
    """Judges one claim on a table with a line for each ruling."""

    def make(*rulings, **claim):
        lines = [
            batches(
                panel=f"{index} {ruling}",
                critical_parallelism=PARTS[ruling],
                measured_parallelism=PARTS[ruling],
            )
            for index, ruling in enumerate(rulings)
        ]
        claim = {"kind": "critical_parallelism", "within_factor": 2, **claim}
        return judge(resolved(claims=[claim]), pd.concat(lines, ignore_index=True))

    return make


@pytest.mark.parametrize(
    ("rulings", "labels", "expected"),
    [
        (["holds"], ["holds"], True),
        (["fails"], ["fails"], False),
        (["inconclusive"], ["inconclusive"], False),
        (["holds", "holds"], ["holds", "holds"], True),
        (["holds", "fails"], ["holds", "fails"], False),
        (["holds", "inconclusive"], ["holds", "inconclusive"], False),
    ],
)
def test_without_a_known_deviation(judged, rulings, labels, expected):
    judgements = judged(*rulings)
    assert [judgement.label for judgement in judgements] == labels
    assert all_as_expected(judgements) is expected
    assert not any(judgement.is_stale for judgement in judgements)


GONE = "holds (known deviation gone)"


@pytest.mark.parametrize(
    ("rulings", "labels", "expected"),
    [
        (["fails"], ["fails (known)"], True),
        (["holds", "fails"], ["holds", "fails (known)"], True),
        (["holds"], [GONE], False),
        (["holds", "holds"], [GONE, GONE], False),
        (["inconclusive"], ["inconclusive"], False),
        (["fails", "inconclusive"], ["fails (known)", "inconclusive"], False),
    ],
)
def test_with_a_known_deviation(judged, rulings, labels, expected):
    judgements = judged(*rulings, known_deviation="as measured")
    assert [judgement.label for judgement in judgements] == labels
    assert all_as_expected(judgements) is expected
    stale = [judgement.label == GONE for judgement in judgements]
    assert [judgement.is_stale for judgement in judgements] == stale


def test_every_claim_in_the_order_of_the_file(resolved, batches):
    claims = [
        {"kind": "saturation_law", "reason": "r"},
        {"kind": "critical_parallelism", "between": [3, 4], "known_deviation": "d"},
        {"kind": "saturation_law", "engine": "monte_carlo"},
    ]
    judgements = judge(resolved(claims=claims), batches())
    assert [(judgement.claim, judgement.label) for judgement in judgements] == [
        ("saturation_law", "holds"),
        ("critical_parallelism", "fails (known)"),
        ("saturation_law", "inconclusive"),
    ]


def test_claims_table(judged):
    table = claims_table("e", judged("fails", "inconclusive", known_deviation="as measured"))
    assert table["experiment"].tolist() == ["e", "e"]
    assert table["claim"].tolist() == ["critical_parallelism"] * 2
    assert table["part"].tolist() == ["0 fails, exact", "1 inconclusive, exact"]
    assert table["verdict"].tolist() == ["fails (known)", "inconclusive"]
    assert table["observed"].tolist() == pytest.approx([10, 10], rel=1e-3)
    assert table["expected"].tolist() == pytest.approx([99, math.nan], nan_ok=True)
    assert table["margin"].tolist() == pytest.approx([20 / 99, math.nan], nan_ok=True, rel=1e-3)
    assert all("as measured" in note for note in table["note"])
