"""A body that lacks something does the declared fallback and says so."""

from __future__ import annotations

import pytest

from sera.behaviour.markup import (
    BUILT_IN_VERBS,
    Abilities,
    Fallback,
    MarkupSyntax,
    VerbSpec,
    fill,
    parse,
    resolve,
)

ALL = frozenset(verb.needs for verb in BUILT_IN_VERBS if verb.needs)


def outcome(text: str, **abilities):
    abilities.setdefault("channels", ALL)
    abilities["channels"] = frozenset(abilities["channels"])
    return resolve(parse(text), Abilities(**abilities))


def test_a_body_with_everything_does_everything_as_written():
    text = "<GAZEANDPOINTANDHIGHLIGHT(board)> <EYEBLINK> hi <FACE(joy)> <SOUND(bell)> <HEADNOD>"
    result = outcome(text)
    assert result.substitutions == ()
    assert [step.verb for step in result.steps] == [step.verb for step in parse(text).steps]
    assert [step.means for step in result.steps] == [
        *("gaze", "arms", "screen", "lids", "face", "sound", "head")
    ]


def test_without_an_arm_pointing_is_done_by_gaze_at_the_same_word():
    result = outcome("look <POINT(board, 2)> there", channels={"gaze"})
    (step,) = result.steps
    assert (str(step), step.word, step.means) == ("GAZE(board)", 1, "gaze")
    (said,) = result.substitutions
    assert (said.wanted, said.done) == ("POINT(board, 2)", "GAZE(board)")
    assert said.why == "the body has no arms"
    assert (said.word, said.start) == (1, 5)


def test_gaze_and_point_without_an_arm_gazes_once_and_says_so():
    result = outcome("<GAZEANDPOINT(board)>", channels={"gaze"})
    assert [str(step) for step in result.steps] == ["GAZE(board)"]
    assert [(one.wanted, one.done) for one in result.substitutions] == [
        ("POINT(board)", "GAZE(board)")
    ]


@pytest.mark.parametrize(
    ("text", "channels", "done"),
    [
        ("<EYEBLINK(2)>", {"lights"}, "EYEBLINK(2) by lights"),
        ("<SLOWEYEBLINK>", {"lights"}, "SLOWEYEBLINK(1) by lights"),
        ("<HEADNOD>", {"torso", "lights"}, "HEADNOD(2) by torso"),
        ("<HEADNODNEGATIVE>", {"lights"}, "HEADNODNEGATIVE(2) by lights"),
        ("<FACE(joy)>", {"lights"}, "FACE(joy) by lights"),
        ("<WAVE(throughMap)>", {"gaze"}, "GAZE(throughMap)"),
        ("<HIGHLIGHT(board)>", {"arms", "gaze"}, "POINT(board)"),
        ("<HIGHLIGHT(board)>", {"gaze"}, "GAZE(board)"),
        ("<GAZE(board)>", set(), None),
        ("<EYEBLINK>", {"gaze"}, None),
        ("<SOUND(bell)>", {"gaze"}, None),
        ("<ANIMATE(nod)>", {"gaze"}, None),
    ],
)
def test_each_lack_has_its_declared_fallback_or_none_and_is_said(text, channels, done):
    result = outcome(text, channels=channels)
    (said,) = result.substitutions
    assert said.done == done
    assert said.why.startswith("the body has no ")
    assert len(result.steps) == (done is not None)


def test_an_animation_that_is_not_there_becomes_the_declared_or_nearest_one_or_none():
    text = "<ANIMATE(gestureLeft)> <ANIMATE(nodLefty)> <ANIMATE(zzz)> <ANIMATE(NODLEFT)>"
    result = outcome(text, animations=("nodLeft", "sweep"), instead={"gestureLeft": "sweep"})
    assert [str(step) for step in result.steps] == [
        "ANIMATE(sweep)",
        "ANIMATE(nodLeft)",
        "ANIMATE(nodLeft)",
    ]
    assert [(one.wanted, one.done, one.why) for one in result.substitutions] == [
        ("ANIMATE(gestureLeft)", "ANIMATE(sweep)", "there is no animation gestureLeft"),
        ("ANIMATE(nodLefty)", "ANIMATE(nodLeft)", "there is no animation nodLefty"),
        ("ANIMATE(zzz)", None, "there is no animation zzz"),
    ]


def test_an_unknown_target_is_said_and_nobody_else_is_looked_at():
    result = outcome("<GAZE(bord)>", targets=("board",))
    assert result.steps == ()
    assert [(one.wanted, one.done, one.why) for one in result.substitutions] == [
        ("GAZE(bord)", None, "there is no target bord")
    ]


def test_a_tag_without_a_value_is_said():
    filled = fill("hi <GAZE(/who/)> \\pau=/wait/\\ you", {})
    result = resolve(filled, Abilities(channels=ALL))
    assert result.steps == ()
    assert [(one.wanted, one.done, one.word) for one in result.substitutions] == [
        ("GAZE(who)", None, 1),
        ("\\pau=/wait/\\", None, 1),
    ]


@pytest.mark.parametrize(
    "faulty",
    ["<DANCE(x)>", "<GAZE>", "<GAZE board>", "</b>", "\\pau=soon\\", "\\vol=3\\", "\\pau=300"],
)
def test_what_could_not_be_read_is_said_too(faulty):
    result = outcome(f"one {faulty} two <HEADNOD>")
    assert [str(step) for step in result.steps] == ["HEADNOD(2)"]
    (said,) = result.substitutions
    assert (said.wanted, said.done, said.word, said.start) == (faulty, None, 1, 4)
    assert said.why


def test_a_count_that_could_not_be_taken_is_said_with_the_usual_one_that_is_done():
    result = outcome("one <HEADNOD(many)> two")
    assert [(one.wanted, one.done, one.word) for one in result.substitutions] == [
        ("<HEADNOD(many)>", "HEADNOD(2)", 1)
    ]
    assert "not `many`" in result.substitutions[0].why


def test_every_step_is_done_or_substituted_whatever_the_body_lacks():
    text = " ".join(
        f"<{verb.name}({'x' if verb.parameters[0].required else 2})> word"
        for verb in BUILT_IN_VERBS
    )
    for lacking in [*ALL, None]:
        result = outcome(text, channels=ALL - {lacking} if lacking else set())
        replaced = {one.start for one in result.substitutions}
        done = {step.start for step in result.steps}
        assert replaced | done == {step.start for step in parse(text).steps}


def test_fallbacks_that_go_in_a_circle_end():
    verbs = BUILT_IN_VERBS.with_verbs(
        VerbSpec(name="HOP", needs="legs", fallbacks=(Fallback("SKIP"),)),
        VerbSpec(name="SKIP", needs="feet", fallbacks=(Fallback("HOP"),)),
    )
    result = resolve(parse("<HOP>", MarkupSyntax(verbs=verbs)), Abilities(channels=ALL))
    assert result.steps == ()
    assert result.substitutions[0].done is None
