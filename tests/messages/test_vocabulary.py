"""The vocabulary as a whole: which messages there are, and the rules that all of them keep."""

from __future__ import annotations

import re
import subprocess
import sys
from enum import Enum

import pytest
from pydantic import BaseModel, ValidationError

import sera.messages
from sera.messages import Action, Channel, Kind, Part, personal_fields
from sera.messages._docstrings import read_docstrings
from sera.messages._schema import built_in_types

BUILT_IN = built_in_types()
read_docstrings(BUILT_IN.values())

NAMED_IN_THE_PLAN = [
    "PersonDetected",
    "PersonMoved",
    "PersonLost",
    "HeadDirection",
    "SpeechActivity",
    "SpeechHeard",
    "Clicked",
    "MarkerSeen",
    "ActivityEvent",
    "ActivityCommand",
    "Highlight",
    "PlayMedia",
    "GazeAt",
    "Glance",
    "PointAt",
    "Gaze",
    "SetGazePolicy",
    "TargetUpdated",
    "TargetRemoved",
    "PerformUtterance",
    "CancelUtterance",
    "UtteranceStarted",
    "UtteranceFinished",
    "UtteranceCancelled",
    "QuestionAsked",
    "QuestionAnswered",
    "Speak",
    "StopSpeaking",
    "SpeechStarted",
    "SpeechWord",
    "SpeechFinished",
    "PlayAnimation",
    "AnimationFinished",
    "SetPosture",
    "SetEmotion",
    "SetLayer",
    "JointFrame",
    "BodyState",
    "Suggestion",
    "SuggestionResolved",
    "AutonomyChanged",
    "ModulePresence",
    "ModuleFault",
    "ActionExpired",
    "EmergencyStop",
    "EmergencyRelease",
    "ConditionAssigned",
    "SessionPhase",
    "SessionMark",
    "QuestionnaireAnswered",
    "Autonomy",
    "ModuleCounters",
    "Receipt",
    "Handled",
    "ClockProbe",
    "ClockReply",
    "ClockOffset",
    "RunEnding",
]

WORTH_DOING_S = {
    "Gaze": 1.0,
    "GazeAt": 1.0,
    "Glance": 1.0,
    "ArrangeUtterance": 5.0,
    "CancelUtterance": 5.0,
    "PerformUtterance": 2.0,
    "Speak": 2.0,
    "StopSpeaking": 2.0,
    "PlayAnimation": 2.0,
    "StopAnimation": 2.0,
    "RetimeAnimation": 0.5,
    "Point": 2.0,
    "PointAt": 2.0,
    "WatchBlend": 5.0,
    "SetPosture": 2.0,
    "SetEmotion": 5.0,
    "SetMood": 5.0,
    "MoveHand": 2.0,
    "SetEyesLight": 2.0,
    "HoldJoints": 1.0,
    "SetFace": 2.0,
    "SetVoiceGain": 5.0,
    "SetGazePolicy": 10.0,
    "SetLayer": 10.0,
    "ActivityCommand": 5.0,
    "Highlight": 2.0,
    "PlayMedia": 5.0,
    "StopMedia": 5.0,
    "EmergencyStop": None,
    "EmergencyRelease": 5.0,
    "ConditionAssigned": None,
    "GuideSession": 5.0,
    "QuestionnaireAnswered": None,
    "SessionMark": None,
    "SessionPhase": None,
}

CHANNELS = {
    "Gaze": Channel.GAZE,
    "GazeAt": Channel.GAZE,
    "Glance": Channel.GAZE,
    "SetEyesLight": Channel.GAZE,
    "SetFace": Channel.EMOTION,
    "SetVoiceGain": Channel.SPEECH,
    "SetGazePolicy": Channel.GAZE,
    "ArrangeUtterance": Channel.SPEECH,
    "CancelUtterance": Channel.SPEECH,
    "PerformUtterance": Channel.SPEECH,
    "Speak": Channel.SPEECH,
    "StopSpeaking": Channel.SPEECH,
    "PlayAnimation": Channel.GESTURE,
    "RetimeAnimation": Channel.GESTURE,
    "StopAnimation": Channel.GESTURE,
    "Point": Channel.GESTURE,
    "PointAt": Channel.GESTURE,
    "HoldJoints": Channel.GESTURE,
    "SetPosture": Channel.GESTURE,
    "SetLayer": Channel.GESTURE,
    "SetEmotion": Channel.EMOTION,
    "SetMood": Channel.EMOTION,
    "MoveHand": Channel.GESTURE,
    "ActivityCommand": Channel.DECISION,
    "Highlight": Channel.DECISION,
    "PlayMedia": Channel.DECISION,
    "StopMedia": Channel.DECISION,
}

PERSONAL = {
    "PersonDetected": {"name": "name"},
    "SpeechHeard": {"text": "text", "words": "text"},
    "GuideSession": {"reason": "text"},
    "PerformUtterance": {"tags": "name"},
    "QuestionAnswered": {"text": "text"},
    "QuestionnaireAnswered": {"free_answers": "text"},
    "SessionMark": {"note": "text"},
}

STUDY_RECORDS = ["ConditionAssigned", "QuestionnaireAnswered", "SessionMark", "SessionPhase"]


def nested_pieces() -> list[type[Part]]:
    return [
        found
        for name in sera.messages.__all__
        if isinstance(found := getattr(sera.messages, name), type) and issubclass(found, Part)
    ]


@pytest.mark.parametrize("name", NAMED_IN_THE_PLAN)
def test_every_message_that_the_plan_names_exists_under_exactly_that_name(name: str) -> None:
    assert name in BUILT_IN
    assert getattr(sera.messages, name) is BUILT_IN[name]


def test_each_family_is_one_file_named_after_it() -> None:
    families = {message_type.family for message_type in BUILT_IN.values()}
    assert families == {
        *("activity", "behaviour", "decision", "expression", "motion"),
        *("perception", "speech", "study", "system"),
    }
    for message_type in BUILT_IN.values():
        assert message_type.__module__ == f"sera.messages.{message_type.family}"


@pytest.mark.parametrize(
    "model", [*BUILT_IN.values(), *nested_pieces()], ids=lambda one: one.__name__
)
def test_every_class_and_every_field_says_what_it_is(model: type[BaseModel]) -> None:
    assert "__doc__" in model.__dict__, "a docstring of its own, not an inherited one"
    assert (model.__doc__ or "").rstrip().endswith((".", "…"))
    for name, field in model.model_fields.items():
        assert field.description, f"{model.__name__}.{name} has no docstring"
        assert field.description.rstrip().endswith((".", "…")), f"{model.__name__}.{name}"


@pytest.mark.parametrize(
    "model", [*BUILT_IN.values(), *nested_pieces()], ids=lambda one: one.__name__
)
def test_a_field_that_measures_something_has_its_unit_in_its_name(model: type[BaseModel]) -> None:
    measured = re.compile(r"(duration|angle|position|offset|delay|interval|age)$")
    without_unit = [
        name
        for name, field in model.model_fields.items()
        if field.annotation in (float, float | None) and measured.search(name)
    ]
    assert without_unit == []


def test_the_package_exports_every_message_piece_and_choice_in_order() -> None:
    exported = sera.messages.__all__
    assert list(exported) == sorted(exported, key=lambda name: (not name.isupper(), name))
    assert len(set(exported)) == len(exported)
    for message_type in BUILT_IN.values():
        own = vars(sys.modules[message_type.__module__])
        public = [
            name
            for name, value in own.items()
            if isinstance(value, type)
            and issubclass(value, BaseModel | Enum)
            and value.__module__ == message_type.__module__
        ]
        assert set(public) <= set(exported)
    for name in exported:
        assert getattr(sera.messages, name) is not None


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'PersonVanished'"):
        _ = sera.messages.PersonVanished


def test_every_action_declares_how_long_it_is_worth_doing() -> None:
    actions = {name: one for name, one in BUILT_IN.items() if issubclass(one, Action)}
    assert {name: one.valid_for_s for name, one in actions.items()} == WORTH_DOING_S
    assert all("valid_for_s" in one.__dict__ for one in actions.values())


def test_every_action_that_a_mind_may_choose_has_a_channel_of_the_dial() -> None:
    channels = {
        name: one.channel
        for name, one in BUILT_IN.items()
        if issubclass(one, Action) and one.channel is not None
    }
    assert channels == CHANNELS


def test_the_dial_never_holds_a_stop_a_release_or_a_study_record() -> None:
    without_channel = [
        name for name, one in BUILT_IN.items() if issubclass(one, Action) and one.channel is None
    ]
    assert without_channel == sorted(
        ["EmergencyRelease", "EmergencyStop", "GuideSession", "WatchBlend", *STUDY_RECORDS]
    )


def test_study_records_are_actions_without_limit_that_belong_to_the_world() -> None:
    records = {name: one for name, one in BUILT_IN.items() if one.family == "study"}
    about_the_session = {"FormOffered", "GuideSession", "PreflightReport", "SessionState"}
    assert set(records) == {*STUDY_RECORDS, *about_the_session}
    assert all(record.belongs_to_world for record in records.values())
    for name in STUDY_RECORDS:
        record = records[name]
        assert issubclass(record, Action)
        assert record.valid_for_s is None


def test_perceptions_belong_to_the_world_and_orders_to_a_character() -> None:
    of_the_world = {name for name, one in BUILT_IN.items() if one.belongs_to_world}
    perceptions = {name for name, one in BUILT_IN.items() if one.kind is Kind.PERCEPTION}
    further = {"FormOffered", "GuideSession", "OperatorsPresent", "PreflightReport"}
    further |= {"PeopleState", "RunEnding", "SessionState"}
    assert of_the_world == perceptions | set(STUDY_RECORDS) | further


def test_streams_are_what_a_newer_value_replaces_and_never_an_order_or_a_state() -> None:
    streams = {name for name, one in BUILT_IN.items() if one.stream}
    assert streams == {"HeadDirection", "JointFrame", "MarkerMoved", "PersonMoved", "SoundLevel"}
    assert {BUILT_IN[name].kind for name in streams} == {Kind.PERCEPTION, Kind.EVENT}


def test_names_transcripts_and_free_text_are_marked_personal_and_nothing_else() -> None:
    marked = {name: found for name, one in BUILT_IN.items() if (found := personal_fields(one))}
    assert marked == PERSONAL


def test_a_message_cannot_be_changed_once_it_exists() -> None:
    message = sera.messages.GazeAt(target="visitor")
    with pytest.raises(ValidationError, match="frozen"):
        message.target = "elsewhere"


def test_importing_the_vocabulary_draws_in_no_schema_code() -> None:
    program = """
import sys, sera.messages
print(*sorted(name for name in sys.modules if name.startswith("sera.messages._")))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    expected = [f"sera.messages.{name}" for name in ("_base", "_envelope", "_parts")]
    assert run.stdout.split() == expected
