"""The best voice that this computer has."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sera.speech.espeak import EspeakVoice
from sera.speech.pronunciation import PronunciationList
from sera.speech.silent import SilentVoice
from sera.speech.voice import Voice, VoiceError

_log = logging.getLogger(__name__)


async def best_voice(
    *,
    language: str = "en",
    pronunciations: PronunciationList | None = None,
    report: Callable[[str], None] | None = None,
    espeak: EspeakVoice | None = None,
) -> Voice:
    """espeak-ng, started, where it is installed; else the silent voice, and one warning.

    Args:
        language: what is spoken where a line does not say.
        pronunciations: how single words are said.
        report: is told what is missing, and later of restarts; None: the log.
        espeak: to be tried; None: made here.
    """
    tell = report or _log.warning
    voice = espeak or EspeakVoice(language=language, pronunciations=pronunciations, report=tell)
    try:
        await voice.start()
    except VoiceError as error:
        tell(
            f"The robot is silent: {error}. Lines keep their time without sound "
            "(install espeak-ng: apt-get install espeak-ng, brew install espeak-ng)."
        )
        return SilentVoice(language=language)
    return voice
