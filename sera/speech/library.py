"""Renders many lines beforehand: each a WAV and a words file under a name made from its content.

The name holds what the line sounds like (text, voice, settings, pronunciations), so that rendering
again makes only what is missing or changed, and everybody hears the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sera.speech.recording_file import words_file
from sera.speech.settings import VoiceSettings
from sera.speech.voice import Voice, VoiceError
from sera.speech.wav import Sound, write_wav


@dataclass(slots=True)
class Rendered:
    """What became of a library."""

    files: dict[str, Path] = field(default_factory=dict)
    """The WAV file of every text."""
    made: int = 0
    kept: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Texts that could not be spoken, and why."""


def line_name(text: str, voice: Voice, settings: VoiceSettings | None = None) -> str:
    """The stable name of one line in one voice, without a suffix."""
    asked = (settings or VoiceSettings()).with_language(voice.language)
    language = asked.language or voice.language
    variant = getattr(voice, "variant", None)
    parts = [text, voice.name, variant, language, asked.volume, asked.rate, asked.pitch]
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
    for text in dict.fromkeys(texts):
        if not text.strip():
            continue
        stem = line_name(text, voice, settings)
        wav, words = folder / f"{stem}.wav", folder / f"{stem}.json"
        made = not (wav.is_file() and words.is_file())
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
            _write(words, words_file(speech).encode())
            result.made += 1
        else:
            result.kept += 1
        result.files[text] = wav
        if progress is not None:
            progress(text, made)
    return result


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)  # noqa: PTH105 - replaces on every system
