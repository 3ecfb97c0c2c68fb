"""`critparam list`."""

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.option("--names", "names_only", is_flag=True, help="Print names only, for scripts.")
def list_command(as_json: bool, names_only: bool) -> None:
    """Name every experiment that can be run, with its title.

    Example: critparam list
    """
    from critparam_experiments.catalog import named_experiments, summary
    from critparam_experiments.errors import one_line

    entries = [(*map(one_line, summary(path)), str(path)) for path in named_experiments().values()]
    if as_json:
        keys = ("name", "title", "file")
        click.echo(json.dumps([dict(zip(keys, entry, strict=True)) for entry in entries], indent=2))
        return
    if names_only:
        click.echo("\n".join(name for name, _, _ in entries))
        return
    width = max((len(name) for name, _, _ in entries), default=0)
    for name, title, _ in entries:
        click.echo(f"{name:<{width}}  {title}")
