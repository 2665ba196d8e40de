"""The simulated player sees the robot's body, the screen and the piano, and nothing else."""

from __future__ import annotations

import ast
import asyncio
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import WORLD, JointFrame, find_message_type
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_with_clock
from sera.runtime.module import ModuleContext
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from sera.study.participants import MeaningLearner, draw_person

ROOT = Path(__file__).parents[2]
AVANTSATIE = ROOT / "scenarios" / "avantsatie"
PLAYER = load_class_from_file(AVANTSATIE / "player.py")
_package = PLAYER.__module__.rpartition(".")[0]
said = sys.modules[f"{_package}.messages"]
PlayerMind = sys.modules[f"{_package}.player_mind"].PlayerMind
SOURCES = ("player.py", "player_mind.py")
SEEN = {"JointFrame", "ScreenShown", "NoteSounded"}
PUBLISHED = {
    "Direction", "Envelope", "HeadDirection", "PersonDetected", "PersonMoved", "Position",
    "QuestionnaireAnswered", "KeyStepped",
}  # fmt: skip
FOR_S = 90.0


# -- the allow-list ---------------------------------------------------------------------------


def test_it_hears_three_messages_and_no_other():
    assert {message.__name__ for message in PLAYER.handlers} == SEEN


@pytest.mark.parametrize("name", SOURCES)
def test_its_source_knows_no_other_message(name):
    tree = ast.parse((AVANTSATIE / name).read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("messages")
        for alias in node.names
    }
    assert imported <= SEEN | PUBLISHED
    # Neither by the module's name nor by a string.
    modules = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not any(one.startswith("sera") for one in modules)
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    hidden = {"GuessJudged", "RobotCue", "CueDone", "SetPosture", "GazeAt", "Gaze", "GameEnded"}
    assert words.isdisjoint(hidden | {"Judgement", "PlayAnimation", "EngineState"})
    assert words.isdisjoint(
        {"subscribe", "bus", "_bus", "host", "_host", "observe", "import_module", "sys", "gc"}
        | {"eval", "exec", "getattr", "globals", "__import__", "find_message_type", "rules"}
    )


@pytest.mark.parametrize("name", SOURCES)
def test_it_does_not_look_into_the_game_nor_the_decision(name):
    tree = ast.parse((AVANTSATIE / name).read_text(encoding="utf-8"))
    beside = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level
    }
    assert beside <= {"messages", "pieces", "player_mind"}
    # Of pieces.toml it takes the piano alone, on which it stands; the melodies are the robot's.
    taken = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "load_pieces"
    ]
    loads = [node for node in ast.walk(tree) if getattr(node, "id", "") == "load_pieces"]
    assert [node.attr for node in taken] == ["piano"] * len(loads)


# -- what it is told cannot matter ------------------------------------------------------------


class Replay:
    """A recorded evening, played to the player alone."""

    def __init__(self, show: Any) -> None:
        self.seen = [one for one in show.seen if one.time < FOR_S]

    def choices(
        self,
        change: Callable[[Any], Any],
        also: tuple[str, ...] = (),
        without: tuple[str, ...] = (),
        robot: str = "adelino",
    ) -> list[Any]:
        """When it stepped on which key.

        Messages go through `change`; further types come `also` or are left out, and what the
        robot says is said by another one.
        """
        told = {*SEEN, *also} - {*without}
        return run_with_clock(self._play(change, told, robot), clock="virtual")

    async def _play(self, change: Callable[[Any], Any], told: set[str], robot: str) -> list[Any]:
        clock, broker = Clock.for_running_loop(), MemoryBroker()
        heard: list[Any] = []

        def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        workspace = Workspace.discover(ROOT)
        workspace.activate()
        scenario = load_scenario("avantsatie", workspace, "c_erik+simulated")
        buses = {
            character: join(Identity("play", who, name))
            for character, who, name in (("adelino", robot, "engine"), (WORLD, WORLD, "game"))
        }
        for bus in buses.values():
            await bus.connect()
        await buses[WORLD].subscribe(None, heard.append, everyone=True)
        context = ModuleContext(clock=clock, folder=AVANTSATIE, seed=1, scenario=scenario)
        identity = Identity("play", WORLD, "player")
        host = ModuleHost(PLAYER, identity, context, join, settings={})
        task = asyncio.create_task(host.run())
        await host.started.wait()
        for envelope in self.seen:
            if envelope.type in told:
                await clock.sleep(max(0.0, envelope.time - clock.now()))
                buses[envelope.character].publish(change(envelope.message))
        await clock.sleep(max(0.0, FOR_S - clock.now()))
        host.stop()
        await task
        return [(one.time, one.message.key) for one in heard if one.type == "KeyStepped"]


@pytest.fixture(scope="module")
def replay() -> Any:
    """Joints, screens and sounds as they were in one evening."""
    return {}


@pytest.fixture
def evening(performance: Callable[..., Any], replay: dict[str, Any]) -> Replay:
    if not replay:
        settings = {"game": {"levels": 1, "story_s": 2.0}}
        replay["it"] = Replay(
            performance(
                "avantsatie",
                seed=1,
                condition="c_erik+simulated",
                duration_s=FOR_S,
                settings=settings,
            )
        )
        replay["plain"] = replay["it"].choices(lambda message: message)
    return replay["it"]


def contrary(message: Any) -> Any:
    """Every judgement, cue and order the other way round."""
    if isinstance(message, find_message_type("GuessJudged")):
        turned = {"hot": "cold", "cold": "hot", "correct": "hot"}[message.result]
        return message.model_copy(update={"result": said.Judgement(turned), "wanted": message.key})
    if isinstance(message, find_message_type("SetPosture")):
        return message.model_copy(update={"posture": "cold"})
    if isinstance(message, find_message_type("RobotCue")):
        return message.model_copy(update={"cue": "celebrate", "key": None})
    return message


def test_what_the_robot_thinks_cannot_change_what_the_player_does(evening, replay):
    assert len(replay["plain"]) > 15
    hidden = ("GuessJudged", "RobotCue", "CueDone", "SetPosture", "GazeAt", "Gaze")
    assert {one.type for one in evening.seen} > {"GuessJudged", "RobotCue", "SetPosture"}
    assert evening.choices(lambda message: message, hidden) == replay["plain"]
    assert evening.choices(contrary, hidden) == replay["plain"]


def test_what_the_body_shows_can(evening, replay):
    """With a body that never moves; else the test above would show nothing."""
    still = next(one.message for one in evening.seen if isinstance(one.message, JointFrame))

    def frozen(message: Any) -> Any:
        return still if isinstance(message, JointFrame) else message

    assert evening.choices(frozen) != replay["plain"]


def test_joints_of_another_robot_are_not_those_that_are_watched(evening, replay):
    blind = evening.choices(lambda message: message, without=("JointFrame",))
    assert len(blind) > 5
    assert blind != replay["plain"]
    assert evening.choices(lambda message: message, robot="somebody") == blind


# -- how it thinks ----------------------------------------------------------------------------


def mind(seed: int = 1) -> Any:
    person = draw_person(seed, 0)
    return PlayerMind(person, 13, MeaningLearner(4, person.caution), random.Random(seed))


def test_a_key_that_was_wrong_is_not_tried_again_by_somebody_who_remembers():
    one = mind()
    one.person = replace(one.person, memory=1.0)
    tried = []
    for _ in range(13):
        tried.append(one.next_key())
        one.guessed(tried[-1])
        one.was_wrong()
    assert sorted(tried) == list(range(13))


def test_when_everything_was_tried_it_begins_again():
    one = mind()
    one.person = replace(one.person, memory=1.0)
    for key in range(13):
        one.guessed(key)
        one.was_wrong()
    assert one.belief == pytest.approx(np.full(13, 1 / 13))
    assert 0 <= one.next_key() < 13


def test_a_posture_that_is_understood_sends_it_to_the_right_side():
    one = mind()
    towards, away = np.full(4, 0.5), np.full(4, -0.5)
    for _ in range(40):
        one.learner.learn(towards, first_kind=True)
        one.learner.learn(away, first_kind=False)
    assert one.learner.trust > 0.7
    chances = {}
    for name, seen in (("towards", towards), ("away", away)):
        one.stands_on, one.last_note = 4, None
        one.new_note()
        one.guessed(6)
        one.saw(seen, moved=True)
        one.was_wrong()
        chances[name] = one.belief[7:].sum() / one.belief.sum()
    assert chances["towards"] > 0.5 > chances["away"]


def test_without_having_learnt_anything_a_posture_moves_no_belief():
    one = mind()
    one.guessed(6)
    one.saw(np.full(4, 9.0), moved=True)
    before = one.belief.copy()
    one.was_wrong()
    kept = [key for key in range(13) if key != 6]
    assert one.belief[kept] / one.belief[kept].sum() == pytest.approx(
        before[kept] / before[kept].sum()
    )


def test_somebody_tires_and_looks_away_from_a_robot_that_never_answers():
    one = mind()
    fresh = (one.interest, one.patience_s())
    one.played_s = 1200.0
    for _ in range(30):
        one.guessed(3)
        one.saw(np.zeros(4), moved=False)
    assert one.interest < 0.5 * fresh[0]
    assert one.patience_s() < fresh[1]
