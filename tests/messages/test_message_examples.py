"""One example of each message: over the wire and back, and what each refuses."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sera import messages as m
from sera.messages._schema import built_in_types

HERE = m.Position(x_m=0.2, y_m=1.4, z_m=1.5)
RIGHT = m.Direction(horizontal_deg=30.0, vertical_deg=-5.0)
POINT = m.ScreenPoint(screen="table", x_px=640, y_px=360)
ORDER = "ada.mind-1-7"

EXAMPLES: list[m.Message] = [
    m.ActionExpired(
        action=ORDER,
        action_type="GazeAt",
        sender="ada.mind",
        reason=m.ExpiryReason.TOO_OLD,
        age_s=1.2,
    ),
    m.ActivityCommand(command="play_card", data={"card": "7C", "hand": [1, 2, None]}),
    m.ActivityEvent(event="card_played", person="person_1", data={"card": {"suit": "C"}}),
    m.AnimationFinished(animation="nod", action=ORDER, duration_s=0.8),
    m.ArrangeUtterance(utterance=ORDER, how="first"),
    m.Autonomy(modes={m.Channel.SPEECH: m.AutonomyMode.WIZARD}, owners={m.Channel.SPEECH: "w1"}),
    m.AutonomyChanged(channel=m.Channel.GAZE, mode=m.AutonomyMode.SUGGEST, by="w1"),
    m.BehaviourState(
        doing="performing",
        utterance=ORDER,
        waiting=[m.WaitingLine(utterance="ada.mind-1-10", source="ada.mind", text="Next!")],
        owners={m.Channel.SPEECH: "ada.mind"},
    ),
    m.BlendReport(
        frame=3,
        layers={"gaze": 1.0},
        channels={"Gazing.Horizontal": m.ChannelBlend(value=0.2, layers={"gaze": 1.0})},
    ),
    m.BodyState(
        health=m.BodyHealth.OK,
        joints_rad={"yaw": 0.1},
        temperature_c={"yaw": 41.5},
        load={"yaw": 0.3},
        battery=0.9,
        counts={"frames": 50},
    ),
    m.CancelUtterance(utterance=ORDER, politely=False),
    m.Clicked(point=POINT),
    m.ClockOffset(offset_s=-0.004, round_trip_s=0.002),
    m.ClockProbe(sequence=3),
    m.ClockReply(probe="ada.camera-1-4", received_at_s=12.5, sent_at_s=12.5001),
    m.ConditionAssigned(
        session="s1", participant="p07", condition="expressive", factors={"posture": "hot"}
    ),
    m.DialogueMoved(previous="start", state="greeting", because="PersonDetected", place="row 2"),
    m.EmergencyRelease(by="operator"),
    m.EmergencyStop(by="operator", reason="too close"),
    m.EmotionState(
        pad=m.Pad(pleasure=0.4, arousal=0.2, dominance=0.2),
        name="happiness",
        intensity=1.0,
        target=m.Pad(pleasure=0.81, arousal=0.51, dominance=0.46),
        blend_s=0.4,
        mood=m.Pad(pleasure=0.0, arousal=0.0, dominance=0.0),
    ),
    m.EngagementChanged(person="person_1", level=m.Engagement.ENGAGED, reason="looks at ada"),
    m.EngineState(program="Alive", layers={"gaze": 1.0}, counts={"frames": 9, "late": 0}),
    m.FormOffered(questionnaire="godspeed", participant="p07", session="s1", language="en"),
    m.Gaze(direction=RIGHT, target="person_1"),
    m.GazeAt(target="person_1"),
    m.GazeState(
        target="person = person_1",
        position=m.Position(x_m=0.0, y_m=0.9, z_m=0.5),
        direction=RIGHT,
        off_deg=15.2,
        shortfall_deg=15.0,
        shortfall_why="15° short: HeadPitch at its end",
    ),
    m.Glance(target="clicks", duration_s=1.5),
    m.GuideSession(do="next", by="wizard"),
    m.HandMoved(hand="right", action=ORDER, outcome=m.HandOutcome.CLOSEST, distance_m=0.2),
    m.Handled(first=3, lives=["world.eye-1"], order=[0, 2, 0, 3]),
    m.HeadDirection(person="person_1", direction=m.Direction(horizontal_deg=180), looks_at="ada"),
    m.Highlight(element="tower", duration_s=3),
    m.HoldJoints(joints_rad={"base": 0.2}),
    m.JointFrame(joints_rad={"yaw": 0.5, "pitch": -0.2}, channels={"eyes.light": 1.0}, frame=9),
    m.KeyPressed(key="space", person="operator"),
    m.LibraryLoaded(
        library="tutor",
        files=["tutor.xlsx"],
        lines=60,
        errors=1,
        findings=[
            m.LibraryFinding(
                place="tutor.xlsx, row 7, TEXT",
                severity="error",
                code="unknown-verb",
                message="there is no verb GAZ",
                fix="write GAZE",
            )
        ],
    ),
    m.MarkerLost(marker="17"),
    m.MarkerMoved(marker="17", position=HERE),
    m.MarkerSeen(marker="17", position=HERE, orientation=m.Orientation()),
    m.MediaFinished(media="intro.mp4", action=ORDER, completed=False, problem="no such file"),
    m.ModuleCounters(counts={"sent": 12, "dropped": 0}),
    m.ModuleFault(module="ada.mind", summary="greet raised KeyError", about="world.eye-1-2"),
    m.ModulePresence(status=m.PresenceStatus.PRESENT, boot=1, handles=["GazeAt"]),
    m.MoveHand(hand="right", place=HERE, carries=True, duration_s=1.5, hold_s=2.0),
    m.OperatorDecided(
        action=ORDER, action_type="GazeAt", by="wizard", seen=["world.eye-1-2"], reaction_s=0.8
    ),
    m.OperatorsPresent(operators=[m.OperatorSeat(operator="wizard", desk="wizard", role="wizard")]),
    m.OrderConflict(
        order="category:greeting",
        kept="ada.mind-1-9",
        kept_source="ada.mind",
        dropped="ada.greeter-1-4",
        dropped_source="ada.greeter",
        rule="newest",
    ),
    m.PeopleState(
        people=[m.PersonSummary(person="person_1", speaking=True, looks_at="ada")],
        speaker="person_1",
    ),
    m.PerformUtterance(category="greeting", tags={"visitor": "person_1"}),
    m.PersonDetected(person="person_1", name="visitor", position=HERE),
    m.PersonLost(person="person_1", unseen_for_s=2.0),
    m.PersonMoved(person="person_1", direction=RIGHT, seen_from=HERE),
    m.PlayAnimation(animation="nod", repeats=2),
    m.PlayMedia(media="intro.mp4", loop=True),
    m.Point(direction=m.Direction(horizontal_deg=30), arm="right", hold_s=1.5, target="door"),
    m.PointAt(target="screen", hand="left"),
    m.PreflightReport(
        checks=[m.PreflightCheck(check="disk", colour="green", sentence="20 GB are free.")]
    ),
    m.QuestionAnswered(question="ada.bm-1-3", answered=True, text="yes please", waited_s=2.2),
    m.QuestionAsked(utterance=ORDER, waits_s=7),
    m.QuestionnaireAnswered(
        questionnaire="godspeed",
        participant="p07",
        answers={"likes": 5, "pace": 2.5, "before": True, "role": "pupil", "age": None},
        free_answers={"comments": "it looked at me"},
    ),
    m.Receipt(ids=[ORDER, "ada.mind-1-8"]),
    m.RetimeAnimation(action=ORDER, anchors={"stroke": 0.3}),
    m.RunEnding(outcome=m.RunOutcome.STOPPED, by="world.console"),
    m.SensorState(
        sense="camera", status=m.SensorStatus.LOST, problem="unplugged", device="/dev/video0"
    ),
    m.SessionMark(label="note", note="they laughed", session="s1"),
    m.SessionPhase(session="s1", phase="game", status=m.PhaseStatus.STARTED, planned_s=600),
    m.SessionState(
        study="Guessing",
        session="s1",
        participant="p07",
        session_kind="pilot",
        steps=[m.StepOfPlan(phase="game", step="explain", title="Explain the rules")],
    ),
    m.SetEmotion(pad=m.Pad(pleasure=-0.75, arousal=0.75, dominance=-0.75)),
    m.SetEyesLight(level=1.0, reason="mutual gaze with person_1"),
    m.SetFace(face="joy", hold_s=2.0),
    m.SetGazePolicy(policy="mutual", options={"dwell_s": 1.0}),
    m.SetLayer(layer="breathing", weight=0.5),
    m.SetMood(name="calm"),
    m.SetPosture(posture="hot", blend_s=0.8),
    m.SetVoiceGain(gain_db=-3.0, reason="people speak quietly"),
    m.SoundLevel(loudness_dbfs=[-41.0, -38.5], voice=0.2),
    m.Speak(text="Good morning!", language="en", rate=0.9),
    m.SpeechActivity(speaking=True, person="person_1", side=m.Side.LEFT, loudness_dbfs=-22),
    m.SpeechFinished(speech=ORDER, duration_s=1.4, words=2, drift_s=0.02),
    m.SpeechHeard(
        text="good morning",
        words=[
            m.HeardWord(text="good", start_s=0, end_s=0.3),
            m.HeardWord(text="morning", start_s=0.3, end_s=0.8, confidence=0.7),
        ],
    ),
    m.SpeechPrepared(speech=ORDER, starts_in_s=0.5, duration_s=1.3),
    m.SpeechStarted(speech=ORDER, text="Good morning!", expected_duration_s=1.3),
    m.SpeechWord(speech=ORDER, index=1, text="morning", start_s=0.4, offset=5),
    m.StopAnimation(animation="nod", fade_s=0.2),
    m.StopMedia(),
    m.StopSpeaking(politely=True),
    m.Suggestion(action_type="GazeAt", action={"target": "person_1"}, lapses_after_s=4),
    m.SuggestionResolved(suggestion="ada.mind-1-9", outcome=m.SuggestionOutcome.ACCEPTED, by="w1"),
    m.TargetRemoved(target="tower"),
    m.TargetUpdated(target="tower", point=POINT),
    m.UtteranceCancelled(
        utterance=ORDER, reason=m.CancelReason.NO_LINE, detail="every line was used"
    ),
    m.UtteranceFinished(
        utterance=ORDER,
        line="g1",
        duration_s=2.0,
        substitutions=[m.Substitution(wanted="POINT(tower)", done="GAZE(tower)")],
    ),
    m.UtteranceStarted(
        utterance=ORDER, line="g1", choice=m.LineChoice(library="tutor", candidates=4)
    ),
    m.WatchBlend(for_s=2.0, every_s=0.1),
]


def test_there_is_an_example_of_every_built_in_message() -> None:
    assert [type(example).__name__ for example in EXAMPLES] == list(built_in_types())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: type(one).__name__)
def test_a_message_is_the_same_after_the_wire(example: m.Message) -> None:
    assert type(example).model_validate_json(example.model_dump_json()) == example


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: type(one).__name__)
def test_code_cannot_invent_a_field_but_a_reader_may_skip_what_a_newer_sender_adds(
    example: m.Message,
) -> None:
    data = {**json.loads(example.model_dump_json()), "added_later": 1}
    with pytest.raises(ValidationError, match="added_later"):
        type(example).model_validate(data)
    assert type(example).model_validate(data, extra="ignore") == example


def test_a_reader_skips_new_fields_inside_nested_pieces_too() -> None:
    data = {"person": "p", "position": {"x_m": 1, "y_m": 2, "z_m": 3, "accuracy_m": 0.1}}
    moved = m.PersonMoved.model_validate(data, extra="ignore")
    assert moved.position == m.Position(x_m=1, y_m=2, z_m=3)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_no_number_is_refused_everywhere(wrong: float) -> None:
    for build in (
        lambda: m.JointFrame(joints_rad={"yaw": wrong}),
        lambda: m.BodyState(health=m.BodyHealth.OK, temperature_c={"yaw": wrong}),
        lambda: m.Pad(pleasure=wrong, arousal=0, dominance=0),
        lambda: m.Position(x_m=wrong, y_m=0, z_m=0),
        lambda: m.ClockOffset(offset_s=wrong, round_trip_s=0),
        lambda: m.SetGazePolicy(policy="mutual", options={"dwell_s": wrong}),
    ):
        with pytest.raises(ValidationError, match="finite number"):
            build()


@pytest.mark.parametrize("empty", ["", "   ", "\n"])
def test_a_name_is_never_empty(empty: str) -> None:
    for build in (
        lambda: m.GazeAt(target=empty),
        lambda: m.PersonLost(person=empty),
        lambda: m.Speak(text=empty),
        lambda: m.PerformUtterance(category=empty),
        lambda: m.Receipt(ids=[empty]),
    ):
        with pytest.raises(ValidationError, match="at least 1 character"):
            build()


def test_blanks_around_a_name_are_dropped() -> None:
    assert m.GazeAt(target=" visitor ").target == "visitor"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "takes exactly one of line, category and text; given: none"),
        ({"line": "g1", "text": "hello"}, "given: line and text"),
        ({"text": "hello", "subcategory": "warm"}, "subcategory only together with a category"),
    ],
)
def test_an_utterance_says_in_exactly_one_way_what_to_say(
    fields: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        m.PerformUtterance.model_validate(fields)


@pytest.mark.parametrize(
    ("message_type", "fields", "sentence"),
    [
        (
            m.PersonMoved,
            {"person": "p"},
            "PersonMoved takes at least one of position and direction",
        ),
        (m.Clicked, {}, "Clicked takes at least one of point and element"),
        (m.Highlight, {}, "Highlight takes at least one of element and point"),
        (m.SetLayer, {"layer": "idle"}, "SetLayer takes at least one of active and weight"),
        (m.SetEmotion, {}, "exactly one of pad and name; given: none"),
        (m.SetMood, {}, "exactly one of pad and name; given: none"),
        (
            m.TargetUpdated,
            {"target": "t"},
            "exactly one of position, direction, point and alias_of",
        ),
        (m.Receipt, {"ids": []}, "at least 1 item"),
        (m.ModuleCounters, {"counts": {"sent": -1}}, "greater than or equal to 0"),
        (m.Glance, {"target": "t", "duration_s": 0}, "greater than 0"),
        (m.PlayAnimation, {"animation": "nod", "repeats": 0}, "greater than or equal to 1"),
        (m.PlayAnimation, {"animation": "nod", "speed": 0}, "greater than 0"),
        (m.BodyState, {"health": "ok", "battery": 1.01}, "less than or equal to 1"),
        (m.SpeechWord, {"speech": "s", "index": -1, "text": "a", "start_s": 0}, "greater than"),
        (m.Autonomy, {"modes": {"nose": "wizard"}}, "'decision', 'speech', 'gaze'"),
        (m.ModulePresence, {"status": "asleep", "boot": 1}, "'starting', 'present'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(
    message_type: type[m.Message], fields: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        message_type.model_validate(fields)


@pytest.mark.parametrize(
    ("horizontal_deg", "vertical_deg", "fits"),
    [(180, 90, True), (-180, -90, True), (180.1, 0, False), (0, -90.1, False)],
)
def test_a_direction_keeps_to_the_circle(
    horizontal_deg: float, vertical_deg: float, fits: bool
) -> None:
    if fits:
        m.Direction(horizontal_deg=horizontal_deg, vertical_deg=vertical_deg)
    else:
        with pytest.raises(ValidationError):
            m.Direction(horizontal_deg=horizontal_deg, vertical_deg=vertical_deg)


def test_an_emotion_beyond_its_range_is_left_for_the_performer_to_clip_and_report() -> None:
    order = m.SetEmotion(pad=m.Pad(pleasure=1.4, arousal=0, dominance=-3))
    assert order.pad == m.Pad(pleasure=1.4, arousal=0, dominance=-3)


def test_a_rotation_that_is_no_rotation_says_how_to_mend_it() -> None:
    m.Orientation(w=0.5, x=0.5, y=0.5, z=0.5)
    with pytest.raises(ValidationError, match="length 1, this one has 2: divide"):
        m.Orientation(w=2.0)


def test_a_word_does_not_end_before_it_begins() -> None:
    m.HeardWord(text="um", start_s=0.5, end_s=0.5)
    with pytest.raises(ValidationError, match="before it begins"):
        m.HeardWord(text="um", start_s=0.5, end_s=0.4)


def test_answers_keep_the_type_in_which_they_were_given() -> None:
    given_answers = {"scale": 5, "slider": 2.0, "agreed": True, "choice": "5", "skipped": None}
    form = m.QuestionnaireAnswered(questionnaire="q", participant="p", answers=given_answers)
    for answers in (form.answers, json.loads(form.model_dump_json())["answers"]):
        assert {key: (type(value), value) for key, value in answers.items()} == {
            key: (type(value), value) for key, value in given_answers.items()
        }


finite = st.floats(allow_nan=False, allow_infinity=False)
labels = st.text(min_size=1).filter(lambda text: text == text.strip())


@given(joints=st.dictionaries(labels, finite), channels=st.dictionaries(labels, finite))
def test_frames_survive_the_wire_to_the_last_bit(
    joints: dict[str, float], channels: dict[str, float]
) -> None:
    frame = m.JointFrame(joints_rad=joints, channels=channels)
    assert m.JointFrame.model_validate_json(frame.model_dump_json()) == frame


@given(text=st.text())
def test_any_transcript_survives_the_wire(text: str) -> None:
    heard = m.SpeechHeard(text=text)
    assert m.SpeechHeard.model_validate_json(heard.model_dump_json()).text == text
