"""Several voices as one, what people write to choose them, gain without distortion."""

from __future__ import annotations

import asyncio
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sera.runtime.clock import run
from sera.speech import (
    EspeakVoice,
    NotRecorded,
    PronunciationList,
    SilentVoice,
    Sound,
    Speech,
    Voice,
    VoiceChain,
    VoiceChoice,
    VoiceError,
    VoiceSettings,
    choose_voice,
    with_character,
    write_wav,
)
from sera.speech.chain import REST_S
from sera.speech.gain import peak, with_gain

WAV = write_wav(Sound(b"\x00\x20" * 8000, 16_000))


class Moody(Voice):
    """Fails while it is told to, after so long."""

    def __init__(self, name: str = "moody", takes_s: float = 0.0) -> None:
        super().__init__(name)
        self.fails: Exception | None = None
        self.takes_s = takes_s
        self.asked = 0
        self.closed = False

    async def synthesise(self, text, settings=None):
        self.asked += 1
        await asyncio.sleep(self.takes_s)
        if self.fails:
            raise self.fails
        return Speech(text, 16_000, 0.1, voice=self.name)

    async def _render(self, request):
        raise AssertionError(request)

    async def close(self):
        self.closed = True


def in_virtual_time(scene):
    return run(scene, clock="virtual")


def test_the_next_voice_speaks_where_one_cannot_and_says_why_once_while_it_lasts():
    told: list[str] = []
    moody = Moody()

    async def scene():
        chain = VoiceChain([moody, SilentVoice()], report=told.append)
        moody.fails = VoiceError("the service is down")
        first = [await chain.synthesise(text) for text in ("one", "two")]
        moody.fails = None
        well = await chain.synthesise("three")
        moody.fails = OSError("disk full")
        last = await chain.synthesise("four")
        await chain.close()
        return first, well, last

    first, well, last = in_virtual_time(scene())
    assert [speech.voice for speech in first] == ["silent", "silent"]
    assert all(speech.problem == "the service is down" for speech in first)
    assert (well.voice, well.problem) == ("moody", "")
    assert "disk full" in last.problem
    assert len(told) == 2
    assert "the service is down" in told[0]
    assert moody.closed


def test_a_voice_that_took_long_to_fail_has_a_rest_and_is_asked_again_afterwards():
    moody = Moody(takes_s=4.0)
    moody.fails = VoiceError("no answer within 4 s")

    async def scene():
        chain = VoiceChain([moody, SilentVoice()], report=lambda _: None)
        await chain.synthesise("one")
        began_s = asyncio.get_running_loop().time()
        at_once = await chain.synthesise("two")
        waited_s = asyncio.get_running_loop().time() - began_s
        await asyncio.sleep(REST_S)
        moody.fails = None
        return at_once, waited_s, await chain.synthesise("three")

    at_once, waited_s, again = in_virtual_time(scene())
    assert waited_s == 0.0
    assert at_once.voice == "silent"
    assert "rests" in at_once.problem
    assert again.voice == "moody"
    assert moody.asked == 2


def test_a_missing_recording_is_told_once_for_each_line_however_often_others_are_said():
    told: list[str] = []
    moody = Moody("recorded")

    async def scene():
        chain = VoiceChain([moody, SilentVoice()], report=told.append)
        for text in ("a", "b", "a", "there", "a"):
            moody.fails = None if text == "there" else NotRecorded(f"no recording of '{text}'")
            await chain.synthesise(text)

    in_virtual_time(scene())
    assert len(told) == 2


def test_a_line_may_name_its_voice_and_an_unknown_name_is_told_with_the_nearest():
    told: list[str] = []

    async def scene():
        chain = VoiceChain([Moody("espeak"), SilentVoice()], report=told.append)
        return (
            await chain.synthesise("a", voice="silent"),
            await chain.synthesise("a", voice="espeek"),
        )

    silent, other = in_virtual_time(scene())
    assert (silent.voice, silent.problem) == ("silent", "")
    assert other.voice == "espeak"
    assert "did you mean 'espeak'?" in other.problem
    assert len(told) == 1


def test_all_voices_failing_is_one_error_with_what_each_said():
    moody, other = Moody("a"), Moody("b")
    moody.fails, other.fails = VoiceError("first reason"), VoiceError("second reason")
    chain = VoiceChain([moody, other], report=lambda _: None)
    with pytest.raises(VoiceError, match="first reason; second reason"):
        in_virtual_time(chain.synthesise("x"))
    with pytest.raises(VoiceError, match="at least one"):
        VoiceChain([])


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ({"voice": "recorded"}, 'voice = "recorded" needs recordings'),
        ({"voice": "command"}, 'voice = "command" needs command'),
        ({"voice": "http"}, 'voice = "http" needs url'),
        ({"voice": "http", "url": "file:///etc/passwd"}, "is no address such as http"),
        ({"voice": "http", "url": "host:80"}, "is no address such as http"),
        ({"voice": "command", "command": [" "]}, "the name of the program"),
        ({"variants": {"en": "../f3"}}, "variants.en: '../f3' is no variant"),
        ({"voice": "espeek"}, "'auto', 'espeak', 'silent', 'recorded', 'command' or 'http'"),
        ({"http_timeout_s": 0}, "greater than 0"),
        ({"speed": 1}, "Extra inputs are not permitted"),
    ],
)
def test_what_cannot_be_a_voice_is_refused_with_a_sentence(written, sentence):
    with pytest.raises(ValidationError) as caught:
        VoiceChoice.model_validate(written)
    assert sentence in str(caught.value)


def chosen(folder, *, virtual=False, report=None, **written):
    choice = VoiceChoice.model_validate(written)
    told: list[str] = []

    async def scene():
        return await choose_voice(
            choice,
            folder=folder,
            language="pt-PT",
            virtual=virtual,
            report=report or told.append,
        )

    return run(scene(), clock="virtual" if virtual else "real"), told


def test_each_choice_has_its_voice_first_and_silence_last(tmp_path):
    for written, names in (
        ({"voice": "silent"}, ["silent"]),
        ({"voice": "command", "command": ["x"]}, ["command", "espeak", "silent"]),
        ({"voice": "command", "command": ["x"], "fallback": "silent"}, ["command", "silent"]),
        ({"voice": "http", "url": "http://localhost:1/"}, ["http", "espeak", "silent"]),
        ({"voice": "http", "url": "http://localhost:1/", "fallback": "none"}, ["http"]),
        ({"voice": "recorded", "recordings": "."}, ["recorded", "espeak", "silent"]),
    ):
        chain, _ = chosen(tmp_path, **written)
        assert [voice.name for voice in chain.voices] == names
        assert {voice.language for voice in chain.voices} == {"pt-PT"}


def test_virtual_time_starts_nothing_and_keeps_the_times_of_recordings(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    (tmp_path / "a.json").write_text(json.dumps({"text": "hello", "language": "pt"}))
    for written in ({"voice": "auto"}, {"voice": "http", "url": "http://localhost:1/"}):
        chain, told = chosen(tmp_path, virtual=True, **written)
        assert ([voice.name for voice in chain.voices], told) == (["silent"], [])
    chain, told = chosen(tmp_path, virtual=True, voice="recorded", recordings=".")
    assert told == []
    assert run(chain.synthesise("Hello"), clock="virtual").duration_s == 0.5
    other = run(chain.synthesise("never recorded"), clock="virtual")
    assert other.voice == "silent"
    assert other.duration_s > 0.5


def test_without_espeak_there_is_silence_and_exactly_one_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "sera.speech.espeak._CHILD", tmp_path / "nothing.py"
    )  # a child that cannot start
    chain, told = chosen(tmp_path, voice="espeak")
    assert [voice.name for voice in chain.voices] == ["silent"]
    (sentence,) = told
    assert sentence.startswith("The robot is silent")
    assert "apt-get install espeak-ng" in sentence
    assert run(chain.synthesise("hello"), clock="real").problem == ""


def test_files_that_cannot_be_used_are_told_and_the_rest_goes_on(tmp_path, monkeypatch):
    (tmp_path / "bad.toml").write_text("[en\n")
    (tmp_path / "good.toml").write_text('[en]\nSERA = "Sarah"\n')
    chain, told = chosen(
        tmp_path, voice="command", command=["x"], pronunciations=["bad.toml", "good.toml"]
    )
    assert len(told) == 1
    assert "bad.toml" in told[0]
    assert chain.pronunciations.entries("en")["sera"].respelling == "Sarah"
    _, told = chosen(tmp_path, voice="recorded", recordings="none")
    assert any("no such folder of recordings" in sentence for sentence in told)
    monkeypatch.delenv("SERA_TEST_KEY", raising=False)
    http = {"voice": "http", "url": "http://localhost:1/", "headers": {"A": "$SERA_TEST_KEY"}}
    chain, told = chosen(tmp_path, **http)
    assert "$SERA_TEST_KEY, which is not set" in told[0]
    assert chain.voices[0].name == "espeak"


def test_one_pronunciation_file_may_stand_alone_and_secrets_do_not_show():
    choice = VoiceChoice(
        pronunciations="words.toml", url="http://a/", headers={"Authorization": "secret-key"}
    )
    assert choice.pronunciations == ["words.toml"]
    assert "secret-key" not in repr(choice)


def test_the_variant_of_a_language_is_the_nearest_to_its_tag():
    voice = EspeakVoice(variants={"pt": "f2", "pt-BR": "f4", "*": "m1"}, variant="f5")
    spoken = [voice.variant_for(tag) for tag in ("pt-PT", "pt-br", "pt", "de")]
    assert spoken == ["f2", "f4", "f2", "m1"]
    assert EspeakVoice(variant="f5").variant_for("de") == "f5"
    with pytest.raises(VoiceError, match="no variant"):
        EspeakVoice(variants={"en": "f 3"})


@pytest.mark.needs_program("espeak-ng")
def test_languages_and_variants_sound_different():
    async def scene():
        voice = EspeakVoice(variants={"pt": "f2"})
        plain = EspeakVoice()
        try:
            return [
                (await each.synthesise("bom dia", VoiceSettings(language=tag))).pcm
                for each in (voice, plain)
                for tag in ("en", "pt")
            ]
        finally:
            await voice.close()
            await plain.close()

    varied_en, varied_pt, plain_en, plain_pt = run(scene(), clock="real")
    assert varied_en == plain_en
    assert varied_pt != plain_pt
    assert plain_en != plain_pt


samples = st.lists(st.integers(-32768, 32767), max_size=50)


@given(samples=samples, gain_db=st.floats(-40, 12))
def test_no_gain_ever_distorts_or_turns_the_sound_round(samples, gain_db):
    pcm = np.array(samples, dtype="<i2").tobytes()
    made = with_gain(Speech("x", 16_000, 1.0, pcm), gain_db)
    after = np.frombuffer(made.pcm, dtype="<i2").astype(float)
    before = np.array(samples, dtype=float)
    assert len(after) == len(before)
    if peak(pcm) == 0:
        return
    factor = min(10 ** (gain_db / 20), max(1.0, 32767 / peak(pcm)))
    # Every sample changed by the same factor, so that none was cut at a peak.
    assert np.abs(after - before * factor).max(initial=0.0) <= 1.0


def test_gain_of_nought_and_silence_change_nothing():
    speech = Speech("x", 16_000, 1.0, b"\x00\x20" * 4)
    assert with_gain(speech, 0.0) is speech
    silent = Speech("x", 16_000, 1.0)
    assert with_gain(silent, 6.0) is silent
    assert peak(with_gain(speech, -6.0206).pcm) == 4096


def test_pronunciations_of_a_command_are_part_of_what_it_says(tmp_path):
    script = tmp_path / "echo.py"
    script.write_text(
        "import sys, wave\nf = wave.open(sys.argv[2], 'wb')\n"
        "f.setnchannels(1); f.setsampwidth(2); f.setframerate(8000)\n"
        "f.writeframes(b'\\0\\x20' * 800 * len(sys.argv[1])); f.close()\n"
    )
    (tmp_path / "words.toml").write_text('["*"]\nab = "abcdefghij"\n')
    chain, _ = chosen(
        tmp_path,
        voice="command",
        command=[sys.executable, str(script), "{text}", "{wav}"],
        pronunciations="words.toml",
    )
    assert run(chain.synthesise("ab"), clock="real").duration_s == pytest.approx(1.0)
    assert isinstance(chain.pronunciations, PronunciationList)


def test_the_characters_own_voice_and_language_count_where_the_speaker_says_nothing():
    told: list[str] = []

    def with_own(own_voice, own_language=None, /, **written):
        return with_character(VoiceChoice(**written), own_voice, own_language, told.append)

    assert with_own("silent").voice == "silent"
    assert with_own("silent", voice="espeak").voice == "espeak"
    assert with_own("f3").variants == {"*": "f3"}
    assert with_own("f3", variants={"en": "m1"}).variants == {"en": "m1"}
    assert with_own(None, "pt").language == "pt"
    assert with_own(None, "pt", language="de").language == "de"
    assert told == []
    assert with_own("Ada Lovely").variants == {}
    broken = with_own("recorded", "pt")
    assert (broken.voice, broken.language) == ("auto", "pt")
    assert "'Ada Lovely' cannot be used" in told[0]
    assert "needs recordings" in told[1]
