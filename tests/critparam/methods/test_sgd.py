"""Plain SGD by hand."""

import jax.numpy as jnp
import numpy as np

from critparam.methods.sgd import SGD


def test_three_steps_by_hand():
    sgd = SGD()
    state = sgd.init(jnp.array([1.0, 2.0], jnp.float32))
    for gradient in ([1.0, 0.0], [0.0, 4.0], [2.0, -2.0]):
        state = sgd.step(state, jnp.array(gradient, jnp.float32), jnp.float32(0.5), None)
    np.testing.assert_array_equal(sgd.iterate(state), [-0.5, 1.0])
    np.testing.assert_array_equal(sgd.query(state), [-0.5, 1.0])
    assert sgd.is_plain_sgd
