"""Bad experiment files and overrides: exit 2, one line on stderr, and nothing is written."""

import pytest

TEXT = """\
name: e
title: t
claim: c
problem: {kind: quadratic, dim: 2, condition_number: 4}
noise: {kind: isotropic, M: 10}
delay: {kind: constant}
method: {kind: sgd}
target: {metric: suboptimality, relative: 0.1}
learning_rate: {tune: true}
engine: [exact, {kind: monte_carlo, every: 2}]
replicates: 4
max_steps: 1000
seed: 0
panels:
  - name: p
    sweep: {batch_size: [1, 4]}
    noise: {sigma2: 0.5}
    series: {noise.M: [1, 2]}
figure: {kind: speedup, fitted: true}
claims:
  - {kind: critical_parallelism, within_factor: 2}
"""

FILES = [
    # not YAML as we read it
    ("name: e", "name: [", 3),
    ("name: e", "name: e\nname: e", 2),
    ("name: e", "name: e\n<<: {a: 1}", 2),
    ("title: t", "title: &a t", 2),
    ("title: t", "title: !!python/object/apply:os.system [id]", 2),
    ("title: t", "title: !!str t", 2),
    ("title: t", "\ttitle: t", 2),
    ("seed: 0", "seed: .nan", 13),
    ("seed: 0", "seed: 99999999999999999999999999", 13),
    ("seed: 0", "0: 0", 13),
    ("  - {kind: critical", "  - {kind: critical\n---\n", 22),
    # names
    ("name: e", "name: ../x", 1),
    ("name: e", "name: /etc", 1),
    ("name: e", "name: .", 1),
    ("name: e", "name: E", 1),
    ("name: e", "name: ''", 1),
    ("name: e", "name: 3", 1),
    ("name: e", 'name: "a\\nb"', 1),
    ("name: e", "name: " + "a" * 65, 1),
    ("name: p", "name: ''", 15),
    ("name: p", "name: 3", 15),
    # unknown keys
    ("title: t", "titel: t", 2),
    ("dim: 2", "dimm: 2", 4),
    ("M: 10", "MM: 10", 5),
    ("relative: 0.1", "relativ: 0.1", 8),
    ("every: 2", "evry: 2", 10),
    ("    noise: {", "    nois: {", 17),
    ("sigma2: 0.5", "sigma: 0.5", 17),
    ("noise.M", "noise.m", 18),
    ("noise.M", "M", 18),
    ("batch_size", "batchsize", 16),
    ("fitted", "fited", 19),
    ("within_factor", "within_faktor", 21),
    # unknown members
    ("quadratic", "quadratik", 4),
    ("isotropic", "isotropik", 5),
    ("isotropic", "__class__", 5),
    ("constant", "konstant", 6),
    ("kind: sgd", "kind: adamw", 7),
    ("suboptimality", "suboptimalty", 8),
    ("[exact", "[exakt", 10),
    ("kind: monte_carlo", "kind: montecarlo", 10),
    ("kind: speedup", "kind: speedups", 19),
    ("critical_parallelism", "critical_paralelism", 21),
    # wrong types
    ("title: t", "title: [t]", 2),
    ("claim: c", "claim: 5", 3),
    ("{kind: quadratic, dim: 2, condition_number: 4}", "quadratic", 4),
    ("kind: quadratic, ", "", 4),
    ("kind: quadratic", "kind: [quadratic]", 4),
    ("dim: 2", "dim: two", 4),
    ("dim: 2", "dim: 2.5", 4),
    ("dim: 2", "dim: true", 4),
    ("tune: true", "tune: yes", 9),
    ("replicates: 4", "replicates: 4.0", 11),
    ("[1, 4]", "many", 16),
    ("[1, 4]", "[1, a]", 16),
    ("{batch_size: [1, 4]}", "[1, 4]", 16),
    ("[1, 2]", "3", 18),
    ("{noise.M: [1, 2]}", "noise.M", 18),
    ("  - {kind: critical", "  {kind: critical", 20),
    # impossible values
    ("dim: 2", "dim: 0", 4),
    ("dim: 2", "dim: 1000000000000000", 4),
    ("condition_number: 4", "condition_number: 0.5", 4),
    ("condition_number: 4", "condition_number: 4, spectrum: cubic", 4),
    ("dim: 2, condition_number: 4", "spectrum: [1, -1]", 4),
    ("condition_number: 4", "spectrum: [1, 2, 3]", 4),
    ("condition_number: 4", "condition_number: 4, start: [0, 0]", 4),
    ("sigma2: 0.5", "sigma2: -0.5", 17),
    ("relative: 0.1", "relative: 1", 8),
    ("relative: 0.1", "absolute: 0", 8),
    ("tune: true", "value: -1", 9),
    ("tune: true", "grid: []", 9),
    ("every: 2", "every: 0", 10),
    ("replicates: 4", "replicates: 0", 11),
    ("max_steps: 1000", "max_steps: -1", 12),
    ("seed: 0", "seed: 4294967296", 13),
    ("[1, 4]", "[]", 16),
    ("[1, 4]", "[0, 4]", 16),
    ("[1, 4]", "[4, 4]", 16),
    ("[1, 4]", "{powers_of_two: [3, 1]}", 16),
    ("[1, 4]", "{powers_of_two: [0, 99]}", 16),
    ("[1, 4]", "{power_of_two: [0, 1]}", 16),
    ("[1, 2]", "[]", 18),
    ("[1, 2]", "[1, 1]", 18),
    ("[1, 2]", "[1, -2]", 18),
    ("within_factor: 2", "within_factor: 0.5", 21),
    ("within_factor: 2", "between: [2, 1]", 21),
    # what does not go together, or is missing
    ("name: e\n", "", 1),
    ("target: {metric: suboptimality, relative: 0.1}\n", "", 14),
    ("  - name: p\n    sweep", "  - sweep", 15),
    ("    sweep: {batch_size: [1, 4]}\n", "", 15),
    ("relative: 0.1", "relative: 0.1, absolute: 1", 8),
    ("tune: true", "tune: true, value: 1", 9),
    ("kind: isotropic, M: 10", "kind: sampling", 17),
    ("suboptimality", "accuracy", 8),
    ("figure:", "  - {name: p, sweep: {delay: 1}}\nfigure:", 19),
    ("[exact, {kind: monte_carlo, every: 2}]", "[exact, exact]", 10),
    ("[exact, {kind: monte_carlo, every: 2}]", "[]", 10),
]


def assert_refused(done, start, files, before):
    assert (done.code, done.out) == (2, "")
    assert done.line.startswith(start)
    assert done.line.isprintable()
    assert files() == before


def test_the_text_itself_is_valid(critparam, tmp_path):
    (tmp_path / "e.yaml").write_text(TEXT)
    assert critparam("validate", "e.yaml").code == 0


@pytest.mark.parametrize(("old", "new", "line"), FILES)
def test_bad_files(old, new, line, critparam, files, tmp_path):
    assert old in TEXT
    (tmp_path / "e.yaml").write_text(TEXT.replace(old, new, 1))
    before = files()
    for command in (("run", "e.yaml"), ("validate", "e.yaml"), ("run", "e.yaml", "--dry-run")):
        assert_refused(critparam(*command), f"e.yaml:{line}: ", files, before)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "e.yaml: is empty"),
        (b"[]", "e.yaml:1: the top level must be a mapping"),
        (b"name", "e.yaml:1: the top level must be a mapping"),
        (b"\xff\xfe\0", "e.yaml:1: not UTF-8"),
        (b"\x7fELF", "e.yaml:1: not valid YAML"),
        (b"a: " + b"[" * 10**5, "e.yaml:1: "),
        (b"a: 1\n" * 10**6, "e.yaml: larger than"),
        (None, "e.yaml: no such file"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_what_is_no_experiment_file(raw, message, critparam, files, tmp_path):
    if raw is not None:
        (tmp_path / "e.yaml").write_bytes(raw)
    before = files()
    assert_refused(critparam("run", "e.yaml"), message, files, before)


OVERRIDES = [
    ("noise.M", "--set: must be KEY=VALUE (got 'noise.M')"),
    ("=", "--set: must be KEY=VALUE"),
    ("noise.sigma2=", "--set noise.sigma2: is empty"),
    ("noise.sigma2=[", "--set noise.sigma2: not valid YAML"),
    ("noise.sigma2=!!python/name:os.system x", "--set noise.sigma2: tags"),
    ("seed=-1", "--set: seed: "),
    ("seed=x", "--set: seed: must be a whole number (got 'x')"),
    ("name=../x", "--set: name: "),
    ("name=..", "--set: name: "),
    ("panels=[]", "--set: panels: "),
    ("panels.0.sweep={}x", "--set panels.0.sweep: "),
    ("panels.0.sweep.delay=[]", "--set: panels.0.sweep.delay: must not be empty (got [])"),
    ("panels.9.sweep={}", "--set panels.9.sweep: "),
    ("problem.dim=-1", "--set: problem.dim: must be at least 1 (got -1)"),
    ("problem.dimm=1", "--set: problem.dimm: unknown key; did you mean dim?"),
    ("engine=exakt", "--set: engine: "),
    ("target.relative=2", "--set: target.relative: "),
    ("claims=[{kind: x}]", "--set: claims.0.kind: unknown claim (got 'x')"),
    ("x\x1b[2J=1", "--set"),
    ("panels." + "9" * 5000 + "=1", "--set"),
    ("a." * 2000 + "b=1", "--set"),
]


@pytest.mark.parametrize(("override", "message"), OVERRIDES, ids=lambda value: value[:20])
def test_bad_overrides(override, message, critparam, files, tmp_path):
    (tmp_path / "e.yaml").write_text(TEXT)
    before = files()
    for command in ("run", "validate"):
        done = critparam(command, "e.yaml", "--set", override)
        assert_refused(done, message, files, before)


def test_one_bad_file_stops_the_good_ones(critparam, tiny, files, tmp_path):
    (tmp_path / "bad.yaml").write_text(TEXT.replace("seed: 0", "seed: -1"))
    tiny()
    before = files()
    done = critparam("run", "tiny.yaml", "bad.yaml")
    assert_refused(done, "bad.yaml:13: seed: ", files, before)
