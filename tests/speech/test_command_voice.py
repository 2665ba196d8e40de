"""Any program as a voice: WAV from standard output or a file, word times or none."""

from __future__ import annotations

import sys

import pytest

from sera.speech import CommandVoice, VoiceError, VoiceSettings
from tests.helpers import PATIENCE_S

# Half a second of silence, a second of sound, half a second of silence.
SOUND = """
import sys, wave, json, array
def write(target):
    tone = array.array("h", [8000 if n % 20 < 10 else -8000 for n in range(8000)]).tobytes()
    with wave.open(target, "wb") as file:
        file.setnchannels(1); file.setsampwidth(2); file.setframerate(8000)
        file.writeframes(bytes(8000) + tone + bytes(8000))
"""
TO_STDOUT = SOUND + "assert sys.stdin.read() == 'hello little robot'\nwrite(sys.stdout.buffer)"
TO_FILE = SOUND + "write(sys.argv[1])"
WITH_TIMES = (
    TO_FILE
    + """
times = [{"word": "hello", "start_s": 0.5, "end_s": 0.8}, {"word": "robot", "start_s": 1.2}]
print(json.dumps(times))"""
)


def python(program: str, *arguments: str, **options) -> CommandVoice:
    return CommandVoice("tool", (sys.executable, "-c", program, *arguments), **options)


async def test_wav_from_standard_output_gets_estimated_words_within_the_sound():
    speech = await python(TO_STDOUT).synthesise("hello little robot")
    assert speech.duration_s == pytest.approx(2.0)
    assert all(word.estimated for word in speech.words)
    assert speech.words[0].start_s == pytest.approx(0.5, abs=0.02)
    assert speech.words[-1].end_s == pytest.approx(1.5, abs=0.02)


async def test_word_times_on_standard_output_are_used_and_gaps_are_estimated():
    speech = await python(WITH_TIMES, "{wav}").synthesise("Hello, little robot!")
    assert [word.estimated for word in speech.words] == [False, True, False]
    assert speech.words[0].start_s == pytest.approx(0.5)
    assert speech.words[0].end_s == pytest.approx(0.8)
    assert 0.5 < speech.words[1].start_s < 1.2
    assert speech.words[2].start_s == pytest.approx(1.2)
    assert speech.words[2].offset == 14


async def test_text_is_one_argument_whatever_stands_in_it(tmp_path):
    text, note = '-x "$(a)"; {wav} \'b', tmp_path / "note"
    program = SOUND + "write(sys.argv[1])\nopen(sys.argv[3], 'w').write(sys.argv[2])"
    speech = await python(program, "{wav}", "{text}", str(note)).synthesise(text)
    assert speech.audible
    assert note.read_text() == f" {text}", "a space keeps it from being an option"


async def test_settings_reach_the_program():
    program = SOUND + "assert sys.argv[2:] == ['pt', '1.5', '0.8', '0.25']\nwrite(sys.argv[1])"
    voice = python(program, "{wav}", "{language}", "{rate}", "{pitch}", "{volume}")
    settings = VoiceSettings(language="pt", rate=1.5, pitch=0.8, volume=0.25)
    assert (await voice.synthesise("olá", settings)).language == "pt"


@pytest.mark.parametrize(
    ("program", "arguments", "sentence"),
    [
        ("import sys; sys.exit('no licence')", (), "ended with code 1: no licence"),
        ("print('hello')", (), "not a WAV file"),
        ("pass", (), "gave nothing came"),
        ("pass", ("{wav}",), "wrote no WAV"),
        (TO_FILE + "\nprint('[{')", ("{wav}",), "word times that cannot be read"),
        (TO_FILE + "\nprint('[{\"word\": 3}]')", ("{wav}",), "word 0 .* no word and start_s"),
        ("import time; time.sleep(30)", (), "took longer than 0.3 s"),
    ],
)
async def test_a_program_that_fails_is_named_with_the_reason(program, arguments, sentence):
    voice = python(program, *arguments, timeout_s=0.3 if "sleep" in program else PATIENCE_S)
    with pytest.raises(VoiceError, match=f"voice 'tool': .*{sentence}"):
        await voice.synthesise("hello")


async def test_a_missing_program_and_a_shell_line_are_refused():
    with pytest.raises(VoiceError, match=r"no-such-voice cannot be started.*is it installed"):
        await CommandVoice("tool", ("no-such-voice",)).synthesise("hello")
    with pytest.raises(VoiceError, match="the command is a list"):
        CommandVoice("tool", "espeak-ng --stdout")
