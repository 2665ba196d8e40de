"""Recognition that never makes anybody wait: a recogniser in a child process with a short queue.

Design overview: orders wait in a queue for the child; what is older than it can do in time is
dropped, oldest utterance first, and counted. A child that dies is replaced, told again what to
expect, and goes on with the next utterance. `InlineRecogniser` is the same without a child, for
virtual time.
Units: seconds; sound as in `sera.hearing.recogniser`.
Threading: the event loop's thread; the child decodes.
Safety: the queue is bounded; the child ends with its standard input, so that it cannot outlive us.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

from sera.hearing.recogniser import (
    RATE_HZ,
    Expectation,
    Recognised,
    RecognisedWord,
    RecogniserError,
    make_recogniser,
)
from sera.hearing.recogniser_child import carry_out

LONGEST_QUEUE_S = 8.0
RESTART_AFTER_S = 0.5
LIVES_S = 5.0
LONGEST_WAIT_S = 10.0
_LONGEST_LINE = 1024 * 1024
Heard = Callable[[int, Recognised | None, bool], None]
"""Number of the utterance, what was said, whether that is final."""
Report = Callable[[str], None]


class InlineRecogniser:
    """Decodes where it is called; for virtual time and tests.

    Raises:
        RecogniserError: the engine cannot serve.
    """

    def __init__(self, engine: str, language: str, heard: Heard, report: Report) -> None:
        self._recogniser = make_recogniser(engine, language)
        self._heard = heard
        self._report = report
        self.dropped = 0
        self.restarts = 0

    def expect(self, expectation: Expectation) -> None:
        self._do({"do": "expect", **_expected(expectation)})

    def begin(self, number: int) -> None:
        self._do({"do": "begin", "utterance": number})

    def feed(self, number: int, pcm: bytes) -> None:
        self._do({"do": "feed", "utterance": number}, pcm)

    def end(self, number: int) -> None:
        self._do({"do": "end", "utterance": number})

    async def run(self) -> None:
        """Nothing goes on beside."""

    def _do(self, order: dict[str, Any], sound: bytes = b"") -> None:
        for reply in carry_out(self._recogniser, order, sound):
            take_reply(reply, self._heard, self._report)


class RecogniserProcess:
    """Decodes in a child.

    Args:
        engine: as for `make_recogniser`.
        language: language tag.
        heard: is called with results.
        report: is told what is wrong, in one sentence.
        longest_queue_s: how much sound may wait.
    """

    def __init__(
        self,
        engine: str,
        language: str,
        heard: Heard,
        report: Report,
        *,
        longest_queue_s: float = LONGEST_QUEUE_S,
    ) -> None:
        self._arguments = (engine, language)
        self._heard, self._report = heard, report
        self._most_bytes = int(longest_queue_s * RATE_HZ) * 2
        self._waiting: deque[tuple[dict[str, Any], bytes]] = deque()
        self._bytes = 0
        self._expected: dict[str, Any] | None = None
        self._more = asyncio.Event()
        self._dropping: int | None = None
        self._skip: int | None = None
        self.dropped = 0
        """Utterances that were dropped because decoding took longer than the speech."""
        self.restarts = 0
        self.process: asyncio.subprocess.Process | None = None

    def expect(self, expectation: Expectation) -> None:
        self._expected = {"do": "expect", **_expected(expectation)}
        self._put(self._expected)

    def begin(self, number: int) -> None:
        self._put({"do": "begin", "utterance": number})

    def feed(self, number: int, pcm: bytes) -> None:
        if number == self._dropping:
            return
        self._put({"do": "feed", "utterance": number, "bytes": len(pcm)}, pcm)
        while self._bytes > self._most_bytes:
            self._drop_oldest()

    def end(self, number: int) -> None:
        if number != self._dropping:
            self._put({"do": "end", "utterance": number})

    async def run(self) -> None:
        """Keep a child at work.

        Raises:
            RecogniserError: the engine cannot serve at all.
        """
        wait_s = RESTART_AFTER_S
        loop = asyncio.get_running_loop()
        while True:
            began_s = loop.time()
            try:
                await self._serve()
            finally:
                await self._end_child()
            # An engine that dies again and again is not started twice a second.
            lived_s = loop.time() - began_s
            wait_s = RESTART_AFTER_S if lived_s > LIVES_S else min(2 * wait_s, LONGEST_WAIT_S)
            self.restarts += 1
            self._report("the recogniser's process died and is started again")
            self._forget_begun()
            await asyncio.sleep(wait_s)

    # -- the queue --------------------------------------------------------------------------

    def _put(self, order: dict[str, Any], sound: bytes = b"") -> None:
        self._waiting.append((order, sound))
        self._bytes += len(sound)
        self._more.set()

    def _drop_oldest(self) -> None:
        """Drop what waits of the oldest utterance; the child ends what it has of it."""
        oldest = next(order["utterance"] for order, _ in self._waiting if order["do"] == "feed")
        begun = not any(
            order["do"] == "begin" and order["utterance"] == oldest for order, _ in self._waiting
        )
        complete = any(
            order["do"] == "end" and order["utterance"] == oldest for order, _ in self._waiting
        )
        kept = [each for each in self._waiting if each[0].get("utterance") != oldest]
        self._waiting = deque(kept)
        if begun:
            self._waiting.appendleft(({"do": "end", "utterance": oldest}, b""))
            self._skip = oldest  # half of an answer is none
        if not complete:
            self._dropping = oldest
        self._bytes = sum(len(sound) for _, sound in self._waiting)
        self.dropped += 1
        self._report("speech comes faster than it can be recognised; the oldest was dropped")

    def _forget_begun(self) -> None:
        """After a death: an utterance whose beginning is lost cannot be recognised."""
        begun = {order["utterance"] for order, _ in self._waiting if order["do"] == "begin"}
        kept = [
            (order, sound)
            for order, sound in self._waiting
            if order["do"] == "expect" or order["utterance"] in begun
        ]
        lost = {o["utterance"] for o, _ in self._waiting if o["do"] == "feed"} - begun
        self._dropping = max(lost, default=self._current)
        self._waiting = deque(kept)
        self._bytes = sum(len(sound) for _, sound in kept)

    _current: int | None = None
    """The utterance that the child has begun and not ended."""

    # -- the child --------------------------------------------------------------------------

    async def _serve(self) -> None:
        self.process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "sera.hearing.recogniser_child", *self._arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        if self._expected is not None and self.restarts:
            self._put_first(self._expected)
        writing = asyncio.create_task(self._write(process))
        try:
            assert process.stdout is not None
            while line := await process.stdout.readline():
                reply = json.loads(line)
                if "error" in reply:
                    raise RecogniserError(reply["error"])
                if reply.get("utterance") is None or reply["utterance"] != self._skip:
                    take_reply(reply, self._heard, self._report)
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    def _put_first(self, order: dict[str, Any]) -> None:
        self._waiting.appendleft((order, b""))
        self._more.set()

    async def _write(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):
            while True:
                while self._waiting:
                    order, sound = self._waiting.popleft()
                    self._bytes -= len(sound)
                    if order["do"] == "begin":
                        self._current = order["utterance"]
                    elif order["do"] == "end":
                        self._current = None
                    process.stdin.write(json.dumps(order).encode() + b"\n" + sound)
                    await process.stdin.drain()
                self._more.clear()
                await self._more.wait()

    async def _end_child(self) -> None:
        process, self.process = self.process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def take_reply(reply: dict[str, Any], heard: Heard, report: Report) -> None:
    """Hand on what a recogniser answered."""
    for sentence in reply.get("told", ()):
        report(sentence)
    if "final" not in reply:
        return
    found = reply["recognised"]
    if found is not None:
        words = tuple(
            word if isinstance(word, RecognisedWord) else RecognisedWord(**word)
            for word in found["words"]
        )
        found = Recognised(found["text"], words, found["confidence"], found["mode"])
    heard(reply["utterance"], found, reply["final"])


def _expected(expectation: Expectation) -> dict[str, Any]:
    return {
        "mode": expectation.mode,
        "phrases": list(expectation.phrases),
        "fall_back": expectation.fall_back,
    }


__all__ = ["InlineRecogniser", "RecogniserProcess"]
