"""How stale gradients are: one file a delay."""

from critparam.registry import Registry

delays = Registry(
    family="delay",
    group="critparam.delays",
    members={
        "constant": "critparam.delays.constant:Constant",
        "lock_free": "critparam.delays.lock_free:LockFree",
    },
)
