"""`critparam validate`."""

import click

from critparam_cli.options import ExperimentName, overrides_option


@click.command()
@click.argument("files", nargs=-1, required=True, type=ExperimentName(), metavar="FILE...")
@overrides_option
def validate_command(files: tuple[str, ...], overrides: tuple[str, ...]) -> None:
    """Check experiment files and say how many cells each would compute.

    Example: critparam validate mine.yaml
    """
    from critparam_experiments.catalog import Source, find
    from critparam_experiments.config import resolve

    for file in files:
        path = find(file)
        experiment = resolve(Source(path, overrides).load())
        cells = sum(len(series.points) for panel in experiment.panels for series in panel.series)
        click.echo(f"{path}: valid, {len(experiment.panels)} panels, {cells} cells")
