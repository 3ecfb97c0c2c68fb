"""Quadratics: spectra and starts by hand, and what is refused."""

import numpy as np
import pytest

from critparam.errors import ArgumentError
from critparam.problems.quadratic import Quadratic


class TestSpectra:
    def test_geometric(self):
        np.testing.assert_allclose(
            Quadratic(dim=3, condition_number=100.0).curvatures, [0.01, 0.1, 1], rtol=1e-14
        )

    def test_linear(self):
        problem = Quadratic(dim=3, condition_number=5.0, spectrum="linear")
        np.testing.assert_allclose(problem.curvatures, [0.2, 0.6, 1], rtol=1e-14)

    def test_harmonic(self):
        problem = Quadratic(dim=4, spectrum="harmonic")
        np.testing.assert_array_equal(problem.curvatures, [1, 1 / 2, 1 / 3, 1 / 4])

    def test_list(self):
        problem = Quadratic(spectrum=[3, 0.5])
        np.testing.assert_array_equal(problem.curvatures, [3, 0.5])
        assert problem.curvatures.dtype == float

    @pytest.mark.parametrize("spectrum", ["geometric", "linear"])
    def test_one_dimension(self, spectrum):
        problem = Quadratic(dim=1, condition_number=7.0, spectrum=spectrum)
        np.testing.assert_array_equal(problem.curvatures, [1])


class TestStarts:
    def test_equal_energy(self):
        problem = Quadratic(spectrum=[0.5, 2.0])
        # sqrt(2/(h 2)): half of f(x_0) = 1 in either direction
        np.testing.assert_allclose(problem.initial, [np.sqrt(2), np.sqrt(0.5)])
        assert float(problem.value(problem.initial)) == pytest.approx(1, rel=1e-6)

    def test_ones_and_list(self):
        np.testing.assert_array_equal(Quadratic(spectrum=[1, 2], start="ones").initial, [1, 1])
        problem = Quadratic(spectrum=[1, 2], start=[0, -3])
        np.testing.assert_array_equal(problem.initial, [0, -3])
        assert problem.initial.dtype == float


def test_constants():
    assert Quadratic(spectrum=[3.0, 0.5]).constants == (3.0, 0.5, 0.0)


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "dim"),
        ({"dim": 3}, "condition_number"),
        ({"dim": 0, "condition_number": 2.0}, "dim"),
        ({"dim": 3, "condition_number": 0.5}, "condition_number"),
        ({"dim": 3, "condition_number": float("nan")}, "condition_number"),
        ({"dim": 3, "condition_number": 2.0, "spectrum": "harmonik"}, "spectrum"),
        ({"dim": 3, "condition_number": 2.0, "start": "zeros"}, "start"),
        ({"spectrum": "harmonic"}, "dim"),
        ({"spectrum": []}, "spectrum"),
        ({"spectrum": [1.0, 0.0]}, "spectrum"),
        ({"spectrum": [1.0, -1.0]}, "spectrum"),
        ({"spectrum": [1.0, float("inf")]}, "spectrum"),
        ({"spectrum": [1.0, "x"]}, "spectrum"),
        ({"spectrum": [1.0, 2.0], "dim": 3}, "spectrum"),
        ({"spectrum": [1.0, 2.0], "start": [1.0]}, "start"),
        ({"spectrum": [1.0, 2.0], "start": []}, "start"),
        ({"spectrum": [1.0, 2.0], "start": [0.0, 0.0]}, "start"),
        ({"spectrum": [1.0, 2.0], "start": [float("nan"), 0.0]}, "start"),
    ],
)
def test_refused(arguments, argument):
    with pytest.raises(ArgumentError) as error:
        Quadratic(**arguments)
    assert error.value.argument == argument
    assert "\n" not in str(error.value)


def test_usable_as_a_key():
    """Frozen components with equal specs are interchangeable."""
    assert Quadratic(dim=2, condition_number=3.0) == Quadratic(dim=2, condition_number=3.0)
    assert hash(Quadratic(dim=2, condition_number=3.0))
