"""What is minimised: one file a problem."""

from critparam.registry import Registry

problems = Registry(
    family="problem",
    group="critparam.problems",
    members={
        "quadratic": "critparam.problems.quadratic:Quadratic",
        "worst_quadratic": "critparam.problems.worst_quadratic:WorstQuadratic",
        "valley": "critparam.problems.valley:Valley",
        "least_squares": "critparam.problems.least_squares:LeastSquares",
        "logistic_regression": "critparam.problems.logistic_regression:LogisticRegression",
        "matrix_factorization": "critparam.problems.matrix_factorization:MatrixFactorization",
        "mlp": "critparam.problems.mlp:Mlp",
        "convnet": "critparam.problems.convnet:ConvNet",
    },
)
