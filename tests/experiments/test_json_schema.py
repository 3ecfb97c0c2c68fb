"""The schema, read by a small validator of our own: what the loader takes it takes, and so on."""

import json
import re
from pathlib import Path

import pytest

from critparam_experiments.claims import claims
from critparam_experiments.config import FAMILIES
from critparam_experiments.figures import figures
from critparam_experiments.json_schema import json_schema
from critparam_experiments.yaml_loader import load_file

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def fits(value, schema, root):
    """Whether a value fits a schema, of the keywords that ours uses."""
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    return all(check(value, schema, root) for check in (alone, inside, together))


def alone(value, schema, root):
    kind = schema.get("type")
    is_flag = isinstance(value, bool)
    if kind and (not isinstance(value, TYPES[kind]) or (is_flag and kind != "boolean")):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if isinstance(value, str) and "pattern" in schema:
        return re.search(schema["pattern"], value) is not None
    if isinstance(value, (int, float)):
        return schema.get("minimum", value) <= value < schema.get("exclusiveMaximum", value + 1)
    return not isinstance(value, list) or len(value) >= schema.get("minItems", 0)


def inside(value, schema, root):
    if isinstance(value, list):
        return all(fits(item, schema.get("items", {}), root) for item in value)
    if not isinstance(value, dict):
        return True
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    if not set(schema.get("required", [])) <= set(value):
        return False
    rest = {} if others is True else others
    if rest is False and not set(value) <= set(properties):
        return False
    return all(fits(inner, properties.get(key, rest), root) for key, inner in value.items())


def together(value, schema, root):
    if "anyOf" in schema and not any(fits(value, part, root) for part in schema["anyOf"]):
        return False
    return "oneOf" not in schema or sum(fits(value, p, root) for p in schema["oneOf"]) == 1


def accepts(content):
    schema = json.loads(json.dumps(json_schema()))
    try:
        import jsonschema
    except ImportError:
        return fits(content, schema, schema)
    return not list(jsonschema.Draft202012Validator(schema).iter_errors(content))


def kinds(schema):
    return [member["properties"]["kind"]["const"] for member in schema["oneOf"]]


def test_every_member_of_every_family_is_in_it():
    properties = json_schema()["properties"]
    for name, registry in (*FAMILIES.items(), ("figure", figures)):
        assert kinds(properties[name]) == registry.names()
    assert kinds(properties["claims"]["items"]) == claims.names()
    assert json_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_experiments_are_accepted(path):
    assert accepts(load_file(path).data)


GRID = [{"name": "p", "sweep": {"delay": {"powers_of_two": [0, 1]}}, "series": [{"noise.M": 1}]}]


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"engine": ["exact", {"kind": "monte_carlo", "every": 2}]},
        {"problem": {"kind": "quadratic", "spectrum": [1, 0.5], "start": [0, 1]}},
        {"noise": {"kind": "additive", "sigma2": 1, "covariance": "curvature"}},
        {"target": {"metric": "loss", "absolute": 1}},
        {"learning_rate": {"grid": [0.1, 1]}},
        {"panels": GRID},
        {"figure": {"kind": "speedup", "fitted": True}},
        {"claims": [{"kind": "critical_parallelism", "between": [0.5, 2]}]},
    ],
)
def test_what_the_loader_takes_it_takes(config, resolved, keys):
    resolved(**keys)
    assert accepts(config(**keys))


@pytest.mark.parametrize(
    "keys",
    [
        {"name": None},
        {"name": "../x"},
        {"panels": []},
        {"panels": [{"name": "p"}]},
        {"titel": "t"},
        {"title": 3},
        {"problem": {"kind": "quadratik"}},
        {"problem": {"dim": 2}},
        {"noise": {"kind": "isotropic", "MM": 1}},
        {"noise": {"kind": "isotropic", "M": "1"}},
        {"target": {"metric": "los", "relative": 0.1}},
        {"engine": "exakt"},
        {"engine": [{"kind": "exact", "every": 0}]},
        {"replicates": 0},
        {"seed": 2**32},
        {"claims": [{"kind": "critical_paralelism", "within_factor": 2}]},
        {"figure": {"kind": "speedup", "fitted": 1}},
    ],
)
def test_what_the_loader_refuses_by_type_it_refuses(config, keys):
    assert not accepts(config(**keys))
