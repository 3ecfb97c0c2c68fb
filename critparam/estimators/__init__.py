"""What gradients say of B, M, sigma2 and sparsity: one file an estimator."""

from critparam.registry import Registry

estimators = Registry(
    family="estimator",
    group="critparam.estimators",
    members={
        "noise_to_signal": "critparam.estimators.noise_to_signal:NoiseToSignal",
        "noise_model": "critparam.estimators.noise_model:NoiseModel",
        "noise_envelope": "critparam.estimators.noise_envelope:NoiseEnvelope",
        "two_batch_sizes": "critparam.estimators.two_batch_sizes:TwoBatchSizes",
        "sparsity": "critparam.estimators.sparsity:Sparsity",
    },
)
