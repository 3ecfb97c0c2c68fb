"""What an experiment claims, and whether its table bears it out: one file a claim."""

from critparam.registry import Registry

claims = Registry(
    family="claim",
    group="critparam.claims",
    members={
        "critical_parallelism": "critparam_experiments.claims.critical_parallelism:CriticalParallelism",
        "linear_regime": "critparam_experiments.claims.linear_regime:LinearRegime",
        "same_parameter": "critparam_experiments.claims.same_parameter:SameParameter",
        "saturation_law": "critparam_experiments.claims.saturation_law:SaturationLaw",
    },
)
