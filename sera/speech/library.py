"""Renders many lines beforehand: each a WAV and a words file under a name made from its content.

The name holds what the line sounds like (text, voice, settings, pronunciations), so that rendering
again makes only what is missing or changed, and everybody hears the same file. A rendering that a
new one replaces is taken away, since a line is found by its text.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import wave
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sera.runtime.located import FileProblem
from sera.speech.recording_file import read_recording, words_file
from sera.speech.settings import VoiceSettings
from sera.speech.voice import Voice, VoiceError
from sera.speech.wav import Sound, write_wav

_OURS = re.compile(r"[0-9a-f]{20}")


@dataclass(slots=True)
class Rendered:
    """What became of a library."""

    files: dict[str, Path] = field(default_factory=dict)
    """The WAV file of every text."""
    made: int = 0
    kept: int = 0
    replaced: int = 0
    """How many older renderings of the same lines were taken away."""
    sound_s: float = 0.0
    """How long all of them last."""
    failed: dict[str, str] = field(default_factory=dict)
    """Texts that could not be spoken, and why."""


def line_name(text: str, voice: Voice, settings: VoiceSettings | None = None) -> str:
    """The stable name of one line in one voice, without a suffix."""
    asked = (settings or VoiceSettings()).with_language(voice.language)
    language = asked.language or voice.language
    own = voice.fingerprint(language)
    parts = [text, voice.name, own, language, asked.volume, asked.rate, asked.pitch]
    parts.append(voice.pronunciations.fingerprint(language))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


async def render_library(
    texts: Iterable[str],
    voice: Voice,
    folder: Path,
    settings: VoiceSettings | None = None,
    *,
    progress: Callable[[str, bool], None] | None = None,
) -> Rendered:
    """Render what is missing of `texts` into `folder`, for a `RecordedVoice` to use.

    Args:
        texts: the lines, tags filled in; repeats are rendered once.
        voice: who speaks.
        folder: where to; made where it is missing.
        settings: how.
        progress: is told of each line, and whether it was made now.

    One line that fails does not stop the others; a voice without sound fails for all.
    """
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - a moment, as all files here
    result = Rendered()
    asked = (settings or VoiceSettings()).with_language(voice.language)
    older = _renderings(folder, asked.language or voice.language, asked.rate)
    for text in dict.fromkeys(texts):
        if not text.strip():
            continue
        stem = line_name(text, voice, settings)
        wav, words = folder / f"{stem}.wav", folder / f"{stem}.json"
        made = not _is_whole(wav)
        if made:
            try:
                speech = await voice.synthesise(text, settings)
            except VoiceError as error:
                result.failed[text] = str(error)
                continue
            if not speech.audible:
                result.failed[text] = f"voice '{voice.name}' makes no sound"
                continue
            # The words file comes last: where it stands the sound beside it is whole.
            _write(wav, write_wav(Sound(speech.pcm, speech.rate_hz)))
            _write(words, words_file(speech, rate=asked.rate).encode())
            result.made += 1
        else:
            result.kept += 1
        result.files[text] = wav
        result.sound_s += _length_s(wav)
        for old in older.get(text, ()):
            if old.stem != stem:
                old.unlink(missing_ok=True)
                old.with_suffix(".json").unlink(missing_ok=True)
                result.replaced += 1
        if progress is not None:
            progress(text, made)
    return result


def _is_whole(wav: Path) -> bool:
    """Whether a rendering is there and can be used; one that is broken is made again."""
    try:
        return wav.with_suffix(".json").is_file() and read_recording(wav).sound().duration_s > 0
    except (FileProblem, OSError):
        return False


def _length_s(wav: Path) -> float:
    try:
        with wave.open(str(wav)) as file:
            return float(file.getnframes() / file.getframerate())
    except (OSError, EOFError, wave.Error):
        return 0.0


def _renderings(folder: Path, language: str, rate: float) -> dict[str, list[Path]]:
    """What was rendered before in this language at this speed, by text; never what people spoke."""
    found: dict[str, list[Path]] = {}
    for wav in folder.glob("*.wav"):
        if not _OURS.fullmatch(wav.stem):
            continue
        try:
            recording = read_recording(wav)
        except FileProblem:
            continue
        if recording.rate == rate and (recording.language or "").lower() == language.lower():
            found.setdefault(recording.text, []).append(wav)
    return found


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)  # noqa: PTH105 - replaces on every system
