import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import critparam
from critparam_cli.main import COMMANDS, cli

HEAVY = ("jax", "scipy", "pandas", "matplotlib", "torch", "sklearn", "pydantic", "rich")
LOADED = """
import sys
from critparam_cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted(sys.modules), file=sys.stderr)
"""


def test_help_names_every_command_with_a_line(critparam):
    done = critparam("--help")
    assert (done.code, done.err) == (0, "")
    for name, line in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", done.out, re.MULTILINE)
    assert critparam("-h").out == done.out


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_has_an_example(name, critparam):
    done = critparam(*filter(None, [name]), "--help")
    assert done.code == 0
    assert f"Example: critparam {name}" in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_click_runner_finds_every_command():
    for name in COMMANDS:
        result = CliRunner().invoke(cli, [name, "--help"])
        assert result.exit_code == 0
        assert "Example:" in result.output


def test_version(critparam, process):
    from importlib.metadata import version

    expected = f"critparam, version {version('critparam')}\n"
    assert critparam("--version").out == expected
    assert process("--version") == (0, expected, "")


def test_the_module_is_the_command(process):
    module = process("list")
    assert module.code == 0
    command = Path(sys.executable).parent / "critparam"
    done = subprocess.run([command, "list"], capture_output=True, text=True, cwd="/")
    assert done.stdout == module.out


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["lst"], "did you mean list?"),
        (["rnu", "fig1"], "did you mean run?"),
        (["verfiy"], "did you mean verify?"),
        (["zzzzzz"], "no such command 'zzzzzz'"),
        (["list", "--jsn"], "--json"),
        (["run", "fig1", "--quik"], "--quick"),
        (["run", "fig1", "--exectuor", "local"], "--executor"),
        (["run"], "NAME_OR_FILE"),
        (["show"], "NAME"),
        (["show", "fig1", "fig2"], "fig2"),
        (["validate"], "FILE"),
        (["run", "fig1", "--jobs", "0"], "--jobs"),
        (["run", "fig1", "--jobs", "two"], "two"),
        (["run", "fig1", "--format", "gif"], "'gif' is none of png, pdf, svg"),
        (["run", "fig1", "--format", ""], "none of png, pdf, svg"),
        (["run", "fig1", "--set"], "--set"),
        (["run", "fig1", "--executor", "locale"], "did you mean local?"),
        (["run", "fig11"], "did you mean fig1?"),
        (["show", "fgi1"], "did you mean fig1?"),
        (["validate", "none.yaml"], "none.yaml: no such file"),
        (["--verison"], "--version"),
    ],
)
def test_mistakes_on_the_command_line(arguments, fragment, critparam, files):
    done = critparam(*arguments)
    assert (done.code, done.out) == (2, "")
    assert fragment in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
    assert files() == {}


@pytest.mark.parametrize(
    "arguments", [["lst"], ["list", "--jsn"], ["run"], ["run", "fig1", "--jobs", "0"]]
)
def test_a_mistake_is_one_line(arguments, critparam):
    """As `main` says; also so that scripts can show it."""
    assert critparam(*arguments).line


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["list", "--json"], ["show", "fig1"]])
def test_what_needs_no_numbers_loads_none(arguments, process):
    done = process(*arguments, program=("-c", LOADED))
    assert done.code == 0, done.err
    loaded = {module.partition(".")[0] for module in done.err.split()}
    assert "critparam_cli" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_library_knows_nothing_of_the_command_line(process):
    code = "import sys, critparam, critparam.theory; print(*sys.modules, file=sys.stderr)"
    done = process(program=("-c", code))
    loaded = {module.partition(".")[0] for module in done.err.split()}
    assert loaded.isdisjoint({"click", "yaml", "pandas", "matplotlib", "pydantic", "rich", "jax"})
    assert critparam.__name__ in loaded


@pytest.mark.parametrize("arguments", [["list"], ["show", "fig2"], ["schema"], ["--help"]])
def test_a_reader_that_has_gone_is_no_error(arguments, tmp_path):
    """As in `critparam show fig2 | head -1`, the pipe closed before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "critparam_cli", *arguments]
    done = subprocess.run(command, stdout=writer, stderr=-1, text=True, cwd=tmp_path, timeout=100)
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode in (0, -signal.SIGPIPE)


def test_head_of_a_long_output(tmp_path):
    command = f"{sys.executable} -m critparam_cli schema | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_output_in_a_file_has_no_escape_codes(process, tmp_path, tiny):
    env = {**os.environ, "TERM": "xterm-256color"}
    tiny(claims=[{"kind": "same_parameter"}])
    for arguments in (["run", "tiny.yaml"], ["verify"], ["list"]):
        done = process(*arguments, env=env)
        assert "\x1b" not in done.out + done.err
        assert done.out.isascii()
