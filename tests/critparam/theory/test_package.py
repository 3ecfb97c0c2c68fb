"""What the package imports, exports and explains."""

import ast
import inspect
from pathlib import Path

import pytest

import critparam.theory

FOLDER = Path(critparam.theory.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
ALLOWED = {"numpy", "critparam.arguments", "critparam.errors"}


def imported_modules(source: str) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add("." * node.level + (node.module or ""))
    return modules


def test_the_walk_sees_every_kind_of_import():
    source = "import jax.numpy\nfrom . import x\nfrom scipy import y\ndef f():\n    import z\n"
    assert imported_modules(source) == {"jax.numpy", ".", "scipy", "z"}


def test_there_are_files():
    assert {"rates.py", "critical.py", "saturation.py", "learning_rates.py"} <= {
        path.name for path in FILES
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_theory_imports_numpy_and_argument_checks_only(path):
    others = {
        module
        for module in imported_modules(path.read_text(encoding="utf-8")) - ALLOWED
        if not module.startswith("critparam.theory.")
    }
    assert others == set()


def public_functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def test_every_formula_is_exported():
    formulas = set()
    for path in FILES:
        if not path.name.startswith("_"):
            formulas |= public_functions_of(path)
    assert formulas == set(critparam.theory.__all__)


@pytest.mark.parametrize("name", critparam.theory.__all__)
def test_every_argument_is_explained_twice(name):
    """In the docstring of its function and in the package's table of symbols."""
    formula = getattr(critparam.theory, name)
    table = (critparam.theory.__doc__ or "").split()
    for argument in inspect.signature(formula).parameters:
        assert f"        {argument}: " in (formula.__doc__ or "")
        assert argument in table
    for section in ("Args:", "Returns:", "Raises:"):
        assert section in (formula.__doc__ or "")
