"""The commands that the README quotes do what it says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def quoted(program: str) -> list[list[str]]:
    """Every command of this program in the README's indented or fenced blocks."""
    lines = re.findall(rf"^(?:    )?({program} .*?)(?:  +#.*)?$", README, flags=re.MULTILINE)
    return [shlex.split(line) for line in dict.fromkeys(lines)]


@pytest.mark.parametrize("command", quoted("make"), ids=" ".join)
def test_make_commands_are_targets(command: list[str]) -> None:
    done = subprocess.run([*command, "--dry-run"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_make_fig2_runs_fig2() -> None:
    """`make test` runs this too, and a make within a make says where it is."""
    done = subprocess.run(["make", "--dry-run", "fig2"], cwd=ROOT, capture_output=True, text=True)
    assert any(line.endswith("critparam run fig2") for line in done.stdout.splitlines())


@pytest.mark.parametrize("command", quoted("critparam"), ids=" ".join)
def test_critparam_commands_run(command: list[str], tmp_path: Path) -> None:
    """From an empty folder; runs in their quick versions, whatever they write thrown away."""
    arguments = command[1 : command.index(">") if ">" in command else None]
    (tmp_path / "mine.yaml").write_text((ROOT / "configs" / "fig1.yaml").read_text())
    if arguments[0] == "run":
        arguments += ["--quick"]
    if arguments[0] in ("verify", "plot"):
        arguments += ["--out", str(ROOT / "results")]
    if arguments[0] == "plot":
        pytest.skip("would draw over the committed figures")
    done = subprocess.run(
        [sys.executable, "-m", "critparam_cli", *arguments],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_picture_is_there() -> None:
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", README)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).is_file(), picture
