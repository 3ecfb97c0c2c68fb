"""The project's family of errors: each carries the exit code with which a command ends."""

from typing import Any, ClassVar


class CritparamError(Exception):
    """A mistake that one line can explain; never used for numerical outcomes, which are data."""

    exit_code: ClassVar[int] = 2


class ArgumentError(CritparamError, ValueError):
    """A value outside what a function or component accepts.

    Attributes:
        argument: name of the offending argument.
        reason: what is wrong with it, without its name.
        value: what was given.
        accepted: the names that would have been accepted, where they are few.
    """

    def __init__(
        self, argument: str, reason: str, value: Any, *, accepted: tuple[str, ...] = ()
    ) -> None:
        self.argument, self.reason, self.value, self.accepted = argument, reason, value, accepted
        super().__init__(f"{argument}: {reason} (got {shown(value)})")


def shown(value: Any, limit: int = 60) -> str:
    """The value as it may stand in a message of one line, cut to `limit` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
