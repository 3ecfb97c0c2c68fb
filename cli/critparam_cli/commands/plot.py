"""`critparam plot`."""

from pathlib import Path

import click

from critparam_cli.options import formats_option, names_argument, out_option


@click.command()
@names_argument
@out_option()
@formats_option
def plot_command(names: tuple[str, ...], out: Path, formats: tuple[str, ...]) -> None:
    """Draw figures again from their CSVs; without a name, of everything that has results.

    Example: critparam plot fig2 --format pdf
    """
    from critparam_experiments.results import load_result, results_in
    from critparam_experiments.results import plot as draw

    for folder in results_in(out, names):
        result = load_result(folder)
        for trouble in result.trouble:
            click.echo(f"{folder}: warning: {trouble}", err=True)
        for path in draw(result, formats):
            click.echo(path)
