"""The saturation law: steps in proportion to 1 + B/b + tau, speedup P (1 + B)/(P + B)."""

import numpy as np

from critparam.arguments import require_at_least, require_fraction, require_positive
from critparam.errors import ArgumentError
from critparam.theory._values import Values, floats, plain


def parallelism(batch_size: Values, delay: Values) -> Values:
    """Gradients in flight, P = b (tau + 1).

    Args:
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.

    Returns:
        A number of gradients.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_at_least(1, batch_size=batch_size)
    require_at_least(0, delay=delay)
    b, tau = floats(batch_size, delay)
    return plain(b * (tau + 1))


def speedup(parallelism: Values, B: Values) -> Values:
    """Speedup over one gradient at a time, s = P (1 + B)/(P + B).

    Linear while P << B, half of its limit 1 + B at P = B, flat beyond.

    Args:
        parallelism: gradients in flight, P; >= 1.
        B: critical parallelism, in gradients; >= 0.

    Returns:
        A ratio of times, from 1 to min(P, 1 + B). Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_at_least(1, parallelism=parallelism)
    require_at_least(0, B=B)
    P, B = floats(parallelism, B)
    # divided through by P: exactly 1 at P = 1, and rounding keeps it monotone in P
    return plain((1 + B) / (1 + B / P))


def parallelism_for_speedup(speedup: Values, B: Values) -> Values:
    """Gradients in flight that give a speedup: P = s B/(1 + B - s), the inverse of `speedup`.

    Args:
        speedup: the speedup s, a ratio of times; 1 <= s < 1 + B.
        B: critical parallelism, in gradients; >= 0.

    Returns:
        A number of gradients, at least 1.

    Raises:
        ArgumentError: an argument is outside its range or not finite, or s >= 1 + B.
    """
    require_at_least(1, speedup=speedup)
    require_at_least(0, B=B)
    s, B = floats(speedup, B)
    headroom = B - (s - 1)
    if np.any(headroom <= 0):
        raise ArgumentError("speedup", "must be below its limit 1 + B", speedup)
    return plain(s * (B / headroom))


def efficiency(parallelism: Values, B: Values) -> Values:
    """Speedup for each gradient in flight, s/P = (1 + B)/(P + B).

    Args:
        parallelism: gradients in flight, P; >= 1.
        B: critical parallelism, in gradients; >= 0.

    Returns:
        A pure number in (0, 1].

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_at_least(1, parallelism=parallelism)
    require_at_least(0, B=B)
    P, B = floats(parallelism, B)
    return plain((1 + B) / (P + B))


def parallelism_for_efficiency(efficiency: Values, B: Values) -> Values:
    """Gradients in flight at which the efficiency is e: P = (1 + B)/e - B.

    Args:
        efficiency: the efficiency e = s/P, a pure number in (0, 1].
        B: critical parallelism, in gradients; >= 0.

    Returns:
        A number of gradients, at least 1.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_fraction(one_allowed=True, efficiency=efficiency)
    require_at_least(0, B=B)
    e, B = floats(efficiency, B)
    # the same without the cancellation between (1 + B)/e and B
    return plain((1 + B * (1 - e)) / e)


def steps_at(batch_size: Values, delay: Values, B: Values, scale: Values) -> Values:
    """Steps to target, T = scale (1 + B/b + tau).

    Args:
        batch_size: gradients averaged in one step; >= 1.
        delay: staleness of a gradient, in steps; >= 0.
        B: critical parallelism, in gradients; >= 0.
        scale: steps to target of large batches without delay; > 0.

    Returns:
        A number of steps, not rounded. Source: Stich, Mohtashami, Jaggi, AISTATS 2021.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_at_least(1, batch_size=batch_size)
    require_at_least(0, delay=delay, B=B)
    require_positive(scale=scale)
    b, tau, B, scale = floats(batch_size, delay, B, scale)
    return plain(scale * (1 + B / b + tau))


def steps_at_batch_size(batch_size: Values, B: Values, steps_at_infinity: Values) -> Values:
    """Steps to target without delay, T(b) = T_inf (1 + B/b).

    Args:
        batch_size: gradients averaged in one step; >= 1.
        B: critical parallelism, in gradients; >= 0.
        steps_at_infinity: T_inf, steps to target of large batches; > 0.

    Returns:
        A number of steps, not rounded.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(steps_at_infinity=steps_at_infinity)
    return steps_at(batch_size, 0, B, steps_at_infinity)


def steps_at_delay(delay: Values, B: Values, steps_undelayed: Values) -> Values:
    """Steps to target at b = 1, T(tau) = T_0 (1 + tau/(1 + B)).

    Args:
        delay: staleness of a gradient, in steps; >= 0.
        B: critical parallelism, in gradients; >= 0.
        steps_undelayed: T_0, steps to target at b = 1 without delay; > 0.

    Returns:
        A number of steps, not rounded.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_at_least(0, delay=delay, B=B)
    require_positive(steps_undelayed=steps_undelayed)
    tau, B, steps_undelayed = floats(delay, B, steps_undelayed)
    return plain(steps_undelayed * (1 + tau / (1 + B)))


def speedup_from_steps(steps_sequential: Values, steps: Values, delay: Values) -> Values:
    """Speedup of measured steps, s = (tau + 1) T(1, 0)/T(b, tau).

    A step of b gradients takes the time of one, and tau + 1 workers (or groups of b workers)
    deliver tau + 1 updates in that time.

    Args:
        steps_sequential: T(1, 0), steps to target at b = 1, tau = 0; > 0.
        steps: T(b, tau), steps to target; > 0.
        delay: staleness of a gradient, in steps; >= 0.

    Returns:
        A ratio of times.

    Raises:
        ArgumentError: an argument is outside its range or not finite.
    """
    require_positive(steps_sequential=steps_sequential, steps=steps)
    require_at_least(0, delay=delay)
    steps_sequential, steps, tau = floats(steps_sequential, steps, delay)
    return plain((tau + 1) * steps_sequential / steps)
