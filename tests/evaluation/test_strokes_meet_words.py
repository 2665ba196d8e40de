"""Strokes meet their words on output frames, with a silent voice and with espeak-ng's own times."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import pytest

from benchmarks._strokes_rehearsal import filled, record
from benchmarks.strokes import StrokesResult, measure_strokes
from sera.behaviour.library import read_library
from sera.speech import EspeakVoice, VoiceError
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
ROBOTS = sorted(file.parent.name for file in (ROOT / "robots").glob("*/body.toml"))
BOOKS = ("hello/lines.xlsx", "reception/reception.xlsx", "tutor/tutor.xlsx")


@cache
def lines() -> list[str]:
    """All lines of the shipped workbooks with words and markup."""
    found = []
    for book in BOOKS:
        library = read_library(ROOT / "scenarios" / book).library
        texts = [each.text_in("en") or "" for each in (*library.lines, *library.dialogue)]
        found += [filled(text) for text in texts if "<" in text]
    return list(dict.fromkeys(found))


def check(result: StrokesResult, tags: int) -> None:
    assert len(result.met) >= tags
    missed = [(each.step, each.offset_s, each.line) for each in result.met if not each.in_time]
    assert result.share() >= 0.85, missed
    assert result.share(only_after_words=True) >= 0.9, missed  # a few lines; 0.95 over all
    assert max(result.waits_s) <= 0.81
    assert max(result.plain_waits_s, default=0.0) <= 0.15


@pytest.mark.parametrize("name", some_of(ROBOTS, 2, seed=20))
def test_strokes_meet_words_with_a_voice_that_keeps_time(name):
    check(measure_strokes(name, some_of(lines(), 10, seed=name), root=ROOT, seed=4), tags=8)


def test_strokes_meet_the_words_of_espeak_and_the_eyes_are_first(tmp_path):
    chosen = some_of(lines(), 5, seed=3)
    chosen += [
        "Have a look, the lamp is <POINT(lamp)> over there.",
        "<GAZEANDPOINT(desk)> This is the desk.",
    ]

    async def speak() -> None:
        voice = EspeakVoice(language="en")
        await voice.start()
        try:
            await record(chosen, voice, tmp_path)
        finally:
            await voice.close()

    try:
        asyncio.run(speak())
    except VoiceError as error:
        pytest.skip(f"espeak-ng: {error}")
    result = measure_strokes("nao", chosen, root=ROOT, seed=8, recordings=tmp_path)
    check(result, tags=6)
    gaps_s = [e.eyes_before_hand_s for e in result.met if e.eyes_before_hand_s is not None]
    assert gaps_s
    assert all(0.15 <= each <= 0.35 for each in gaps_s)


def test_words_that_may_not_wait_do_not_and_their_gestures_come_after_them():
    line = "<ANIMATE(greet)> Hello, how nice that you are here."
    (met,) = measure_strokes("nao", [line], root=ROOT, waits=False).met
    assert 0.1 < met.offset_s < 0.5
    assert not met.in_time
