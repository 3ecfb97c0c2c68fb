"""How far SGD scales, by larger batches or by stale updates: one critical parameter for both.

Public names are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import Any

_PUBLIC = {
    "ArgumentError": "critparam.errors",
    "Cell": "critparam.cell",
    "CritparamError": "critparam.errors",
    "ExpectedDynamics": "critparam.moments",
    "Fit": "critparam.saturation",
    "LearningRate": "critparam.cell",
    "Outcome": "critparam.cell",
    "Runs": "critparam.runs",
    "Simulation": "critparam.simulate",
    "Status": "critparam.types",
    "Target": "critparam.target",
    "compute": "critparam.cell",
    "fit_law": "critparam.saturation",
}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_PUBLIC)
