"""`critparam show`."""

import click

from critparam_cli.options import ExperimentName


@click.command()
@click.argument("name", type=ExperimentName(), metavar="NAME")
def show_command(name: str) -> None:
    """Print an experiment's file, to read or to start one of your own.

    Example: critparam show fig2 > mine.yaml
    """
    from critparam_experiments.catalog import find
    from critparam_experiments.yaml_loader import load_file

    path = find(name)
    load_file(path)  # what cannot be read is refused before anything is printed
    click.echo(path.read_text(encoding="utf-8"), nl=False)
