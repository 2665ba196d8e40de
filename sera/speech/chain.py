"""Several voices as one: a line is said by the first of them that can.

Design overview: the voices are asked in their order. What went wrong stands in the speech's
`problem` and is reported once for each sentence until the voice works again. A voice that took
long to fail has a rest, so that a service that hangs delays one line and not every one.
Units and frames: seconds of the injected clock.
Threading: one event loop.
Safety: with the silent voice at the end of the chain every line has an end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from sera.runtime.located import nearest_name
from sera.speech._assemble import Rendering
from sera.speech.settings import VoiceSettings
from sera.speech.speech import Speech
from sera.speech.voice import NotRecorded, Request, Voice, VoiceError

PATIENT_S = 1.0
"""A failure that took longer than this costs the voice a rest."""
REST_S = 20.0
_MOST_REPORTS = 1000
_LINES = "lines"
_log = logging.getLogger(__name__)


class VoiceChain(Voice):
    """The first of several voices that can say a line.

    Args:
        voices: the best one first, each with a name of its own.
        report: is told what went wrong, each sentence once while it lasts.
        now_s: the time; None: that of the event loop.
    """

    def __init__(
        self,
        voices: Sequence[Voice],
        *,
        report: Callable[[str], None] | None = None,
        now_s: Callable[[], float] | None = None,
    ) -> None:
        if not voices:
            raise VoiceError("a chain needs at least one voice")
        first = voices[0]
        super().__init__(first.name, language=first.language, pronunciations=first.pronunciations)
        self.voices = tuple(voices)
        self._report = report or _log.warning
        self._now_s = now_s or (lambda: asyncio.get_running_loop().time())
        self._resting_until_s: dict[str, float] = {}
        self._told: dict[str, set[str]] = {}

    async def synthesise(
        self, text: str, settings: VoiceSettings | None = None, *, voice: str | None = None
    ) -> Speech:
        """Speak `text` by the first voice that can.

        Args:
            text: what is said.
            settings: how.
            voice: name of the voice that is asked first; None: in the order of the chain.

        Raises:
            VoiceError: none of them can; with what each said.
        """
        problems: list[str] = []
        for each in self._asked(voice, problems):
            began_s = self._now_s()
            if began_s < self._resting_until_s.get(each.name, began_s):
                problems.append(f"voice '{each.name}' rests after it failed")
                continue
            try:
                speech = await each.synthesise(text, settings)
            except Exception as error:  # whatever it is, the next voice may do better
                known = isinstance(error, VoiceError)
                problems.append(str(error) if known else f"voice '{each.name}': {error!r}")
                # That one line is missing says nothing about the voice.
                self._tell(_LINES if isinstance(error, NotRecorded) else each.name, problems[-1])
                if self._now_s() - began_s > PATIENT_S:
                    self._resting_until_s[each.name] = self._now_s() + REST_S
                continue
            self._told.pop(each.name, None)
            return replace(speech, problem="; ".join(problems)) if problems else speech
        raise VoiceError("; ".join(problems))

    async def close(self) -> None:
        for voice in self.voices:
            await voice.close()

    async def _render(self, request: Request) -> Rendering:
        raise AssertionError(f"a chain says {request.text!r} by its voices")

    def _asked(self, name: str | None, problems: list[str]) -> list[Voice]:
        if name is None:
            return list(self.voices)
        named = [voice for voice in self.voices if voice.name == name]
        if not named:
            known = [voice.name for voice in self.voices]
            nearest = nearest_name(name, known)
            hint = f"; did you mean '{nearest}'?" if nearest else f"; there is {', '.join(known)}"
            problems.append(f"there is no voice '{name}'{hint}")
            self._tell(_LINES, problems[-1])
        return [*named, *(voice for voice in self.voices if voice not in named)]

    def _tell(self, voice: str, sentence: str) -> None:
        told = self._told.setdefault(voice, set())
        if sentence not in told and len(told) < _MOST_REPORTS:
            told.add(sentence)
            self._report(f"a line is said otherwise than meant: {sentence}")
