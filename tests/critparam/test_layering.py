"""Who may import whom: the rules of the design, by a walk over the source."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

PACKAGES = ("critparam", "critparam_experiments", "critparam_cli")
HEAVY = {"yaml", "pandas", "matplotlib", "pydantic", "rich"}
ONLY_WHERE_USED = {"sklearn", "torch", "ray"}


def folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def modules(package: str) -> dict[str, Path]:
    """Dotted name -> file, of every module of a package."""
    root = folder(package)
    found = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join((package, *parts)).removesuffix(".__init__")] = path
    return found


MODULES = {name: path for package in PACKAGES for name, path in modules(package).items()}


def imports(source: str, *, top_level: bool = False) -> set[str]:
    """Modules that a file imports; `from a import b` counts as a and as a.b."""
    names = set()
    for node in _statements(ast.parse(source), top_level):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and _is_import_call(node):
            names |= {arg.value for arg in node.args[:1] if isinstance(arg, ast.Constant)}
    return names


def _statements(tree: ast.AST, top_level: bool):
    """All nodes, or those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if top_level and (inside or _is_type_checking(node)):
            continue
        yield node
        yield from _statements(node, top_level)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _is_import_call(node: ast.Call) -> bool:
    return ast.unparse(node.func) in ("import_module", "importlib.import_module", "__import__")


def imported_by(module: str, *, top_level: bool = False) -> set[str]:
    return imports(MODULES[module].read_text(encoding="utf-8"), top_level=top_level)


def roots(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def of(package: str) -> list[str]:
    return sorted(name for name in MODULES if name.split(".")[0] == package)


def test_the_walk_sees_every_kind_of_import():
    source = """
import a.b, c
from d import e
if TYPE_CHECKING:
    import f
def g():
    import h
    import_module("i.j")
class K:
    import m
"""
    assert imports(source) == {"a.b", "c", "d", "d.e", "f", "h", "i.j", "m"}
    assert imports(source, top_level=True) == {"a.b", "c", "d", "d.e", "m"}


def test_there_are_three_packages():
    assert all(len(of(package)) > 5 for package in PACKAGES)


@pytest.mark.parametrize("module", of("critparam"))
def test_the_library_is_light(module):
    names = roots(imported_by(module))
    assert not names & HEAVY
    assert not names & {"click", "critparam_experiments", "critparam_cli"}
    assert not roots(imported_by(module, top_level=True)) & ONLY_WHERE_USED


@pytest.mark.parametrize("module", [name for name in of("critparam") if ".theory" in name])
def test_theory_needs_no_jax(module):
    names = imported_by(module)
    assert not roots(names) & {"jax", "jaxlib", "jaxtyping", "scipy"}
    own = {name for name in names if name.startswith("critparam.")}
    allowed = ("critparam.theory", "critparam.arguments", "critparam.errors")
    assert all(name.startswith(allowed) for name in own)


@pytest.mark.parametrize("module", of("critparam_experiments"))
def test_experiments_know_no_command_line(module):
    assert not roots(imported_by(module)) & {"click", "critparam_cli"}


@pytest.mark.parametrize("module", of("critparam_cli"))
def test_the_command_line_leaves_data_to_the_experiments(module):
    assert not roots(imported_by(module)) & (HEAVY - {"rich"})


FAMILIES = {
    name: re.findall(
        r'f?"(?:\{__name__\}|[\w.]+)\.(\w+):\w+"', MODULES[name].read_text(encoding="utf-8")
    )
    for name in MODULES
    if "Registry(" in MODULES[name].read_text(encoding="utf-8") and MODULES[name].stem == "__init__"
}


def test_the_families_are_found():
    library = {"problems", "datasets", "noise", "delays", "methods"}
    assert {f"critparam.{name}" for name in library} <= set(FAMILIES)
    assert all(FAMILIES.values())
    assert {"quadratic", "logistic_regression"} <= set(FAMILIES["critparam.problems"])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_member_is_a_file_of_its_family(family):
    for member in FAMILIES[family]:
        assert f"{family}.{member}" in MODULES


@pytest.mark.parametrize("family", FAMILIES)
def test_base_imports_no_member_and_members_do_not_import_one_another(family):
    members = {f"{family}.{member}" for member in FAMILIES[family]}
    for module in {family, f"{family}.base", *members} & set(MODULES):
        names = imported_by(module)
        others = {
            other
            for other in members - {module}
            if any(name == other or name.startswith(other + ".") for name in names)
        }
        assert not others, module


def test_the_layers_have_one_direction():
    """Modules of the library import one another without a cycle."""
    graph = {
        module: {name for name in imported_by(module, top_level=True) if name in MODULES} - {module}
        for module in of("critparam")
    }
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module not in done:
            for other in sorted(graph.get(module, ())):
                visit(other, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())
