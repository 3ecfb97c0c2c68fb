"""How gradients are observed: one file a noise model."""

from critparam.registry import Registry

noises = Registry(
    family="noise",
    group="critparam.noise",
    members={
        "isotropic": "critparam.noise.isotropic:Isotropic",
        "additive": "critparam.noise.additive:Additive",
        "sampling": "critparam.noise.sampling:Sampling",
    },
)
