"""What every registered method keeps."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from critparam.component import as_dtype
from critparam.delays.constant import Constant
from critparam.methods import methods
from critparam.methods.base import Context
from critparam.noise.isotropic import Isotropic
from critparam.problems.quadratic import Quadratic
from critparam.simulate import Simulation
from critparam.target import Target
from critparam.types import Status

EXAMPLES = [
    pytest.param(example, id=f"{name}-{index}")
    for name in methods.members
    for index, example in enumerate(methods.load(name).examples())
]
X0 = np.array([1.0, -2.0, 0.5], np.float32)
GRADIENT = np.array([0.5, 1.0, -4.0], np.float32)


def context(t=0):
    return Context(jnp.int32(t), jax.random.key(0), jnp.int32(0), jnp.zeros(3, jnp.float32))


def stepped(method, rate=0.25):
    state = method.init(jnp.asarray(X0))
    return state, jax.jit(method.step)(state, jnp.asarray(GRADIENT), jnp.float32(rate), context())


@pytest.mark.parametrize("method", EXAMPLES)
class TestMethods:
    def test_begins_at_the_start(self, method):
        state = method.init(jnp.asarray(X0))
        np.testing.assert_array_equal(method.query(state), X0)
        np.testing.assert_array_equal(method.iterate(state), X0)

    def test_a_step_keeps_shapes_and_types(self, method):
        before, after = stepped(as_dtype(method, jnp.float32))
        described = [
            jax.tree.map(lambda leaf: (jnp.shape(leaf), jnp.result_type(leaf)), state)
            for state in (before, after)
        ]
        assert described[0] == described[1]
        assert method.query(after).shape == method.iterate(after).shape == X0.shape

    def test_a_step_moves(self, method):
        _, after = stepped(as_dtype(method, jnp.float32))
        assert np.any(np.asarray(method.iterate(after)) != X0)

    def test_without_gradient_the_start_is_kept(self, method):
        state = method.init(jnp.asarray(X0))
        state = method.step(state, jnp.zeros(3, jnp.float32), jnp.float32(0.25), context())
        np.testing.assert_array_equal(method.iterate(state), X0)

    def test_plain_sgd_is_just_that(self, method):
        if not method.is_plain_sgd:
            pytest.skip("not plain SGD")
        _, after = stepped(method)
        # exact in binary: 0.25 times the gradient
        for point in (method.iterate(after), method.query(after)):
            np.testing.assert_array_equal(point, [0.875, -2.25, 1.5])

    @pytest.mark.parametrize("delay", [0, 3])
    def test_gets_near_the_minimum_of_a_quadratic(self, method, delay):
        runs = Simulation(
            problem=Quadratic(dim=3, condition_number=5.0),
            noise=Isotropic(M=1.0),
            delay=Constant(),
            method=method,
            target=Target("suboptimality", relative=0.1),
            batch_size=4,
            delay_size=delay,
            max_steps=2000,
        ).run(np.array([0.02, 0.1]), 2)
        assert np.any(np.all(runs.status == Status.REACHED, axis=1))
