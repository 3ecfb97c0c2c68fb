"""Learning rates for (b, tau) from a rate tuned at b = 1, tau = 0."""

import numpy as np

from critparam.arguments import require_at_least, require_positive
from critparam.theory._values import Values, floats, plain


def critical_rule(
    learning_rate: Values,
    B: Values,
    *,
    batch_size: Values = 1,
    delay: Values = 0,
    L: Values | None = None,
) -> Values:
    """The rule of the critical parameter: min(gamma_1 (1 + B)/(1 + B/b + tau), 1/(L (1 + tau))).

    Linear in b well below B and constant beyond; constant in tau well below B and falling like
    1/tau beyond. A rate tuned in noise is up to twice what the noiseless problem bears, hence
    the cap, without which the rule can diverge beyond B. It binds at b = 1, tau = 0 too.

    Args:
        learning_rate: gamma_1, tuned at b = 1, tau = 0, in units of 1/L; > 0.
        B: critical parallelism, in gradients; >= 0.
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.
        L: smoothness, in units of f over distance squared; > 0; no cap where it is not given.

    Returns:
        A learning rate. Source: the line of Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(0, B=B, delay=delay)
    require_at_least(1, batch_size=batch_size)
    gamma, B, b, tau = floats(learning_rate, B, batch_size, delay)
    rate = gamma * ((1 + B) / (1 + B / b + tau))
    if L is None:
        return plain(rate)
    require_positive(L=L)
    (L,) = floats(L)
    return plain(np.minimum(rate, 1 / (L * (1 + tau))))


def linear_scaling(learning_rate: Values, *, batch_size: Values) -> Values:
    """Linear scaling, gamma_1 b: right while b << B, too much beyond.

    Args:
        learning_rate: gamma_1, tuned at b = 1, tau = 0; > 0.
        batch_size: gradients averaged in one step; >= 1.

    Returns:
        A learning rate. Source: common practice, compared with `critical_rule`.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(1, batch_size=batch_size)
    gamma, b = floats(learning_rate, batch_size)
    return plain(gamma * b)


def square_root_scaling(learning_rate: Values, *, batch_size: Values) -> Values:
    """Square-root scaling, gamma_1 sqrt(b).

    Args:
        learning_rate: gamma_1, tuned at b = 1, tau = 0; > 0.
        batch_size: gradients averaged in one step; >= 1.

    Returns:
        A learning rate. Source: common practice, compared with `critical_rule`.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(1, batch_size=batch_size)
    gamma, b = floats(learning_rate, batch_size)
    return plain(gamma * np.sqrt(b))


def divided_by_workers(learning_rate: Values, *, delay: Values) -> Values:
    """The cautious rule of tau + 1 workers, gamma_1/(tau + 1): too little while tau << B.

    Args:
        learning_rate: gamma_1, tuned at b = 1, tau = 0; > 0.
        delay: staleness of a gradient, in steps; >= 0.

    Returns:
        A learning rate. Source: common practice, compared with `critical_rule`.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(0, delay=delay)
    gamma, tau = floats(learning_rate, delay)
    return plain(gamma / (tau + 1))
