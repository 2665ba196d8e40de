"""Strokes meet words on the bus: looks before hands, waiting, lines that break off, lateness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sera.messages import (
    EmergencyStop,
    Envelope,
    Gaze,
    PlayAnimation,
    Point,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopAnimation,
    UtteranceFinished,
)
from tests.modules.test_behaviour_manager import ARRIVE, SCENARIO, of, when

LINES = """\
ID;CATEGORY;TEXT;WAIT
plain;a;I am here now.;
led;a;<ANIMATE(greet)> Hello there.;
quick;a;<ANIMATE(greet)> Hello there.;no
shown;a;The desk is over <POINT(desk)> there.;
late;a;Now comes something that takes <ANIMATE(wave)> long.;
"""
DESK = (
    'await self.publish(TargetUpdated(target="desk", direction=Direction(horizontal_deg=-30.0, '
    "vertical_deg=-10.0)))\n"
)


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Callable[..., list[Envelope]]:
    """Say one line in virtual time, and do what `body` says in its midst."""

    def run(line: str, body: str = "await self.clock.sleep(6)\n", more: str = "") -> list[Envelope]:
        scenario = SCENARIO.format(robot="nao").replace('["lines.csv"]', f'["lines.csv"]{more}')
        said = f'await self.publish(PerformUtterance(line="{line}"))\n'
        return acted(scenario, ARRIVE + DESK + said + body, {"lines.csv": LINES})

    return run


def waited_s(seen: list[Envelope]) -> float:
    return when(seen, SpeechStarted) - next(e.time for e in seen if e.type == "PerformUtterance")


def word_s(seen: list[Envelope], text: str) -> float:
    return next(
        e.time for e in seen if isinstance(e.message, SpeechWord) and e.message.text == text
    )


def test_a_line_waits_for_the_gesture_before_it_and_one_without_begins_at_once(play, tmp_path):
    seen = play("led")
    assert 0.4 < waited_s(seen) <= 0.8
    assert of(seen, PlayAnimation)[0].anchors == {}  # at its own pace
    (finished,) = of(seen, UtteranceFinished)
    assert finished.substitutions == []


def test_a_line_without_a_gesture_before_it_begins_at_once(play):
    assert waited_s(play("plain")) <= 0.02


@pytest.mark.parametrize(("line", "more"), [("quick", ""), ("led", "\nwait_for_gestures = false")])
def test_what_may_not_wait_begins_at_once_and_tells_how_late_its_gesture_is(play, line, more):
    seen = play(line, more=more)
    assert waited_s(seen) <= 0.02
    (gesture,) = of(seen, PlayAnimation)
    assert gesture.amplitude < 1.0
    assert gesture.anchors["stroke"] == pytest.approx(0.6 * 0.58, abs=0.02)
    (finished,) = of(seen, UtteranceFinished)
    (told,) = finished.substitutions
    assert told.wanted == "ANIMATE(greet)"
    assert "smaller" in told.done
    assert "after its word" in told.why


def test_the_eyes_are_told_first_where_a_hand_points(play):
    seen = play("shown")
    (point,) = of(seen, Point)
    looked_s = next(
        e.time for e in seen if isinstance(e.message, Gaze) and e.message.target == "desk"
    )
    assert point.target == "desk"
    assert looked_s < when(seen, Point) < word_s(seen, "there")


BREAKS: dict[str, tuple[str, type[Any]]] = {
    "cancelled": ("await self.publish(CancelUtterance(politely=False))\n", StopAnimation),
    "pre-empted": ('await self.publish(PerformUtterance(text="No!", priority=9))\n', StopAnimation),
    "stopped": ("await self.publish(EmergencyStop())\n", EmergencyStop),
}


@pytest.mark.parametrize("how", BREAKS)
def test_a_line_that_breaks_off_takes_back_what_was_ordered_ahead(play, how):
    order, takes_back = BREAKS[how]
    begun = "while not any(isinstance(m, PlayAnimation) for m in heard):\n"
    seen = play(
        "late",
        "heard = []\nawait self.bus.subscribe([PlayAnimation], lambda e: heard.append(e.message))\n"
        + begun + "    await self.clock.sleep(0.02)\nawait self.clock.sleep(0.1)\n"
        + order + "await self.clock.sleep(4)\n",
    )  # fmt: skip
    spoken = [e.message.text for e in seen if isinstance(e.message, SpeechWord)]
    assert "long" not in spoken
    assert of(seen, takes_back)
    assert of(seen, SpeechFinished)


def test_a_stop_while_the_words_wait_leaves_them_unsaid(play):
    seen = play("led", "await self.clock.sleep(0.3)\nawait self.publish(EmergencyStop())\n"
                "await self.clock.sleep(2)\n")  # fmt: skip
    assert of(seen, SpeechStarted) == []
    assert of(seen, SpeechFinished)[0].outcome == "stopped"
