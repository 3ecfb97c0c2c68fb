"""The durable store: one file for each finished cell, checked when it is read."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from critparam.cell import Outcome
from critparam.measured import Measured
from critparam.runs import Runs
from critparam.types import Status
from critparam_experiments.files import write_text

SET_ASIDE = "set-aside"


@dataclass(frozen=True)
class Store:
    """Finished cells in a folder, by cell_id."""

    folder: Path

    def holds(self, cell_id: str) -> bool:
        """Whether there is a file for the cell; `load` decides whether it can be trusted."""
        return self._path(cell_id).is_file()

    def load(self, cell_id: str) -> Outcome | None:
        """The stored outcome, None if there is none.

        A file that cannot be trusted is moved out of the way, as if there were none.
        """
        path = self._path(cell_id)
        if not path.is_file():
            return None
        try:
            return _decode(path.read_text(encoding="utf-8"), cell_id)
        except (ValueError, KeyError, TypeError, OSError, RecursionError):
            self._set_aside(path)
            return None

    def save(self, cell_id: str, outcome: Outcome) -> None:
        """Store an outcome, atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self._path(cell_id), _encode(outcome, cell_id))

    def set_aside_others(self, cell_ids: Iterable[str]) -> int:
        """Move every file that is not one of these cells out of the way; returns their number."""
        wanted = {self._path(cell_id).name for cell_id in cell_ids}
        others = [path for path in sorted(self.folder.glob("*.json")) if path.name not in wanted]
        for path in others:
            self._set_aside(path)
        return len(others)

    def _path(self, cell_id: str) -> Path:
        return self.folder / f"{cell_id}.json"

    def _set_aside(self, path: Path) -> None:
        folder = self.folder / SET_ASIDE
        folder.mkdir(exist_ok=True)
        path.replace(folder / path.name)


def _encode(outcome: Outcome, cell_id: str) -> str:
    runs = outcome.runs
    payload = {
        "cell_id": cell_id,
        "chosen": outcome.chosen,
        "at_edge": outcome.at_edge,
        "learning_rates": runs.learning_rates.tolist(),
        "steps": runs.steps.tolist(),
        "status": [[str(status) for status in row] for row in runs.status],
        "noise": _without_nan(runs.noise),
        "signal": _without_nan(runs.signal),
        "measured": None if outcome.measured is None else outcome.measured._asdict(),
    }
    return json.dumps({"sha256": _checksum(payload), "payload": payload})


def _decode(text: str, cell_id: str) -> Outcome:
    """The outcome in a file's text.

    Raises:
        ValueError, KeyError, TypeError: the text is not what `_encode` wrote for this cell.
    """
    content = json.loads(text)
    payload = content["payload"]
    if content["sha256"] != _checksum(payload) or payload["cell_id"] != cell_id:
        raise ValueError("checksum or cell_id does not match")
    status = [[Status(value) for value in row] for row in payload["status"]]
    runs = Runs(
        learning_rates=np.asarray(payload["learning_rates"], dtype=float),
        steps=np.asarray(payload["steps"], dtype=np.int64),
        status=np.asarray(status, dtype=object),
        noise=np.asarray(payload["noise"], dtype=float),
        signal=np.asarray(payload["signal"], dtype=float),
    )
    measured = payload["measured"]
    return Outcome(
        runs,
        payload["chosen"],
        payload["at_edge"],
        None if measured is None else Measured(**measured),
    )


def _checksum(payload: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()


def _without_nan(array: np.ndarray) -> list:
    return [[None if np.isnan(value) else value for value in row] for row in array.tolist()]
