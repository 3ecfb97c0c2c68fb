"""`critparam run`."""

import os
import sys
from pathlib import Path

import click

from critparam_cli.options import ExperimentName, formats_option, out_option, overrides_option


@click.command()
@click.argument("names", nargs=-1, required=True, type=ExperimentName(), metavar="NAME_OR_FILE...")
@overrides_option
@out_option(default=None)
@click.option("--quick", is_flag=True, help="Run a smaller version of the same experiment.")
@click.option("--fresh", is_flag=True, help="Forget the cells that are stored, and start over.")
@click.option("--dry-run", is_flag=True, help="Say what would be computed, and compute nothing.")
@click.option("--no-wait", is_flag=True, help="Exit 4 if another run holds the folder.")
@click.option("--executor", default="local", show_default=True, help="Where cells are computed.")
@click.option("--jobs", type=click.IntRange(min=1), default=lambda: os.cpu_count() or 1,
              show_default="one a core", help="Cells computed at a time.")  # fmt: skip
@formats_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def run_command(names: tuple[str, ...], out: Path | None, quick: bool, **options: object) -> int:
    """Run experiments: compute their cells, write CSVs and figure, judge their claims.

    Cells that are stored already are not computed again, so an interrupted run goes on where it
    stopped.

    Example: critparam run fig2

    Another noise: critparam run fig1 --set noise.M=50 --out mine
    """
    from critparam_cli.running import run_all

    folder = out or Path("results-quick" if quick else "results")
    return run_all(names, folder, quick=quick, command=sys.argv[1:], **options)  # pyright: ignore[reportArgumentType]
