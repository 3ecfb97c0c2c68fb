"""Learning-rate rules: from a rate tuned at b = 1, tau = 0 to other batch sizes and delays."""

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
    """min(gamma_1 (1 + B)/(1 + B/b + tau), 1/(L (1 + tau))).

    Linear scaling up to the critical batch size and constant beyond; unchanged up to the critical
    delay, then falling like 1/tau. The cap matters: a rate tuned in the noisy regime is more than
    the noiseless one bears.

    Args:
        learning_rate: gamma_1, tuned at b = 1, tau = 0; > 0.
        B: critical parallelism; >= 0.
        batch_size: b; >= 1.
        delay: tau; >= 0.
        L: smoothness; > 0; without it the rule is not capped.

    Returns:
        A learning rate in the units of gamma_1. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(0, B=B, delay=delay)
    require_at_least(1, batch_size=batch_size)
    rate, B, b, tau = floats(learning_rate, B, batch_size, delay)
    rule = rate * (1 + B) / (1 + B / b + tau)
    if L is None:
        return plain(rule)
    require_positive(L=L)
    (L,) = floats(L)
    return plain(np.minimum(rule, 1 / (L * (1 + tau))))


def linear_scaling(learning_rate: Values, *, batch_size: Values) -> Values:
    """gamma_1 b.

    Raises:
        ArgumentError: learning_rate <= 0 or batch_size < 1.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(1, batch_size=batch_size)
    rate, b = floats(learning_rate, batch_size)
    return plain(rate * b)


def square_root_scaling(learning_rate: Values, *, batch_size: Values) -> Values:
    """gamma_1 sqrt(b).

    Raises:
        ArgumentError: learning_rate <= 0 or batch_size < 1.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(1, batch_size=batch_size)
    rate, b = floats(learning_rate, batch_size)
    return plain(rate * np.sqrt(b))


def divided_by_workers(learning_rate: Values, *, delay: Values) -> Values:
    """gamma_1/(tau + 1).

    Raises:
        ArgumentError: learning_rate <= 0 or delay < 0.
    """
    require_positive(learning_rate=learning_rate)
    require_at_least(0, delay=delay)
    rate, tau = floats(learning_rate, delay)
    return plain(rate / (tau + 1))
