"""What an experiment claims, and whether its table bears it out: one file a claim."""

from critparam.registry import Registry

claims = Registry(
    family="claim",
    group="critparam.claims",
    members={
        "critical_parallelism": f"{__name__}.critical_parallelism:CriticalParallelism",
        "linear_regime": f"{__name__}.linear_regime:LinearRegime",
        "rate": f"{__name__}.rate:Rate",
        "same_parameter": f"{__name__}.same_parameter:SameParameter",
        "saturation_law": f"{__name__}.saturation_law:SaturationLaw",
    },
)
