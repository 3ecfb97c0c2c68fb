import json
import pickle
import tracemalloc
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from critparam.errors import CritparamError
from critparam_experiments.errors import ConfigError, FolderInUseError, RunError, dotted, one_line
from critparam_experiments.yaml_loader import MAX_DEPTH, MAX_SIZE, load_file, load_text, parse_value

SCALARS = [
    # integers
    ("0", 0),
    ("-7", -7),
    ("+7", 7),
    ("010", 10),
    ("0o17", 15),
    ("0x1F", 31),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    # floats
    ("1e-3", 1e-3),
    ("1.0e-4", 1e-4),
    ("1E+3", 1e3),
    (".5", 0.5),
    ("-2.", -2.0),
    ("+.5e1", 5.0),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    # the rest of the core schema
    ("true", True),
    ("True", True),
    ("FALSE", False),
    ("null", None),
    ("~", None),
    # what YAML 1.1 or Python would read as something else
    ("on", "on"),
    ("off", "off"),
    ("yes", "yes"),
    ("no", "no"),
    ("y", "y"),
    ("12:30:00", "12:30:00"),
    ("190:20", "190:20"),
    ("2001-01-01", "2001-01-01"),
    ("1_000", "1_000"),
    ("1_0.5", "1_0.5"),
    ("0b11", "0b11"),
    ("0o9", "0o9"),
    ("-0x1", "-0x1"),
    ("inf", "inf"),
    ("NaN", "NaN"),
    ("1e", "1e"),
    (".", "."),
    ("tRUE", "tRUE"),
    ("١٢", "١٢"),  # digits, but not those of YAML
    ("=", "="),
    # quoted is text
    ("'1'", "1"),
    ('"true"', "true"),
    ("''", ""),
    ("'<<'", "<<"),
    (r'"\ud83d\ude00"', "\U0001f600"),
    # collections
    ("[1, a, [true, ~]]", [1, "a", [True, None]]),
    ("{a: 1, noise.M: [10]}", {"a": 1, "noise.M": [10]}),
    ("{}", {}),
    ("|\n  two\n  lines\n", "two\nlines\n"),
]

REFUSED = [
    # repeated keys and keys that are not text
    ("a: 1\nb: 2\na: 3", "f:3: a: duplicate key 'a', first given on line 1"),
    ("p:\n- q: {r: 1,\n   r: 1}", "f:3: p.0.q.r: duplicate key 'r', first given on line 2"),
    ("a: 1\n'a': 1", "f:2: a: duplicate key 'a', first given on line 1"),
    ("a:\n  1: x", "f:2: a: a key must be text, quoted if need be (got 1)"),
    ("true: x", "f:1: a key must be text, quoted if need be (got true)"),
    ("~: x", "f:1: a key must be text, quoted if need be (got ~)"),
    ("?\n: x", "f:1: a key must be text, quoted if need be (got nothing)"),
    ("? [a, b]\n: x", "f:1: a key must be text, quoted if need be (got a list or mapping)"),
    ("? {a: b}\n: x", "f:1: a key must be text, quoted if need be (got a list or mapping)"),
    # numbers
    ("a: [1,\n .inf]", "f:2: a.1: numbers must be finite (got .inf)"),
    ("a: -.INF", "f:1: a: numbers must be finite (got -.INF)"),
    ("a: .nan", "f:1: a: numbers must be finite (got .nan)"),
    ("a: 1e999", "f:1: a: numbers must be finite (got 1e999)"),
    (
        "a: 9223372036854775808",
        "f:1: a: integer does not fit in 64 bits (got 9223372036854775808)",
    ),
    (
        "a: -0" + "9" * 5000,
        "f:1: a: integer does not fit in 64 bits (got -0" + "9" * 58 + ")",
    ),
    ("a: 0x10000000000000000", "f:1: a: integer does not fit in 64 bits (got 0x10000000000000000)"),
    # features that build, repeat or merge
    ("a: 1\nb: &x 2", "f:2: b: anchors and aliases are not accepted"),
    ("a: *x", "f:1: a: anchors and aliases are not accepted"),
    ("&x a: 1", "f:1: anchors and aliases are not accepted"),
    ("&x\na: 1", "f:1: anchors and aliases are not accepted"),
    ("a: &x [*x]", "f:1: a: anchors and aliases are not accepted"),
    ("b:\n  <<: {a: 1}", "f:2: b: merge keys are not accepted (got <<)"),
    ("a: !!str x", "f:1: a: tags are not accepted (got !!str)"),
    ("a: !foo x", "f:1: a: tags are not accepted (got !foo)"),
    ("a: ! x", "f:1: a: tags are not accepted (got !)"),
    ("!!str a: x", "f:1: tags are not accepted (got !!str)"),
    ("a: !!set {b}", "f:1: a: tags are not accepted (got !!set)"),
    (
        "a: !!python/object/apply:os.system [id]",
        "f:1: a: tags are not accepted (got !!python/object/apply:os.system)",
    ),
    # documents
    ("", "f: is empty"),
    ("\ufeff\n", "f: is empty"),
    ("# only a comment\n", "f: is empty"),
    ("---", "f:1: the top level must be a mapping (got None)"),
    ("- 1\n- 2", "f:1: the top level must be a mapping (got [1, 2])"),
    ("just text", "f:1: the top level must be a mapping (got 'just text')"),
    ("a: 1\n---\nb: 2", "f:2: several documents in one file are not accepted"),
    ("a: 1\n---\n", "f:2: several documents in one file are not accepted"),
    # text that is not YAML, or not text
    ("a: 1\nb: [1, 2", "f:2: not valid YAML: expected ',' or ']', but got '<stream end>' while"),
    ("a:\n\tb: 1", "f:2: not valid YAML: found character '\\t' that cannot start any token"),
    ("a: b: c", "f:1: not valid YAML: mapping values are not allowed here"),
    ('a: "\\q"', "f:1: not valid YAML: found unknown escape character 'q'"),
    ('a: 1\nb: "\\UFFFFFFFF"', "f:2: not valid YAML: number out of range"),
    ('a: "\\U00110000"', "f:1: not valid YAML: number out of range"),
    ("%YAML 1." + "1" * 5000 + "\n---\na: 1", "f:1: not valid YAML: number out of range"),
    ('a: "\\ud800"', "f:1: a: half of a surrogate pair is not a character"),
    ("a: 1\nb: \x00", "f:2: not valid YAML: character U+0000"),
    ("a: \x1b[31m", "f:1: not valid YAML: character U+001B"),
    ("a: \ud800", "f:1: not valid YAML: character U+D800"),
    # a path never breaks the line
    ('"x\\n\\e[31m\\u202e": .nan', "f:1: x\\n\\x1b[31m\\u202e: numbers must be finite (got .nan)"),
]

TOO_DEEP = {
    "lists": "a: " + "[" * 100_000,
    "mappings": "a: " + "{b: " * 100_000,
    "closed": "a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH,
    "own lines": "a: " + "[\n" * 100_000,
    "dashes": "a:\n " + "- " * 100_000,
    "indented": "\n".join(" " * level + "a:" for level in range(100)) + " 1",
}


def refusal(call, *arguments) -> str:
    with pytest.raises(ConfigError) as caught:
        call(*arguments)
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_value_follows_yaml_1_2(text, value):
    for found in (parse_value(text), load_text(f"key: {text}", "f").data["key"]):
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refused_with_one_line_that_says_where(text, message):
    assert refusal(load_text, text, "f").startswith(message)


@pytest.mark.parametrize("name", TOO_DEEP)
def test_deep_nesting_is_refused(name):
    assert f": nested more than {MAX_DEPTH} deep" in refusal(load_text, TOO_DEEP[name], "f")


def test_complex_keys_are_refused_before_they_nest():
    assert "a key must be text" in refusal(load_text, "? " * 100_000, "f")


def test_deepest_accepted_nesting():
    data = load_text("a: " + "[" * (MAX_DEPTH - 1) + "1" + "]" * (MAX_DEPTH - 1), "f").data["a"]
    for _ in range(MAX_DEPTH - 1):
        (data,) = data
    assert data == 1


def test_alias_bomb_is_refused_at_its_first_anchor():
    layers = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30)]
    text = "\n".join(["l0: &l0 lol", *layers])
    assert refusal(load_text, text, "f") == "f:1: l0: anchors and aliases are not accepted"


def test_lines_of_every_key_and_item():
    text = "a:\n  - b: 1\n\n    c: [1,\n        {d: 2}]\n  -\n    x\n# comment\ne:\n"
    document = load_text(text, "f")
    assert document.source == "f"
    assert document.data == {"a": [{"b": 1, "c": [1, {"d": 2}]}, "x"], "e": None}
    assert document.lines == {
        (): 1,
        ("a",): 1,
        ("a", 0): 2,
        ("a", 0, "b"): 2,
        ("a", 0, "c"): 4,
        ("a", 0, "c", 0): 4,
        ("a", 0, "c", 1): 5,
        ("a", 0, "c", 1, "d"): 5,
        ("a", 1): 7,
        ("e",): 9,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--set: is empty"),
        ("  ", "--set: is empty"),
        ("{a: 1, a: 2}", "--set: a: duplicate key 'a'"),
        ("[1, .nan]", "--set: 1: numbers must be finite (got .nan)"),
        ("!!int 3", "--set: tags are not accepted (got !!int)"),
        ("&x 3", "--set: anchors and aliases are not accepted"),
        ("1\n--- 2", "--set: several documents in one file are not accepted"),
        ("[" * 100_000, "--set: 0.0"),
        ("a" * (MAX_SIZE + 1), f"--set: larger than {MAX_SIZE} characters"),
    ],
)
def test_value_from_the_command_line_is_refused_by_the_same_rules(text, message):
    assert refusal(parse_value, text).startswith(message)


def test_text_over_the_limit_is_refused():
    assert "larger than" in refusal(load_text, "a: 1\n" + "#" * MAX_SIZE, "f")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a: 1\nb: \xff\xfe", ":2: not UTF-8 text (got byte 0xff)"),
        ("a: 1".encode("utf-16"), ":1: not UTF-8 text (got byte 0xff)"),
        ("a: 1".encode("utf-16-le"), ":1: not valid YAML: character U+0000"),
        (b"\x7fELF\x02\x01\x01\x00\x00", ":1: not valid YAML: character U+007F"),
        (b"a: \xed\xa0\x80", ":1: not UTF-8 text (got byte 0xed)"),
        (b"", ": is empty"),
    ],
)
def test_bytes_that_are_not_a_text_are_refused(tmp_path, raw, message):
    path = tmp_path / "f.yaml"
    path.write_bytes(raw)
    assert refusal(load_file, path) == f"{path}{message}"


def test_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes("\ufeffa: é\r\nb: 1\r\n".encode())
    document = load_file(path)
    assert document.data == {"a": "é", "b": 1}
    assert document.source == str(path)
    assert document.lines["b",] == 2


def test_size_limit_counts_bytes(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\n#" + b"x" * (MAX_SIZE - 6))
    assert load_file(path).data == {"a": 1}
    path.write_text("a: 1\n#" + "é" * (MAX_SIZE // 2), encoding="utf-8")
    assert refusal(load_file, path) == f"{path}: larger than {MAX_SIZE} bytes"


def test_huge_file_is_never_read_whole(tmp_path):
    path = tmp_path / "f.yaml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    tracemalloc.start()
    try:
        message = refusal(load_file, path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert message == f"{path}: larger than {MAX_SIZE} bytes"
    assert peak < 5 * MAX_SIZE


def test_files_that_cannot_be_opened(tmp_path):
    assert refusal(load_file, tmp_path / "x\ny") == f"{tmp_path}/x\\ny: no such file"
    assert refusal(load_file, tmp_path) == f"{tmp_path}: cannot be read: is a directory"
    assert refusal(load_file, Path("a\0b")).startswith("a\\x00b: cannot be read")
    (tmp_path / "file").touch()
    assert "cannot be read: not a directory" in refusal(load_file, tmp_path / "file" / "below")


def test_unreadable_file(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    # Not by chmod: tests may run as root, who may read everything.
    monkeypatch.setattr(Path, "open", refuse)
    message = refusal(load_file, tmp_path / "f")
    assert message == f"{tmp_path}/f: cannot be read: permission denied"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ConfigError("is wrong"), "is wrong"),
        (ConfigError("is wrong", "f"), "f: is wrong"),
        (ConfigError("is wrong", "f", 3), "f:3: is wrong"),
        (ConfigError("is wrong", path="a.b"), "a.b: is wrong"),
        (ConfigError("is wrong", "f", 3, "a.b", got="1"), "f:3: a.b: is wrong (got 1)"),
        (
            ConfigError("unknown key", "f", 3, "a.dely", got="dely", suggestion="delay"),
            "f:3: a.dely: unknown key (got dely); did you mean delay?",
        ),
        (
            ConfigError("r\ne", "f\r", 1, "a\u2028b", got="\x1b", suggestion="\n"),
            "f\\r:1: a\\u2028b: r\\ne (got \\x1b); did you mean \\n?",
        ),
        (ConfigError("r", "", 1, "k" * 300), "1: " + "k" * 197 + "...: r"),
    ],
)
def test_message_leaves_out_what_is_unknown(error, message):
    assert str(error) == message


def test_errors_carry_their_exit_codes_and_parts():
    codes = {ConfigError: 2, RunError: 3, FolderInUseError: 4}
    assert {kind: kind.exit_code for kind in codes} == codes
    assert all(issubclass(kind, CritparamError) for kind in codes)
    error = ConfigError("wrong", "f", 3, "a.b", got="1")
    copy = pickle.loads(pickle.dumps(error))  # as when a worker process raises it
    for each in (error, copy):
        assert (each.source, each.line, each.path, each.reason) == ("f", 3, "a.b", "wrong")
        assert str(each) == "f:3: a.b: wrong (got 1)"


def test_dotted_and_one_line():
    assert dotted(("panels", 0, "noise.M")) == "panels.0.noise.M"
    assert one_line("a\ud800\nb", limit=100) == "a\\ud800\\nb"
    assert one_line("abcdefgh", limit=6) == "abc..."


def mappings(text):
    """JSON-like mappings whose keys and strings are drawn from `text`."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | finite | text
    values = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )
    return st.dictionaries(text, values, max_size=5)


PRINTABLE = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp")), max_size=20)
# Without digits: PyYAML leaves the text "1e5" unquoted, which YAML 1.2 reads as a number.
PUNCTUATION = st.text("abenouflrsty yes~<=.-_:#'\"{}[],&*!|>%@`?\\é", max_size=12)
PIECES = (
    *"abn019-+.:?,[]{}#&*!|>%@`'\"\\ \t\n\r\x85\u2028\ufeff\0~=<",
    *("\n- ", "\n  ", ": ", "? ", "---\n", "...\n", "<<: ", "!!", "&a", "*a", "|2-\n", ">+\n"),
    *("%YAML 1.1\n", "%TAG ! tag:x,2000:\n", '"\\U', '"\\x', "!<", "%41", ".inf", "0x", "1e"),
)
YAML_LIKE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def same(found, expected) -> bool:
    """Equal in types as well, so that 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    return repr(found) == repr(expected)


@given(mappings(PRINTABLE), st.booleans(), st.sampled_from([None, 2]))
@settings(deadline=None)
def test_json_reads_back_equal(data, ascii_only, indent):
    text = json.dumps(data, ensure_ascii=ascii_only, indent=indent)
    assert same(load_text(text, "f").data, data)
    assert same(parse_value(text), data)


@given(mappings(PUNCTUATION), st.sampled_from([None, True, False]))
@settings(deadline=None)
def test_yaml_reads_back_equal(data, flow):
    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, _):
            return True

    text = yaml.dump(data, Dumper=Dumper, default_flow_style=flow, sort_keys=False)
    assert same(load_text(text, "f").data, data)


@given(mappings(PUNCTUATION))
@settings(deadline=None)
def test_every_path_has_a_line(data):
    def paths(value, path=()):
        yield path
        pairs = enumerate(value) if isinstance(value, list) else ()
        for key, inner in value.items() if isinstance(value, dict) else pairs:
            yield from paths(inner, (*path, key))

    document = load_text(json.dumps(data, indent=1), "f")
    assert set(document.lines) == set(paths(data))


def message_of(call, *arguments) -> str:
    """The message of the ConfigError that the call raises; empty if it raises nothing."""
    try:
        call(*arguments)
    except ConfigError as error:
        return str(error)
    return ""


@given(st.text() | YAML_LIKE)
@settings(deadline=None, max_examples=500)
def test_arbitrary_text_raises_nothing_but_config_errors(text):
    assert message_of(load_text, text, "f").isprintable()
    assert message_of(parse_value, text).isprintable()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("yaml") / "f.yaml"


@given(st.binary() | YAML_LIKE.map(str.encode))
@settings(deadline=None)
def test_arbitrary_bytes_raise_nothing_but_config_errors(scratch, raw):
    scratch.write_bytes(raw)
    assert message_of(load_file, scratch).isprintable()
