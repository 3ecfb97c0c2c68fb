"""Steps to accuracy of SGD with batches and delays, and the learning rates that reach it.

Upper bounds up to constants. Batch and delay enter through 1 + M/b + tau and sigma2/b alone.
"""

import numpy as np

from critparam.arguments import require_at_least, require_positive
from critparam.errors import ArgumentError
from critparam.theory._values import Values, floats, plain, require_known


def steps_non_convex(
    *,
    L: Values,
    F0: Values,
    eps: Values,
    M: Values = 0.0,
    sigma2: Values = 0.0,
    batch_size: Values = 1,
    delay: Values = 0,
) -> Values:
    """Steps to E||grad f||^2 <= eps: L F0 [sigma2/(b eps^2) + (1 + M/b + tau)/eps].

    Args:
        L: smoothness, in units of f over distance squared; > 0.
        F0: suboptimality of the start, in units of f; >= 0.
        eps: target for ||grad f||^2, in its units; > 0.
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.

    Returns:
        Steps, up to a constant, not rounded. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(L=L, eps=eps)
    require_at_least(0, F0=F0, M=M, sigma2=sigma2, delay=delay)
    require_at_least(1, batch_size=batch_size)
    L, F0, eps, M, sigma2, b, tau = floats(L, F0, eps, M, sigma2, batch_size, delay)
    return plain(L * F0 / eps * (sigma2 / (b * eps) + (1 + M / b + tau)))


def steps_convex(
    *,
    L: Values,
    R0: Values,
    eps: Values,
    M: Values = 0.0,
    sigma2: Values = 0.0,
    batch_size: Values = 1,
    delay: Values = 0,
) -> Values:
    """Steps to E f - f* <= eps: sigma2 R0^2/(b eps^2) + L R0^2 (1 + M/b + tau)/eps.

    Args:
        L: smoothness, in units of f over distance squared; > 0.
        R0: distance of the start from a minimiser; >= 0.
        eps: target for the suboptimality of the averaged iterate, in units of f; > 0.
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.

    Returns:
        Steps, up to a constant, not rounded. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(L=L, eps=eps)
    require_at_least(0, R0=R0, M=M, sigma2=sigma2, delay=delay)
    require_at_least(1, batch_size=batch_size)
    L, R0, eps, M, sigma2, b, tau = floats(L, R0, eps, M, sigma2, batch_size, delay)
    return plain(R0 * R0 / eps * (sigma2 / (b * eps) + L * (1 + M / b + tau)))


def steps_strongly_convex(
    *,
    L: Values,
    mu: Values,
    F0: Values,
    eps: Values,
    M: Values = 0.0,
    sigma2: Values = 0.0,
    batch_size: Values = 1,
    delay: Values = 0,
) -> Values:
    """Steps to E f - f* <= eps: sigma2/(b mu eps) + (L/mu) (1 + M/b + tau) log(F0/eps).

    Args:
        L: smoothness, in units of f over distance squared; > 0.
        mu: strong convexity, in the units of L; 0 < mu <= L.
        F0: suboptimality of the start, in units of f; >= 0; the logarithm is 0 where F0 <= eps.
        eps: target for the suboptimality, in units of f; > 0.
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.

    Returns:
        Steps, up to a constant, not rounded. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite, or mu > L.
    """
    require_positive(L=L, mu=mu, eps=eps)
    require_at_least(0, F0=F0, M=M, sigma2=sigma2, delay=delay)
    require_at_least(1, batch_size=batch_size)
    if np.any(np.asarray(mu, dtype=float) > np.asarray(L, dtype=float)):
        raise ArgumentError("mu", "must be at most L", mu)
    L, mu, F0, eps, M, sigma2, b, tau = floats(L, mu, F0, eps, M, sigma2, batch_size, delay)
    logarithm = np.log(np.maximum(F0 / eps, 1))
    return plain(sigma2 / (b * mu * eps) + L / mu * (1 + M / b + tau) * logarithm)


SETTINGS = ("non_convex", "convex", "strongly_convex")


def accuracy_power(setting: str, *, sigma2: Values = 0.0) -> Values:
    """The power of 1/eps by which steps to accuracy grow as eps -> 0; 0 stands for a logarithm.

    Args:
        setting: "non_convex" (eps bounds ||grad f||^2), "convex" or "strongly_convex" (f - f*).
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.

    Returns:
        2 with noise that stays and 1 without, one less where f is strongly convex.
        Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_known("setting", setting, SETTINGS)
    require_at_least(0, sigma2=sigma2)
    (sigma2,) = floats(sigma2)
    return plain(np.where(sigma2 > 0, 2.0, 1.0) - (setting == "strongly_convex"))


def admissible_learning_rate(
    setting: str,
    *,
    L: Values,
    eps: Values | None = None,
    M: Values = 0.0,
    sigma2: Values = 0.0,
    batch_size: Values = 1,
    delay: Values = 0,
    c: Values = 1.0,
) -> Values:
    """The largest rate theory admits: c/(L (1 + M/b + tau)), lowered to the noise floor.

    The floor, gamma L sigma2/b for E||grad f||^2 and gamma sigma2/b for E f - f* of the averaged
    iterate, is at most eps for gamma <= b eps/(L sigma2) and gamma <= b eps/sigma2.

    Args:
        setting: "non_convex" (eps bounds ||grad f||^2), "convex" or "strongly_convex" (f - f*).
        L: smoothness, in units of f over distance squared; > 0.
        eps: target, absolute; > 0; needed where sigma2 > 0.
        M: noise relative to ||grad f||^2, a pure number; >= 0.
        sigma2: noise that stays, in units of ||grad f||^2; >= 0.
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.
        c: constant of the stability bound, a pure number; > 0.

    Returns:
        A learning rate, in units of 1/L. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range, or eps is missing though sigma2 > 0.
    """
    require_known("setting", setting, SETTINGS)
    require_at_least(0, M=M, sigma2=sigma2, delay=delay)
    require_at_least(1, batch_size=batch_size)
    if eps is None:
        if np.any(np.asarray(sigma2, dtype=float) > 0):
            raise ArgumentError("eps", "is needed where sigma2 > 0", eps)
        eps = 1.0
    require_positive(L=L, eps=eps, c=c)
    L, eps, M, sigma2, b, tau, c = floats(L, eps, M, sigma2, batch_size, delay, c)
    floor = sigma2 / (b * eps) * (L if setting == "non_convex" else 1.0)
    # as reciprocals, so that sigma2 = 0 needs no case of its own
    return plain(1 / np.maximum(L * (1 + M / b + tau) / c, floor))
