"""What a result was made of: config, command, environment, and checksums of its tables."""

import json
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from critparam_experiments.errors import ConfigError
from critparam_experiments.files import sha256_of, write_text

MANIFEST = "manifest.json"
OUTSIDE_RESULTS = ":(top,exclude)results"  # what a run writes does not make its code dirty
TABLES = ("speedup.csv", "runs.csv", "claims.csv")
PACKAGES = ("critparam", "jax", "jaxlib", "numpy", "scipy", "pandas", "matplotlib", "scikit-learn")


class TableRecord(BaseModel):
    """Rows and SHA-256 of a table."""

    model_config = ConfigDict(strict=True, extra="forbid")

    rows: int
    sha256: str


class Manifest(BaseModel):
    """What of a manifest is read again; the rest is for people."""

    model_config = ConfigDict(strict=True)

    name: str
    quick: bool
    complete: bool
    source: str
    overrides: list[str]
    config: dict[str, Any]
    tables: dict[str, TableRecord]

    @field_validator("tables")
    @classmethod
    def _all_there(cls, tables: dict[str, TableRecord]) -> dict[str, TableRecord]:
        if set(tables) != set(TABLES):
            raise ValueError(f"must be {', '.join(TABLES)}")
        return tables


def environment(device: str) -> dict[str, Any]:
    """Versions, platform and commit."""
    commit = _git("rev-parse", "HEAD")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "device": device,
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "git_commit": commit,
        "git_dirty": None
        if commit is None
        else bool(_git("status", "--porcelain", "--", OUTSIDE_RESULTS)),
    }


def table_record(path: Path, rows: int) -> dict[str, Any]:
    """Rows and SHA-256 of a table."""
    return {"rows": rows, "sha256": sha256_of(path)}


def write_manifest(folder: Path, content: dict[str, Any]) -> None:
    """Write the manifest atomically."""
    write_text(folder / MANIFEST, json.dumps(content, indent=2) + "\n")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a result.

    Raises:
        ConfigError: there is none, or it is none.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"no results: {error.strerror}", source=str(path)) from None
    except ValidationError:
        raise ConfigError("not a manifest", source=str(path)) from None


def _git(*arguments: str) -> str | None:
    """What git says of the code that runs, None where it is not a checkout."""
    here = Path(__file__)
    tracked = ["ls-files", "--error-unmatch", here.name]  # not some other project's checkout
    answer = ""
    try:
        for words in (tracked, arguments):
            command = ["git", "-C", str(here.parent), *words]
            answer = subprocess.run(
                command, capture_output=True, text=True, timeout=10, check=True
            ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.strip()
