"""The game on the bus: whatever steps on keys, pages that come late, and one game after another."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    WORLD,
    ActivityCommand,
    Clicked,
    FormOffered,
    KeyPressed,
    ModuleFault,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Position,
    RunEnding,
    SessionState,
    find_message_type,
)
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_with_clock
from sera.runtime.module import ModuleContext

AVANTSATIE = Path(__file__).parents[2] / "scenarios" / "avantsatie"
GAME = load_class_from_file(AVANTSATIE / "game.py")


def kind(name: str) -> Any:
    return find_message_type(name)


def play(script: Any, *, affirms: bool = True, **settings: Any) -> list[Any]:
    """The game in virtual time with a robot that affirms at once; what was said comes back."""

    async def main() -> list[Any]:
        clock, broker, heard = Clock.for_running_loop(), MemoryBroker(), []

        def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        robot = join(Identity("play", "adelino", "decision"))
        await robot.connect()

        def hear(envelope: Any) -> None:
            heard.append(envelope.message)
            if not affirms or envelope.type != "RobotCue":
                return
            if envelope.message.cue in ("affirm", "celebrate"):
                cue = envelope.message
                robot.publish(kind("CueDone")(cue=cue.cue, number=cue.number))

        await robot.subscribe(None, hear, everyone=True)
        context = ModuleContext(clock=clock, folder=AVANTSATIE, seed=1)
        host = ModuleHost(GAME, Identity("play", WORLD, "game"), context, join, settings=settings)
        task = asyncio.create_task(host.run())
        await asyncio.sleep(0.5)
        await script(robot, heard)
        host.stop()
        await asyncio.gather(task, return_exceptions=True)
        return heard

    return run_with_clock(main(), clock="virtual")


def of(heard: list[Any], name: str | type[Any]) -> list[Any]:
    wanted = kind(name) if isinstance(name, str) else name
    return [message for message in heard if isinstance(message, wanted)]


def test_keys_come_from_the_floor_a_page_a_keyboard_and_midi():
    async def script(robot: Any, _heard: Any) -> None:
        for message in (
            kind("KeyStepped")(key="e4"),
            Clicked(element="key_fs4"),
            KeyPressed(key="a"),  # the first letter of the row
            KeyPressed(key="k"),  # the last one
            KeyPressed(key="as4"),  # a MIDI device names the key itself
        ):
            robot.publish(message)
            await asyncio.sleep(0.1)

    heard = play(script)
    assert [one.key for one in of(heard, "NoteSounded")] == ["e4", "fs4", "c4", "c5", "as4"]
    assert of(heard, ModuleFault) == []


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("d44", "the piano has no key 'd44'; did you mean 'd4'?"),
        ("zzzzzz", "the piano has no key 'zzzzzz'; it has c4, cs4"),
        ("x" * 5000, f"the piano has no key '{'x' * 40}'; it has c4"),
    ],
)
def test_a_step_on_a_key_that_is_not_there_is_a_warning_with_the_nearest(key, sentence):
    async def script(robot: Any, _heard: Any) -> None:
        robot.publish(kind("KeyStepped")(key=key))
        await asyncio.sleep(0.1)

    heard = play(script)
    (fault,) = of(heard, ModuleFault)
    assert sentence in fault.summary
    assert fault.severity == "warning"
    assert of(heard, "NoteSounded") == []


def test_other_keys_and_clicks_are_nobodys_business():
    async def script(robot: Any, _heard: Any) -> None:
        for message in (KeyPressed(key="q"), KeyPressed(key="f5"), Clicked(element="elsewhere")):
            robot.publish(message)
        await asyncio.sleep(0.1)

    heard = play(script)
    assert of(heard, "NoteSounded") == of(heard, ModuleFault) == []


def test_pages_are_told_the_screen_when_they_say_that_they_are_there():
    async def script(robot: Any, heard: Any) -> None:
        assert of(heard, ActivityCommand) == []
        robot.publish(Clicked(element="game_page"))
        await asyncio.sleep(0.1)
        robot.publish(kind("KeyStepped")(key="c4"))
        await asyncio.sleep(0.1)

    shown, sound = of(play(script, language="pt"), ActivityCommand)
    assert (shown.command, shown.data["screen"], shown.data["language"]) == ("show", "start", "pt")
    assert shown.data["keys"][:3] == ["c4", "cs4", "d4"]
    assert (sound.command, sound.data) == ("sound", {"key": "c4", "by": "player"})


async def to_the_end(robot: Any, heard: list[Any], games: int) -> None:
    """Play rightly, until so many games are over."""
    async with asyncio.timeout(1000 * games):
        while len(of(heard, "GameEnded")) < games:
            screen = of(heard, "ScreenShown")[-1]
            key = screen.highlighted
            if screen.screen == "guess":
                key = PART_NOTES[screen.part - 1][screen.note - 1]
            if key is not None and screen.screen in ("start", "guess", "repeat"):
                robot.publish(kind("KeyStepped")(key=key))
            await asyncio.sleep(0.3)


PART_NOTES = [
    ["e4"],
    ["e4", "f4", "g4"],
    ["g4", "f4", "e4", "d4", "c4"],
    ["c4", "d4", "e4", "e4", "d4", "d4"],
]


def test_the_run_is_over_with_the_game():
    heard = play(lambda robot, heard: to_the_end(robot, heard, 1), levels=1)
    (ended,) = of(heard, "GameEnded")
    assert (ended.wrong_hot, ended.wrong_cold) == (0, 0)
    assert [one.reason for one in of(heard, RunEnding)] == ["all pieces were discovered"]


def test_games_can_follow_each_other_each_from_its_beginning():
    heard = play(lambda robot, heard: to_the_end(robot, heard, 2), levels=1, games=0)
    screens = [one.screen for one in of(heard, "ScreenShown")]
    assert screens.count("start") == 3
    assert [one.wrong_hot + one.wrong_cold for one in of(heard, "GameEnded")] == [0, 0]
    assert of(heard, RunEnding) == []


def test_a_late_answer_of_the_robot_does_not_end_the_cue_that_it_has_now():
    async def script(robot: Any, heard: list[Any]) -> None:
        robot.publish(kind("KeyStepped")(key="d4"))
        await asyncio.sleep(7.0)  # longer than the game waits; the robot is to affirm again
        first, second = [one for one in of(heard, "RobotCue") if one.cue == "affirm"]
        shown = len(of(heard, "ScreenShown"))
        robot.publish(kind("CueDone")(cue="affirm", number=first.number))
        await asyncio.sleep(0.5)
        assert len(of(heard, "ScreenShown")) == shown
        robot.publish(kind("CueDone")(cue="affirm", number=second.number))
        await asyncio.sleep(0.5)
        assert of(heard, "ScreenShown")[shown].screen == "part"

    heard = play(script, affirms=False, story_s=0.1)
    assert of(heard, ModuleFault) == []


def test_cues_are_numbered_on_from_game_to_game():
    heard = play(lambda robot, heard: to_the_end(robot, heard, 2), levels=1, games=0)
    numbers = [one.number for one in of(heard, "RobotCue")]
    assert numbers == list(range(1, len(numbers) + 1))


# -- where the player is ------------------------------------------------------------------------


def places(heard: list[Any]) -> list[tuple[str, str, tuple[float, float, float]]]:
    """What the game told of the player's place; the script does not hear itself."""
    return [
        (
            type(one).__name__,
            one.person,
            tuple(round(m, 2) for m in (one.position.x_m, one.position.y_m, one.position.z_m)),
        )
        for one in heard
        if isinstance(one, PersonDetected | PersonMoved)
    ]


def test_without_a_camera_the_player_stands_where_the_key_is():
    async def script(robot: Any, _heard: Any) -> None:
        for message in (
            Clicked(element="key_d4"),
            KeyPressed(key="k"),
            KeyPressed(key="fs4", person="player"),
        ):
            robot.publish(message)
            await asyncio.sleep(0.1)

    heard = play(script)
    assert places(heard) == [
        ("PersonDetected", "player", (-0.75, 1.6, 1.45)),
        ("PersonMoved", "player", (1.05, 1.6, 1.45)),
        ("PersonMoved", "player", (0.0, 1.6, 1.17)),
    ]
    at = [type(one).__name__ for one in heard]
    assert at.index("PersonDetected") < at.index("NoteSounded"), "it looks before it answers"
    assert of(heard, ModuleFault) == []


def test_who_is_tracked_is_not_told_of_by_the_game():
    seen = Position(x_m=0.3, y_m=1.7, z_m=2.0)

    async def script(robot: Any, _heard: Any) -> None:
        robot.publish(PersonDetected(person="face_1", position=seen))
        await asyncio.sleep(0.1)
        robot.publish(Clicked(element="key_d4"))
        await asyncio.sleep(0.1)
        robot.publish(PersonLost(person="face_1"))
        robot.publish(KeyPressed(key="a"))
        await asyncio.sleep(0.1)

    heard = play(script)
    assert places(heard) == []
    assert [one.key for one in of(heard, "NoteSounded")] == ["d4", "c4"]


def test_a_tracker_that_comes_later_takes_the_place_of_what_the_keys_told():
    seen = Position(x_m=0.3, y_m=1.7, z_m=2.0)

    async def script(robot: Any, _heard: Any) -> None:
        robot.publish(Clicked(element="key_d4"))
        await asyncio.sleep(0.1)
        robot.publish(PersonMoved(person="face_1", position=seen))
        await asyncio.sleep(0.1)
        robot.publish(Clicked(element="key_e4"))
        await asyncio.sleep(0.1)

    heard = play(script)
    assert [name for name, _, _ in places(heard)] == ["PersonDetected"]
    assert [one.person for one in of(heard, PersonLost)] == ["player"]


def test_a_step_on_the_floor_tells_nothing_of_a_place():
    async def script(robot: Any, _heard: Any) -> None:
        robot.publish(kind("KeyStepped")(key="d4", person="player"))
        await asyncio.sleep(0.1)

    assert places(play(script)) == []


# -- the language of the session ----------------------------------------------------------------


def test_the_screen_speaks_the_language_of_the_forms():
    async def script(robot: Any, heard: Any) -> None:
        robot.publish(Clicked(element="game_page"))
        await asyncio.sleep(0.1)
        robot.publish(FormOffered(questionnaire="consent", language="pt"), character=WORLD)
        await asyncio.sleep(0.1)
        assert of(heard, ActivityCommand)[-1].data["language"] == "pt"
        robot.publish(FormOffered(), character=WORLD)  # the form is answered
        await asyncio.sleep(0.1)
        await to_the_end(robot, heard, 1)

    heard = play(script, levels=1)
    first, second, *later = of(heard, "ScreenShown")
    assert (first.screen, second.screen) == ("start", "start")
    assert (first.lines[0], second.lines[0]) == ("Step on the piano!", "Sobe para o piano!")
    assert second.highlighted == "d4"
    assert later[0].lines == ["Perderam-se músicas.", later[0].lines[1]]
    assert next(one.lines for one in later if one.screen == "piece")[0] == "Descobriste"


def test_a_game_under_way_goes_on_in_the_other_language():
    async def script(robot: Any, _heard: Any) -> None:
        robot.publish(kind("KeyStepped")(key="d4"))
        await asyncio.sleep(1.0)
        robot.publish(SessionState(study="Play", language="pt"), character=WORLD)
        await asyncio.sleep(8.0)

    lines = [one.lines[0] for one in of(play(script), "ScreenShown")]
    assert lines == ["Step on the piano!", "Pieces of music were lost.", "Tu tens o piano."]


def test_a_language_that_the_screen_does_not_have_is_said_and_changes_nothing():
    async def script(robot: Any, _heard: Any) -> None:
        for _ in range(3):  # said again with every step of the session
            robot.publish(SessionState(study="Play", language="fr"), character=WORLD)
            await asyncio.sleep(0.1)

    heard = play(script)
    (fault,) = of(heard, ModuleFault)
    assert "the screen stays in 'en': texts.toml has no [fr]" in fault.summary
    assert len(of(heard, "ScreenShown")) == 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"language": "fr"}, "no [fr]; it has en, pt"),
        ({"pieces": "nowhere.toml"}, "nowhere.toml"),
        ({"texts": "pieces.toml"}, "no [en]; it has piano, pieces"),
    ],
)
def test_a_game_that_cannot_begin_says_why(settings, sentence):
    async def script(_robot: Any, _heard: Any) -> None:
        await asyncio.sleep(0.1)

    faults = of(play(script, **settings), ModuleFault)
    assert any(sentence in one.summary for one in faults), [one.summary for one in faults]
