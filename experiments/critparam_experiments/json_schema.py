"""The JSON Schema of experiment files, made from the classes that read them."""

from typing import Any

from critparam.cell import LearningRate
from critparam.registry import Registry
from critparam.target import Target
from critparam_experiments.claims import claims
from critparam_experiments.config import FAMILIES
from critparam_experiments.figures import figures
from critparam_experiments.models import ExperimentModel
from critparam_experiments.validation import described_members, model_of


def json_schema() -> dict[str, Any]:
    """The schema; sections overridden inside a panel may leave out what stands at the top."""
    schema = ExperimentModel.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    properties = schema["properties"]
    for name, registry in (*FAMILIES.items(), ("figure", figures)):
        properties[name] = _any_member(registry)
    properties["claims"] = {"type": "array", "items": _any_member(claims)}
    for name, cls in (("target", Target), ("learning_rate", LearningRate)):
        properties[name] = model_of(cls).model_json_schema()
    return schema


def _any_member(registry: Registry) -> dict[str, Any]:
    return {"oneOf": [_member(registry, kind) for kind in registry.names()]}


def _member(registry: Registry, kind: str) -> dict[str, Any]:
    cls = registry.load(kind)
    schema = model_of(cls).model_json_schema()
    properties = schema.setdefault("properties", {})
    properties["kind"] = {"const": kind}
    for name, family in described_members(cls).items():
        properties[name] = {"anyOf": [{"enum": family.names()}, _any_member(family)]}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema
