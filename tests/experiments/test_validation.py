"""Every mistake is one line: file, line, path, what was found, and what may have been meant."""

import pytest

from critparam_experiments.config import resolve
from critparam_experiments.errors import ConfigError
from critparam_experiments.yaml_loader import load_text

TEXT = """\
name: e
title: t
problem: {kind: quadratic, dim: 2, condition_number: 4}
noise: {kind: isotropic, M: 10}
delay: {kind: constant}
method: {kind: sgd}
target: {metric: suboptimality, relative: 0.1}
learning_rate: {tune: true}
engine:
  - exact
  - {kind: monte_carlo, every: 2}
replicates: 4
max_steps: 1000
seed: 0
panels:
  - name: p
    sweep: {batch_size: [1, 4]}
    noise: {M: 5}
    series: {noise.M: [1, 2]}
  - name: q
    sweep: {delay: {powers_of_two_minus_one: [0, 2]}}
    series:
      - {noise.M: 1}
      - {noise.sigma2: 1, target.relative: 0.2}
figure: {kind: speedup, fitted: true}
claims:
  - {kind: critical_parallelism, within_factor: 2, engine: exact, panel: p}
"""


def refusal(old, new):
    assert TEXT.count(old) >= 1
    with pytest.raises(ConfigError) as caught:
        resolve(load_text(TEXT.replace(old, new, 1), "f.yaml"))
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_the_text_itself_is_valid():
    assert resolve(load_text(TEXT, "f.yaml")).name == "e"


def test_a_claim_may_name_several_panels():
    (claim,) = resolve(load_text(TEXT.replace("panel: p", "panel: [p, q]"), "f.yaml")).claims
    assert claim.panel == ["p", "q"]


@pytest.mark.parametrize(
    ("old", "new", "place", "suggestion"),
    [
        ("title: t", "titel: t", "2: titel", "title"),
        ("dim: 2", "dimm: 2", "3: problem.dimm", "dim"),
        ("kind: quadratic", "kind: quadratik", "3: problem.kind", "quadratic"),
        ("M: 10", "MM: 10", "4: noise.MM", "M"),
        ("kind: isotropic", "kind: isotropik", "4: noise.kind", "isotropic"),
        ("kind: constant", "kind: konstant", "5: delay.kind", "constant"),
        ("kind: sgd", "kind: sgdd", "6: method.kind", "sgd"),
        ("metric: sub", "metrik: sub", "7: target.metrik", "metric"),
        ("suboptimality", "suboptimalty", "7: target.metric", "suboptimality"),
        ("tune: true", "tuned: true", "8: learning_rate.tuned", "tune"),
        ("- exact", "- exakt", "10: engine.0", "exact"),
        ("kind: monte_carlo", "kind: montecarlo", "11: engine.1.kind", "monte_carlo"),
        ("every: 2", "evry: 2", "11: engine.1.evry", "every"),
        ("replicates: 4", "replicate: 4", "12: replicate", "replicates"),
        ("max_steps: 1000", "maxsteps: 1000", "13: maxsteps", "max_steps"),
        ("panels:", "panel:", "15: panel", "panels"),
        ("    sweep: {batch", "    sweeps: {batch", "17: panels.0.sweeps", "sweep"),
        ("    noise: {M", "    noises: {M", "18: panels.0.noises", "noise"),
        ("{M: 5}", "{MM: 5}", "18: panels.0.noise.MM", "M"),
        ("batch_size: [1", "batchsize: [1", "17: panels.0.sweep.batchsize", "batch_size"),
        ("noise.M: [", "noise.MM: [", "19: panels.0.series.noise.MM", "M"),
        ("noise.M: [", "nose.M: [", "19: panels.0.series.nose.M", "noise.M"),
        ("noise.M: [", "max_step: [", "19: panels.0.series.max_step", "max_steps"),
        ("_minus_one", "_minus_ones", "21: panels.1.sweep.delay.", "powers_of_two_minus_one"),
        ("noise.sigma2", "noise.sigma", "24: panels.1.series.1.noise.sigma", "sigma2"),
        ("target.relative", "target.relativ", "24: panels.1.series.1.target.relativ", "relative"),
        ("kind: speedup", "kind: speedups", "25: figure.kind", "speedup"),
        ("fitted", "fited", "25: figure.fited", "fitted"),
        ("critical_par", "critcal_par", "27: claims.0.kind", "critical_parallelism"),
        ("within_factor", "within_faktor", "27: claims.0.within_faktor", "within_factor"),
        ("engine: exact", "engine: exakt", "27: claims.0.engine", "exact"),
    ],
)
def test_a_name_that_is_nearly_right(old, new, place, suggestion):
    message = refusal(old, new)
    assert message.startswith(f"f.yaml:{place}")
    assert message.endswith(f"; did you mean {suggestion}?")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("title: t", "zzz: t", "2: zzz"),
        ("dim: 2,", "dim: 2, zzz: 1,", "3: problem.zzz"),
        ("{kind: constant}", "{kind: constant, zzz: 1}", "5: delay.zzz"),
        ("every: 2", "every: 2, zzz: 1", "11: engine.1.zzz"),
        ("    noise: {M", "    zzz: {M", "18: panels.0.zzz"),
        ("{M: 5}", "{M: 5, zzz: 1}", "18: panels.0.noise.zzz"),
        ("fitted: true", "zzz: true", "25: figure.zzz"),
        ("within_factor: 2", "within_factor: 2, zzz: 1", "27: claims.0.zzz"),
    ],
)
def test_a_key_that_is_like_no_other(old, new, place):
    message = refusal(old, new)
    assert message.startswith(f"f.yaml:{place}: unknown key")
    assert "did you mean" not in message


@pytest.mark.parametrize("old", ["dim: 2", "M: 10", "metric: suboptimality", "tune: true"])
def test_an_unknown_key_of_a_section_names_the_known_ones(old):
    key = old.partition(":")[0]
    message = refusal(old, "zzz: 1")
    assert f"not one of {key}" in message or f", {key}" in message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("dim: 2", "dim: two", "3: problem.dim: must be a whole number (got 'two')"),
        ("dim: 2", "dim: 2.0", "3: problem.dim: must be a whole number (got 2.0)"),
        ("dim: 2", "dim: true", "3: problem.dim: must be a whole number (got True)"),
        ("M: 10", "M: '10'", "4: noise.M: must be a number (got '10')"),
        ("{M: 5}", "{sigma2: true}", "18: panels.0.noise.sigma2: must be a number (got True)"),
        ("tune: true", "tune: 1", "8: learning_rate.tune: must be true or false (got 1)"),
        ("title: t", "title: [t]", "2: title: must be a string (got ['t'])"),
        ("[1, 2]}\n  -", "[1, x]}\n  -", "19: panels.0.series.noise.M: must be a number (got 'x')"),
        ("noise.sigma2: 1", "noise.sigma2: x", "24: panels.1.series.1.noise.sigma2: must be"),
        ("{noise.M: 1}", "3", "23: panels.1.series.0: must be a mapping (got 3)"),
        ("{batch_size: [1, 4]}", "[1, 4]", "17: panels.0.sweep: must be a mapping (got [1, 4])"),
        ("{kind: sgd}", "sgd", "6: method: must be a mapping (got 'sgd')"),
        ("{kind: speedup, fitted: true}", "speedup", "25: figure: must be a mapping"),
        ("fitted: true", "fitted: 1", "25: figure.fitted: must be true or false (got 1)"),
        ("within_factor: 2", "within_factor: x", "27: claims.0.within_factor: must be a number"),
        ("within_factor: 2", "between: 2", "27: claims.0.between: must be a list (got 2)"),
    ],
)
def test_wrong_types(old, new, message):
    assert refusal(old, new).startswith(f"f.yaml:{message}")


@pytest.mark.parametrize(
    ("old", "new", "place", "got"),
    [
        ("dim: 2", "dim: 0", "3: problem.dim", "0"),
        ("condition_number: 4", "condition_number: 0.9", "3: problem.condition_number", "0.9"),
        ("{M: 5}", "{sigma2: -5}", "18: panels.0.noise.sigma2", "-5.0"),
        ("relative: 0.1", "relative: 1", "7: target.relative", "1.0"),
        ("relative: 0.1", "relative: 0", "7: target.relative", "0.0"),
        ("relative: 0.1", "absolute: 0", "7: target.absolute", "0.0"),
        ("relative: 0.2", "relative: -1", "24: panels.1.series.1.target.relative", "-1.0"),
        ("tune: true", "value: 0", "8: learning_rate.value", "0.0"),
        ("tune: true", "grid: [0.1, -1]", "8: learning_rate.grid", "[0.1, -1.0]"),
        ("tune: true", "grid: []", "8: learning_rate.grid", "[]"),
        ("every: 2", "every: 0", "11: engine.1.every", "0"),
        ("replicates: 4", "replicates: 0", "12: replicates", "0"),
        ("max_steps: 1000", "max_steps: 0", "13: max_steps", "0"),
        ("seed: 0", "seed: -1", "14: seed", "-1"),
        ("seed: 0", "seed: 4294967296", "14: seed", "4294967296"),
        ("within_factor: 2", "within_factor: 0.5", "27: claims.0.within_factor", "0.5"),
        ("within_factor: 2", "between: [2, 1]", "27: claims.0.between", "[2.0, 1.0]"),
        ("panel: p", "panel: r", "27: claims.0.panel", "'r'"),
        ("panel: p", "panel: [q, r]", "27: claims.0.panel", "'r'"),
        (
            "{kind: speedup, fitted: true}",
            "{kind: settings, columns: {a: [p, r]}}",
            "25: figure",
            "'r'",
        ),
    ],
)
def test_impossible_values(old, new, place, got):
    message = refusal(old, new)
    assert message.startswith(f"f.yaml:{place}: ")
    assert f"(got {got})" in message


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("relative: 0.1", "relative: 0.1, absolute: 1", "7: target"),
        ("{metric: suboptimality, relative: 0.1}", "{metric: loss}", "7: target"),
        ("tune: true", "tune: true, value: 1", "8: learning_rate"),
        ("tune: true", "value: 1, grid: [1]", "8: learning_rate"),
        ("tune: true", "tune: false", "8: learning_rate"),
        ("within_factor: 2", "within_factor: 2, between: [1, 2]", "27: claims.0"),
        ("within_factor: 2, ", "", "27: claims.0"),
    ],
)
def test_exactly_one_of_several_keys(old, new, place):
    message = refusal(old, new)
    assert message.startswith(f"f.yaml:{place}")
    assert "exactly one of" in message


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("  - exact\n  - {kind: monte_carlo, every: 2}", "  {kind: exact}", "9: engine: "),
        ("- exact", "- [exact]", "10: engine.0: "),
        ("- exact", "- 3", "10: engine.0: "),
        ("kind: monte_carlo", "kind: [exact]", "11: engine.1.kind: "),
    ],
)
def test_an_engine_of_a_wrong_shape_is_placed_where_it_stands(old, new, place):
    assert refusal(old, new).startswith(f"f.yaml:{place}")
