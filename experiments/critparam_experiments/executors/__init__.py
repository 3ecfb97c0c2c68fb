"""How cells are computed: one file an executor."""

from critparam.registry import Registry

executors = Registry(
    family="executor",
    group="critparam.executors",
    members={"local": "critparam_experiments.executors.local:Local"},
)
