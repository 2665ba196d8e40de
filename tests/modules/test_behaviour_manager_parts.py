"""What the behaviour manager tells and keeps: reasons, conflicts, memories, verbs, targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sera.messages import (
    ActivityCommand,
    BehaviourState,
    Envelope,
    Gaze,
    Highlight,
    LibraryLoaded,
    ModuleFault,
    OrderConflict,
    PlayAnimation,
    PlayMedia,
    Point,
    QuestionAsked,
    SetEyesLight,
    SetFace,
    Speak,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)

LINES = """\
ID;CATEGORY;TEXT en;TEXT pt;QUESTION;REPETITIONS
two-1;two;One.;Um.;;
two-2;two;Two.;Dois.;;
once;once;Only today.;;;session
ever;ever;Only once in your life.;;;ever
ask;ask;What is it?;;yes;
face;acts;<FACE(joy)> <FACESHIFT(sadness)> <SOUND(bell)> <GAME(play, a, b)> Look.;;;
silent;acts;<ANIMATE(nod)> <GLANCE(topLeft, 2)>;;;
place;acts;<POINTANDHIGHLIGHT(tower)> There it is.;;;
lost;acts;<GAZE(nowhere)> Hm.;;;
"""
SCENARIO = """
[scenario]
title = "Play"
seed = 3
duration_s = 60
{more}
[space.screens.table]
position_m = [0.0, 0.0, 0.5]
pitch_deg = -90
width_m = 1.0
height_m = 0.6
pixels = [1000, 600]
[people.guest]
position_m = [0.5, 0.0, 0.5]
[characters.bob]
position_m = [-1.0, 0.0, 1.0]
[characters.ada]
robot = "nao"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
{settings}
[characters.ada.modules.speaker]
[characters.ada.modules.engine]
module = "animation_engine"
rate_hz = 20
[characters.ada.modules.actor]
module = "./actor.py:Actor"
[characters.ada.modules.other]
module = "./other.py:Other"
"""
OTHER = """
from sera import Module
from sera.messages import *
from sera.runtime import Role

class Other(Module):
    role = Role.WIZARD
    async def run(self):
        await self.clock.sleep(1.0)
        for order in {orders}:
            await self.publish(order)
"""
SAY = "await self.publish(PerformUtterance({0}))\nawait self.clock.sleep({1})\n"

Play = Callable[..., list[Envelope]]


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Play:
    """Run lines and orders of two modules in virtual time; what was said comes back."""

    def run(
        body: str, *, settings: str = "", orders: str = "[]", files: dict[str, str] | None = None
    ) -> list[Envelope]:
        return acted(
            SCENARIO.format(settings=settings, more=""),
            body,
            {"lines.csv": LINES, "other.py": OTHER.format(orders=orders), **(files or {})},
        )

    return run


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


def say(what: str, for_s: float = 4.0) -> str:
    return SAY.format(what, for_s)


def test_every_look_says_why_and_the_eyes_shine_when_they_meet(play):
    seen = play("""
    await self.publish(PersonDetected(person="visitor", position=Position(x_m=0, y_m=0.2, z_m=1)))
    await self.clock.sleep(1)
    straight = Direction(horizontal_deg=180)
    await self.publish(HeadDirection(person="visitor", direction=straight, eye_contact=True))
    await self.clock.sleep(4)
    await self.publish(GazeAt(target="topLeft"))
    await self.clock.sleep(4)
    """)
    reasons = {each.reason.partition(":")[0] for each in of(seen, Gaze)}
    assert all(each.reason for each in of(seen, Gaze))
    assert {"mutual", "order"} & reasons
    levels = [each.level for each in of(seen, SetEyesLight)]
    assert levels[0] == 0.3
    assert 1.0 in levels
    assert of(seen, BehaviourState)[-1].owners["gaze"] == "ada.actor"


def test_a_conflict_of_two_modules_is_settled_and_told(play):
    seen = play(
        'await self.publish(PerformUtterance(text="one two three four five six seven"))\n'
        "await self.clock.sleep(0.99)\n"
        'await self.publish(PerformUtterance(category="two"))\n'
        'await self.publish(GazeAt(target="topLeft"))\n'
        "await self.clock.sleep(8)\n",
        orders='[PerformUtterance(category="two"), GazeAt(target="bottomRight")]',
    )
    conflicts = {each.order: each for each in of(seen, OrderConflict)}
    assert conflicts.keys() == {"category:two", "gaze"}
    assert {each.rule for each in conflicts.values()} == {"newest"}
    assert conflicts["gaze"].kept_source == "ada.other"
    (dropped,) = [each for each in of(seen, UtteranceCancelled) if each.reason == "superseded"]
    assert dropped.utterance == conflicts["category:two"].dropped
    assert len(of(seen, UtteranceStarted)) == 2


def test_a_higher_priority_stands_against_a_newer_order(play):
    seen = play(
        'await self.publish(PerformUtterance(text="one two three four five six seven"))\n'
        "await self.clock.sleep(0.99)\n"
        'await self.publish(PerformUtterance(category="two", priority=0))\n'
        "await self.clock.sleep(8)\n",
        orders='[PerformUtterance(category="two", priority=-5)]',
    )
    (conflict,) = of(seen, OrderConflict)
    assert (conflict.rule, conflict.kept_source) == ("priority", "ada.actor")


def test_what_waits_is_visible_with_who_ordered_it(play):
    seen = play(
        'await self.publish(PerformUtterance(text="one two three four five six seven"))\n'
        'await self.publish(PerformUtterance(line="two-1", priority=0))\n'
        "await self.clock.sleep(8)\n"
    )
    states = of(seen, BehaviourState)
    waiting = next(each for each in states if each.waiting)
    assert (waiting.doing, waiting.owners["speech"]) == ("performing", "ada.actor")
    assert [(each.text, each.source) for each in waiting.waiting] == [("One.", "ada.actor")]
    assert (states[-1].doing, states[-1].waiting) == ("stand_by", [])


def test_the_sheet_that_was_read_is_told_with_its_findings(play):
    broken = LINES + "bad;acts;<ANIMATE(nodd)> <GAZZE(x)> Oh.;;;\n"
    seen = play("await self.clock.sleep(1)\n", files={"lines.csv": broken})
    (loaded,) = of(seen, LibraryLoaded)
    assert (loaded.library, loaded.lines, loaded.replaced) == ("lines", 10, True)
    told = {each.code: each for each in loaded.findings}
    assert "nod" in told["unknown-animation"].message
    assert "row 11" in told["unknown-verb"].place
    assert loaded.errors >= 2


def test_the_choice_says_how_it_came_about(play):
    seen = play(say('category="two"') * 3)
    choices = [each.choice for each in of(seen, UtteranceStarted)]
    assert [each.bag_left for each in choices] == [1, 0, 1]
    assert [each.refilled for each in choices] == [True, False, True]
    assert choices[0].place.endswith("row 2") or choices[0].place.endswith("row 3")


def test_a_line_is_said_in_the_language_asked_for_and_the_voice_is_told(play):
    order = say('category="two", language="pt-PT"') + say('line="once", language="pt"', 1.0)
    seen = play(order, settings='language = "en"')
    assert of(seen, Speak)[0].language == "pt-PT"
    assert of(seen, UtteranceStarted)[0].text in {"Um.", "Dois."}
    (refused,) = of(seen, UtteranceCancelled)
    assert "no text in 'pt', only in en" in refused.detail


def test_once_and_for_ever_is_kept_for_a_participant_across_runs(play, tmp_path):
    kept = tmp_path / "kept"
    settings = f'memories = "{kept}"\nparticipant = "p07"'
    seen = play(say('category="ever"') * 2, settings=settings)
    assert len(of(seen, UtteranceStarted)) == 1
    assert "once and for ever" in of(seen, UtteranceCancelled)[0].detail
    (file,) = kept.iterdir()
    assert '"ever": {\n  "ever": 1' in file.read_text(encoding="utf-8")


def test_a_second_run_of_a_study_remembers_and_another_participant_is_new(play, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "memory-p07.json").write_text(
        '{"format": 1, "participant": "p07", "session": "s1", '
        '"this_session": {"once": 1}, "ever": {"ever": 1, "once": 1}}',
        encoding="utf-8",
    )
    assign = (
        "await self.publish(ConditionAssigned(session='{0}', participant='{1}', condition='x'))\n"
        "await self.clock.sleep(0.2)\n"
    )
    lines = say('category="ever"') + say('category="once"')
    body = assign.format("s2", "p07") + lines + assign.format("s3", "p08") + lines
    seen = play(body, settings=f'memories = "{kept}"')
    assert [each.line for each in of(seen, UtteranceStarted)] == ["once", "ever", "once"]


def test_faces_sounds_and_moves_in_the_game_are_messages(play):
    seen = play(say('line="face"'), files={"policies.toml": ""})
    assert [(f.face, f.hold_s) for f in of(seen, SetFace)] == [("joy", 2.0), ("sadness", None)]
    assert [each.media for each in of(seen, PlayMedia)] == ["bell"]
    (command,) = of(seen, ActivityCommand)
    assert (command.command, command.data) == ("play", {"parameters": ["a", "b"]})


def test_a_line_without_words_lasts_as_long_as_its_actions(play):
    seen = play(say('line="silent"', 6.0))
    (finished,) = of(seen, UtteranceFinished)
    assert 2.0 <= finished.duration_s <= 3.0
    assert of(seen, Speak) == []
    assert "non_verbal_waiting" in {each.doing for each in of(seen, BehaviourState)}


def test_a_place_on_the_screen_is_pointed_at_and_highlighted(play):
    seen = play(
        "here = ScreenPoint(screen='table', x_px=900, y_px=300)\n"
        "await self.publish(TargetUpdated(target='tower', point=here))\n"
        + say('line="place"')
        + "await self.publish(TargetRemoved(target='tower'))\n"
        + say('line="place"')
    )
    highlights = of(seen, Highlight)
    assert (highlights[0].element, highlights[0].point.x_px) == ("tower", 900)
    assert highlights[1].point is None
    (point,) = of(seen, Point)
    # Readers sit across the table: their right is the robot's left.
    assert point.direction.horizontal_deg < -20
    later = of(seen, UtteranceFinished)[1]
    assert [each.wanted for each in later.substitutions] == ["POINT(tower)"]


def test_what_a_line_cannot_do_is_in_its_result(play):
    seen = play(say('line="lost"'))
    (finished,) = of(seen, UtteranceFinished)
    (gone,) = finished.substitutions
    assert (gone.wanted, gone.done) == ("GAZE(nowhere)", None)
    assert "nowhere" in gone.why


def test_people_and_characters_of_the_file_can_be_looked_at_before_anybody_sees_them(play):
    seen = play(
        'await self.publish(GazeAt(target="guest"))\nawait self.clock.sleep(2)\n'
        'await self.publish(GazeAt(target="bob"))\nawait self.clock.sleep(2)\n'
    )
    looks = {each.target: each.direction.horizontal_deg for each in of(seen, Gaze)}
    assert looks["guest"] == pytest.approx(-48.0, abs=0.2)
    assert looks["bob"] == pytest.approx(46.5, abs=0.2)
    assert not any("target" in fault.summary for fault in of(seen, ModuleFault))


def test_a_question_says_who_was_asked_and_which_line_it_was(play):
    seen = play(
        "here = Position(x_m=0, y_m=0, z_m=1)\n"
        "await self.publish(PersonDetected(person='visitor', position=here))\n"
        "await self.publish(GazeAt(target='visitor'))\n" + say('line="ask"', 12.0)
    )
    (asked,) = of(seen, QuestionAsked)
    assert (asked.line, asked.person) == ("ask", "visitor")


def test_a_workspace_has_verbs_and_policies_of_its_own(play):
    verbs = (
        '[verbs.BOW]\nneeds = "torso"\nfallbacks = ["HEADNOD"]\n'
        'parameters = [{ name = "n", kind = "count", default = 1 }]\n'
        'sends = { message = "PlayAnimation", animation = "bow", repeats = "{n}" }\n'
        '[verbs.DANCE]\nsends = { message = "PlayAnimation", animation = "celebrate" }\n'
    )
    policies = '[policies.calm]\nbased_on = "random"\ninterval_s = [20, 20]\n'
    seen = play(
        say('text="<DANCE> <BOW(2)> Hey!"')
        + "await self.publish(SetGazePolicy(policy='calmm'))\nawait self.clock.sleep(1)\n",
        settings='gaze_policy = "calm"',
        files={"verbs.toml": verbs, "policies.toml": policies},
    )
    assert of(seen, BehaviourState)[-1].gaze_policy == "calm"
    played = [(each.animation, each.repeats) for each in of(seen, PlayAnimation)]
    assert played[0] == ("celebrate", 1)
    assert len(played) == 2
    assert any("calm" in fault.summary for fault in of(seen, ModuleFault))


def test_a_library_of_several_can_be_asked_for_by_name(play):
    seen = play(
        say('category="two", library="extra"') + say('category="two", library="extr"', 0.5),
        settings="eye_m = [0, 0.1, 0]",
        files={"extra.csv": "ID;CATEGORY;TEXT\nx-1;two;Three.\n"},
    )
    assert [each.reason for each in of(seen, UtteranceCancelled)] == ["no_line", "no_line"]
    assert "no library" in of(seen, UtteranceCancelled)[0].detail


def test_people_of_other_trackers_do_not_count_where_one_is_named(play):
    body = (
        "here = Position(x_m=0.5, y_m=0, z_m=1)\n"
        "await self.publish(PersonDetected(person='twin', position=here))\n"
        "await self.publish(GazeAt(target='twin'))\nawait self.clock.sleep(1)\n"
    )
    unknown = play(body, settings='people_from = ["world.camera"]')
    assert any("twin" in fault.summary for fault in of(unknown, ModuleFault))
    assert "twin" not in {each.target for each in of(unknown, Gaze)}


def test_people_of_the_tracker_that_is_named_count(play):
    body = (
        "here = Position(x_m=0.5, y_m=0, z_m=1)\n"
        "await self.publish(PersonDetected(person='twin', position=here))\n"
        "await self.publish(GazeAt(target='twin'))\nawait self.clock.sleep(1)\n"
    )
    seen = play(body, settings='people_from = ["ada.actor"]')
    assert "twin" in {each.target for each in of(seen, Gaze)}
