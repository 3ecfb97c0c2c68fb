"""The `critparam` command: a group whose commands are loaded when they are called."""

import os
import signal
import sys
from importlib import import_module
from typing import Any

import click

from critparam.errors import CritparamError, shown
from critparam.registry import nearest

COMMANDS = {
    "list": "Name every experiment that can be run.",
    "show": "Print an experiment's file.",
    "validate": "Check experiment files.",
    "run": "Run experiments: CSVs, figure, verdicts.",
    "plot": "Draw figures again from their CSVs.",
    "verify": "Recompute every verdict from the CSVs.",
    "schema": "Print the JSON Schema of experiment files.",
}
INTERRUPTED = 130


class LazyGroup(click.Group):
    """Commands known by name and one line; a command's module is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"critparam_cli.commands.{cmd_name}")
        return getattr(module, f"{cmd_name}_command")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name where there is no such command."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            suggestion = nearest(args[0], list(COMMANDS))
            hint = f"; did you mean {suggestion}?" if suggestion else ""
            raise click.UsageError(f"no such command {shown(args[0])}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names and lines above, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="critparam", prog_name="critparam")
def cli() -> None:
    """How far SGD scales, by larger batches or by stale updates: the critical parameter.

    Example: critparam run fig2
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; every mistake is one line on stderr."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has gone ends us quietly
    try:
        code: Any = cli.main(arguments, prog_name="critparam", standalone_mode=False)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        program = context.command_path if context is not None else "critparam"
        click.echo(f"{program}: {' '.join(error.format_message().split())}", err=True)
        code = error.exit_code
    except CritparamError as error:
        click.echo(str(error), err=True)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except OSError as error:
        click.echo(f"{error.filename or 'critparam'}: {error.strerror or error}", err=True)
        code = 2
    if code == INTERRUPTED:
        leave_at_once()
    sys.exit(code or 0)


def leave_at_once() -> None:
    """End the process without waiting for cells under way in threads: what is done is stored."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)
