"""The real espeak-ng in its own process: times, settings, hostile texts, death and return."""

# Signs of phonetics are meant where they look like Latin ones.
# ruff: noqa: RUF001
from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from itertools import pairwise

import pytest

from sera.speech import (
    EspeakVoice,
    SilentVoice,
    Sound,
    VoiceError,
    VoiceSettings,
    best_voice,
    mouth_curve,
)
from sera.speech.wav import levels, sounding_s

pytestmark = pytest.mark.needs_program("espeak-ng")

ISOLATED = [
    "apple",
    "stop",
    "dog",
    "hello",
    "tree",
    "cat",
    "school",
    "under",
    "please",
    "three",
    "zebra",
    "fish",
    "mother",
    "robot",
]


@pytest.fixture
async def voice():
    voice = EspeakVoice()
    yield voice
    await voice.close()


async def test_every_word_has_its_own_time_and_its_place_in_the_text(voice):
    text = 'Hello world. Two 25 things! "Quoted" -- then end.'
    speech = await voice.synthesise(text)
    assert [word.text for word in speech.words] == (
        ["Hello", "world", "Two", "25", "things", "Quoted", "then", "end"]
    )
    assert all(text[word.offset : word.end_offset] == word.text for word in speech.words)
    assert not speech.estimated
    assert speech.words[0].start_s == 0.0
    assert all(before.end_s <= after.start_s for before, after in pairwise(speech.words))
    assert speech.words[-1].end_s <= speech.duration_s == len(speech.pcm) / 2 / speech.rate_hz
    # After a full stop there is a pause, and the word ends before it.
    assert speech.words[2].start_s - speech.words[1].end_s > 0.15
    assert [text[s.offset : s.end_offset] for s in speech.sentences] == (
        ["Hello world.", "Two 25 things!", '"Quoted" -- then end.']
    )
    assert [p.ipa for p in speech.phonemes[:3]] == ["h", "ə", "l"]


@pytest.mark.parametrize("word", ISOLATED)
async def test_an_isolated_word_begins_within_60_ms_of_its_sound(voice, word):
    speech = await voice.synthesise(word)
    begins_s, ends_s = sounding_s(Sound(speech.pcm, speech.rate_hz))
    assert abs(begins_s - speech.words[0].start_s) <= 0.06
    assert abs(ends_s - speech.words[0].end_s) <= 0.06


async def test_speed_pitch_volume_and_language_are_obeyed(voice):
    async def spoken(**settings):
        return await voice.synthesise("a long enough line of words", VoiceSettings(**settings))

    plain = await spoken()
    assert (await spoken(rate=2.0)).duration_s < 0.7 * plain.duration_s
    assert (await spoken(rate=0.5)).duration_s > 1.5 * plain.duration_s
    loud = max(levels(Sound(plain.pcm, plain.rate_hz)))
    quiet = await spoken(volume=0.3)
    assert 0.1 * loud < max(levels(Sound(quiet.pcm, quiet.rate_hz))) < 0.5 * loud
    assert max(levels(Sound((await spoken(volume=0.0)).pcm, plain.rate_hz))) < 0.01 * loud
    assert (await spoken(pitch=2.0)).pcm != plain.pcm
    portuguese = await spoken(language="pt-PT")
    assert portuguese.language == "pt-PT"
    assert [p.ipa for p in portuguese.phonemes] != [p.ipa for p in plain.phonemes]
    # Settings of one line do not reach the next.
    again = await spoken()
    assert again.duration_s == pytest.approx(plain.duration_s, abs=0.005)
    assert max(levels(Sound(again.pcm, again.rate_hz))) == pytest.approx(loud, rel=0.05)


async def test_an_unknown_language_is_named_and_the_voice_goes_on(voice):
    with pytest.raises(VoiceError, match=r"does not speak 'zz-top'.*espeak-ng --voices"):
        await voice.synthesise("hello", VoiceSettings(language="zz-top"))
    assert (await voice.synthesise("hello")).words
    assert voice.restarts == 0


async def test_an_unknown_variant_is_named():
    voice = EspeakVoice(variant="zzz9")
    with pytest.raises(VoiceError, match="no variant 'zzz9'"):
        await voice.synthesise("hello")
    await voice.close()
    female = EspeakVoice(variant="f3")
    assert (await female.synthesise("hello")).audible
    await female.close()
    with pytest.raises(VoiceError, match="no variant of espeak-ng"):
        EspeakVoice(variant="../etc/passwd")


HOSTILE = {
    "NUL": "before\0after",
    "quotes": "\"'`$(reboot)`\\ ; rm -rf / | & > <",
    "newlines": "one\ntwo\r\nthree\n\n\n{}",
    "json": '{"text": "x"}\n{"text": "y"}',
    "long": "The robot looks at you, and you look back. " * 233,
    "one word": "a" * 10_000,
    "dots": "." * 10_000,
    "emoji": "😀 hello 👩‍👩‍👧‍👦 there 🏳️‍🌈",
    "right to left": "שלום עולם مرحبا \u202eabc\u202c",
    "surrogate": "half \ud83d pair",
    "brackets": "[[ ]] [[_:_:_:]] <speak><mark name='x'/></speak> &#0; &lt;",
    "escape": "\x1b[2J\x07\x7f",
    "percent": "%s%n%x {text} {wav}",
    "combining": "e\u0301" * 500 + "Z\u0334\u0335\u0336\u0337\u0338",
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_hostile_texts_never_break_the_child(voice, kind):
    await voice.start()
    process = voice.process_id
    text = HOSTILE[kind]
    speech = await voice.synthesise(text)
    assert speech.text == text
    assert all(text[word.offset : word.end_offset] == word.text for word in speech.words)
    starts_s = [word.start_s for word in speech.words]
    assert starts_s == sorted(starts_s)
    assert all(0 <= w.start_s <= w.end_s <= speech.duration_s + 1e-9 for w in speech.words)
    after = await voice.synthesise("still here")
    assert [word.text for word in after.words] == ["still", "here"]
    assert (voice.process_id, voice.restarts) == (process, 0)


async def test_a_child_that_was_killed_is_replaced_and_reported():
    told: list[str] = []
    voice = EspeakVoice(report=told.append)
    first = await voice.synthesise("hello")
    process = voice.process_id
    assert process is not None
    os.kill(process, signal.SIGKILL)
    again = await voice.synthesise("hello")
    assert again.duration_s == pytest.approx(first.duration_s, abs=0.005)
    assert voice.process_id not in (None, process)
    assert voice.restarts == len(told) == 1
    assert "started again" in told[0]
    await voice.close()
    assert voice.process_id is None


async def test_lines_asked_for_at_the_same_time_get_their_own_answers(voice):
    texts = ["one", "two words", "three little words", "four", "five and six"]
    speeches = await asyncio.gather(*(voice.synthesise(text) for text in texts))
    assert [speech.text for speech in speeches] == texts
    assert [len(speech.words) for speech in speeches] == [1, 2, 3, 1, 3]


async def test_a_cancelled_line_does_not_answer_the_next(voice):
    await voice.start()
    asked = asyncio.create_task(voice.synthesise("word " * 2000))
    await asyncio.sleep(0.01)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert [word.text for word in (await voice.synthesise("the next")).words] == ["the", "next"]


async def test_a_line_cancelled_while_the_child_starts_leaves_no_half_started_child():
    voice = EspeakVoice()
    for wait_s in (0.0, 0.005, 0.02):
        asked = asyncio.create_task(voice.synthesise("hello"))
        await asyncio.sleep(wait_s)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
    assert [word.text for word in (await voice.synthesise("the next")).words] == ["the", "next"]
    await voice.close()


async def test_a_child_that_talks_nonsense_or_hangs_is_an_error_of_the_voice_alone():
    told: list[str] = []
    nonsense = (sys.executable, "-c", "print('nonsense', flush=True)")
    voice = EspeakVoice(program=nonsense, report=told.append)
    with pytest.raises(VoiceError, match=r"failed twice with 'hello'.*did not start"):
        await voice.synthesise("hello")
    assert len(told) == 1
    hang = "print('{\"ready\": true}', flush=True); import time; time.sleep(60)"
    voice = EspeakVoice(program=(sys.executable, "-c", hang), patience_s=0.05, report=told.append)
    with pytest.raises(VoiceError, match="did not answer in time"):
        await voice.synthesise("hello")
    assert voice.process_id is None


async def test_without_espeak_ng_the_silent_voice_speaks_and_one_warning_says_so():
    told: list[str] = []
    missing = 'print(\'{"error": "the library of espeak-ng is not installed"}\', flush=True)'
    broken = EspeakVoice(program=(sys.executable, "-c", missing))
    voice = await best_voice(language="pt", report=told.append, espeak=broken)
    assert isinstance(voice, SilentVoice)
    assert voice.language == "pt"
    assert len((await voice.synthesise("olá mundo")).words) == 2
    assert len(told) == 1
    assert "not installed" in told[0]
    assert "apt-get install espeak-ng" in told[0]


async def test_with_espeak_ng_the_best_voice_is_espeak_and_nothing_is_said_about_it():
    told: list[str] = []
    voice = await best_voice(report=told.append)
    assert isinstance(voice, EspeakVoice)
    assert voice.process_id is not None
    assert told == []
    await voice.close()


async def test_the_mouth_opens_for_vowels_and_closes_for_lips_and_pauses(voice):
    speech = await voice.synthesise("Mama. Papa.")
    curve = mouth_curve(speech)
    vowel = next(p for p in speech.phonemes if p.ipa.startswith(("a", "ɑ")))
    lips = next(p for p in speech.phonemes if p.ipa == "p")
    pause = next(p for p in speech.phonemes if not p.ipa and p.end_s - p.start_s > 0.1)
    assert curve.opening_at((vowel.start_s + vowel.end_s) / 2) == 1.0
    assert curve.opening_at((lips.start_s + lips.end_s) / 2) == 0.0
    assert curve.opening_at((pause.start_s + pause.end_s) / 2) == 0.0


def test_nothing_of_the_project_loads_espeak_ng_into_its_own_process():
    program = (
        "import sera.speech, sys;"
        "assert 'sera.speech._espeak_child' not in sys.modules;"
        "assert 'numpy' not in sys.modules and 'pocketsphinx' not in sys.modules;"
        "print('espeak' in open('/proc/self/maps').read())"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
