"""Located TOML: every key has the right line, every problem says file, line, key and fix."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, LocatedToml, dotted, nearest_name

FILE = Path("scenario.toml")

EXAMPLE = """\
# a comment = "not a key"
title = "Hello"
"quoted key" = 1
'single.quoted' = 2
text = \"\"\"
[not.a.table]
key = "no"
\"\"\"\"
raw = '''
x = 1
'''

[characters.ada]   # a header with a comment
robot = "adelino"
voice.name = "slt"
voice.rate = 1.1
when = 1979-05-27 07:32:00
list = [
    1,
    # between
    [2, 3],
    { a = 1, b.c = [4,
        5] },
]

[[seats]]
name = "left ] # \\" ["

  [[ seats ]]
  name = "right"
  [seats.pose]
  yaw = 90
  [[seats.tags]]
  tag = "a"

[characters.ada.modules."greeter two"]
category = "x"
[space.screens.table]
"""

LINES = {
    ("title",): 2,
    ("quoted key",): 3,
    ("single.quoted",): 4,
    ("text",): 5,
    ("raw",): 9,
    ("characters",): 13,
    ("characters", "ada"): 13,
    ("characters", "ada", "robot"): 14,
    ("characters", "ada", "voice"): 15,
    ("characters", "ada", "voice", "rate"): 16,
    ("characters", "ada", "when"): 17,
    ("characters", "ada", "list"): 18,
    ("characters", "ada", "list", 0): 19,
    ("characters", "ada", "list", 1): 21,
    ("characters", "ada", "list", 1, 1): 21,
    ("characters", "ada", "list", 2): 22,
    ("characters", "ada", "list", 2, "a"): 22,
    ("characters", "ada", "list", 2, "b", "c", 0): 22,
    ("characters", "ada", "list", 2, "b", "c", 1): 23,
    ("seats",): 26,
    ("seats", 0): 26,
    ("seats", 0, "name"): 27,
    ("seats", 1): 29,
    ("seats", 1, "name"): 30,
    ("seats", 1, "pose"): 31,
    ("seats", 1, "pose", "yaw"): 32,
    ("seats", 1, "tags", 0, "tag"): 34,
    ("characters", "ada", "modules"): 36,
    ("characters", "ada", "modules", "greeter two"): 36,
    ("characters", "ada", "modules", "greeter two", "category"): 37,
    ("space",): 38,
    ("space", "screens", "table"): 38,
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_way_to_write_a_key_has_its_line(line_end: str) -> None:
    document = LocatedToml(FILE, EXAMPLE.replace("\n", line_end))
    assert {path: document.line_of(path) for path in LINES} == LINES


def test_a_missing_key_has_the_line_of_the_table_around_it() -> None:
    document = LocatedToml(FILE, EXAMPLE)
    assert document.line_of(("characters", "ada", "modules", "gone", "key")) == 36
    assert document.line_of(("nothing", "here")) == 1
    assert not document.has(("characters", "ada", "modules", "gone"))
    assert document.has(("seats", 1, "pose"))


def test_an_explicit_table_after_an_implied_one_has_its_own_line() -> None:
    document = LocatedToml(FILE, "[a.b]\nx = 1\n[a]\ny = 2\n")
    assert [document.line_of(path) for path in [("a",), ("a", "b"), ("a", "y")]] == [3, 1, 4]


# --- generated documents: written in random styles by a writer that notes its own lines ---------

_keys = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)
_scalars = (
    st.integers(-9, 9)
    | st.booleans()
    | st.text(st.sampled_from(list("ab\"'#[]{}=,. \n\\\t")), max_size=9)
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=3),
    max_leaves=8,
)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.text = ""
        self.lines: dict[tuple[str | int, ...], int] = {}

    def note(self, path: tuple[str | int, ...]) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def key(self, key: str) -> str:
        if key.isascii() and key.isalnum() and self.rng.random() < 0.7:
            return key
        return f"'{key}'" if "'" not in key and self.rng.random() < 0.5 else _quoted(key)

    def gap(self) -> None:
        self.text += self.rng.choice(["", " ", "\n", "  # ] } \" '\n", "\n\n# x = 1\n"])

    def string(self, text: str) -> str:
        multi_line = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
        styles = [_quoted(text), f'"""\n{multi_line}"""']
        if "'''" not in text and not text.endswith("'"):
            styles.append(f"'''\n{text}'''")
        if '"""' not in text and "\\" not in text:  # up to two quotes may stand at the end
            styles.append(f'"""\n{text}"""')
        return self.rng.choice(styles)

    def value(self, path: tuple[str | int, ...], value: Any) -> None:
        if isinstance(value, dict):
            self.text += "{"
            for number, (key, inner) in enumerate(value.items()):
                self.text += ", " if number else " "
                self.pair(path, key, inner)
            self.text += "}"
        elif isinstance(value, list):
            self.text += "["
            for number, inner in enumerate(value):
                self.gap()
                self.note((*path, number))
                self.value((*path, number), inner)
                self.gap()
                self.text += "," if number < len(value) - 1 or self.rng.random() < 0.5 else ""
            self.gap()
            self.text += "]"
        else:
            self.text += self.string(value) if isinstance(value, str) else json.dumps(value)

    def pair(self, path: tuple[str | int, ...], key: str, value: Any) -> None:
        written = self.key(key)
        self.note((*path, key))
        while isinstance(value, dict) and len(value) == 1 and self.rng.random() < 0.5:
            path, (key, value) = (*path, key), next(iter(value.items()))  # a dotted key
            written += self.rng.choice([".", " . "]) + self.key(key)
            self.note((*path, key))
        self.text += written + self.rng.choice(["=", " = "])
        self.value((*path, key), value)

    def table(self, path: tuple[str | int, ...], header: list[str], table: dict[str, Any]) -> None:
        below: list[tuple[str, Any]] = []
        for key, value in table.items():
            tables = isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
            if (isinstance(value, dict) or tables) and self.rng.random() < 0.6:
                below.append((key, value))
            else:
                self.pair(path, key, value)
                self.text += self.rng.choice(["\n", "   # [no.table]\n", "\n\n"])
        for key, value in below:
            name = [*header, self.key(key)]
            for number, inner in enumerate(value if isinstance(value, list) else [value]):
                inside = (*path, key, number) if isinstance(value, list) else (*path, key)
                self.note((*path, key))
                self.note(inside)
                opening, closing = ("[[", "]]") if isinstance(value, list) else ("[", "]")
                self.text += f"{opening}{' . '.join(name)}{closing}\n"
                self.table(inside, name, inner)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(_keys, _values, max_size=4), st.randoms(use_true_random=False))
def test_for_generated_documents_the_line_found_is_the_right_one(
    tree: dict[str, Any], rng: random.Random
) -> None:
    writer = _Writer(rng)
    writer.table((), [], tree)
    assert tomllib.loads(writer.text) == tree
    document = LocatedToml(FILE, writer.text)
    assert {path: document.line_of(path) for path in writer.lines} == writer.lines


# --- files that cannot be read ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("[scenario]\ntitle = Hello\n", 2, 9, "`title = Hello` (texts stand in quotes"),
        ("a = 1\nb = [1,\n  2\n", 3, None, "not valid TOML"),
        ("[a]\n[b]\n[a]\n", 3, 3, "each table and key may be given once"),
        ("x = 'open\ny = 2\n", 1, None, "the quote that opens here is not closed"),
        ('x = """open\ny = 2\n', 1, None, "the quote that opens here is not closed"),
        ("x = 'open\ny = ''\n", 1, 10, "not valid TOML"),
    ],
)
def test_a_syntax_error_says_line_column_and_what_stands_there(
    tmp_path: Path, text: str, line: int, column: int | None, words: str
) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem) as caught:
        LocatedToml.load(path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert words in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_problem_and_nothing_else(text: str) -> None:
    refused = None
    try:
        document = LocatedToml(FILE, text)
    except FileProblem as problem:
        refused = problem
    if refused is None:
        assert all(document.has((key,)) for key in document.data)
    else:
        assert 1 <= (refused.line or 0) <= text.count("\n") + 1


def test_missing_folder_wrong_encoding_and_byte_order_mark(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="there is no such file"):
        LocatedToml.load(tmp_path / "none.toml")
    with pytest.raises(FileProblem):
        LocatedToml.load(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"a = 1\nb = 'caf\xe9'\n")
    with pytest.raises(FileProblem, match=r"latin\.toml:2: the byte 0xe9 .* UTF-8\)"):
        LocatedToml.load(latin)
    marked = tmp_path / "marked.toml"
    marked.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    assert LocatedToml.load(marked).line_of(("b",)) == 2


def test_brackets_without_end_are_a_problem_and_not_a_crash() -> None:
    with pytest.raises(FileProblem):
        LocatedToml(FILE, "a = " + "[" * 100_000)


# --- how a problem reads ------------------------------------------------------------------------


def test_a_problem_reads_as_file_line_key_sentence_nearest_and_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = FileProblem(
        tmp_path / "scenarios" / "hello" / "scenario.toml",
        "unknown module 'greter'",
        line=12,
        key="characters.ada.modules.greter",
        nearest="greeter",
        fix="`sera list modules` lists all",
    )
    assert str(problem) == (
        "scenarios/hello/scenario.toml:12: characters.ada.modules.greter: unknown module 'greter'; "
        "did you mean 'greeter'? (`sera list modules` lists all)"
    )
    assert problem.as_dict()["nearest"] == "greeter"
    assert problem.args == (str(problem),)


def test_names_are_quoted_in_a_dotted_key_where_they_need_it() -> None:
    assert dotted(("a", "b c", 0, "d")) == 'a."b c"[0].d'


def test_the_nearest_name_ignores_case_and_is_absent_where_nothing_is_near() -> None:
    assert nearest_name("GREETR", ["speaker", "Greeter"]) == "Greeter"
    assert nearest_name("zzz", ["speaker", "greeter"]) is None


class _Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    duration_s: float = Field(default=1.0, gt=0)
    mode: Literal["autonomous", "wizard"] = "wizard"


class _Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    parts: dict[str, _Inner] = {}
    rows: list[_Inner] = []
    size: float | tuple[float, float] = 1.0
    one: _Inner | None = None


def _problems(text: str) -> list[str]:
    document = LocatedToml(FILE, text)
    with pytest.raises(ValidationError) as caught:
        _Outer.model_validate(document.data)
    return [str(p) for p in problems_of(caught.value, document, _Outer, document.data)]


def test_unknown_keys_come_with_the_nearest_field_at_any_depth() -> None:
    text = "[parts.a]\nduration = 2\n[[rows]]\n[[rows]]\nmoed = 1\n[one]\nduratoin_s = 2\n"
    found = _problems(f"title = 'x'\n{text}")
    assert [line.removesuffix(" (known here: duration_s, mode)") for line in found] == [
        "scenario.toml:3: parts.a.duration: unknown key 'duration'; did you mean 'duration_s'?",
        "scenario.toml:6: rows[1].moed: unknown key 'moed'; did you mean 'mode'?",
        "scenario.toml:8: one.duratoin_s: unknown key 'duratoin_s'; did you mean 'duration_s'?",
    ]
    assert all(line.endswith(" (known here: duration_s, mode)") for line in found)


def test_wrong_values_say_what_is_wanted_what_was_given_and_the_unit() -> None:
    missing, not_a_number, not_a_mode, too_small = _problems(
        "[parts.a]\nduration_s = '5 s'\nmode = 'wizzard'\n[one]\nduration_s = -1\n"
    )
    assert missing == "scenario.toml:1: title: this key is missing (add it)"
    assert not_a_number == (
        "scenario.toml:2: parts.a.duration_s: must be a valid number, not '5 s' "
        "(write the number of seconds alone, without quotes)"
    )
    assert not_a_mode == (
        "scenario.toml:3: parts.a.mode: must be 'autonomous' or 'wizard', not 'wizzard'; "
        "did you mean 'wizard'?"
    )
    assert too_small == (
        "scenario.toml:5: one.duration_s: must be greater than 0, not -1 (it is in seconds)"
    )


def test_the_members_of_a_union_make_one_problem_and_a_value_is_no_table() -> None:
    found = _problems("title = 'x'\nsize = 'big'\nparts.a = 3\n")
    assert len(found) == 2
    assert found[0].startswith("scenario.toml:2: size: must be a valid number, not 'big'; or ")
    assert found[1].startswith("scenario.toml:3: parts.a: must be a table, not 3 (write [parts.a]")
