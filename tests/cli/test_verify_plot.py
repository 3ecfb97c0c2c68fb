"""`critparam verify` and `critparam plot`."""

import json

import pytest

HOLDS = {"kind": "linear_regime", "efficiency": 0.3, "up_to": 4}
FAILS = {**HOLDS, "efficiency": 1.0}
UNDECIDED = {"kind": "saturation_law"}  # needs three points


@pytest.fixture
def ran(critparam, tiny):
    """Runs the tiny experiment with claims, and then `verify`."""

    def go(*claims, arguments=()):
        assert critparam("run", tiny(claims=list(claims)), "--quiet").code == 0
        return critparam("verify", *arguments)

    return go


@pytest.mark.parametrize(
    ("claims", "code", "words"),
    [
        ([HOLDS], 0, "holds"),
        ([FAILS], 1, "fails"),
        ([UNDECIDED], 1, "inconclusive"),
        ([HOLDS, FAILS], 1, "fails"),
        ([{**FAILS, "known_deviation": "as measured"}], 0, "fails (known)"),
        ([{**HOLDS, "known_deviation": "as measured"}], 1, "holds (known deviation gone)"),
        ([{**UNDECIDED, "known_deviation": "as measured"}], 1, "inconclusive"),
    ],
)
def test_exit_codes(ran, claims, code, words):
    done = ran(*claims)
    assert done.code == code
    assert words in done.out
    assert f"{1 - code} of 1 experiments as claimed" in done.out
    assert done.err == ""


def test_known_deviations_are_explained(ran):
    done = ran({**FAILS, "known_deviation": "as [red]measured[/x]"})
    assert done.code == 0
    assert "as [red]measured[/x]" in done.out


def test_json(ran):
    done = ran(FAILS, UNDECIDED, arguments=["--json"])
    assert (done.code, done.err) == (1, "")
    rows = json.loads(done.out)
    assert {row["verdict"] for row in rows} == {"fails", "inconclusive"}
    keys = "experiment claim part observed expected margin verdict note"
    assert all(list(row) == keys.split() for row in rows)
    assert all(row["experiment"] == "tiny" for row in rows)


def test_json_of_an_unsound_result(ran, critparam, tmp_path):
    ran(HOLDS)
    (tmp_path / "results" / "tiny" / "runs.csv").unlink()
    rows = json.loads(critparam("verify", "--json").out)
    assert rows[-1] == {
        "experiment": "tiny",
        "verdict": "unsound",
        "note": "runs.csv was altered",
    }


@pytest.mark.parametrize("name", ["speedup.csv", "runs.csv", "claims.csv"])
def test_an_altered_table(ran, critparam, tmp_path, name):
    assert ran(HOLDS).code == 0
    path = tmp_path / "results" / "tiny" / name
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")
    done = critparam("verify")
    assert done.code == 1
    assert f"{name} was altered" in done.out


def test_a_stale_config(ran, critparam, tiny):
    assert ran(HOLDS).code == 0
    tiny(claims=[HOLDS], max_steps=77)
    done = critparam("verify", "tiny")
    assert done.code == 1
    assert "has changed since" in done.out
    critparam("run", "tiny.yaml", "--quiet")
    assert critparam("verify", "tiny").code == 0


def test_a_config_that_is_no_longer_valid_does_not_hide_the_others(ran, critparam, tiny):
    ran(HOLDS)
    critparam("run", tiny("two.yaml", name="two", claims=[HOLDS]), "--quiet")
    tiny(seed=-1)
    done = critparam("verify")
    assert done.code in (1, 2)
    assert "two" in done.out


@pytest.mark.parametrize("command", ["verify", "plot"])
@pytest.mark.parametrize("arguments", [[], ["tiny"], ["--out", "nowhere"], ["../x"]])
def test_no_results(command, arguments, critparam):
    done = critparam(command, *arguments)
    assert (done.code, done.out) == (2, "")
    assert "no results" in done.line


@pytest.mark.parametrize("command", ["verify", "plot"])
def test_a_name_that_is_nearly_right(command, ran, critparam):
    ran(HOLDS)
    done = critparam(command, "tinny")
    assert done.code == 2
    assert "did you mean tiny?" in done.line


@pytest.mark.parametrize("command", ["verify", "plot"])
def test_a_manifest_that_is_none(command, ran, critparam, tmp_path):
    ran(HOLDS)
    (tmp_path / "results" / "tiny" / "manifest.json").write_text("{")
    done = critparam(command)
    assert done.code == 2
    assert done.line.startswith("results/tiny/manifest.json: not a manifest")


def test_every_result_or_those_named(ran, critparam, tiny):
    ran(HOLDS)
    critparam("run", tiny("two.yaml", name="two", claims=[FAILS]), "--quiet")
    assert "1 of 2 experiments as claimed" in critparam("verify").out
    assert critparam("verify", "tiny").code == 0
    assert critparam("verify", "two").code == 1
    assert critparam("verify", "tiny", "two").code == 1


def test_plot_draws_again(ran, critparam, tmp_path):
    ran(HOLDS)
    folder = tmp_path / "results" / "tiny"
    before = (folder / "tiny.png").read_bytes()
    (folder / "tiny.png").unlink()
    done = critparam("plot", "tiny", "--format", "png,svg")
    assert (done.code, done.err) == (0, "")
    assert done.out.split() == ["results/tiny/tiny.png", "results/tiny/tiny.svg"]
    assert (folder / "tiny.png").read_bytes() == before
    assert critparam("verify").code == 0


def test_plot_says_when_what_it_draws_was_altered(ran, critparam, tmp_path):
    ran(HOLDS)
    path = tmp_path / "results" / "tiny" / "speedup.csv"
    path.write_text(path.read_text().replace(",2,2,2,", ",3,3,3,"))
    assert "altered" in critparam("plot").err
