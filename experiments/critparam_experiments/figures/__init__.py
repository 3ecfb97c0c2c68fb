"""What is drawn of a table: one file a figure."""

from critparam.registry import Registry

figures = Registry(
    family="figure",
    group="critparam.figures",
    members={
        "collapse": "critparam_experiments.figures.collapse:Collapse",
        "settings": "critparam_experiments.figures.settings:Settings",
        "speedup": "critparam_experiments.figures.speedup:Speedup",
        "steps": "critparam_experiments.figures.steps:Steps",
    },
)
