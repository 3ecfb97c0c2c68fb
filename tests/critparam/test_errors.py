"""Errors of one line."""

from critparam.errors import ArgumentError, CritparamError, shown


def test_message_and_attributes():
    error = ArgumentError("delay", "must be at least 0", -3, accepted=("a", "b"))
    assert str(error) == "delay: must be at least 0 (got -3)"
    assert (error.argument, error.reason, error.value) == ("delay", "must be at least 0", -3)
    assert error.accepted == ("a", "b")
    assert isinstance(error, CritparamError)
    assert isinstance(error, ValueError)
    assert error.exit_code == 2


def test_shown_is_one_short_line():
    assert shown("a\nb") == r"'a\nb'"
    assert shown([1.5, "x"]) == "[1.5, 'x']"
    text = shown(list(range(1000)))
    assert len(text) == 60
    assert text.endswith("...")


def test_a_value_of_many_lines_stays_on_one():
    class Lines:
        def __repr__(self):
            return "one\n\ttwo\r\n three"

    assert shown(Lines()) == "one two three"
