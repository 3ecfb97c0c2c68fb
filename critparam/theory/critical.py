"""The critical parameter B: batch size and delay beyond which speedup saturates."""

from typing import Literal

import numpy as np

from critparam.arguments import require_at_least, require_fraction, require_positive
from critparam.errors import ArgumentError
from critparam.theory._values import Values, floats, plain, require_known


def critical_parallelism(
    metric: Literal["gradient_norm", "suboptimality"],
    *,
    M: Values,
    sigma2: Values,
    eps: Values,
    L: Values | None = None,
) -> Values:
    """B = M + sigma2/eps for ||grad f||^2 <= eps, M + sigma2/(L eps) for f - f* <= eps.

    Args:
        metric: what the target bounds.
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        eps: target, absolute, in units of the metric; > 0.
        L: smoothness; > 0; needed for suboptimality where sigma2 > 0.

    Returns:
        B, in gradients. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range, or L is missing.
    """
    require_known("metric", metric, ("gradient_norm", "suboptimality"))
    require_at_least(0, M=M, sigma2=sigma2)
    require_positive(eps=eps)
    if metric == "gradient_norm" or not np.any(np.asarray(sigma2, dtype=float)):
        L = 1.0
    elif L is None:
        raise ArgumentError("L", "is needed for suboptimality where sigma2 > 0", L)
    require_positive(L=L)
    M, sigma2, eps, L = floats(M, sigma2, eps, L)
    return plain(M + sigma2 / (L * eps))


def noise_to_signal(M: Values, sigma2: Values, squared_gradient_norm: Values) -> Values:
    """E||xi||^2/||grad f||^2 = M + sigma2/||grad f||^2, which is B where the target is met.

    Args:
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        squared_gradient_norm: ||grad f||^2; > 0.

    Returns:
        The ratio for one gradient, a pure number.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_at_least(0, M=M, sigma2=sigma2)
    require_positive(squared_gradient_norm=squared_gradient_norm)
    M, sigma2, norm = floats(M, sigma2, squared_gradient_norm)
    return plain(M + sigma2 / norm)


def critical_parallelism_of_sparsity(delta: Values) -> Values:
    """1/Delta - 1, which B of gradients that touch a coordinate with probability <= Delta exceeds.

    By Cauchy-Schwarz (grad f)_j^2 <= Delta E g_j^2, so that E||g||^2 >= ||grad f||^2/Delta. For
    coordinate sampling, g_j = (grad f)_j delta_j/Delta, this is M exactly.

    Args:
        delta: the probability, in (0, 1].

    Returns:
        A lower bound on 1 + B, less 1; a pure number.

    Raises:
        ArgumentError: delta is outside its range.
    """
    require_fraction(one_allowed=True, delta=delta)
    (delta,) = floats(delta)
    return plain(1 / delta - 1)
