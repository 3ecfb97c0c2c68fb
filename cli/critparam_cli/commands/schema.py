"""`critparam schema`."""

import json

import click


@click.command()
def schema_command() -> None:
    """Print the JSON Schema of experiment files, for editors.

    Example: critparam schema > experiment.schema.json
    """
    from critparam_experiments.json_schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2))
