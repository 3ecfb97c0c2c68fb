"""What a result was made of: config, command, environment, and checksums of its tables."""

import json
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from critparam_experiments.errors import ConfigError
from critparam_experiments.files import sha256_of, write_text

MANIFEST = "manifest.json"
PACKAGES = ("critparam", "jax", "jaxlib", "numpy", "scipy", "pandas", "matplotlib", "scikit-learn")


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
        "git_dirty": None if commit is None else bool(_git("status", "--porcelain")),
    }


def table_record(path: Path, rows: int) -> dict[str, Any]:
    """Rows and SHA-256 of a table."""
    return {"rows": rows, "sha256": sha256_of(path)}


def write_manifest(folder: Path, content: dict[str, Any]) -> None:
    """Write the manifest atomically."""
    write_text(folder / MANIFEST, json.dumps(content, indent=2) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a result.

    Raises:
        ConfigError: there is none, or it is none.
    """
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"no results: {error.strerror}", source=str(path)) from None
    except ValueError:
        raise ConfigError("not a manifest", source=str(path)) from None
    if not isinstance(content, dict) or not {"name", "config", "tables"} <= set(content):
        raise ConfigError("not a manifest", source=str(path))
    return content


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
