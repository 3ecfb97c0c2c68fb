"""The critical parallelism B: where speedup by batches, and by delays, is half of its limit."""

import numpy as np

from critparam.arguments import require_at_least, require_fraction, require_positive
from critparam.errors import ArgumentError
from critparam.theory._values import Values, floats, plain, require_known


def critical_parallelism(
    metric: str, *, M: Values, sigma2: Values, eps: Values, L: Values | None = None
) -> Values:
    """B = M + sigma2/eps for a squared gradient norm, M + sigma2/(L eps) for a suboptimality.

    B is what makes the steps to target proportional to 1 + B/b + tau. In the strongly convex
    setting with sigma2 > 0 that holds up to a logarithm.

    Args:
        metric: "gradient_norm" (||grad f||^2) or "suboptimality" (f - f*); says what eps bounds.
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        eps: target, absolute, in units of the metric; > 0.
        L: smoothness, in units of f over distance squared; > 0; needed for "suboptimality"
            where sigma2 > 0.

    Returns:
        A number of gradients in flight. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range, or L is missing where it is needed.
    """
    require_known("metric", metric, ("gradient_norm", "suboptimality"))
    require_at_least(0, M=M, sigma2=sigma2)
    if L is None:
        if metric == "suboptimality" and np.any(np.asarray(sigma2, dtype=float) > 0):
            raise ArgumentError("L", "is needed for suboptimality where sigma2 > 0", L)
        L = 1.0
    require_positive(eps=eps, L=L)
    M, sigma2, eps, L = floats(M, sigma2, eps, L)
    return plain(M + sigma2 / (eps if metric == "gradient_norm" else L * eps))


def noise_to_signal(M: Values, sigma2: Values, squared_gradient_norm: Values) -> Values:
    """Largest E||xi||^2/||grad f||^2 under the noise model: M + sigma2/||grad f||^2.

    Args:
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        squared_gradient_norm: ||grad f||^2 at the point; > 0.

    Returns:
        A pure number. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_at_least(0, M=M, sigma2=sigma2)
    require_positive(squared_gradient_norm=squared_gradient_norm)
    M, sigma2, squared_gradient_norm = floats(M, sigma2, squared_gradient_norm)
    return plain(M + sigma2 / squared_gradient_norm)


def critical_parallelism_of_sparsity(delta: Values) -> Values:
    """Lower bound 1/Delta - 1 on the noise-to-signal ratio of sparse gradients.

    A coordinate touched with probability at most Delta has (grad f)_j^2 <= Delta E g_j^2 by
    Cauchy-Schwarz. Summed over j, ||grad f||^2 <= Delta (||grad f||^2 + E||xi||^2), so that
    1 + E||xi||^2/||grad f||^2 >= 1/Delta at every x, and 1 + M >= 1/Delta where sigma2 = 0.
    Sampling coordinates with probability Delta, rescaled by 1/Delta, attains it.

    Args:
        delta: largest probability with which a gradient touches a coordinate; in (0, 1].

    Returns:
        A number of gradients in flight. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: delta is outside (0, 1] or not finite.
    """
    require_fraction(one_allowed=True, delta=delta)
    (delta,) = floats(delta)
    return plain(1 / delta - 1)
