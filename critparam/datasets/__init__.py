"""Where data comes from: one file a reader."""

from critparam.registry import Registry

datasets = Registry(
    family="data set",
    group="critparam.datasets",
    members={
        "digits": "critparam.datasets.bundled:Digits",
        "breast_cancer": "critparam.datasets.bundled:BreastCancer",
        "iris": "critparam.datasets.bundled:Iris",
        "wine": "critparam.datasets.bundled:Wine",
        "diabetes": "critparam.datasets.bundled:Diabetes",
        "gaussian": "critparam.datasets.gaussian:Gaussian",
        "power_law": "critparam.datasets.power_law:PowerLaw",
        "low_rank": "critparam.datasets.low_rank:LowRank",
        "svmlight": "critparam.datasets.svmlight:Svmlight",
        "csv": "critparam.datasets.csv:Csv",
        "npz": "critparam.datasets.npz:Npz",
        "idx": "critparam.datasets.idx:Idx",
        "cifar10": "critparam.datasets.cifar10:Cifar10",
    },
)
