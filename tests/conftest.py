"""What every test shares: the environment of JAX and matplotlib, and the reference values."""

import csv
import os
from pathlib import Path

import pytest

# Before JAX and matplotlib are imported, and inherited by the commands that tests start.
os.environ["JAX_NUMPY_DTYPE_PROMOTION"] = "strict"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["MPLBACKEND"] = "Agg"

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="session")
def isotropic_reference() -> list[dict[str, str]]:
    """Rows of expected dynamics computed by plain recursions; see reference/README.md."""
    return _rows("isotropic_noise.csv")


@pytest.fixture(scope="session")
def tuned_reference() -> list[dict[str, str]]:
    """Steps to 1e-4 at the best constant learning rate; see reference/README.md."""
    return _rows("tuned_steps.csv")


def _rows(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
