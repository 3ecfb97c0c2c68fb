"""The formulas the project stands on: plain floats and NumPy arrays in, the same out.

Every function broadcasts its arguments against one another and returns a float where all of
them are scalars, an array otherwise. Values outside a formula's range raise `ArgumentError`.
The line of work is that of Stich, Mohtashami, Jaggi, AISTATS 2021; the formulas are its standard
results, derived afresh.

======  =====================  ==================================================================
symbol  argument               meaning
======  =====================  ==================================================================
L       L                      smoothness: the Lipschitz constant of grad f
mu      mu                     strong convexity of f; 0 < mu <= L, kappa = L/mu
F0      F0                     f(x0) - f*, suboptimality of the start
R0      R0                     ||x0 - x*||, distance of the start from a minimiser
eps     eps                    the target, absolute: E||grad f||^2 <= eps or E f - f* <= eps
M       M                      noise in proportion to the gradient, and
sigma2  sigma2                 noise that stays: E||xi||^2 <= M ||grad f||^2 + sigma2, for one
                               stochastic gradient, summed over its coordinates
        squared_gradient_norm  ||grad f||^2 at one point
Delta   delta                  largest probability with which a gradient touches a coordinate
b       batch_size             gradients averaged in one step, b >= 1
tau     delay                  steps by which a gradient is stale, tau >= 0
P       parallelism            gradients in flight, b (tau + 1)
B       B                      critical parallelism: critical batch size and critical delay in one
s       speedup                (tau + 1) T(1, 0)/T(b, tau)
s/P     efficiency             share of the P gradients in flight that is not wasted
T       steps                  steps to target, T(b, tau)
        steps_sequential       T(1, 0)
        steps_at_infinity      T_inf, the limit of T(b, 0) for large batches
        steps_undelayed        T_0 = T(b, 0) at b = 1
        scale                  T/(1 + B/b + tau)
gamma   learning_rate          the learning rate; in a rule, gamma_1, tuned at b = 1, tau = 0
c       c                      the constant of the admissible learning rate
        setting                "non_convex", "convex" or "strongly_convex"
        metric                 "gradient_norm" (||grad f||^2) or "suboptimality" (f - f*)
======  =====================  ==================================================================
"""

from critparam.theory.critical import (
    critical_parallelism,
    critical_parallelism_of_sparsity,
    noise_to_signal,
)
from critparam.theory.learning_rates import (
    critical_rule,
    divided_by_workers,
    linear_scaling,
    square_root_scaling,
)
from critparam.theory.rates import (
    accuracy_power,
    admissible_learning_rate,
    steps_convex,
    steps_non_convex,
    steps_strongly_convex,
)
from critparam.theory.saturation import (
    efficiency,
    parallelism,
    parallelism_for_efficiency,
    parallelism_for_speedup,
    speedup,
    speedup_from_steps,
    steps_at,
    steps_at_batch_size,
    steps_at_delay,
)

__all__ = [
    "accuracy_power",
    "admissible_learning_rate",
    "critical_parallelism",
    "critical_parallelism_of_sparsity",
    "critical_rule",
    "divided_by_workers",
    "efficiency",
    "linear_scaling",
    "noise_to_signal",
    "parallelism",
    "parallelism_for_efficiency",
    "parallelism_for_speedup",
    "speedup",
    "speedup_from_steps",
    "square_root_scaling",
    "steps_at",
    "steps_at_batch_size",
    "steps_at_delay",
    "steps_convex",
    "steps_non_convex",
    "steps_strongly_convex",
]
