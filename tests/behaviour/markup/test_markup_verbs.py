"""Verbs are a registry that a workspace extends, in code or with a file."""

from __future__ import annotations

import pytest

from sera.behaviour.markup import (
    BUILT_IN_VERBS,
    Fallback,
    MarkupSyntax,
    Parameter,
    VerbRegistry,
    VerbSpec,
    load_verbs,
    parse,
)
from sera.runtime.located import FileProblems


def test_all_verbs_of_the_specification_are_there():
    assert set(BUILT_IN_VERBS.names) == {
        *("GAZE", "GLANCE", "POINT", "WAVE", "HIGHLIGHT", "ANIMATE", "HEADNOD", "HEADNODNEGATIVE"),
        *("FACE", "FACESHIFT", "EYEBLINK", "SLOWEYEBLINK", "SOUND", "GAME"),
    }
    assert all(verb.about for verb in BUILT_IN_VERBS)


def test_a_verb_with_and_in_its_name_is_one_verb_and_can_be_joined():
    stand = VerbSpec(name="STAND", parameters=BUILT_IN_VERBS.find("GAZE").parameters, joins=True)
    verbs = BUILT_IN_VERBS.with_verbs(stand)
    names = [verb.name for verb in verbs.split("gazeandstandANDpoint")]
    assert names == ["GAZE", "STAND", "POINT"]
    assert [verb.name for verb in verbs.split("STAND")] == ["STAND"]


@pytest.mark.parametrize("name", ["AND", "GAZEAND", "ANDGAZE", "GAZEANDANDPOINT", "AND" * 500])
def test_a_half_joined_name_is_no_verb_and_is_found(name):
    assert BUILT_IN_VERBS.split(name) == ()
    assert [one.code for one in parse(f"<{name}(x)>").problems] == ["unknown-verb"]


def test_a_registry_refuses_doubles_unknown_fallbacks_and_bad_specs():
    with pytest.raises(ValueError, match="GAZE is there already"):
        BUILT_IN_VERBS.with_verbs(VerbSpec(name="GAZE"))
    replaced = BUILT_IN_VERBS.with_verbs(VerbSpec(name="GAZE", about="mine"), replace=True)
    assert replaced.find("gaze").about == "mine"
    with pytest.raises(ValueError, match="falls back on HOP, which is no verb"):
        VerbRegistry([VerbSpec(name="SKIP", fallbacks=(Fallback("HOP"),))])
    with pytest.raises(ValueError, match="capitals"):
        VerbSpec(name="two words")
    with pytest.raises(ValueError, match="two parameters of one name"):
        VerbSpec(name="X", parameters=(Parameter(name="a"), Parameter(name="a")))
    with pytest.raises(ValueError, match="must be the last one"):
        VerbSpec(name="X", parameters=(Parameter(name="a", many=True), Parameter(name="b")))


def test_a_workspace_file_adds_verbs_that_lines_can_use(tmp_path):
    file = tmp_path / "verbs.toml"
    file.write_text(
        "[verbs.BOW]\n"
        'needs = "torso"\n'
        'fallbacks = ["HEADNOD", "BOW by lights"]\n'
        'parameters = [{ name = "n", kind = "count", default = 1, upper = 5 }]\n'
        'sends = { message = "PlayAnimation", animation = "bow", repeats = "{n}" }\n',
        encoding="utf-8",
    )
    verbs = load_verbs(file)
    assert verbs.find("BOW").fallbacks == (Fallback("HEADNOD"), Fallback("BOW", "lights"))
    line = parse("<bow> <BOW(5)> <BOW(6)>", MarkupSyntax(verbs=verbs))
    assert [str(step) for step in line.steps] == ["BOW(1)", "BOW(5)", "BOW(1)"]
    assert [one.code for one in line.problems] == ["bad-count"]


def test_everything_wrong_in_a_workspace_file_is_said_with_its_line(tmp_path):
    file = tmp_path / "verbs.toml"
    file.write_text(
        "[verbs.GAZE]\n"
        "[verbs.BOW]\n"
        'fallbacks = ["HEADNOT"]\n'
        'sends = { message = "PlayAnimaton" }\n'
        "[verbs.HOP]\n"
        'neds = "legs"\n'
        "[verbs.SKIP]\n"
        'parameters = [{ name = "n", kind = "cout" }]\n'
        "[verbs.'two words']\n"
        'sends = { message = "SessionMark", label = "x" }\n'
        "[verbs.SIT]\n"
        "[verb.X]\n",
        encoding="utf-8",
    )
    with pytest.raises(FileProblems) as caught:
        load_verbs(file)
    lines = {problem.line: str(problem) for problem in caught.value.problems}
    assert sorted(lines) == [1, 3, 4, 6, 8, 9, 11, 12]
    assert "GAZE is there already" in lines[1]
    assert "did you mean 'HEADNOD'?" in lines[3]
    assert "did you mean 'PlayAnimation'?" in lines[4]
    assert "did you mean 'needs'?" in lines[6]
    assert "capitals" in lines[9]
    assert "nothing says what the verb does" in lines[11]
    assert "did you mean 'verbs'?" in lines[12]
