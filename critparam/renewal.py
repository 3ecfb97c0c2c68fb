"""Impulse responses, and renewal equations solved by rescaled fast Fourier transforms.

The rounding errors of a Fourier transform are relative to its largest term. So every sequence is
first multiplied by rho^-n, rho the rate at which the solution decays or grows: it is then nearly
constant (the renewal theorem), and every term is right to many digits of itself, however small.
"""

import numpy as np
from jaxtyping import Float
from scipy import fft

Rates = Float[np.ndarray, "c"]
Rows = Float[np.ndarray, "c t"]

OVERFLOW_GUARD = 1e100
"""Terms beyond this are dropped: they have diverged long before."""

DIVERGED = 1e30
"""A resolvent is not followed beyond this: what it belongs to has diverged long before."""

SHORT = 64
"""Convolutions up to this length are done term by term."""

MAX_EXPONENT = 600.0
"""Bound on |n log rho|, beyond which rho^n is not representable with room to spare."""

CHUNK_ROWS = 256
"""Steps of the impulse response held in memory at a time, at least."""


def projected_responses(
    contraction: Float[np.ndarray, "c d"], tau: int, weights: Float[np.ndarray, "q d"], length: int
) -> Float[np.ndarray, "c q t"]:
    """sum_i weights_qi psi_i(t + tau)^2, with psi_i the impulse response at rate gamma h_i.

    psi(t + tau) is 1 at t <= 0 and falls by gamma h psi(t) a step, so tau + 1 steps at once are a
    cumulative sum of the tau + 1 before them.
    """
    block = tau + 1
    chunk = block * -(-CHUNK_ROWS // block)
    responses = np.ones((block + chunk, *contraction.shape))
    projected = np.empty((contraction.shape[0], len(weights), length))
    projected[:, :, 0] = weights.sum(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # what diverges is cut off later
        for first in range(1, length, chunk):
            for row in range(block, block + chunk, block):
                new = responses[row : row + block]
                np.cumsum(responses[row - block : row], axis=0, out=new)
                new *= -contraction
                new += responses[row - 1]
            rows = min(chunk, length - first)
            squares = responses[block : block + rows] ** 2
            projected[:, :, first : first + rows] = (squares @ weights.T).transpose(1, 2, 0)
            responses[:block] = responses[-block:]
    return projected


def resolvent_of(kernel: Rows, tau: int) -> tuple[Rows, Rates]:
    """R = delta + kernel * R, and the rate at which each row decays or grows.

    Newton's iteration for power series: the first m terms give the next m. `kernel` is zero up
    to and including tau, so the first tau + 1 terms are known.
    """
    count, length = kernel.shape
    known = min(tau + 1, length)
    terms = np.zeros_like(kernel)
    terms[:, 0] = 1.0
    least = decay_rate(kernel)  # R decays no faster than the kernel, which is known exactly
    rate, settled = np.where(least > 0, least, 1.0), np.zeros(count, dtype=bool)
    while known < length:
        upto = min(2 * known, length)
        estimate = np.maximum(growth_rate(terms[:, :known], rate), least)
        rate = np.where(settled, rate, estimate)
        residual = convolve(kernel[:, :upto], terms[:, :known], rate, exact_from=known)
        following = convolve(terms[:, :known], residual[:, known:], rate)
        following = following[:, : upto - known]
        usable = terms[:, :known].max(axis=1, keepdims=True) < DIVERGED
        usable = usable & (np.abs(following) < OVERFLOW_GUARD)
        terms[:, known:upto] = np.where(usable, following, 0.0)
        settled |= upto * np.abs(np.log(rate)) > np.log(OVERFLOW_GUARD)
        settled |= ~usable.all(axis=1)
        known = upto
    return terms, np.where(settled, rate, np.maximum(growth_rate(terms, rate), least))


def decay_rate(rows: Rows) -> Rates:
    """The rate at which the tail sums of rows decay, 0 where they end too soon to say.

    It is measured where they are still representable, however far that is below their start.
    """
    tails = np.cumsum(rows[:, ::-1], axis=1)[:, ::-1]
    count = np.sum(tails > 1e-250 * tails[:, :1], axis=1)
    first, second = count // 2, 3 * count // 4
    index = np.arange(len(rows))
    distance = np.maximum(second - first, 1)
    known = count >= 4
    first, second = np.where(known, first, 0), np.where(known, second, 0)
    start = np.where(known, tails[index, first], 1.0)
    end = np.where(known, tails[index, second], 1.0)
    return np.where(known, (end / start) ** (1 / distance), 0.0)


def growth_rate(rows: Rows, default: Rates) -> Rates:
    """The rate rho at which rows behave like rho^n, from their last two quarters."""
    quarter = rows.shape[1] // 4
    if quarter == 0:
        return default
    before = rows[:, -2 * quarter : -quarter].sum(axis=1)
    last = rows[:, -quarter:].sum(axis=1)
    usable = (before > 0) & (last > 0)
    ratio = np.divide(last, before, out=np.ones_like(last), where=usable)
    return np.where(usable, ratio ** (1 / quarter), default)


def convolve(left: Rows, right: Rows, rate: Rates, exact_from: int = 0) -> Rows:
    """sum_s left(n - s) right(s) at the indices n of the longer, scaled by rate^-n meanwhile.

    Only indices from `exact_from` on are wanted, so that the cyclic transform may be shorter by
    that much. Where rate^n leaves the range of numbers the result is 0: far below any target, or
    long after it has diverged.
    """
    length = max(left.shape[1], right.shape[1])
    if length <= SHORT:
        return _convolve_directly(left, right, length)
    exponents = np.outer(np.log(rate), np.arange(length))
    usable = np.abs(exponents) <= MAX_EXPONENT
    scale = np.exp(-exponents, out=np.zeros_like(exponents), where=usable)
    terms = left.shape[1] + right.shape[1] - 1
    size = fft.next_fast_len(max(length, terms - exact_from), real=True)
    product = fft.rfft(left * scale[:, : left.shape[1]], size)
    product *= fft.rfft(right * scale[:, : right.shape[1]], size)
    scaled = fft.irfft(product, size)[:, :length]
    with np.errstate(over="ignore"):  # long after a divergence
        return np.divide(scaled, scale, out=np.zeros_like(scaled), where=usable)


def _convolve_directly(left: Rows, right: Rows, length: int) -> Rows:
    """The same by a product with a Toeplitz matrix: every term right to the last bits."""
    padded = np.zeros((len(left), 2 * length - 1))
    padded[:, length - 1 : length - 1 + left.shape[1]] = left
    reversed_right = np.zeros((len(right), length, 1))
    reversed_right[:, length - right.shape[1] :, 0] = right[:, ::-1]
    toeplitz = np.lib.stride_tricks.sliding_window_view(padded, length, axis=1)
    return (toeplitz @ reversed_right)[:, :, 0]


def shifted(rows: Rows, by: int) -> Rows:
    """Rows delayed by some steps, zeros coming in."""
    moved = np.zeros_like(rows)
    moved[:, by:] = rows[:, : max(rows.shape[1] - by, 0)]
    return moved
