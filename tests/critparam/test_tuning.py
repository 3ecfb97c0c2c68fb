"""The learning-rate search on scores whose optimum is known."""

import numpy as np
import pytest

from critparam.tuning import EXACT, SAMPLED, SAMPLED_NEAR_EXACT, Lattice, choose, tune

LATTICES = [EXACT, SAMPLED, SAMPLED_NEAR_EXACT]


class Score:
    """Steps that grow with the distance, in octaves, from an optimum; counts what is asked."""

    def __init__(self, optimum, *, steps=100.0, cliff=np.inf, whole=False):
        self.optimum, self.steps, self.cliff, self.whole = optimum, steps, cliff, whole
        self.rates, self.bounds = [], []

    def at(self, rates):
        octaves = np.abs(np.log2(np.asarray(rates) / self.optimum))
        values = self.steps * (1 + octaves) ** 2
        values = np.round(values) if self.whole else values
        return np.where(np.asarray(rates) > self.optimum * self.cliff, np.inf, values)

    def __call__(self, rates, bound):
        self.rates.extend(rates)
        self.bounds.append(bound)
        values = self.at(rates)
        # as the engines do: what cannot attain the bound is given up
        return np.where(values > bound, np.inf, values)


@pytest.mark.parametrize("lattice", LATTICES)
@pytest.mark.parametrize("octaves", [-9.3, -3.01, -1.0, -0.4, 0.0, 0.013, 0.7, 2.49, 5.0, 11.2])
@pytest.mark.parametrize("cliff", [np.inf, 1.2, 2.0])  # rates beyond it diverge
def test_finds_the_best_lattice_point(lattice, octaves, cliff):
    if np.isfinite(cliff) and octaves < -6:
        octaves = -5.8  # the search gives up sooner where no rate at all meets the target
    guess = 0.03
    score = Score(guess * 2.0**octaves, cliff=cliff)
    tuned = tune(score, guess, lattice)
    everywhere = guess * 2.0 ** (
        np.arange(-12 * lattice.per_octave, 12 * lattice.per_octave + 1) / lattice.per_octave
    )
    best = everywhere[np.argmin(score.at(everywhere))]
    assert tuned.learning_rates[tuned.chosen] == pytest.approx(best, rel=1e-12)
    assert tuned.score == score.at(everywhere).min()
    assert not tuned.at_edge
    ratios = tuned.learning_rates[1:] / tuned.learning_rates[:-1]
    np.testing.assert_allclose(ratios, 2 ** (1 / lattice.per_octave), rtol=1e-12)
    assert len(tuned.learning_rates) == 3
    assert tuned.chosen == 1


@pytest.mark.parametrize("lattice", LATTICES)
def test_no_rate_is_scored_twice(lattice):
    score = Score(0.37)
    tune(score, 0.03, lattice)
    assert len(score.rates) == len(set(score.rates))


def test_the_best_score_so_far_is_passed_on_as_bound():
    score = Score(0.37)
    tune(score, 0.03, EXACT)
    assert score.bounds[0] == np.inf
    assert all(
        after <= before for before, after in zip(score.bounds, score.bounds[1:], strict=False)
    )
    assert score.bounds[-1] <= score.at([0.36]).item()


def test_lattices_are_as_fine_as_the_contract_says():
    """1 % with the exact engine; with Monte Carlo no coarser than 10 %."""
    assert 2 ** (1 / EXACT.per_octave) - 1 < 0.011
    assert 2 ** (1 / SAMPLED.per_octave) - 1 < 0.1
    assert 2 ** (1 / SAMPLED_NEAR_EXACT.per_octave) - 1 < 0.1
    for lattice in LATTICES:
        assert lattice.strides[-1] == 1
        ratios = np.divide(lattice.strides[:-1], lattice.strides[1:])
        assert np.all(ratios <= lattice.radius + 1)


@pytest.mark.parametrize("octaves", [-14.0, 14.0])
def test_an_optimum_out_of_reach_is_at_the_edge(octaves):
    tuned = tune(Score(2.0**octaves), 1.0, SAMPLED)
    assert tuned.at_edge
    assert np.log2(tuned.learning_rates[tuned.chosen]) == pytest.approx(np.sign(octaves) * 12)
    assert len(tuned.learning_rates) == 2


@pytest.mark.parametrize("lattice", LATTICES)
def test_the_search_ends_where_nothing_is_reached(lattice):
    asked = []

    def hopeless(rates, bound):
        asked.extend(rates)
        return np.full(len(rates), np.inf)

    tuned = tune(hopeless, 1.0, lattice)
    assert tuned.score == np.inf
    # looked on both sides before giving up
    assert min(asked) < 0.3
    assert max(asked) > 3
    assert len(asked) < 500


def test_a_rare_rate_is_found_though_the_guess_meets_nothing():
    def narrow(rates, bound):
        return np.where(np.abs(np.log2(rates) - 4) < 0.6, 10.0, np.inf)

    tuned = tune(narrow, 1.0, EXACT)
    assert tuned.score == 10
    assert abs(np.log2(tuned.learning_rates[tuned.chosen]) - 4) < 0.6


def test_ties_take_the_middle():
    """Steps are whole numbers: the middle of equally good rates is safest."""

    def plateau(rates, bound):
        distance = np.abs(np.log2(rates) - 1)
        return np.where(distance <= 0.5, 7.0, np.round(7 + 10 * distance))

    tuned = tune(plateau, 1.0, Lattice(per_octave=8, strides=(8, 2, 1)))
    assert tuned.score == 7
    assert abs(np.log2(tuned.learning_rates[tuned.chosen]) - 1) <= 0.25


class TestChoose:
    def test_one_rate_is_not_scored(self):
        def never(rates, bound):
            raise AssertionError

        tuned = choose(never, np.array([0.3]))
        assert list(tuned.learning_rates) == [0.3]
        assert (tuned.chosen, tuned.at_edge) == (0, False)

    def test_best_of_a_grid_in_any_order_and_its_neighbours(self):
        tuned = choose(Score(0.21), np.array([0.8, 0.1, 0.2, 0.4, 0.2]))
        assert list(tuned.learning_rates) == [0.1, 0.2, 0.4]
        assert tuned.chosen == 1
        assert tuned.score == Score(0.21).at([0.2]).item()
        assert not tuned.at_edge

    @pytest.mark.parametrize(
        ("optimum", "kept", "chosen"), [(0.01, [0.1, 0.2], 0), (9, [0.2, 0.4], 1)]
    )
    def test_the_ends_of_a_grid_are_its_edge(self, optimum, kept, chosen):
        tuned = choose(Score(optimum), np.array([0.1, 0.2, 0.4]))
        assert list(tuned.learning_rates) == kept
        assert tuned.chosen == chosen
        assert tuned.at_edge

    def test_ties_take_the_middle(self):
        tuned = choose(lambda rates, bound: np.full(len(rates), 5.0), np.geomspace(1, 16, 5))
        assert tuned.learning_rates[tuned.chosen] == 4
        assert not tuned.at_edge
