"""pocketsphinx on synthetic voices: phrases in quiet and in noise, and speech that is no phrase."""

from __future__ import annotations

import io
import subprocess
import wave
from functools import lru_cache

import numpy as np
import pytest
from scipy.signal import lfilter, resample_poly

from sera.hearing.recogniser import (
    Expectation,
    Mode,
    Recognised,
    Recogniser,
    RecogniserError,
    make_recogniser,
    register_recogniser,
)
from tests.helpers import some_of

pytestmark = pytest.mark.needs_program("flite")
VOICES = some_of(("slt", "rms", "awb"), seed=0)
PHRASES = ("yes", "no", "maybe", "play cards", "tell me a story")
ANSWERS = {
    "yes": "yes",
    "oh yes I do": "yes",
    "I think so yes": "yes",
    "no": "no",
    "no thank you": "no",
    "maybe later": "maybe",
    "I want to play cards": "play cards",
    "please tell me a story": "tell me a story",
}
OTHERS = (
    "the weather is nice today",
    "what time is it",
    "my sister lives in london",
    "can you hear me",
    "good morning",
    "look at that",
    "the train leaves at seven",
    "who are you",
)
SURE = 0.3


@lru_cache(maxsize=128)
def said(voice: str, text: str) -> np.ndarray:
    made = subprocess.run(
        ["flite", "-voice", voice, "-t", text, "-o", "/dev/stdout"], check=True, capture_output=True
    ).stdout
    with wave.open(io.BytesIO(made)) as file:
        rate_hz = file.getframerate()
        samples = np.frombuffer(made[44:], "<i2")[: file.getnframes()].astype(float)
    if rate_hz != 16_000:
        samples = resample_poly(samples, 16_000, rate_hz)
    quiet = np.zeros(4800)
    return np.concatenate([quiet, samples / np.abs(samples).max() * 10_000, quiet])


def in_noise(clean: np.ndarray, snr_db: float, random: np.random.Generator) -> bytes:
    power = np.mean(np.square(clean[np.abs(clean) > 300]))
    noise = lfilter([1.0], [1.0, -0.9], random.standard_normal(len(clean)))
    noise *= np.sqrt(power / 10 ** (snr_db / 10) / np.mean(np.square(noise)))
    return np.clip(clean + noise, -32768, 32767).astype("<i2").tobytes()


def heard(engine: Recogniser, pcm: bytes) -> Recognised | None:
    engine.begin()
    for start in range(0, len(pcm), 1024):
        engine.feed(pcm[start : start + 1024])
    return engine.end()


def counted(engine: Recogniser, snr_db: float) -> tuple[int, int, int]:
    """Answers of a voice that were right and wrong, other speech that was taken for an answer."""
    random = np.random.default_rng(5)
    right = wrong = alarms = 0
    for voice in VOICES:
        for text, phrase in ANSWERS.items():
            found = heard(engine, in_noise(said(voice, text), snr_db, random))
            if found is not None and found.confidence >= SURE:
                right += found.text == phrase
                wrong += found.text != phrase
        for text in OTHERS:
            found = heard(engine, in_noise(said(voice, text), snr_db, random))
            alarms += found is not None and found.confidence >= SURE
    return right, wrong, alarms


@pytest.fixture(scope="module")
def engine() -> Recogniser:
    return make_recogniser("pocketsphinx", "en-GB")


@pytest.mark.parametrize(
    ("mode", "snr_db", "least_right"),
    [
        ("grammar", 40.0, 7.6),
        ("grammar", 20.0, 6.3),
        ("grammar", 10.0, 0.3),  # much is lost, but nothing is made up
        ("keywords", 20.0, 6.0),
    ],
)
def test_answers_are_found_and_other_speech_is_not_forced_into_them(
    engine: Recogniser, mode: Mode, snr_db: float, least_right: float
) -> None:
    engine.expect(Expectation(mode, PHRASES))
    right, wrong, alarms = counted(engine, snr_db)
    print(f"{mode} at {snr_db:g} dB: {right} right, {wrong} wrong, {alarms} alarms")
    assert right / len(VOICES) >= least_right
    assert wrong <= 1
    assert alarms <= 1


def test_words_have_times_within_the_sound(engine: Recogniser) -> None:
    engine.expect(Expectation("grammar", PHRASES))
    sound = in_noise(said("slt", "I want to play cards"), 40.0, np.random.default_rng(1))
    found = heard(engine, sound)
    assert found is not None
    assert [word.text for word in found.words] == ["play", "cards"]
    first, second = found.words
    assert 0.6 < first.start_s < first.end_s == second.start_s < second.end_s < len(sound) / 32_000


def test_strict_hears_a_phrase_and_is_unsure_of_everything_else(engine: Recogniser) -> None:
    engine.expect(Expectation("strict", PHRASES))
    random = np.random.default_rng(2)
    found = heard(engine, in_noise(said("slt", "play cards"), 30.0, random))
    assert found is not None
    assert (found.text, found.mode, found.confidence > 0.5) == ("play cards", "strict", True)
    other = heard(engine, in_noise(said("slt", "the weather is nice today"), 30.0, random))
    assert other is None or other.confidence < SURE


def test_other_speech_falls_back_to_the_open_vocabulary_where_it_matters(
    engine: Recogniser,
) -> None:
    sound = in_noise(said("slt", "my sister lives in london"), 40.0, np.random.default_rng(3))
    engine.expect(Expectation("grammar", PHRASES, fall_back=True))
    found = heard(engine, sound)
    assert found is not None
    assert (found.mode, found.text) == ("open", "my sister lives in london")
    engine.expect(Expectation("grammar", PHRASES))
    assert heard(engine, sound) is None


def test_hostile_phrases_are_told_and_the_others_are_heard(engine: Recogniser) -> None:
    odd = ("", "…", "| ; <x> = {y}", "a" * 500, "Sueca", "3", "yes")
    told = engine.expect(Expectation("grammar", odd))
    assert any("sueca" in sentence for sentence in told)
    assert any("'…'" in sentence for sentence in told)
    found = heard(engine, in_noise(said("slt", "three"), 40.0, np.random.default_rng(4)))
    assert found is not None
    assert found.text == "3"  # as the author's test has it


def test_silence_and_nothing_are_not_understood(engine: Recogniser) -> None:
    engine.expect(Expectation("grammar", PHRASES))
    assert heard(engine, b"") is None
    assert heard(engine, bytes(32_000)) is None
    assert engine.end() is None  # never begun


def test_only_what_can_be_served_is_made() -> None:
    with pytest.raises(RecogniserError, match="English only, not for 'pt-PT'"):
        make_recogniser("pocketsphinx", "pt-PT")
    with pytest.raises(RecogniserError, match="did you mean 'pocketsphinx'"):
        make_recogniser("pocketsphynx")
    with pytest.raises(RecogniserError, match="cannot be loaded"):
        make_recogniser("no.such.package:Engine")


def test_another_engine_is_found_by_its_registered_name(engine: Recogniser) -> None:
    register_recogniser("mine", lambda _language: engine)
    assert make_recogniser("mine") is engine
