"""Speaker rapport on the bus: looks at who speaks, and speaks as loudly as they do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sera.messages import Envelope, GazeAt, SetVoiceGain

SCENARIO = """
[scenario]
title = "Play"
duration_s = 120
[characters.ada.modules.speaker_rapport]
{settings}
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
STEP_S = 0.06


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Callable[..., list[Envelope]]:
    return lambda body, settings="": acted(SCENARIO.format(settings=settings), body)


def speaks(whose: str, speaking: bool = True, wait_s: float = 1.0) -> str:
    return (
        f"await self.publish(SpeechActivity({whose}, speaking={speaking}))\n"
        f"await self.clock.sleep({wait_s})\n"
    )


def looks(seen: list[Envelope]) -> list[tuple[float, str]]:
    return [(e.time, e.message.target) for e in seen if isinstance(e.message, GazeAt)]


def gains(seen: list[Envelope]) -> list[float]:
    return [e.message.gain_db for e in seen if isinstance(e.message, SetVoiceGain)]


def test_the_speaker_is_looked_at_and_random_places_once_it_is_quiet(play):
    seen = play(speaks("person='p1'") + speaks("person='p1'", speaking=False, wait_s=5))
    (first_s, first), (quiet_s, quiet) = looks(seen)
    assert (first, quiet) == ("p1", "random")
    assert quiet_s - first_s == pytest.approx(2.0, abs=STEP_S)


def test_two_who_speak_have_turns_of_two_seconds_and_the_one_who_goes_on_stays(play):
    seen = play(
        speaks("person='p1'")
        + speaks("person='p2'", wait_s=6.5)
        + speaks("person='p1'", speaking=False, wait_s=3)
    )
    targets = [target for _, target in looks(seen)]
    assert targets[:4] == ["p1", "p2", "p1", "p2"]
    times_s = [time_s for time_s, _ in looks(seen)]
    assert times_s[1] - times_s[0] == pytest.approx(3.0, abs=STEP_S)
    assert times_s[2] - times_s[1] == pytest.approx(2.0, abs=STEP_S)
    assert targets[4:] == []


def test_sides_alternate_where_only_microphones_tell(play):
    seen = play(speaks("side='both'", wait_s=4.5))
    assert [target for _, target in looks(seen)] == ["left", "right", "left"]


def test_a_breath_is_no_silence_and_nobody_is_looked_for_before_anybody_spoke(play):
    seen = play(
        "await self.clock.sleep(3)\n"
        + speaks("person='p1'")
        + speaks("person='p1'", speaking=False, wait_s=0.5)
        + speaks("person='p1'")
    )
    assert [target for _, target in looks(seen)] == ["p1"]


def test_who_is_lost_is_not_looked_at_any_more(play):
    seen = play(
        speaks("person='p1'") + 'await self.publish(PersonLost(person="p1"))\n'
        "await self.clock.sleep(3)\n"
    )
    assert [target for _, target in looks(seen)] == ["p1", "random"]


def test_the_gaze_may_stay_where_it_was(acted):
    seen = acted(
        SCENARIO.format(settings='when_nobody = "stay"'),
        speaks("person='p1'")
        + speaks("person='p1'", speaking=False, wait_s=3)
        + speaks("person='p1'"),
    )
    assert [target for _, target in looks(seen)] == ["p1", "p1"]


def loud(level: float, seconds: float, voice: str = "0.9") -> str:
    return (
        f"for _ in range({round(seconds / 0.1)}):\n"
        f"    await self.publish(SoundLevel(loudness_dbfs=[-55.0, {level}], voice={voice}))\n"
        "    await self.clock.sleep(0.1)\n"
    )


def test_the_voice_follows_loud_people_in_steps_that_can_be_heard_and_within_bounds(play):
    sent = gains(play(loud(-10.0, 20)))
    assert sent == sorted(sent)
    assert all(b - a >= 0.5 - 0.01 for a, b in zip([0.0, *sent], sent, strict=False))
    assert 5.0 < sent[-1] <= 6.0


def test_quiet_people_are_answered_quietly_and_noise_without_a_voice_changes_nothing(play):
    assert gains(play(loud(-50.0, 20)))[-1] == pytest.approx(-9.0, abs=0.6)


def test_noise_that_is_no_voice_changes_nothing(play):
    assert gains(play(loud(-5.0, 5, voice="0.1") + loud(-5.0, 5, voice="None"))) == []


OWN = "SpeechStarted(speech='s', text='hello', expected_duration_s=3.0)"
END = "SpeechFinished(speech='s', duration_s=3.0)"


def test_the_robots_own_voice_changes_neither_gaze_nor_loudness(play):
    seen = play(
        f"await self.publish({OWN})\n"
        + speaks("side='left'", wait_s=0.1)
        + speaks("person='ada'", wait_s=0.1)
        + loud(-5.0, 2.5)
        + speaks("side='left'", speaking=False, wait_s=0.0)
        + f"await self.publish({END})\n"
        + loud(-5.0, 0.2)
        + "await self.clock.sleep(3)\n"
    )
    assert looks(seen) == []
    assert gains(seen) == []


def test_a_voice_that_goes_on_after_the_robots_own_is_a_persons(play):
    seen = play(
        f"await self.publish({OWN})\n"
        + speaks("side='right'", wait_s=1.0)
        + f"await self.publish({END})\n"
        + "await self.clock.sleep(1)\n"
    )
    assert [target for _, target in looks(seen)] == ["right"]
    ended_s = next(e.time for e in seen if e.type == "SpeechFinished")
    assert looks(seen)[0][0] - ended_s == pytest.approx(0.3, abs=STEP_S)


def test_a_person_who_is_known_may_interrupt_the_robot(play):
    seen = play(f"await self.publish({OWN})\n" + speaks("person='p1'", wait_s=0.5))
    assert [target for _, target in looks(seen)] == ["p1"]


def test_a_speaker_that_died_in_the_middle_does_not_make_it_deaf_for_ever(play):
    seen = play(
        f"await self.publish({OWN})\n"
        "await self.clock.sleep(6)\n" + speaks("side='left'", wait_s=0.5)
    )
    assert [target for _, target in looks(seen)] == ["left"]
