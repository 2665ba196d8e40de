"""The autonomy gate: pass, propose, or be silent, and no decision module knows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    Action,
    ActivityEvent,
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Channel,
    Clicked,
    Direction,
    EmergencyStop,
    Envelope,
    GazeAt,
    Message,
    PersonDetected,
    PlayAnimation,
    QuestionnaireAnswered,
    SessionMark,
    SetEmotion,
    Speak,
    SpeechActivity,
    SpeechHeard,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.runtime._gate import SUGGESTION_LAPSES_AFTER_S, Gate
from sera.runtime._handled import HANDLED, reason_of
from sera.runtime.clock import Clock, run


class Scene:
    """A gate of one decision module, an operator, and what both said."""

    def __init__(self, source: str = "ada.mind") -> None:
        character, _, module = source.partition(".")
        now = Clock.for_running_loop().now
        broker = MemoryBroker()
        self.bus = MemoryBus(Identity("run", character, module), broker, now=now)
        self.operator = MemoryBus(Identity("run", "world", "console"), broker, now=now)
        self.released: list[tuple[Action, str | None, str]] = []
        self.heard: list[Envelope] = []
        self.gate = Gate(self.bus, lambda *released: self.released.append(released))

    async def open(self) -> Scene:
        await self.bus.connect()
        await self.operator.connect()
        await self.bus.subscribe([Autonomy, AutonomyChanged, SuggestionResolved], self.gate.hear)
        await self.operator.subscribe([Suggestion, SuggestionResolved], self.heard.append)
        return self

    async def turn(self, channel: str, mode: str, character: str = "ada") -> str:
        change = AutonomyChanged(channel=Channel(channel), mode=AutonomyMode(mode), by="wizard")
        envelope = self.operator.publish(change, character=character)
        await asyncio.sleep(0)
        return envelope.id

    async def set(self, modes: dict[str, str], *, cause=None, character: str = "ada") -> None:
        self.operator.publish(Autonomy(modes=modes), character=character, cause=cause)
        await asyncio.sleep(0)

    async def resolve(self, suggestion: str, outcome: str, *, edited: bool = False) -> str:
        resolved = SuggestionResolved(
            suggestion=suggestion,
            outcome=SuggestionOutcome(outcome),
            by=None if outcome == "lapsed" else "wizard",
            edited=edited,
        )
        envelope = self.operator.publish(resolved, character="ada")
        await asyncio.sleep(0)
        return envelope.id


def in_virtual_time(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    def wrapped() -> None:
        run(test(), clock="virtual")

    wrapped.__name__ = test.__name__
    return wrapped


SPEAK, GAZE = Speak(text="hello"), GazeAt(target="p")


@in_virtual_time
async def test_the_gate_is_open_until_it_hears_otherwise():
    scene = await Scene().open()
    for action in (SPEAK, GAZE, PlayAnimation(animation="a")):
        assert scene.gate.mode_of(action) == "autonomous"


@in_virtual_time
async def test_each_channel_has_its_own_setting():
    scene = await Scene().open()
    await scene.set({"speech": "wizard", "gaze": "suggest"})
    assert scene.gate.mode_of(SPEAK) == "wizard"
    assert scene.gate.mode_of(GAZE) == "suggest"
    assert scene.gate.mode_of(PlayAnimation(animation="a")) == "autonomous"
    await scene.set({"decision": "suggest", "speech": "wizard"})
    assert scene.gate.mode_of(SPEAK) == "wizard"
    assert scene.gate.mode_of(GAZE) == "suggest"


@in_virtual_time
async def test_stops_and_study_records_are_never_held():
    scene = await Scene().open()
    await scene.set(dict.fromkeys(Channel, "wizard"))
    for action in (
        EmergencyStop(),
        SessionMark(label="m"),
        QuestionnaireAnswered(questionnaire="q", participant="p", answers={}),
    ):
        assert scene.gate.mode_of(action) == "autonomous"
    assert scene.gate.mode_of(SPEAK) == "wizard"


@in_virtual_time
async def test_a_turn_of_the_dial_counts_at_once():
    scene = await Scene().open()
    await scene.turn("speech", "wizard")
    assert scene.gate.mode_of(SPEAK) == "wizard"
    await scene.turn("speech", "autonomous")
    assert scene.gate.mode_of(SPEAK) == "autonomous"


@in_virtual_time
async def test_the_state_that_answers_an_earlier_turn_does_not_take_back_a_later_one():
    scene = await Scene().open()
    first = await scene.turn("speech", "wizard")
    second = await scene.turn("gaze", "wizard")
    await scene.set({"speech": "wizard"}, cause=first)
    assert scene.gate.mode_of(GAZE) == "wizard"
    await scene.set({"speech": "wizard", "gaze": "wizard"}, cause=second)
    assert scene.gate.mode_of(GAZE) == "wizard"
    await scene.set({})
    assert scene.gate.mode_of(GAZE) == "autonomous", "once answered, the State alone counts"
    assert scene.gate.mode_of(SPEAK) == "autonomous"


@in_virtual_time
async def test_a_later_turn_of_the_same_channel_replaces_an_earlier_one():
    scene = await Scene().open()
    first = await scene.turn("speech", "wizard")
    second = await scene.turn("speech", "suggest")
    await scene.set({"speech": "wizard"}, cause=first)
    assert scene.gate.mode_of(SPEAK) == "suggest"
    await scene.set({"speech": "suggest"}, cause=second)
    await scene.set({"speech": "autonomous"})
    assert scene.gate.mode_of(SPEAK) == "autonomous"


@in_virtual_time
async def test_operators_whose_clocks_differ_are_both_obeyed():
    scene = await Scene().open()
    for mode, time_s in (("suggest", 1000.0), ("wizard", 10.0)):
        scene.operator.publish(
            AutonomyChanged(channel="speech", mode=mode, by="wizard"),
            character="ada",
            time_s=time_s,
        )
        await asyncio.sleep(0)
        assert scene.gate.mode_of(SPEAK) == mode


@in_virtual_time
async def test_only_ones_own_characters_dial_counts():
    scene = await Scene().open()
    await scene.set(dict.fromkeys(Channel, "wizard"), character="bob")
    await scene.turn("speech", "wizard", character="bob")
    await scene.turn("speech", "wizard", character="world")
    assert scene.gate.mode_of(SPEAK) == "autonomous"


@in_virtual_time
async def test_a_module_of_world_obeys_the_dial_of_each_character_it_acts_for():
    scene = await Scene("world.director").open()
    await scene.set({"speech": "wizard"}, character="bob")
    assert scene.gate.mode_of(SPEAK, "bob") == "wizard"
    assert scene.gate.mode_of(SPEAK, "ada") == "autonomous"
    assert scene.gate.mode_of(SPEAK) == "autonomous"


@in_virtual_time
async def test_an_accepted_suggestion_is_released_with_the_acceptance_as_its_cause():
    scene = await Scene().open()
    suggestion = scene.gate.suggest(SPEAK, character=None, cause="ada.ears-0-4")
    await asyncio.sleep(0)
    (said,) = scene.heard
    assert said.id == suggestion
    assert said.cause == "ada.ears-0-4"
    assert said.message.action_type == "Speak"
    assert said.message.channel == "speech"
    assert said.message.proposed() == SPEAK
    assert said.message.lapses_after_s == SUGGESTION_LAPSES_AFTER_S
    accepted = await scene.resolve(suggestion, "accepted")
    assert scene.released == [(SPEAK, None, accepted)]
    await scene.resolve(suggestion, "accepted")
    assert len(scene.released) == 1, "a second acceptance is not a second order"
    await asyncio.sleep(SUGGESTION_LAPSES_AFTER_S + 1)
    assert [e.type for e in scene.heard] == ["Suggestion"], "what is resolved does not lapse"


@in_virtual_time
async def test_a_rejected_suggestion_is_not_performed():
    scene = await Scene().open()
    suggestion = scene.gate.suggest(SPEAK, character=None, cause=None)
    await scene.resolve(suggestion, "rejected")
    await scene.resolve(suggestion, "accepted")
    assert scene.released == []


@in_virtual_time
async def test_what_the_operator_edited_the_operator_has_sent():
    scene = await Scene().open()
    suggestion = scene.gate.suggest(SPEAK, character=None, cause=None)
    await scene.resolve(suggestion, "accepted", edited=True)
    assert scene.released == []


@in_virtual_time
async def test_a_suggestion_that_nobody_resolves_lapses_and_says_so():
    scene = await Scene("world.director").open()
    suggestion = scene.gate.suggest(SPEAK, character="ada", cause=None)
    await asyncio.sleep(SUGGESTION_LAPSES_AFTER_S - 0.1)
    assert len(scene.heard) == 1
    await asyncio.sleep(0.2)
    lapse = scene.heard[1]
    assert (lapse.message.suggestion, lapse.message.outcome) == (suggestion, "lapsed")
    assert (lapse.cause, lapse.character) == (suggestion, "ada")
    await scene.resolve(suggestion, "accepted")
    assert scene.released == []


@in_virtual_time
async def test_at_the_end_of_the_module_open_suggestions_lapse():
    scene = await Scene().open()
    scene.gate.suggest(SPEAK, character=None, cause=None)
    scene.gate.suggest(GAZE, character=None, cause=None)
    scene.gate.close()
    await asyncio.sleep(SUGGESTION_LAPSES_AFTER_S + 1)
    outcomes = [e.message.outcome for e in scene.heard if e.type == "SuggestionResolved"]
    assert outcomes == ["lapsed", "lapsed"]


@in_virtual_time
async def test_answers_to_other_peoples_suggestions_change_nothing():
    scene = await Scene().open()
    scene.gate.suggest(SetEmotion(name="happiness"), character=None, cause=None)
    await scene.resolve("ada.other-0-1", "accepted")
    assert scene.released == []


@in_virtual_time
async def test_a_suggestion_says_why_in_the_modules_own_words_or_by_what_is_being_handled():
    scene = await Scene().open()
    seen = PersonDetected(person="person_1", direction=Direction(horizontal_deg=0, vertical_deg=0))
    cause = scene.operator.publish(seen, character="world")
    scene.gate.suggest(GAZE, character=None, cause=cause.id)
    token = HANDLED.set(cause)
    scene.gate.suggest(GAZE, character=None, cause=cause.id)
    scene.gate.suggest(GAZE, character=None, cause="something-else-1")
    scene.gate.suggest(GAZE, character=None, cause=cause.id, reason="it is polite")
    HANDLED.reset(token)
    await asyncio.sleep(0)
    assert [envelope.message.reason for envelope in scene.heard] == [
        None,
        "after PersonDetected of person_1",
        None,
        "it is polite",
    ]


@in_virtual_time
async def test_a_reason_repeats_nothing_that_somebody_said():
    scene = await Scene().open()

    def reason(message: Message) -> str:
        return reason_of(scene.operator.publish(message, character="world"))

    assert reason(SpeechHeard(text="my secret", person="person_1")) == (
        "after SpeechHeard of person_1"
    )
    event = ActivityEvent(event="card_played", person="p2", data={"name": "somebody"})
    assert reason(event) == "after ActivityEvent card_played of p2"
    assert reason(Clicked(element="bell")) == "after Clicked of bell"
    assert reason(SpeechActivity(speaking=True)) == "after SpeechActivity"
    assert len(reason(Clicked(element="x" * 900))) < 100
