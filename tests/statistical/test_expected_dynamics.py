"""Monte Carlo against the exact engine: means of f(x_t) at fixed steps, two-sided.

The seed is 0 and was never tuned. Over all comparisons of this file together, a correct program
fails with probability at most `FAILURE`, were the means exactly normal.
"""

import numpy as np
import pytest
from scipy import stats

from critparam.delays.constant import Constant
from critparam.methods.sgd import SGD
from critparam.moments import ExpectedDynamics
from critparam.noise.additive import Additive
from critparam.noise.isotropic import Isotropic
from critparam.problems.quadratic import Quadratic
from critparam.simulate import Simulation
from critparam.target import Target

FAILURE = 1e-3
REPLICATES = 20_000
STEPS = [1, 2, 5, 12, 30, 60]

# noise, batch size, delay, learning rate; f is a sum over ten coordinates, so that its tails are
# light enough for the means of 20,000 to be normal
CASES = [
    (Isotropic(M=3.0), 1, 0, 0.2),
    (Isotropic(M=3.0, sigma2=0.3), 1, 0, 0.2),
    (Isotropic(M=30.0, sigma2=0.3), 8, 0, 0.15),
    (Isotropic(M=3.0, sigma2=0.1), 1, 4, 0.08),
    (Isotropic(M=30.0), 16, 11, 0.06),
    (Additive(sigma2=0.5), 1, 0, 0.4),
    (Additive(sigma2=0.5), 3, 6, 0.15),
    (Additive(sigma2=0.5, covariance="curvature"), 1, 0, 0.4),
    (Additive(sigma2=2.0, covariance="curvature"), 4, 2, 0.3),
]
METRICS = ("suboptimality", "gradient_norm")
LIMIT = stats.norm.isf(FAILURE / 2 / (len(CASES) * len(METRICS) * len(STEPS)))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("noise", "batch_size", "delay", "learning_rate"), CASES)
def test_mean_of_the_metric(noise, batch_size, delay, learning_rate, metric):
    problem = Quadratic(dim=10, condition_number=20.0)
    simulation = Simulation(
        problem=problem,
        noise=noise,
        delay=Constant(),
        method=SGD(),
        target=Target(metric, relative=0.1),
        batch_size=batch_size,
        delay_size=delay,
        max_steps=STEPS[-1],
    )
    values = simulation.trace(learning_rate, REPLICATES).astype(float)
    assert values.shape == (STEPS[-1], REPLICATES)
    h = problem.curvatures
    dynamics = ExpectedDynamics(h, problem.initial, noise.second_moment(h), batch_size, delay)
    expected = getattr(dynamics.expectations(np.array([learning_rate]), STEPS[-1]), metric)[0]
    at = np.array(STEPS)
    means, scatters = values[at - 1].mean(axis=1), values[at - 1].std(axis=1)
    if not scatters[0]:
        pytest.fail("no noise at all")
    z = (means - expected[at]) / (scatters / np.sqrt(REPLICATES))
    assert np.all(np.abs(z) < LIMIT), dict(zip(STEPS, z.round(2), strict=True))


def test_the_comparison_can_tell():
    """A noise stronger by a sixth in variance, or a delay longer by one, would not pass."""
    problem = Quadratic(dim=10, condition_number=20.0)
    h = problem.curvatures
    simulation = Simulation(
        problem=problem,
        noise=Isotropic(M=30.0, sigma2=0.3),
        delay=Constant(),
        method=SGD(),
        target=Target(relative=0.1),
        batch_size=8,
        delay_size=3,
        max_steps=30,
    )
    values = simulation.trace(0.1, REPLICATES).astype(float)[-1]
    for noise, delay in ((Isotropic(M=35.0, sigma2=0.35), 3), (Isotropic(M=30, sigma2=0.3), 4)):
        wrong = ExpectedDynamics(h, problem.initial, noise.second_moment(h), 8, delay)
        expected = wrong.expectations(np.array([0.1]), 30).suboptimality[0, -1]
        z = (values.mean() - expected) / (values.std() / np.sqrt(REPLICATES))
        assert abs(z) > LIMIT
