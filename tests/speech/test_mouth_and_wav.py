"""The mouth of lines that have no phonemes, and WAV files of every width."""

# Signs of phonetics are meant where they look like Latin ones.
# ruff: noqa: RUF001
from __future__ import annotations

import array
import io
import wave
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.speech import (
    Phoneme,
    Sound,
    Speech,
    Viseme,
    WavError,
    Word,
    mouth_curve,
    read_wav,
    viseme_of,
    write_wav,
)
from sera.speech.visemes import OPENING
from sera.speech.wav import sounding_s


@pytest.mark.parametrize(
    ("ipa", "viseme"),
    [
        ("", Viseme.REST),
        ("p", Viseme.LIPS_CLOSED),
        ("f", Viseme.TEETH_ON_LIP),
        ("uː", Viseme.ROUND),
        ("aɪ", Viseme.OPEN),
        ("ɪ", Viseme.SPREAD),
        ("tʃ", Viseme.TONGUE),
        ("ɐ̃ʊ̃", Viseme.MIDDLE),
        ("?", Viseme.REST),
    ],
)
def test_phonemes_have_their_shapes(ipa, viseme):
    assert viseme_of(ipa) is viseme


def test_every_shape_opens_the_mouth_between_closed_and_open():
    assert set(OPENING) == set(Viseme)
    assert min(OPENING.values()) == 0.0
    assert max(OPENING.values()) == 1.0


@given(
    st.lists(st.tuples(st.sampled_from(["", "p", "a", "iː"]), st.floats(0.01, 0.3)), max_size=20),
    st.floats(-1, 7),
)
def test_the_mouth_stays_between_0_and_1_and_is_closed_outside(sounds, time_s):
    now_s, phonemes = 0.0, []
    for ipa, length_s in sounds:
        phonemes.append(Phoneme(ipa, now_s, now_s + length_s))
        now_s += length_s
    curve = mouth_curve(Speech("x", 8000, now_s, phonemes=tuple(phonemes)))
    opening = curve.opening_at(time_s)
    assert 0.0 <= opening <= 1.0
    if time_s <= 0.0 or time_s >= now_s:
        assert opening == 0.0


def test_the_mouth_never_jumps():
    sounds = [("p", 0.06), ("a", 0.1), ("", 0.3), ("m", 0.05), ("ɑː", 0.12), ("", 0.05)]
    now_s, phonemes = 0.0, []
    for ipa, length_s in sounds:
        phonemes.append(Phoneme(ipa, now_s, now_s + length_s))
        now_s += length_s
    curve = mouth_curve(Speech("x", 8000, now_s, phonemes=tuple(phonemes)))
    openings = [curve.opening_at(step / 1000) for step in range(-10, 700)]
    assert max(abs(a - b) for a, b in pairwise(openings)) < 0.05
    assert max(openings) > 0.95


def test_without_phonemes_the_mouth_follows_loudness_else_words():
    pcm = bytes(8000) + b"\x00\x40" * 4000 + bytes(8000)
    loud = mouth_curve(Speech("x", 8000, 1.5, pcm))
    assert loud.opening_at(0.25) == 0.0
    assert loud.opening_at(0.75) == 1.0
    assert loud.opening_at(1.25) == 0.0
    words = (Word("x", 0, 1, 0.2, 0.6), Word("y", 2, 3, 1.0, 1.4))
    silent = mouth_curve(Speech("x y", 8000, 1.5, words=words))
    assert silent.opening_at(0.4) == pytest.approx(0.7)
    assert silent.opening_at(0.8) == pytest.approx(0.1)


def wav(samples: bytes, *, channels=1, width=2, rate_hz=8000) -> bytes:
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate_hz)
        file.writeframes(samples)
    return target.getvalue()


@pytest.mark.parametrize(
    ("width", "sample"),
    [(1, b"\xc0"), (2, b"\x00\x40"), (3, b"\x00\x00\x40"), (4, b"\x00\x00\x00\x40")],
)
def test_every_width_becomes_16_bits(width, sample):
    assert read_wav(wav(sample * 3, width=width)).pcm == b"\x00\x40" * 3


def test_channels_are_mixed():
    samples = array.array("h", [1000, 3000, -500, 500]).tobytes()
    assert array.array("h", read_wav(wav(samples, channels=2)).pcm).tolist() == [2000, 0]


@given(st.binary(max_size=400).map(lambda raw: raw[: len(raw) // 2 * 2]))
def test_what_is_written_is_read_again(pcm):
    assert read_wav(write_wav(Sound(pcm, 22_050))) == Sound(pcm, 22_050)


@given(st.binary(max_size=300))
def test_bytes_that_are_no_wav_file_are_refused_with_a_sentence(content):
    with pytest.raises(WavError, match=r"not a WAV file|nothing came"):
        read_wav(content)


@given(st.binary(min_size=1, max_size=8), st.integers(0, 60))
def test_damaged_heads_never_raise_anything_else(damage, place):
    content = bytearray(wav(b"\x00\x40" * 50))
    content[place : place + len(damage)] = damage
    try:
        sound = read_wav(bytes(content))
    except WavError:
        return
    assert sound.rate_hz > 0
    assert len(sound.pcm) % 2 == 0


def test_a_streamed_head_with_a_false_length_is_read_as_far_as_it_goes():
    content = bytearray(wav(b"\x00\x40" * 100))
    content[40:44] = (0x7FFFFFFE).to_bytes(4, "little")
    assert read_wav(bytes(content)).pcm == b"\x00\x40" * 100


def test_where_sound_begins_and_ends():
    pcm = bytes(3200) + b"\x00\x40" * 8000 + bytes(1600)
    assert sounding_s(Sound(pcm, 16_000)) == pytest.approx((0.1, 0.6))
    assert sounding_s(Sound(bytes(3200), 16_000)) == (0.0, 0.1)
    assert sounding_s(Sound(b"", 16_000)) == (0.0, 0.0)
