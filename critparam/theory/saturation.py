"""The saturation law T = A (1 + B/b + tau), as steps, speedup and efficiency."""

import numpy as np

from critparam.arguments import require_at_least, require_fraction, require_positive
from critparam.errors import ArgumentError
from critparam.theory._values import Values, floats, plain


def parallelism(batch_size: Values, delay: Values) -> Values:
    """Gradients in flight, P = b (tau + 1).

    Raises:
        ArgumentError: batch_size < 1 or delay < 0.
    """
    require_at_least(1, batch_size=batch_size)
    require_at_least(0, delay=delay)
    b, tau = floats(batch_size, delay)
    return plain(b * (tau + 1))


def speedup(parallelism: Values, B: Values) -> Values:
    """s(P) = P (1 + B)/(P + B): P far below B, half its limit 1 + B at P = B, flat beyond.

    Args:
        parallelism: gradients in flight P; >= 1.
        B: critical parallelism; >= 0.

    Returns:
        The speedup over one gradient at a time.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_at_least(1, parallelism=parallelism)
    require_at_least(0, B=B)
    P, B = floats(parallelism, B)
    return plain(P * ((1 + B) / (P + B)))


def parallelism_for_speedup(speedup: Values, B: Values) -> Values:
    """P that gives a speedup s: the inverse, P = s B/(1 + B - s).

    Args:
        speedup: wanted; 1 <= s < 1 + B.
        B: critical parallelism; >= 0.

    Raises:
        ArgumentError: an argument is outside its range: no P gives s >= 1 + B.
    """
    require_at_least(1, speedup=speedup)
    require_at_least(0, B=B)
    s, B = floats(speedup, B)
    if np.any(s >= 1 + B):
        raise ArgumentError("speedup", "must be below its limit 1 + B", speedup)
    return plain(s * B / (1 + B - s))


def efficiency(parallelism: Values, B: Values) -> Values:
    """s(P)/P = (1 + B)/(P + B), the share of the gradients that shortens the run.

    Args:
        parallelism: gradients in flight P; >= 1.
        B: critical parallelism; >= 0.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_at_least(1, parallelism=parallelism)
    require_at_least(0, B=B)
    P, B = floats(parallelism, B)
    return plain((1 + B) / (P + B))


def parallelism_for_efficiency(efficiency: Values, B: Values) -> Values:
    """The P at which efficiency has fallen to e: (1 + B)/e - B.

    Args:
        efficiency: in (0, 1].
        B: critical parallelism; >= 0.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_fraction(one_allowed=True, efficiency=efficiency)
    require_at_least(0, B=B)
    e, B = floats(efficiency, B)
    return plain((1 + B) / e - B)


def steps_at(batch_size: Values, delay: Values, B: Values, scale: Values) -> Values:
    """T(b, tau) = A (1 + B/b + tau).

    Args:
        batch_size: b; >= 1.
        delay: tau; >= 0.
        B: critical parallelism; >= 0.
        scale: A, steps at unlimited batch size without delay; > 0.

    Returns:
        Steps to target, not rounded.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_at_least(1, batch_size=batch_size)
    require_at_least(0, delay=delay, B=B)
    require_positive(scale=scale)
    b, tau, B, A = floats(batch_size, delay, B, scale)
    return plain(A * (1 + B / b + tau))


def steps_at_batch_size(batch_size: Values, B: Values, steps_at_infinity: Values) -> Values:
    """T(b) = T_inf (1 + B/b).

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_positive(steps_at_infinity=steps_at_infinity)
    return steps_at(batch_size, 0, B, steps_at_infinity)


def steps_at_delay(delay: Values, B: Values, steps_undelayed: Values) -> Values:
    """T(tau) = T_0 (1 + tau/(1 + B)).

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_at_least(0, delay=delay, B=B)
    require_positive(steps_undelayed=steps_undelayed)
    tau, B, T0 = floats(delay, B, steps_undelayed)
    return plain(T0 * (1 + tau / (1 + B)))


def speedup_from_steps(steps_sequential: Values, steps: Values, delay: Values) -> Values:
    """s(b, tau) = (tau + 1) T(1, 0)/T(b, tau).

    A step of b gradients takes the time of one; tau + 1 workers deliver tau + 1 updates in it.

    Args:
        steps_sequential: T(1, 0); > 0.
        steps: T(b, tau); > 0.
        delay: tau; >= 0.

    Raises:
        ArgumentError: an argument is outside its range.
    """
    require_positive(steps_sequential=steps_sequential, steps=steps)
    require_at_least(0, delay=delay)
    sequential, steps, tau = floats(steps_sequential, steps, delay)
    return plain((tau + 1) * sequential / steps)
