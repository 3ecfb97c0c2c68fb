"""CSV files: every number to the last bit, text as it was, nothing that is no number."""

import math

import pandas as pd

from critparam_experiments.tables import read_csv, write_csv


def test_numbers_come_back_to_the_last_bit(tmp_path):
    numbers = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 123456789.123456789]
    write_csv(pd.DataFrame({"steps": numbers, "replicates": range(7)}), tmp_path / "t.csv")
    again = read_csv(tmp_path / "t.csv")
    assert [value.hex() for value in again["steps"]] == [value.hex() for value in numbers]
    assert again["replicates"].tolist() == list(range(7))


NAMES = ["", "p", "NA", "nan", "null", "None", "1", "1e5", " x ", 'a"b', "a,b", "a\nb", "é", "#x"]


def test_text_comes_back_as_it_was(tmp_path):
    write_csv(pd.DataFrame({"panel": NAMES, "steps": range(len(NAMES))}), tmp_path / "t.csv")
    assert read_csv(tmp_path / "t.csv")["panel"].tolist() == NAMES


def test_csv_is_utf8_with_17_digits_and_nothing_that_is_no_number(tmp_path):
    numbers = [0.1, math.inf, -math.inf, math.nan]
    write_csv(pd.DataFrame({"panel": list("éabc"), "steps": numbers}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == (
        "panel,steps\né,0.10000000000000001\na,\nb,\nc,\n".encode()
    )
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
