"""How a run shows that it goes on: bars on a terminal, lines elsewhere."""

import contextlib
from collections import Counter
from collections.abc import Iterator

import click
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from critparam_cli.printing import console
from critparam_experiments.plan import Plan, PlannedCell


class Quiet:
    """Tells nothing but failures."""

    def say(self, message: str) -> None:
        """Nothing."""

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """Nothing."""

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """Nothing."""

    def failed(self, planned: PlannedCell, reason: str) -> None:
        """On stderr."""
        click.echo(f"failed: {described(planned)}: {reason}", err=True)

    def waiting(self, message: str) -> None:
        """On stderr: a silent wait would look like a hang."""
        click.echo(message, err=True)


class Lines(Quiet):
    """Plain lines on stderr, one for each panel that is done."""

    def __init__(self) -> None:
        self.left: Counter[str] = Counter()
        self.total: Counter[str] = Counter()

    def say(self, message: str) -> None:
        """On stderr."""
        click.echo(message, err=True)

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """How many cells are stored, and how many are to do in each panel."""
        self.say(_resumed(plan, stored, set_aside))
        missing = [planned for planned in plan.distinct() if planned.cell_id not in stored]
        self.left = Counter(planned.panel for planned in missing)
        self.total = Counter(self.left)

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """A line when the panel is done."""
        self.left[planned.panel] -= 1
        if self.left[planned.panel] == 0:
            self.say(f"{planned.panel}: {self.total[planned.panel]} cells done")


class Bars(Quiet):
    """A bar for each panel."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.tasks: dict[str, object] = {}

    def say(self, message: str) -> None:
        """Above the bars."""
        self.bars.console.print(message, highlight=False, markup=False)

    def planned(self, plan: Plan, stored: set[str], set_aside: int) -> None:
        """One bar a panel, what is stored counted as done."""
        self.say(_resumed(plan, stored, set_aside))
        distinct = plan.distinct()
        for panel in dict.fromkeys(planned.panel for planned in distinct):
            cells = [planned for planned in distinct if planned.panel == panel]
            done = sum(planned.cell_id in stored for planned in cells)
            self.tasks[panel] = self.bars.add_task(escape(panel), total=len(cells), completed=done)

    def finished(self, planned: PlannedCell, seconds: float) -> None:
        """One more."""
        self.bars.advance(self.tasks[planned.panel])  # pyright: ignore[reportArgumentType]


class Rate(ProgressColumn):
    """Cells a second."""

    def render(self, task: Task) -> Text:
        """The rate so far."""
        return Text(f"{task.speed:.1f} cells/s" if task.speed else "")


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[Quiet]:
    """Bars on a terminal, lines elsewhere, failures only where quiet."""
    terminal = console(stderr=True)
    if quiet or not terminal.is_terminal:
        yield Quiet() if quiet else Lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=terminal) as bars:
        yield Bars(bars)


def _resumed(plan: Plan, stored: set[str], set_aside: int) -> str:
    to_do = len(plan.distinct()) - len(stored)
    message = f"{plan.experiment.name}: {to_do} cells to do, {len(stored)} stored"
    if set_aside:
        message += f", {set_aside} set aside: of other code, data or settings, or spoilt"
    return message


def described(planned: PlannedCell) -> str:
    """A cell as a line names it."""
    point = planned.point
    sizes = f"batch_size={point.batch_size} delay={point.delay}"
    parts = (planned.panel, planned.series.label, planned.series.engine, sizes)
    return ", ".join(filter(None, parts))
