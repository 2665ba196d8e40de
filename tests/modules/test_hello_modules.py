"""The modules of the scenario hello, in virtual time: what they do, and what they never do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Aiming
from sera.messages import (
    ActionExpired,
    BodyState,
    Direction,
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    Gaze,
    PerformUtterance,
    Speak,
    SpeechFinished,
    SpeechWord,
    StopSpeaking,
    UtteranceCancelled,
    UtteranceStarted,
)
from sera.runtime import Module
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

Script = Callable[[Module], Coroutine[Any, Any, None]]

ACTOR = """
from sera import Module
from sera.runtime import Role

class Actor(Module):
    role = Role.WIZARD

    async def run(self) -> None:
        from tests_script import script
        await script(self)
        await self.end_run("the script is over")
"""


ROBOTS = Path(__file__).parents[2] / "robots"
BODY = """
[characters.ada.modules.engine]
module = "animation_engine"
[characters.ada.modules.body]
module = "robot_bridge"
heartbeat_hz = 20
"""


def play(
    folder: Path, scenario: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> tuple[RunSummary, list[Envelope]]:
    """Run a scenario with an actor who follows a script; returns all that was said."""
    import sys
    import types

    holder = types.ModuleType("tests_script")
    holder.script = script  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tests_script", holder)
    (folder / "modules" / "actor").mkdir(parents=True)
    (folder / "modules" / "actor" / "__init__.py").write_text(ACTOR, encoding="utf-8")
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(
        '[scenario]\ntitle = "Play"\nduration_s = 60\n[characters.ada]\nrobot = "adelino"\n'
        "[characters.ada.modules.actor]\n" + scenario,
        encoding="utf-8",
    )
    lines = "CATEGORY;TEXT\ngreeting;one /who/\ngreeting;two /who/\n"
    (place / "lines.csv").write_text(lines, encoding="utf-8")
    workspace = Workspace.discover(folder)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> RunSummary:
        run = Run(load_scenario("play", workspace), workspace, RunOptions(record=False))
        run.observe(seen.append)
        return await run.execute()

    return run_with_clock(main(), clock="virtual"), seen


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [envelope.message for envelope in seen if isinstance(envelope.message, kind)]


def test_hello_tells_its_story_in_order_and_every_act_has_a_cause(tmp_path: Path) -> None:
    workspace = Workspace.discover()
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> RunSummary:
        options = RunOptions(log=tmp_path / "hello.jsonl")
        run = Run(load_scenario("hello", workspace), workspace, options)
        run.observe(seen.append)
        return await run.execute()

    summary = run_with_clock(main(), clock="virtual")
    assert not summary.failed
    assert summary.expired == 0
    lines = [message.category for message in of(seen, UtteranceStarted)]
    assert lines == ["greeting", "answer", "call_back", "goodbye"]
    by_id = {envelope.id: envelope for envelope in seen}
    for spoken in (envelope for envelope in seen if envelope.type == "SpeechStarted"):
        chain = [spoken.type]
        cause = spoken.cause
        while cause is not None:
            chain.append(by_id[cause].type)
            cause = by_id[cause].cause
        assert chain[1:3] == ["Speak", "PerformUtterance"]
        assert chain[3] in ("PersonDetected", "SpeechHeard", "AttentionChanged", "PersonLost")


def test_the_body_turns_within_its_limits_and_no_faster_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look_far(actor: Module) -> None:
        for angle in (170.0, -170.0, 30.0):
            await actor.publish(
                Gaze(direction=Direction(horizontal_deg=angle, vertical_deg=angle / 2))
            )
            await actor.clock.sleep(5.0)

    summary, seen = play(
        tmp_path,
        BODY,
        look_far,
        monkeypatch,
    )
    assert not summary.failed
    bodies = [(e.time, e.message) for e in seen if isinstance(e.message, BodyState)]
    states = [(time_s, body.joints_rad) for time_s, body in bodies if body.joints_rad]
    assert len(states) > 200
    for joint in ("base", "lower_bend"):
        angles = [state[joint] for _, state in states]
        assert max(map(abs, angles)) <= math.radians(90.0) + 1e-9
        speeds = [
            abs(b[joint] - a[joint]) / (tb - ta)
            for (ta, a), (tb, b) in itertools.pairwise(states)
            if tb > ta
        ]
        assert max(speeds) <= math.radians(90.0) * 1.01
    body = load_body(ROBOTS / "adelino")
    looks_deg = np.degrees(Aiming(body, body.chains[0]).looks_at(states[-1][1]))
    assert looks_deg == pytest.approx([30.0, 15.0], abs=1.0)


def test_an_emergency_stop_holds_body_and_voice_until_it_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stop_in_the_middle(actor: Module) -> None:
        await actor.publish(Speak(text="this is a long sentence that nobody will hear to its end"))
        await actor.publish(Gaze(direction=Direction(horizontal_deg=80.0)))
        await actor.clock.sleep(0.3)
        await actor.publish(EmergencyStop(reason="somebody is too near"))
        await actor.clock.sleep(0.1)
        await actor.publish(Gaze(direction=Direction(horizontal_deg=-80.0)))
        await actor.publish(Speak(text="not now"))
        await actor.clock.sleep(3.0)
        await actor.publish(EmergencyRelease())
        await actor.clock.sleep(0.5)
        await actor.publish(Gaze(direction=Direction(horizontal_deg=-10.0)))
        await actor.clock.sleep(3.0)

    _, seen = play(
        tmp_path,
        BODY + "[characters.ada.modules.speaker]\n",
        stop_in_the_middle,
        monkeypatch,
    )
    stopped_s = next(e.time for e in seen if isinstance(e.message, EmergencyStop))
    released_s = next(e.time for e in seen if isinstance(e.message, EmergencyRelease))
    held = [
        e.message.joints_rad["base"]
        for e in seen
        if isinstance(e.message, BodyState) and stopped_s + 0.3 < e.time < released_s
    ]
    assert len(held) > 40
    assert max(held) - min(held) <= 1e-3
    assert 0 < abs(held[0]) < math.radians(80)
    ends = of(seen, SpeechFinished)
    assert [str(end.outcome) for end in ends] == ["stopped", "stopped"]
    words = [e.time for e in seen if isinstance(e.message, SpeechWord)]
    assert max(words) <= stopped_s
    last = of(seen, BodyState)[-1]
    assert str(last.health) == "ok"
    assert last.joints_rad["base"] == pytest.approx(math.radians(10.0), abs=math.radians(1.0))


def test_lines_alternate_tags_are_filled_and_a_missing_category_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(actor: Module) -> None:
        for _ in range(4):
            await actor.publish(PerformUtterance(category="greeting", tags={"who": "guest"}))
            await actor.clock.sleep(2.0)
        await actor.publish(PerformUtterance(category="greting"))
        await actor.clock.sleep(1.0)

    _, seen = play(
        tmp_path,
        '[characters.ada.modules.behaviour]\nmodule = "behaviour_manager"\n'
        'libraries = ["lines.csv"]\n'
        "[characters.ada.modules.speaker]\n",
        ask,
        monkeypatch,
    )
    texts = [message.text for message in of(seen, UtteranceStarted)]
    assert sorted(set(texts)) == ["one guest", "two guest"]
    assert all(first != second for first, second in itertools.pairwise(texts))
    (refusal,) = of(seen, UtteranceCancelled)
    assert "greting" in refusal.detail
    assert "greeting" in refusal.detail


def test_the_voice_reports_words_in_order_and_stops_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def speak_and_stop(actor: Module) -> None:
        await actor.publish(Speak(text="one two three"))
        await actor.clock.sleep(4.0)
        await actor.publish(Speak(text="four five six seven eight nine ten"))
        await actor.clock.sleep(0.6)
        await actor.publish(StopSpeaking())
        await actor.clock.sleep(1.0)

    _, seen = play(
        tmp_path,
        "[characters.ada.modules.speaker]\n",
        speak_and_stop,
        monkeypatch,
    )
    first, second = of(seen, SpeechFinished)
    assert (str(first.outcome), first.words) == ("completed", 3)
    assert 0.5 < first.duration_s < 2.0
    assert str(second.outcome) == "stopped"
    assert 0 < second.words < 7
    words = of(seen, SpeechWord)
    assert [word.text for word in words[:3]] == ["one", "two", "three"]
    starts = [word.start_s for word in words[:3]]
    assert starts == sorted(starts)
    assert starts[0] == 0.0
    assert of(seen, ActionExpired) == []
