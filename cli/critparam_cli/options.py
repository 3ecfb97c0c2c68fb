"""Options that several commands share."""

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem


class ExperimentName(click.ParamType):
    """A named experiment, or the path of an experiment file."""

    name = "name_or_file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The named experiments, and files."""
        from critparam_experiments.catalog import named_experiments

        names = [name for name in named_experiments() if name.startswith(incomplete)]
        files = CompletionItem(incomplete, type="file")
        return [*(CompletionItem(name) for name in names), files]


def out_option(default: str | None = "results") -> Any:
    """The folder of results folders."""
    shown = default or "results, or results-quick with --quick"
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default=default,
        metavar="DIR",
        help=f"Folder of the results folders.  [default: {shown}]",
    )


formats_option = click.option(
    "--format",
    "formats",
    default="png",
    show_default=True,
    metavar="png,pdf,svg",
    callback=lambda ctx, param, value: _formats(value),
    help="Image formats of the figure, separated by commas.",
)

overrides_option = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key of the experiment, e.g. noise.M=50; may be repeated.",
)

names_argument = click.argument("names", nargs=-1, type=ExperimentName(), metavar="[NAME]...")


def _formats(value: str) -> tuple[str, ...]:
    formats = tuple(dict.fromkeys(part.strip() for part in value.split(",")))
    for part in formats:
        if part not in ("png", "pdf", "svg"):
            raise click.BadParameter(f"{part!r} is none of png, pdf, svg")
    return formats
