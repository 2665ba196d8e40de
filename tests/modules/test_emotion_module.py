"""The module `emotion` in a run: orders, fading into the mood, and what the body makes of it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sera.messages import EmotionState, JointFrame, ModuleFault

ROOM = """
[scenario]
title = "Feelings"
seed = 2
[modules.actor]
module = "./actor.py"
[characters.ada]
robot = "{robot}"
{modules}
"""


def room(emotion: str = "", robot: str = "adelino", modules: str = "") -> str:
    own = f"[characters.ada.modules.emotion]\n{emotion}\n{modules}"
    return ROOM.format(robot=robot, modules=own)


def of(said: list[Any], kind: type[Any]) -> list[Any]:
    return [one for one in said if isinstance(one.message, kind)]


def order(text: str, wait_s: float) -> str:
    return f"""
await self.publish({text}, character="ada")
await self.clock.sleep({wait_s})
"""


def test_what_is_felt_is_told_from_the_start(acted: Any) -> None:
    said = acted(room('mood = "calm"'), "await self.clock.sleep(1.0)")
    first = of(said, EmotionState)[0].message
    assert (first.name, first.mood.pleasure) == ("calm", 0.3)
    assert first.intensity == 1.0


def test_an_order_leads_to_its_target_and_then_fades_into_the_mood(acted: Any) -> None:
    script = order('SetEmotion(name="happiness", blend_s=1.0)', 30.0)
    said = of(acted(room("half_life_s = 4.0"), script), EmotionState)
    led = next(one for one in said if one.message.target.pleasure == 0.81)
    assert led.message.blend_s == 1.0
    after = [one for one in said if one.time > led.time]
    pleasures = [one.message.target.pleasure for one in after]
    assert pleasures == sorted(pleasures, reverse=True)
    assert pleasures[-1] < 0.01
    # Half of it is left after one half-life: the blend, its gentle end, and four seconds.
    half = next(one for one in after if one.message.target.pleasure < 0.405)
    assert half.time - led.time == pytest.approx(5.0, abs=0.8)
    gaps = [b.time - a.time for a, b in itertools.pairwise(said)]
    assert min(gaps[2:]) > 0.4  # told about twice a second while it fades
    assert len(after) < 70


def test_an_emotion_that_stays_is_told_once(acted: Any) -> None:
    script = order('SetEmotion(name="sadness", blend_s=0.5)', 20.0)
    said = of(acted(room("stays = true"), script), EmotionState)
    assert [one.message.target.pleasure for one in said] == [0.0, -0.63]


def test_a_mood_can_be_changed_and_a_list_is_a_point(acted: Any) -> None:
    script = order("SetMood(pad=Pad(pleasure=0.5, arousal=0.0, dominance=0.0), blend_s=1.0)", 4.0)
    said = of(
        acted(room("mood = [-0.4, 0.0, 0.2]\nemotion = [0.2, 0.2, 0.2]"), script), EmotionState
    )
    assert said[0].message.pad.pleasure == 0.2
    assert said[0].message.mood.pleasure == -0.4
    assert said[-1].message.mood.pleasure == 0.5


def test_an_unknown_name_is_refused_with_the_nearest_and_a_point_beyond_is_clipped(
    acted: Any,
) -> None:
    script = order('SetEmotion(name="hapiness")', 1.0) + order(
        "SetEmotion(pad=Pad(pleasure=3.0, arousal=0.0, dominance=-2.0))", 3.0
    )
    said = acted(room("stays = true"), script)
    faults = " ".join(one.message.summary for one in of(said, ModuleFault))
    assert "did you mean 'happiness'" in faults
    assert "pleasure and dominance are beyond -1 to 1" in faults
    last = of(said, EmotionState)[-1].message.target
    assert (last.pleasure, last.dominance) == (1.0, -1.0)


def test_a_wrong_mood_in_the_scenario_is_told_before_anything_moves(acted: Any) -> None:
    said = acted(room('mood = "clam"'), "await self.clock.sleep(1.0)")
    faults = " ".join(one.message.summary for one in of(said, ModuleFault))
    assert "did you mean 'calm'" in faults


def test_the_body_follows_what_the_module_says(acted: Any) -> None:
    engine = "[characters.ada.modules.animation_engine]\nrate_hz = 10.0"
    script = "await self.clock.sleep(3.0)" + order('SetEmotion(name="sadness", blend_s=0.5)', 4.0)
    frames = of(acted(room("stays = true", modules=engine), script), JointFrame)
    before = next(one for one in frames if one.time > 2.5).message.joints_rad
    after = frames[-1].message.joints_rad
    assert max(abs(after[name] - before[name]) for name in before) > 0.2
