"""What is minimised: one file a problem."""

from critparam.registry import Registry

problems = Registry(
    family="problem",
    group="critparam.problems",
    members={
        "quadratic": "critparam.problems.quadratic:Quadratic",
        "logistic_regression": "critparam.problems.logistic_regression:LogisticRegression",
    },
)
