"""The simulated perceiver sees the robot's body and the form before it, and nothing else."""

from __future__ import annotations

import ast
import asyncio
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.emotion import PAD, Features
from sera.emotion.published import CORNERS, EMOTIONS
from sera.messages import (
    WORLD,
    FormOffered,
    JointFrame,
    PersonDetected,
    QuestionnaireAnswered,
    find_message_type,
)
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_with_clock
from sera.runtime.module import ModuleContext
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scenarios" / "pepper_emotions"
PERCEIVER = load_class_from_file(FOLDER / "perceiver.py")
_package = PERCEIVER.__module__.rpartition(".")[0]
perceiver = sys.modules[f"{_package}.perceiver"]
perception = sys.modules[f"{_package}.perception"]
BODY = load_body(ROOT / "robots" / "pepper")
SOURCES = ("perceiver.py", "perception.py")
SEEN = {"JointFrame", "FormOffered"}
PUBLISHED = {"Envelope", "PersonDetected", "Position", "QuestionnaireAnswered"}
EYES_M = (0.0, 1.2, 3.0)


@pytest.fixture
def show(performance: Callable[..., Any]) -> Any:
    """The demonstration as simulated studies see it, ten frames a second."""
    return performance("pepper_emotions", condition="simulated")


# -- the allow-list ---------------------------------------------------------------------------


def test_it_hears_two_messages_and_no_other():
    assert {message.__name__ for message in PERCEIVER.handlers} == SEEN


@pytest.mark.parametrize("name", SOURCES)
def test_its_source_knows_no_other_message_and_none_of_the_robots_minds(name):
    tree = ast.parse((FOLDER / name).read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = {
        alias.name
        for node in froms
        if (node.module or "").endswith("messages")
        for alias in node.names
    }
    assert imported <= SEEN | PUBLISHED
    assert {node.module for node in froms if node.level} <= {"perception"}
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    hidden = {"SetEmotion", "EmotionState", "SetMood", "GreetingBegan", "ShowGreeting", "Gaze"}
    assert words.isdisjoint(hidden | {"GazeAt", "PlayAnimation", "EngineState", "load_profile"})
    assert words.isdisjoint(
        {"subscribe", "bus", "_bus", "host", "_host", "observe", "import_module", "sys", "gc"}
        | {"eval", "exec", "getattr", "globals", "__import__", "find_message_type"}
    )


def test_frames_and_forms_alone_make_it_answer_as_it_did(show):
    """Nothing else that was said in the run can have reached it."""
    replayed = run_with_clock(alone(show, lambda message: message), clock="virtual")
    there = [one.message.answers for one in show.envelopes(QuestionnaireAnswered)]
    assert len(there) == 12
    assert replayed == there


def test_it_answers_otherwise_where_the_body_does_otherwise(show):
    """With a body whose left arm hangs still; else the test above would show nothing."""

    def stiff(message: Any) -> Any:
        if not isinstance(message, JointFrame):
            return message
        joints = {**message.joints_rad, **dict.fromkeys(perception.LEFT_ARM, 0.5)}
        return message.model_copy(update={"joints_rad": joints})

    replayed = run_with_clock(alone(show, stiff), clock="virtual")
    there = [one.message.answers for one in show.envelopes(QuestionnaireAnswered)]
    assert len(replayed) == 12
    assert replayed != there


async def alone(show: Any, change: Callable[[Any], Any]) -> list[Any]:
    """What it answers when it is told what is on the allow-list, and nothing else."""
    clock, broker, heard = Clock.for_running_loop(), MemoryBroker(), []

    def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone)

    workspace = Workspace.discover(ROOT)
    workspace.activate()
    scenario = load_scenario("pepper_emotions", workspace, "simulated")
    robot = join(Identity("play", "pepper", "engine"))
    table = join(Identity("play", WORLD, "table"))
    for bus in (robot, table):
        await bus.connect()
    await table.subscribe(None, heard.append, everyone=True)
    context = ModuleContext(clock=clock, folder=FOLDER, seed=1, scenario=scenario)
    identity = Identity("play", WORLD, "perceiver")
    host = ModuleHost(PERCEIVER, identity, context, join, settings={})
    task = asyncio.create_task(host.run())
    await host.started.wait()
    for envelope in show.seen:
        if envelope.type in SEEN:
            await clock.sleep(max(0.0, envelope.time - clock.now()))
            bus = robot if envelope.type == "JointFrame" else table
            bus.publish(change(envelope.message))
    await clock.sleep(10.0)
    host.stop()
    await task
    return [one.message.answers for one in heard if isinstance(one.message, QuestionnaireAnswered)]


# -- seeing -----------------------------------------------------------------------------------


def seen_in(show: Any, every: int = 1) -> dict[str, Any]:
    """By greeting, what a reader sees of it."""
    reader, found, shown = perception.GreetingReader(BODY, EYES_M), {}, None
    number = 0
    for envelope in show.seen:
        message = envelope.message
        if isinstance(message, JointFrame):
            number += 1
            if number % every == 0:
                reader.see(envelope.time, message.joints_rad)
        elif isinstance(message, find_message_type("GreetingBegan")):
            found[shown], shown = reader.read(), message.shown or message.block
    found[shown] = reader.read()
    return found


def test_the_eight_corners_are_read_as_what_they_are(show):
    seen = seen_in(show)
    for corner in CORNERS:
        wanted = PAD.corner(corner).features()
        assert seen[corner].features.values == pytest.approx(wanted.values, abs=0.05), corner
        assert seen[corner].lasted_s == pytest.approx(6.1, abs=0.4)


def test_named_emotions_are_nearest_to_themselves(show):
    seen = seen_in(show)
    for emotion in EMOTIONS:
        assert perceiver.nearest_emotion(seen[emotion].features) == emotion
        assert perceiver.nearest_emotion(PAD.named(emotion).features()) == emotion


def test_a_neutral_greeting_is_still_and_looks_at_one(show):
    seen = seen_in(show)["neutral"]
    assert seen.energy < 1e-6
    assert seen.unrest_per_s2 == 0.0
    assert seen.aversion_deg < 1.0


def wave(reader: Any, rate_hz: float, *, height_rad: float = -0.2, size: float = 0.5) -> None:
    """Four seconds with the right hand up and the left arm swinging at half a hertz."""
    neutral = {name: channel.neutral for name, channel in BODY.own.items()}
    for number in range(round(4 * rate_hz)):
        at_s = number / rate_hz
        swing = 0.5 + size * math.sin(math.pi * at_s)
        arm = {"RShoulderPitch": height_rad, "RElbowRoll": 1.0, "RElbowYaw": 1.3}
        reader.see(at_s, {**neutral, **arm, "LShoulderRoll": swing})


def test_what_is_seen_does_not_hang_on_the_rate_of_frames():
    seen = []
    for rate_hz in (10.0, 25.0, 50.0):
        reader = perception.GreetingReader(BODY, EYES_M)
        wave(reader, rate_hz)
        seen.append(reader.read())
    energies = [one.energy for one in seen]
    assert energies == pytest.approx([energies[0]] * 3, rel=0.05)
    assert energies[0] == pytest.approx((0.5 * math.pi) ** 2 / 4.0, rel=0.06)
    unrests = [one.unrest_per_s2 for one in seen]
    assert unrests == pytest.approx([math.pi**2] * 3, rel=0.15)


def test_a_hand_that_hangs_has_not_greeted():
    reader = perception.GreetingReader(BODY, EYES_M)
    assert reader.read() is None
    wave(reader, 10.0, height_rad=1.4)
    assert reader.read() is None


def test_only_the_last_greeting_counts():
    reader = perception.GreetingReader(BODY, EYES_M)
    wave(reader, 10.0)
    calm = perception.GreetingReader(BODY, EYES_M)
    wave(calm, 10.0, size=0.0)
    for at_s in np.arange(4.0, 6.0, 0.1):
        reader.see(float(at_s), {"RShoulderPitch": 1.4, "LShoulderRoll": 0.5})
    for at_s in np.arange(6.0, 9.0, 0.1):
        reader.see(float(at_s), {"RShoulderPitch": -0.2, "LShoulderRoll": 0.5})
    assert reader.read().energy == pytest.approx(calm.read().energy, abs=1e-6)


def test_a_body_without_arms_is_refused_in_one_sentence():
    with pytest.raises(LookupError, match="'adelino' has no joint 'LShoulderPitch'"):
        perception.GreetingReader(load_body(ROOT / "robots" / "adelino"), EYES_M)


def test_features_stay_within_their_range():
    wild = perception.SeenGreeting(energy=50.0, unrest_per_s2=900.0, aversion_deg=90.0, lasted_s=5)
    assert wild.features == Features(jerkiness=1.0, activity=1.0, gaze=0.0)


# -- who it is --------------------------------------------------------------------------------


def test_it_sits_on_its_chair_and_answers_every_form_in_time(show):
    (here,) = show.of(PersonDetected)
    assert (here.position.x_m, here.position.y_m, here.position.z_m) == EYES_M
    offers = [one for one in show.envelopes(FormOffered) if one.message.questionnaire]
    answers = show.envelopes(QuestionnaireAnswered)
    assert [one.message.questionnaire for one in answers] == (
        ["pepper_sam"] * 8 + ["emotion_choice"] * 4
    )
    for offer, answer in zip(offers, answers, strict=True):
        assert 1.0 <= answer.time - offer.time <= 3.1
    for answer in answers[:8]:
        assert set(answer.message.answers) == {"pleasure", "arousal", "dominance"}
        assert all(1 <= place <= 9 for place in answer.message.answers.values())
    assert all(one.message.answers["emotion"] in (*EMOTIONS, "none") for one in answers[8:])


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ({"observer2": None}, "no person 'observer'; did you mean 'observer2'"),
        ({}, r"write \[people\.observer\] with a seat"),
    ],
)
def test_a_person_without_a_place_is_said_in_one_sentence(people, said):
    class Room:
        def __init__(self) -> None:
            self.people = people

    with pytest.raises(LookupError, match=said):
        perceiver._place_of(Room(), "observer")
