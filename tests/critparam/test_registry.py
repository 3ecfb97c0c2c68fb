"""Families of members, each loaded only when it is named."""

import sys
from importlib.metadata import EntryPoint

import pytest

import critparam.registry
from critparam.errors import ArgumentError
from critparam.registry import Registry, nearest


class Circle:
    pass


@pytest.fixture
def shapes():
    return Registry(
        "shape",
        "critparam.shapes",
        {"circle": f"{__name__}:Circle", "ghost": "no.such.module:Ghost"},
    )


@pytest.fixture
def plugins(monkeypatch):
    """Entry points that other distributions would add to the group."""
    points = [
        EntryPoint("ordered", "collections:OrderedDict", "critparam.shapes"),
        EntryPoint("circle", "fractions:Fraction", "critparam.shapes"),
        EntryPoint("broken", "no.such.module:Thing", "critparam.shapes"),
    ]
    monkeypatch.setattr(
        critparam.registry,
        "entry_points",
        lambda group: [point for point in points if point.group == group],
    )


@pytest.fixture(autouse=True)
def _this_module(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or module())


def module():
    import types

    this = types.ModuleType(__name__)
    this.Circle = Circle
    return this


def test_load(shapes):
    assert shapes.load("circle") is Circle
    assert shapes.names() == ["circle", "ghost"]


def test_other_members_are_not_imported(shapes):
    shapes.load("circle")
    with pytest.raises(ModuleNotFoundError):
        shapes.load("ghost")


@pytest.mark.parametrize("name", ["circel", "", "Circle", "../circle", None, 3])
def test_unknown_name(shapes, name):
    with pytest.raises(ArgumentError, match="unknown shape") as error:
        shapes.load(name)
    assert error.value.accepted == ("circle", "ghost")
    assert "\n" not in str(error.value)


def test_kind_of(shapes):
    assert shapes.kind_of(Circle()) == "circle"
    with pytest.raises(ArgumentError, match="not a registered shape"):
        shapes.kind_of(object())


def test_plugins(shapes, plugins):
    from collections import OrderedDict

    assert shapes.names() == ["circle", "ghost", "ordered", "broken"]
    assert shapes.load("ordered") is OrderedDict
    assert shapes.kind_of(OrderedDict()) == "ordered"
    # the project's own members come first, and a broken plugin does no harm until it is named
    assert shapes.load("circle") is Circle


def test_nearest():
    assert nearest("isotropc", ("isotropic", "additive")) == "isotropic"
    assert nearest("qqq", ["isotropic", "additive"]) is None
    assert nearest("x", []) is None
