"""The exact engine against reference values and against plain recursions written here."""

from dataclasses import dataclass

import numpy as np
import pytest

from critparam.moments import ExpectedDynamics, first_hits
from critparam.noise.base import SecondMoment
from critparam.runs import NEVER
from critparam.target import Target
from critparam.types import DIVERGENCE_FACTOR, Status

TARGETS = {
    "steps_f_1e-1": Target("suboptimality", relative=0.1),
    "steps_f_1e-2": Target("suboptimality", relative=0.01),
    "steps_g_1e-1": Target("gradient_norm", relative=0.1),
    "steps_g_1e-2": Target("gradient_norm", relative=0.01),
}


def spectrum(dim: int, condition_number: float) -> np.ndarray:
    return np.geomspace(1 / condition_number, 1, dim) if dim > 1 else np.ones(1)


def equal_energy(h: np.ndarray) -> np.ndarray:
    return np.sqrt(2 / (h * len(h)))


@dataclass(frozen=True)
class System:
    """A quadratic, its noise and one learning rate, with two recursions of its own.

    Per coordinate, one gradient's noise has the variance
    M/d ||grad f||^2 + sigma2/d (or sigma2 h_i where `curvature`).
    """

    h: list[float]
    learning_rate: float
    M: float = 0.0
    sigma2: float = 0.0
    batch_size: int = 1
    delay: int = 0
    start: list[float] | None = None
    curvature: bool = False

    @property
    def curvatures(self) -> np.ndarray:
        return np.asarray(self.h, dtype=float)

    @property
    def initial(self) -> np.ndarray:
        return equal_energy(self.curvatures) if self.start is None else np.asarray(self.start)

    @property
    def noise(self) -> SecondMoment:
        d = len(self.h)
        spread = self.curvatures if self.curvature else np.full(d, 1 / d)
        return SecondMoment(np.full(d, self.M / d), self.sigma2 * spread)

    @property
    def dynamics(self) -> ExpectedDynamics:
        return ExpectedDynamics(
            self.curvatures, self.initial, self.noise, self.batch_size, self.delay
        )

    def undelayed(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """E f and E||grad f||^2 by the recursion of E x_i^2, in O(steps d)."""
        h, gamma = self.curvatures, self.learning_rate
        squares = self.initial**2
        f, norm = np.empty(steps + 1), np.empty(steps + 1)
        for t in range(steps + 1):
            f[t], norm[t] = h @ squares / 2, (h * h) @ squares
            variance = (self.noise.multiplicative * norm[t] + self.noise.additive) / self.batch_size
            squares = (1 - gamma * h) ** 2 * squares + gamma**2 * variance
        return f, norm

    def delayed(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """The same by the recursion of all E x_i(s) x_i(t), in O(steps^2 d)."""
        h, gamma = self.curvatures, self.learning_rate
        moments = np.zeros((steps + 1, steps + 1, len(h)))
        moments[0, 0] = self.initial**2
        norm = np.full(steps + 1, np.inf)
        norm[0] = (h * h) @ moments[0, 0]
        for t in range(steps):
            read = max(t - self.delay, 0)
            variance = self.noise.multiplicative * norm[read] + self.noise.additive
            row = moments[t, : t + 1] - gamma * h * moments[read, : t + 1]
            moments[t + 1, : t + 1] = moments[: t + 1, t + 1] = row
            moments[t + 1, t + 1] = (
                moments[t, t]
                - 2 * gamma * h * moments[t, read]
                + gamma**2 * h * h * moments[read, read]
                + gamma**2 * variance / self.batch_size
            )
            norm[t + 1] = (h * h) @ moments[t + 1, t + 1]
            if norm[t + 1] > 1e12 * norm[0]:
                break
        f = np.einsum("i,tti->t", h, moments) / 2
        return np.where(np.isinf(norm), np.inf, f), norm


def finite_part(f: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """The steps before the first at which a metric comes near to the divergence bound."""
    bound = 0.9 * DIVERGENCE_FACTOR
    return np.logical_and.accumulate((f <= bound * f[0]) & (norm <= bound * norm[0]))


def first_at_most(values: np.ndarray, threshold: float) -> int:
    met = np.flatnonzero(values <= threshold)
    return int(met[0]) if len(met) else NEVER


def test_the_two_recursions_of_this_file_agree():
    system = System([0.1, 0.4, 1.0], 0.2, M=3, sigma2=0.1, batch_size=2)
    np.testing.assert_allclose(system.undelayed(60), system.delayed(60), rtol=1e-12)


def test_one_delayed_step_by_hand():
    # h = 1, x_0 = 2, gamma = 1/2, tau = 1, sigma2 = 1: x_1 = 1 - xi_0/2, x_2 = x_1 - (2 + xi_1)/2
    system = System([1.0], 0.5, sigma2=1.0, delay=1, start=[2.0])
    expected = system.dynamics.expectations(np.array([0.5]), 2)
    np.testing.assert_allclose(
        expected.gradient_norm[0], [4, 1 + 0.25, 0 + 0.25 + 0.25], atol=1e-14
    )
    np.testing.assert_allclose(expected.suboptimality, expected.gradient_norm / 2, atol=1e-14)


class TestReference:
    def systems(self, rows):
        for row in rows:
            h = spectrum(int(row["dim"]), float(row["condition_number"]))
            yield (
                row,
                System(
                    list(h),
                    float(row["learning_rate"]),
                    M=float(row["M"]),
                    sigma2=float(row["sigma2"]),
                    batch_size=int(row["batch_size"]),
                    delay=int(row["delay"]),
                ),
            )

    def test_expected_values(self, isotropic_reference):
        steps = [int(name[3:]) for name in isotropic_reference[0] if name.startswith("f_t")]
        assert steps == [0, 1, 2, 5, 10, 50, 200]
        for row, system in self.systems(isotropic_reference):
            f = system.dynamics.expectations(np.array([system.learning_rate]), 200)
            listed = [float(row[f"f_t{step}"]) for step in steps]
            np.testing.assert_allclose(
                f.suboptimality[0, steps], listed, rtol=1e-7, err_msg=str(row)
            )

    @pytest.mark.parametrize("race", [True, False])
    def test_first_hits(self, isotropic_reference, race):
        for row, system in self.systems(isotropic_reference):
            for column, target in TARGETS.items():
                runs = first_hits(
                    system.dynamics, target, np.array([system.learning_rate]), 3000, race=race
                )
                expected = int(row[column]) if row[column] else NEVER
                assert runs.steps.item() == expected, (column, row)

    def test_case_that_is_not_monotone(self):
        dynamics = System([0.01, 1.0], 0.3, sigma2=0.1, start=[0.0, np.sqrt(2)]).dynamics
        f = dynamics.expectations(np.array([0.3]), 3000).suboptimality[0]
        assert f.argmin() == 15
        assert f[15] == pytest.approx(0.0047579, abs=5e-8)
        assert f[3000] == pytest.approx(0.0081674, abs=5e-8)
        hits = {0.02: 6, 0.01: 8, 0.0075: 9, 0.006: 10, 0.005: 12, 0.0049: 12, 0.0047: NEVER}
        for threshold, step in hits.items():
            target = Target("suboptimality", absolute=threshold)
            assert first_hits(dynamics, target, np.array([0.3]), 3000).steps.item() == step


STABLE = [
    System([0.1, 1.0], 0.3, M=2.0),
    System([0.1, 1.0], 0.05, M=20.0, sigma2=0.1, batch_size=3),
    System([0.01, 0.1, 1.0], 0.5, sigma2=1e-3, curvature=True),
    System([1.0], 1.0, M=0.5, start=[1.0]),
    System([1.0], 1.9, sigma2=0.01),
    System([0.1, 1.0], 0.1, delay=3, M=2.0),
    System([0.1, 1.0], 0.05, delay=7, M=5.0, sigma2=0.1, batch_size=2),
    System([0.01, 0.1, 1.0], 0.05, delay=10, sigma2=1e-3, curvature=True),
    System([0.02, 1.0], 0.03, delay=25, M=0.1, sigma2=1e-4, start=[1.0, -2.0]),
    System([1.0], 0.3, delay=1, M=0.01),
    System([0.5, 2.0], 0.004, delay=60, M=30.0, batch_size=16),
    System([0.2, 1.0], 1e-4, M=1000.0, sigma2=1.0, delay=5),
]


@pytest.mark.parametrize("system", STABLE)
def test_stable_systems(system):
    f, norm = system.delayed(300)
    expected = system.dynamics.expectations(np.array([system.learning_rate]), 300)
    np.testing.assert_allclose(expected.suboptimality[0], f, rtol=1e-8)
    np.testing.assert_allclose(expected.gradient_norm[0], norm, rtol=1e-8)


@pytest.mark.parametrize(
    "system",
    [
        System([0.001, 0.03, 1.0], 0.02, M=10.0, sigma2=1e-3),
        System([0.01, 1.0], 0.5, M=0.05, sigma2=1e-6, curvature=True),
        System(list(np.geomspace(0.01, 1, 20)), 0.005, M=100.0, start=[1.0] * 20),
    ],
)
def test_long_undelayed_runs(system):
    f, norm = system.undelayed(20_000)
    seen = f > 1e-9 * f[0]
    expected = system.dynamics.expectations(np.array([system.learning_rate]), 20_000)
    np.testing.assert_allclose(expected.suboptimality[0, seen], f[seen], rtol=1e-7)
    np.testing.assert_allclose(expected.gradient_norm[0, seen], norm[seen], rtol=1e-7)


@pytest.mark.parametrize("steps", [1000, 2000, 3000])
@pytest.mark.parametrize(
    "system",
    [
        System([1.0], 0.02006, M=0.012, batch_size=256, delay=18),
        System([1.0], 0.1174, M=0.0117, sigma2=7.5e-5, batch_size=32, delay=3),
        System([1.0], 0.0361, M=0.0493, sigma2=4.7e-6, batch_size=256, delay=12),
        System([0.9, 1.0], 0.03, M=0.1, batch_size=64, delay=10),
        System([0.1, 1.0], 0.05, M=5.0, delay=4),
    ],
)
def test_horizons_far_beyond_the_target(system, steps):
    f, norm = system.delayed(steps)
    seen = f > 1e-9 * f[0]
    rates = np.array([system.learning_rate])
    expected = system.dynamics.expectations(rates, steps)
    np.testing.assert_allclose(expected.suboptimality[0, seen], f[seen], rtol=1e-7)
    np.testing.assert_allclose(expected.gradient_norm[0, seen], norm[seen], rtol=1e-7)
    runs = first_hits(system.dynamics, Target(relative=1e-2), rates, steps, bound=float(steps))
    assert runs.steps.item() == first_at_most(f, 1e-2 * f[0])


@pytest.mark.parametrize(
    ("system", "steps", "least"),
    [
        (System([1.0], 0.5, M=0.1), 150, 1e-80),
        (System([0.5, 1.0], 0.6, M=0.2), 300, 1e-80),
        (System([0.9, 1.0], 1.0, M=0.01), 90, 1e-80),
        (System([0.7, 1.0], 0.3, M=0.1, batch_size=4), 500, 1e-80),
    ],
)
def test_very_fast_decay(system, steps, least):
    f, norm = system.undelayed(steps)
    assert f[-1] < least * f[0]
    expected = system.dynamics.expectations(np.array([system.learning_rate]), steps)
    np.testing.assert_allclose(expected.suboptimality[0], f, rtol=1e-7)
    np.testing.assert_allclose(expected.gradient_norm[0], norm, rtol=1e-7)


UNSTABLE = [
    System([0.1, 1.0], 2.1),
    System([0.1, 1.0], 0.4, M=20.0),
    System([0.1, 1.0], 0.4, M=20.0, sigma2=1.0, delay=3),
    System([0.1, 1.0], 0.3, M=1.0, delay=10),
    System([0.1, 1.0], 3.0, M=10.0, sigma2=0.1, curvature=True),
    # little noise in fast divergence
    System([0.1, 1.0], 3.5, M=0.1, batch_size=2048),
    System([0.1, 1.0], 3.2, M=0.1, sigma2=1e-4, batch_size=256),
    System([1.0], 2.4, M=1.0, batch_size=4096, delay=1),
    System([0.1, 1.0], 0.24, M=1.0, batch_size=4096, delay=15),
    System([0.1, 1.0], 0.2, M=0.001, batch_size=32, delay=18, sigma2=3.5),
    System([0.1, 1.0], 0.15, M=10.0, batch_size=512, delay=40),
]


@pytest.mark.parametrize("steps", [300, 500])
@pytest.mark.parametrize("system", UNSTABLE)
def test_unstable_systems_until_they_diverge(system, steps):
    f, norm = system.delayed(steps)
    finite = finite_part(f, norm)
    assert not finite[-1]
    expected = system.dynamics.expectations(np.array([system.learning_rate]), steps)
    np.testing.assert_allclose(expected.suboptimality[0, finite], f[finite], rtol=1e-7)
    np.testing.assert_allclose(expected.gradient_norm[0, finite], norm[finite], rtol=1e-7)
    beyond = (f > 1.1 * DIVERGENCE_FACTOR * f[0]) | (norm > 1.1 * DIVERGENCE_FACTOR * norm[0])
    beyond = np.logical_or.accumulate(beyond)
    assert np.all(np.isinf(expected.suboptimality[0, beyond]))
    assert np.all(np.isinf(expected.gradient_norm[0, beyond]))


@pytest.mark.parametrize("system", UNSTABLE)
def test_unstable_systems_are_diverged_unless_they_hit_before(system):
    f, norm = system.delayed(500)
    finite = finite_part(f, norm)
    rates = np.array([system.learning_rate])
    for relative in (0.5, 1e-2, 1e-4):
        step = first_at_most(f[finite], relative * f[0])
        target = Target("suboptimality", relative=relative)
        for options in ({}, {"race": False}, {"bound": 500.0}):
            runs = first_hits(system.dynamics, target, rates, 500, **options)
            assert runs.steps.item() == step, (relative, options)
            status = Status.DIVERGED if step == NEVER else Status.REACHED
            assert runs.status.item() == status, (relative, options)


def random_system(rng: np.random.Generator) -> System:
    d, b = int(rng.integers(1, 5)), int(2 ** rng.integers(0, 13))
    M = float(rng.choice([0, 0.01, 0.1, 1, 10, 100]))
    delay = int(rng.choice([0, 1, 3, 15, 40]))
    # from far below the limit of stability to far beyond it
    rate = 10 ** rng.uniform(-1.3, 0.6) / (1 + M / b + delay)
    return System(
        list(spectrum(d, 10 ** rng.uniform(0, 2))),
        rate,
        M=M,
        sigma2=float(rng.choice([0, 1e-4, 0.1])),
        batch_size=b,
        delay=delay,
        curvature=bool(rng.integers(2)),
    )


def test_random_systems():
    """Values and first hits, stable and unstable, in horizons that end before or after either."""
    rng = np.random.default_rng(0)
    failures = []
    for _ in range(200):
        system, steps = random_system(rng), int(rng.choice([60, 300, 500]))
        f, norm = system.delayed(steps)
        finite = finite_part(f, norm)
        rates = np.array([system.learning_rate])
        with np.errstate(all="ignore"):
            expected = system.dynamics.expectations(rates, steps)
        for ours, exact in ((expected.suboptimality, f), (expected.gradient_norm, norm)):
            # the recursion's own rounding errors are relative to what came before
            allowed = 1e-7 * exact + 1e-12 * np.maximum.accumulate(exact)
            if not np.all(np.abs(ours[0, finite] - exact[finite]) <= allowed[finite]):
                failures.append((system, steps, "values"))
        for relative in (1e-1, 1e-3):
            threshold = relative * f[0]
            if np.min(np.abs(f / threshold - 1)) < 1e-6:
                continue
            with np.errstate(all="ignore"):
                runs = first_hits(
                    system.dynamics, Target(relative=relative), rates, steps, bound=float(steps)
                )
            if runs.steps.item() != first_at_most(f[finite], threshold):
                failures.append((system, steps, f"hit of {relative}: {runs.steps.item()}"))
    assert not failures, "\n".join(map(str, failures))


def test_short_horizons():
    """What is computed of few steps is the beginning of what is computed of many."""
    rng = np.random.default_rng(1)
    failures = []
    systems = [random_system(rng) for _ in range(60)]
    systems.append(System([1.0], 2.39, M=1.0, sigma2=1e-4, batch_size=64, delay=1))
    for system in systems:
        f, norm = system.delayed(12)
        finite = finite_part(f, norm)
        for steps in range(1, 13):
            seen = finite[: steps + 1]
            ours = system.dynamics.expectations(np.array([system.learning_rate]), steps)
            for values, exact in ((ours.suboptimality, f), (ours.gradient_norm, norm)):
                close = np.isclose(values[0], exact[: steps + 1], rtol=1e-7, atol=1e-12 * f[0])
                if not np.all(close[seen]):
                    failures.append((system, steps, values[0], exact[: steps + 1]))
    assert not failures, "\n".join(map(str, failures))


def test_no_steps_at_all():
    expected = System([0.5, 2.0], 0.1, M=1.0, delay=1).dynamics.expectations(np.array([0.1, 3]), 0)
    np.testing.assert_allclose(expected.suboptimality, [[1.0], [1.0]])
    # h^2 x_0^2 = h in equal energy
    np.testing.assert_allclose(expected.gradient_norm, [[2.5], [2.5]])


def test_an_unstable_direction_without_energy_or_noise_does_no_harm():
    system = System([0.01, 1.0], 2.1, start=[10.0, 0.0])
    f, _ = system.undelayed(1000)
    rates = np.array([2.1])
    expected = system.dynamics.expectations(rates, 1000).suboptimality[0]
    np.testing.assert_allclose(expected, f, rtol=1e-7)
    runs = first_hits(system.dynamics, Target(relative=1e-6), rates, 1000)
    assert runs.steps.item() == first_at_most(f, 1e-6 * f[0])


class TestFirstHits:
    """h = 1, no noise: f falls by (1 - gamma)^2 a step, so all hits are arithmetic."""

    dynamics = System([1.0], 0.0).dynamics
    target = Target("suboptimality", relative=1e-2)
    rates = np.array([0.1, 0.5, 0.9, 1.9, 2.5])
    # ceil(ln 0.01 / (2 ln |1 - gamma|)), and never for |1 - gamma| > 1
    steps = (22, 4, 1, 22, NEVER)

    def test_without_race_every_rate_meets_its_fate(self):
        runs = first_hits(self.dynamics, self.target, self.rates, 1000, race=False)
        assert runs.steps.shape == runs.status.shape == (5, 1)
        assert tuple(runs.steps[:, 0]) == self.steps
        assert list(runs.status[:, 0]) == [Status.REACHED] * 4 + [Status.DIVERGED]
        assert list(runs.learning_rates) == list(self.rates)

    def test_racing_keeps_the_winner(self):
        runs = first_hits(self.dynamics, self.target, self.rates, 1000)
        assert runs.steps[2, 0] == 1
        for index, step in enumerate(self.steps):
            assert runs.steps[index, 0] in (step, NEVER)
            if runs.steps[index, 0] == NEVER:
                assert runs.status[index, 0] in (Status.BEATEN, Status.DIVERGED)

    def test_a_bound_gives_up_what_is_slower(self):
        runs = first_hits(self.dynamics, self.target, self.rates[:2], 1000, bound=4.0)
        assert tuple(runs.steps[:, 0]) == (NEVER, 4)
        assert list(runs.status[:, 0]) == [Status.BEATEN, Status.REACHED]

    def test_a_bound_is_ignored_without_race(self):
        runs = first_hits(self.dynamics, self.target, self.rates, 1000, bound=2.0, race=False)
        assert tuple(runs.steps[:, 0]) == self.steps

    @pytest.mark.parametrize("race", [True, False])
    def test_max_steps(self, race):
        rates = np.array([0.1])
        runs = first_hits(self.dynamics, self.target, rates, 21, race=race)
        assert runs.status.item() == Status.NOT_REACHED
        assert runs.steps.item() == NEVER
        assert np.isnan(runs.noise.item())
        assert np.isnan(runs.signal.item())
        runs = first_hits(self.dynamics, self.target, rates, 22, race=race)
        assert runs.status.item() == Status.REACHED

    @pytest.mark.parametrize("system", [System([1.0], 0.1), System([1.0], 0.1, M=2.0, delay=3)])
    @pytest.mark.parametrize("options", [{}, {"race": False}, {"bound": 0.0}, {"bound": 7.0}])
    def test_target_met_at_the_start(self, system, options):
        target = Target("suboptimality", absolute=2.0)
        runs = first_hits(system.dynamics, target, np.array([0.1, 5.0]), 100, **options)
        assert tuple(runs.steps[:, 0]) == (0, 0)
        assert set(runs.status[:, 0]) == {Status.REACHED}

    def test_huge_max_steps_cost_nothing_where_the_target_is_met(self):
        runs = first_hits(self.dynamics, self.target, self.rates[:3], 10**12)
        assert runs.steps[2, 0] == 1
        noisy = System([1.0], 0.1, M=2.0, delay=3).dynamics
        runs = first_hits(noisy, self.target, np.array([0.1, 3.0]), 10**12)
        assert runs.status[0, 0] == Status.REACHED
        runs = first_hits(noisy, self.target, np.array([3.0]), 10**12)
        assert runs.status.item() == Status.DIVERGED

    def test_loss_is_suboptimality(self):
        loss = first_hits(self.dynamics, Target("loss", relative=1e-2), self.rates, 99, race=False)
        assert tuple(loss.steps[:, 0]) == self.steps

    def test_noise_and_signal_at_the_hit(self):
        system = System([0.1, 1.0], 0.05, M=7.0, sigma2=0.3, delay=2)
        runs = first_hits(system.dynamics, Target(relative=0.5), np.array([0.05]), 100)
        _, norm = system.delayed(100)
        signal = norm[runs.steps.item()]
        assert runs.signal.item() == pytest.approx(signal, rel=1e-9)
        assert runs.noise.item() == pytest.approx(7 * signal + 0.3, rel=1e-9)

    def test_a_rate_alone_or_with_others(self):
        system = System([0.1, 1.0], 0.0, M=7.0, delay=2)
        rates = np.geomspace(0.005, 0.5, 9)
        target = Target(relative=1e-3)
        together = first_hits(system.dynamics, target, rates, 5000, race=False)
        for index, rate in enumerate(rates):
            alone = first_hits(system.dynamics, target, np.array([rate]), 5000, race=False)
            assert alone.steps.item() == together.steps[index, 0]
            assert alone.status.item() == together.status[index, 0]
