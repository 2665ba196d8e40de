"""Engines for tests: one that echoes what it got, one that is slow."""

from __future__ import annotations

import time

from sera.hearing.recogniser import Expectation, Recognised


class Echo:
    """Says how many bytes an utterance had, and what was expected."""

    delay_s = 0.0

    def __init__(self, _language: str) -> None:
        self._phrases: tuple[str, ...] = ()
        self._bytes = 0

    def expect(self, expectation: Expectation) -> list[str]:
        self._phrases = expectation.phrases
        return []

    def begin(self) -> None:
        self._bytes = 0

    def feed(self, pcm: bytes) -> Recognised | None:
        time.sleep(self.delay_s)
        self._bytes += len(pcm)
        return None

    def end(self) -> Recognised | None:
        return Recognised(f"{self._bytes} {' '.join(self._phrases)}")

    def close(self) -> None:
        pass


class Slow(Echo):
    """Takes its time."""

    delay_s = 0.1
