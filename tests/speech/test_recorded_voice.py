"""Recordings as a voice, and a library that is rendered once and used again."""

from __future__ import annotations

import json
import re

import pytest

from sera.runtime.clock import run
from sera.speech import (
    EspeakVoice,
    Pronunciation,
    PronunciationList,
    RecordedVoice,
    SilentVoice,
    Sound,
    TimedWord,
    VoiceError,
    VoiceSettings,
    align,
    can_align,
    line_name,
    render_library,
    write_wav,
)
from sera.speech.wav import levels

WAV = write_wav(Sound(b"\x00\x20" * 16_000, 16_000))
espeak = pytest.mark.needs_program("espeak-ng")


def say(voice, text, **settings):
    return run(voice.synthesise(text, VoiceSettings(**settings)), clock="virtual")


def test_words_come_from_json_and_csv_beside_the_recording(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    words = [{"word": "good", "start_s": 0.1, "end_s": 0.4}, {"word": "day", "start_s": 0.5}]
    (tmp_path / "a.json").write_text(json.dumps({"text": "Good day!", "words": words}))
    (tmp_path / "b.wav").write_bytes(WAV)
    (tmp_path / "b.csv").write_text("word,start_s,end_s\nbye,0.2,0.5\nnow,0.6,0.9\n")
    voice = RecordedVoice(tmp_path)
    assert voice.problems == []
    speech = say(voice, "  good DAY! ")
    assert [word.start_s for word in speech.words] == [0.1, 0.5]
    assert speech.words[0].end_s == 0.4
    assert not speech.estimated
    assert [word.end_s for word in say(voice, "bye now").words] == [0.5, 0.9]


def test_loudness_is_obeyed_and_languages_are_kept_apart(tmp_path):
    for name, language in (("a", "en"), ("b", "pt")):
        (tmp_path / f"{name}.wav").write_bytes(
            write_wav(Sound(b"\x00\x20" * (16_000 if name == "a" else 8000), 16_000))
        )
        (tmp_path / f"{name}.json").write_text(json.dumps({"text": "no", "language": language}))
    voice = RecordedVoice(tmp_path, aligner=lambda _text, _sound: [])
    assert say(voice, "no").duration_s == 1.0
    assert say(voice, "no", language="pt-PT").duration_s == 0.5
    half = say(voice, "no", volume=0.5)
    assert max(levels(Sound(half.pcm, 16_000))) == pytest.approx(0.125, abs=1e-3)


def test_what_was_not_recorded_goes_to_the_fallback_or_is_an_error_with_the_nearest(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    (tmp_path / "a.txt").write_text("Good morning")
    with pytest.raises(VoiceError, match=r"no recording of 'Good mornin'.*nearest.*Good morning"):
        say(RecordedVoice(tmp_path), "Good mornin")
    voice = RecordedVoice(tmp_path, fallback=SilentVoice())
    assert say(voice, "something else").voice == "silent"


def test_text_alone_is_aligned_once_and_by_the_given_aligner(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    (tmp_path / "a.txt").write_text("one two three")
    asked: list[str] = []

    def aligner(text, _sound):
        asked.append(text)
        return [TimedWord("one", 0.1, 0.2), TimedWord("three", 0.8, 0.9)]

    voice = RecordedVoice(tmp_path, aligner=aligner)
    voice.prepare()
    for _ in range(2):
        speech = say(voice, "One two three")
    assert asked == ["one two three"]
    assert [word.estimated for word in speech.words] == [False, True, False]
    assert 0.1 < speech.words[1].start_s < 0.8


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.md", "", "nothing says what is spoken.*a.txt"),
        ("a.json", "{", "a.json:1: not valid JSON"),
        ("a.json", '{"words": [{"word": "x", "start_s": 2, "end_s": 1}]}', "ends before it begins"),
        ("a.json", '{"words": [1]}', "word 0 of the word times"),
        ("a.csv", "word\nx\n", "columns are word, start_s, end_s"),
    ],
)
def test_a_recording_that_cannot_be_used_is_reported_and_the_others_speak(
    tmp_path, name, content, sentence
):
    (tmp_path / "a.wav").write_bytes(WAV)
    (tmp_path / name).write_text(content)
    (tmp_path / "b.wav").write_bytes(WAV)
    (tmp_path / "b.txt").write_text("fine")
    voice = RecordedVoice(tmp_path, aligner=lambda _text, _sound: [])
    (problem,) = voice.problems
    assert re.search(sentence, str(problem))
    assert say(voice, "fine").audible


def test_a_broken_wav_is_named_when_it_is_to_be_played(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"RIFF but no more")
    (tmp_path / "a.txt").write_text("fine")
    with pytest.raises(VoiceError, match=r"a\.wav: the recording cannot be used"):
        say(RecordedVoice(tmp_path), "fine")


@espeak
async def test_a_library_is_rendered_once_and_spoken_again_with_the_same_times(tmp_path):
    voice = EspeakVoice()
    texts = ["Hello there, friend.", "Olá -- déjà vu!", "Hello there, friend.", "  "]
    first = await render_library(texts, voice, tmp_path)
    assert (first.made, first.kept, first.failed) == (2, 0, {})
    times = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    second = await render_library([*texts, "One more."], voice, tmp_path)
    assert (second.made, second.kept) == (1, 2)
    assert all(path.stat().st_mtime_ns == time_ns for path, time_ns in times.items())
    # A file that was lost is made again under the same name.
    lost = first.files["Hello there, friend."]
    lost.unlink()
    third = await render_library(texts, voice, tmp_path)
    assert third.made == 1
    assert third.files["Hello there, friend."] == lost
    live = await voice.synthesise("Olá -- déjà vu!")
    await voice.close()
    recorded = await RecordedVoice(tmp_path).synthesise("Olá -- déjà vu!")
    assert [w.offset for w in recorded.words] == [w.offset for w in live.words]
    assert [w.estimated for w in recorded.words] == [w.estimated for w in live.words]
    for here, there in zip(recorded.words, live.words, strict=True):
        assert here.start_s == pytest.approx(there.start_s, abs=0.02)
    assert [p.ipa for p in recorded.phonemes] == [p.ipa for p in live.phonemes]


def test_the_name_of_a_line_holds_everything_that_changes_its_sound():
    plain = EspeakVoice()
    said = PronunciationList({"en": {"robot": Pronunciation("row bot")}})
    names = [
        line_name("robot", plain),
        line_name("robots", plain),
        line_name("robot", plain, VoiceSettings(rate=1.1)),
        line_name("robot", plain, VoiceSettings(language="pt")),
        line_name("robot", EspeakVoice(variant="f3")),
        line_name("robot", EspeakVoice(pronunciations=said)),
        line_name("robot", SilentVoice()),
    ]
    assert len(set(names)) == len(names)
    assert names[0] == line_name("robot", EspeakVoice(), VoiceSettings(language="en"))
    assert all(name.isalnum() and len(name) == 20 for name in names)


def test_a_voice_without_sound_renders_nothing_and_says_why(tmp_path):
    result = run(render_library(["hello"], SilentVoice(), tmp_path), clock="virtual")
    assert result.failed == {"hello": "voice 'silent' makes no sound"}
    assert list(tmp_path.iterdir()) == []


@espeak
async def test_pocketsphinx_finds_the_words_of_a_recording_within_60_ms(tmp_path):
    voice = EspeakVoice(language="en-us", variant="f3")
    text = "Hello my friend, please come and play with me today."
    speech = await voice.synthesise(text)
    await voice.close()
    (tmp_path / "a.wav").write_bytes(write_wav(Sound(speech.pcm, speech.rate_hz)))
    (tmp_path / "a.txt").write_text(text)
    recorded = await RecordedVoice(tmp_path).synthesise(text)
    assert not recorded.estimated
    for found, known in zip(recorded.words, speech.words, strict=True):
        assert found.start_s == pytest.approx(known.start_s, abs=0.06)


def test_alignment_of_silence_nothing_and_unknown_words_gives_no_times():
    assert align("hello", Sound(b"", 16_000)) == []
    assert align("hello", Sound(bytes(200), 16_000)) == []
    assert align("xqzzyk", Sound(bytes(32_000), 16_000)) == []
    assert not can_align("pt")


def test_of_several_renderings_the_one_at_the_wanted_speed_is_played(tmp_path):
    for name, samples, rate in (("a", 16_000, 1.0), ("b", 8000, 2.0)):
        (tmp_path / f"{name}.wav").write_bytes(write_wav(Sound(b"\x00\x20" * samples, 16_000)))
        beside = {"text": "no", "language": "pt-BR", "rate": rate}
        (tmp_path / f"{name}.json").write_text(json.dumps(beside))
    voice = RecordedVoice(tmp_path, aligner=lambda _text, _sound: [])
    lengths = [say(voice, "no", language="pt", rate=rate).duration_s for rate in (1.0, 2.0, 1.2)]
    assert lengths == [1.0, 0.5, 1.0]
    with pytest.raises(VoiceError, match="no recording"):
        say(voice, "no", language="es")


def test_a_line_that_is_wanted_while_words_are_looked_for_is_estimated_and_does_not_wait(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    (tmp_path / "a.txt").write_text("one two")
    seen = []

    def aligner(_text, _sound):
        seen.append(say(voice, "one two"))  # asks for the line in the middle of the work
        return [TimedWord("one", 0.1), TimedWord("two", 0.7)]

    voice = RecordedVoice(tmp_path, aligner=aligner)
    voice.prepare()
    assert seen[0].estimated
    assert [word.start_s for word in say(voice, "one two").words] == [0.1, 0.7]
    assert len(seen) == 1
