"""Noise and signal from squared gradient norms logged at two batch sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from jaxtyping import Float

from critparam.arguments import require_at_least
from critparam.errors import ArgumentError
from critparam.estimators.base import MISS_RATE, Estimate, Estimator
from critparam.estimators.moments import Moments, part_limits, ratio_limits

LEAST_BLOCKS = 4


class LoggedNorms(NamedTuple):
    """Squared norms of mean gradients, of a small and a large batch, step by step.

    The norms of workers' own gradients and of their mean, as data-parallel training has them, are
    such pairs; the batches of a step may share samples.

    Attributes:
        small_batch, large_batch: their sizes.
        small, large: ||mean of the batch||^2, [t] each.
    """

    small_batch: int
    large_batch: int
    small: Float[np.ndarray, "t"]
    large: Float[np.ndarray, "t"]


@dataclass(frozen=True)
class TwoBatchSizes(Estimator):
    """E||xi||^2, ||grad f||^2 and their ratio, averaged over steps, from E||g_b||^2 at two b.

    E||g_b||^2 = ||grad f||^2 + E||xi||^2/b (McCandlish et al., arXiv 1812.06162, appendix A.1).
    The ratio is of averages, with Fieller's limits; variances are those of averages over blocks of
    consecutive steps, which are nearly independent where blocks are longer than what the steps
    remember of one another.

    Attributes:
        block: steps in a block.
    """

    quantities: ClassVar[tuple[str, ...]] = ("noise", "signal", "noise_to_signal")

    block: int = 1

    def __post_init__(self) -> None:
        require_at_least(1, block=self.block)

    def estimate(self, evidence: LoggedNorms) -> dict[str, Estimate]:
        """The averages, from at least four blocks of steps."""
        moments = self._moments(evidence)
        estimates = {
            part: Estimate.within(
                getattr(moments, part),
                np.sqrt(getattr(moments, f"{part}_variance")),
                part_limits(moments, part, MISS_RATE, nonnegative=True),
            )
            for part in ("noise", "signal")
        }
        ratio = moments.ratio
        limits = ratio_limits(moments, MISS_RATE, nonnegative=True)
        estimates["noise_to_signal"] = Estimate.within(ratio, moments.ratio_error, limits)
        return estimates

    def _moments(self, norms: LoggedNorms) -> Moments:
        small, large = _checked(norms)
        blocks = len(small) // self.block
        require_at_least(LEAST_BLOCKS, blocks=blocks)
        b, B = norms.small_batch, norms.large_batch
        noise, signal = (small - large) / (1 / b - 1 / B), (B * large - b * small) / (B - b)
        kept = len(small) - blocks * self.block  # whole blocks, the latest steps among them
        means = np.stack([part[kept:].reshape(blocks, -1).mean(axis=1) for part in (noise, signal)])
        variances = np.cov(means) / blocks
        return Moments(
            float(means[0].mean()), float(means[1].mean()),
            float(variances[0, 0]), float(variances[0, 1]), float(variances[1, 1]), blocks - 1,
        )  # fmt: skip

    @classmethod
    def examples(cls) -> Sequence[tuple[Self, LoggedNorms]]:
        """Logs with and without scatter."""
        rng = np.random.default_rng(0)
        scatter = 1 + 0.1 * rng.normal(size=(2, 40))
        still = LoggedNorms(1, 4, np.full(8, 5.0), np.full(8, 2.0))
        return [
            (cls(), still),
            (cls(block=5), LoggedNorms(2, 16, 6.0 * scatter[0], 2.5 * scatter[1])),
        ]


def _checked(norms: LoggedNorms) -> tuple[np.ndarray, np.ndarray]:
    require_at_least(1, small_batch=norms.small_batch)
    if not norms.small_batch < norms.large_batch < np.inf:
        reason = f"must be larger than the small one, {norms.small_batch}"
        raise ArgumentError("large_batch", reason, norms.large_batch)
    require_at_least(0, small=norms.small, large=norms.large)
    small, large = (np.asarray(part, dtype=float) for part in (norms.small, norms.large))
    if small.ndim != 1 or small.shape != large.shape:
        reason = f"must be one for each of the {np.size(small)} small ones"
        raise ArgumentError("large", reason, large.shape)
    return small, large
