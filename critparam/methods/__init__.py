"""Update rules: one file a method."""

from critparam.registry import Registry

methods = Registry(
    family="method",
    group="critparam.methods",
    members={"sgd": "critparam.methods.sgd:SGD"},
)
