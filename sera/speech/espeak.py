"""espeak-ng: a voice in a process of its own, with the times of words and phonemes.

Design overview: one child serves one request after the other over pipes and stays warm. It is
started with the first line; one that died or hangs is replaced, the line is tried once more, and
`report` is told.
Threading: one event loop; requests wait for each other.
Safety: what kills the child twice is refused as a VoiceError and never takes us with it. The
child ends when its standard input closes, so that it cannot outlive us.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import sys
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from sera.runtime.located import nearest_name
from sera.speech._assemble import Mark, Rendering
from sera.speech.pronunciation import PronunciationList
from sera.speech.speech import Phoneme
from sera.speech.voice import Request, Voice, VoiceError

_CHILD = Path(__file__).with_name("_espeak_child.py")
_WORDS_PER_MINUTE = 175
_SLOWEST_WPM, _FASTEST_WPM = 80, 450
_LOUD = 100
"""espeak-ng goes to 200, but is cut off at the peaks above 100."""
_START_S = 10.0
_LONGEST_REPLY_LINE = 64 * 1024 * 1024
_log = logging.getLogger(__name__)


class _ChildDied(Exception):
    """The child ended, hung or talked nonsense."""


class EspeakVoice(Voice):
    """espeak-ng in its own process.

    Args:
        name: how messages and files call it.
        language: what it speaks where a line does not say.
        variant: one of espeak-ng's variants, such as `f3`.
        variants: other variants by language tag, `*` for all languages without one.
        pronunciations: how single words are said.
        report: is told when the process had to be started again.
        patience_s: how long a line may take, beside 1 ms a character.
        program: the child, for tests.
    """

    speaks_phonemes = True

    def __init__(
        self,
        name: str = "espeak",
        *,
        language: str = "en",
        variant: str | None = None,
        variants: Mapping[str, str] | None = None,
        pronunciations: PronunciationList | None = None,
        report: Callable[[str], None] | None = None,
        patience_s: float = 10.0,
        program: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(name, language=language, pronunciations=pronunciations)
        self._variants = {tag.lower(): other for tag, other in (variants or {}).items()}
        for each in (variant, *self._variants.values()):
            if each is not None and not each.isalnum():
                raise VoiceError(
                    f"voice '{name}': '{each}' is no variant of espeak-ng (such as f3)"
                )
        self.variant = variant
        self.restarts = 0
        """How often the process was replaced."""
        self._report = report or _log.warning
        self._patience_s = patience_s
        self._program = program or (sys.executable, "-I", str(_CHILD))
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    def variant_for(self, language: str) -> str | None:
        """The variant that speaks a language: of `pt-PT`, else of `pt`, else of all."""
        parts = language.lower().split("-")
        tags = ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]
        found = (self._variants[tag] for tag in (*tags, "*") if tag in self._variants)
        return next(found, self.variant)

    def fingerprint(self, language: str) -> str:
        return self.variant_for(language) or ""

    @property
    def process_id(self) -> int | None:
        """The child, where one is running."""
        return self._child.pid if self._child is not None else None

    async def start(self) -> None:
        """Start the process beforehand, so that the first line is as fast as the others.

        Raises:
            VoiceError: it did not start; the library is missing, for one.
        """
        async with self._turn:
            try:
                await self._started()
            except _ChildDied as death:
                raise VoiceError(f"voice '{self.name}' did not start: {death}") from None

    async def close(self) -> None:
        async with self._turn:
            await self._end_child()

    async def _render(self, request: Request) -> Rendering:
        line = json.dumps(self._order(request)).encode() + b"\n"
        async with self._turn:
            try:
                reply, pcm = await self._ask(line, len(request.text))
            except _ChildDied as death:
                self.restarts += 1
                self._report(f"voice '{self.name}': {death}; it is started again")
                try:
                    reply, pcm = await self._ask(line, len(request.text))
                except _ChildDied as again:
                    begin = request.original[:40]
                    raise VoiceError(
                        f"voice '{self.name}' failed twice with {begin!r}: {again}"
                    ) from None
        if "error" in reply:
            raise VoiceError(self._sentence(reply, request))
        return _rendering(reply, pcm)

    def _order(self, request: Request) -> dict[str, Any]:
        settings = request.settings
        wpm = min(_FASTEST_WPM, max(_SLOWEST_WPM, round(_WORDS_PER_MINUTE * settings.rate)))
        volume = 1.0 if settings.volume is None else settings.volume
        return {
            "text": request.text,
            "language": request.language,
            "variant": self.variant_for(request.language),
            "rate_wpm": wpm,
            "pitch": round(50 + 50 * math.log2(settings.pitch)),
            "volume": round(_LOUD * volume),
        }

    def _sentence(self, reply: dict[str, Any], request: Request) -> str:
        known = [str(name) for name in reply.get("known", [])]
        if reply["error"] == "language":
            nearest = nearest_name(request.language, known)
            hint = f"; did you mean '{nearest}'?" if nearest else ""
            return (
                f"voice '{self.name}' does not speak '{request.language}'{hint} "
                f"(espeak-ng --voices lists {len(known)} languages)"
            )
        if reply["error"] == "variant":
            variant = self.variant_for(request.language)
            return f"voice '{self.name}': espeak-ng has no variant '{variant}' (such as f3)"
        return f"voice '{self.name}': {reply['error']}"

    async def _ask(self, line: bytes, characters: int) -> tuple[dict[str, Any], bytes]:
        child = await self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            async with asyncio.timeout(self._patience_s + characters / 1000):
                child.stdin.write(line)
                await child.stdin.drain()
                reply = await self._reply(child)
                pcm = await child.stdout.readexactly(int(reply.get("bytes", 0)))
        except TimeoutError:
            await self._end_child()
            raise _ChildDied("its process did not answer in time") from None
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            code = await self._end_child()
            raise _ChildDied(f"its process ended ({_how(code)}, {error})") from None
        except asyncio.CancelledError:
            # What is still in the pipe would be taken for the answer to the next line.
            await self._end_child()
            raise
        return reply, pcm

    async def _started(self) -> asyncio.subprocess.Process:
        if self._child is not None and self._child.returncode is not None:
            code = await self._end_child()
            self.restarts += 1
            self._report(
                f"voice '{self.name}': its process had ended ({_how(code)}); it is started again"
            )
        if self._child is not None:
            return self._child
        try:
            child = self._child = await asyncio.create_subprocess_exec(
                *self._program,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_REPLY_LINE,
            )
            async with asyncio.timeout(_START_S):
                first = await self._reply(child)
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as error:
            await self._end_child()
            raise _ChildDied(f"its process did not start ({error or 'no answer'})") from None
        except asyncio.CancelledError:
            # Its greeting would be taken for the answer to the next line.
            await self._end_child()
            raise
        if "error" in first:
            await self._end_child()
            raise VoiceError(f"voice '{self.name}': {first['error']}")
        return child

    @staticmethod
    async def _reply(child: asyncio.subprocess.Process) -> dict[str, Any]:
        assert child.stdout is not None
        line = await child.stdout.readuntil(b"\n")
        reply: dict[str, Any] = json.loads(line)
        return reply

    async def _end_child(self) -> int | None:
        child, self._child = self._child, None
        if child is None:
            return None
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        return await child.wait()


def _how(code: int | None) -> str:
    if code is None:
        return "not running"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _rendering(reply: dict[str, Any], pcm: bytes) -> Rendering:
    rate_hz = int(reply["rate_hz"])
    duration_s = len(pcm) / 2 / rate_hz
    timed = [(str(ipa), min(duration_s, sample / rate_hz)) for ipa, sample in reply["phonemes"]]
    timed.append(("", duration_s))
    return Rendering(
        pcm=pcm,
        rate_hz=rate_hz,
        duration_s=duration_s,
        marks=tuple(Mark(offset, sample / rate_hz) for offset, sample in reply["words"]),
        phonemes=tuple(
            Phoneme(ipa, start_s, end_s)
            for (ipa, start_s), (_, end_s) in pairwise(timed)
            if end_s > start_s
        ),
    )
