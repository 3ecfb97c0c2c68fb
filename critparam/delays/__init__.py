"""How stale gradients are: one file a delay."""

from critparam.registry import Registry

delays = Registry(
    family="delay",
    group="critparam.delays",
    members={"constant": "critparam.delays.constant:Constant"},
)
