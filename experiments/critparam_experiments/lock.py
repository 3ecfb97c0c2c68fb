"""One writer a folder."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from critparam_experiments.errors import FolderInUseError


@contextmanager
def writing(folder: Path, *, wait: bool, notify: Callable[[str], None]) -> Iterator[None]:
    """Hold the folder for this process while the block runs.

    Args:
        folder: the folder.
        wait: whether to wait for another run to end.
        notify: told, once, whom this run waits for.

    Raises:
        FolderInUseError: another run holds it, and `wait` is false.
    """
    lock, holder = FileLock(folder / ".lock"), folder / ".lock-holder"
    try:
        lock.acquire(timeout=0)
    except Timeout:
        message = f"{folder} is in use by another run ({_read(holder)})"
        if not wait:
            raise FolderInUseError(message) from None
        notify(f"{message}; waiting for it to end")
        lock.acquire()
    try:
        holder.write_text(f"process {os.getpid()}", encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _read(holder: Path) -> str:
    try:
        return holder.read_text(encoding="utf-8")
    except OSError:
        return "process unknown"
