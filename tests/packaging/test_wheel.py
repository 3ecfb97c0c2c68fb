"""What `pip install .` gives: a wheel, installed away from the checkout, that does the work."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a new environment with the wheel in it.

    Dependencies come from the environment that runs the tests, by a path file: path files of
    folders so added are not read, so that the editable install of the checkout stays out.
    """
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    run(*pip, "--python", folder / "venv", "install", "--quiet", "--no-deps", wheel, cwd=folder)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv" / "bin"


def test_it_is_the_wheel_that_is_imported(installed: Path, tmp_path: Path) -> None:
    packages = "critparam, critparam_cli, critparam_experiments"
    where = f"import {packages}; print(*(m.__file__ for m in ({packages})), sep='\\n')"
    files = run(installed / "python", "-c", where, cwd=tmp_path).split()
    assert len(files) == 3
    assert all(file.startswith(str(installed.parent)) for file in files)


def test_no_module_called_cli_or_experiments_comes_with_it(installed: Path, tmp_path: Path) -> None:
    for name in ("cli", "experiments", "configs", "tests"):
        find = f"import importlib.util as u; print(u.find_spec({name!r}))"
        assert run(installed / "python", "-c", find, cwd=tmp_path).strip() == "None"


def test_named_experiments_are_found_from_any_folder(installed: Path, tmp_path: Path) -> None:
    names = run(installed / "critparam", "list", "--names", cwd=tmp_path).split()
    assert names == sorted(path.stem for path in (ROOT / "configs").glob("*.yaml"))


def test_fig2_runs_in_its_quick_version(installed: Path, tmp_path: Path) -> None:
    run(installed / "critparam", "run", "fig2", "--quick", cwd=tmp_path)
    written = {path.name for path in (tmp_path / "results-quick" / "fig2").iterdir()}
    expected = {"speedup.csv", "runs.csv", "claims.csv", "manifest.json", "fig2.png"}
    assert expected <= written
