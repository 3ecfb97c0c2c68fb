"""`critparam verify`."""

import json
from pathlib import Path

import click

from critparam_cli.options import names_argument, out_option


@click.command()
@names_argument
@out_option()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def verify_command(names: tuple[str, ...], out: Path, as_json: bool) -> int:
    """Recompute every verdict from speedup.csv; without a name, of everything that has results.

    Exit 0: every claim holds, or fails as it is known to. Exit 1: any other claim, or a result
    that is stale or was altered.

    Example: critparam verify fig2
    """
    from critparam_cli.printing import verdict_rows, verdict_table
    from critparam_experiments.results import results_in, verify

    checks = [verify(folder) for folder in results_in(out, names)]
    if as_json:
        click.echo(json.dumps([row for check in checks for row in verdict_rows(check)], indent=2))
    else:
        verdict_table(checks)
    return 0 if all(check.passes for check in checks) else 1
