"""Recognisers of speech behind one interface, and how a setting names one.

Design overview: a recogniser is told what to expect, then takes utterances: begin, sound, end. It
is synchronous and may be slow; `sera.hearing.recogniser_process` runs it in a child process, so
that nothing waits for it. Another engine is a class with the same methods: register it by name, or
name it in the settings as `package.module:Class`.
Units: sound is 16 bit, 16 kHz, one channel; word times in seconds from the utterance's beginning.
Threading: one utterance at a time, one thread.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sera.runtime.located import nearest_name

RATE_HZ = 16_000
Mode = Literal["grammar", "strict", "keywords", "open"]


class RecogniserError(RuntimeError):
    """It cannot recognise; the message is one sentence: what, and what to do."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What may be said now."""

    mode: Mode = "open"
    """grammar: phrases amid other speech; strict: one of the phrases and nothing else; keywords:
    phrases spotted in whatever is said; open: the language model's words."""
    phrases: tuple[str, ...] = ()
    fall_back: bool = False
    """Whether an utterance without any phrase is recognised with the open vocabulary."""


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """One word, timed from the beginning of the utterance."""

    text: str
    start_s: float
    end_s: float
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Recognised:
    """What was said, as far as it was understood."""

    text: str
    words: tuple[RecognisedWord, ...] = ()
    confidence: float = 1.0
    mode: Mode = "open"


class Recogniser(Protocol):
    """An engine."""

    def expect(self, expectation: Expectation) -> list[str]:
        """Prepare for what may be said; returns sentences about what cannot be done as asked."""

    def begin(self) -> None:
        """An utterance begins."""

    def feed(self, pcm: bytes) -> Recognised | None:
        """More of it; a first guess where there is one."""

    def end(self) -> Recognised | None:
        """It is over: what was said, None where nothing was understood."""

    def close(self) -> None:
        """Let go of everything."""


Maker = Callable[[str], Recogniser]
"""Takes a language tag; raises RecogniserError where it cannot serve it."""
_BUILT_IN = {"pocketsphinx": "sera.hearing.recogniser_pocketsphinx:PocketSphinx"}
_registered: dict[str, Maker] = {}


def register_recogniser(name: str, maker: Maker) -> None:
    """Make an engine known by name in this process; in a child it is named by its dotted path."""
    _registered[name] = maker


def make_recogniser(engine: str, language: str = "en") -> Recogniser:
    """The engine that a setting names.

    Args:
        engine: a name, or `package.module:Class`.
        language: language tag.

    Raises:
        RecogniserError: there is no such engine, or it cannot serve the language.
    """
    if engine in _registered:
        return _registered[engine](language)
    path = _BUILT_IN.get(engine, engine)
    module_name, _, attribute = path.partition(":")
    known = (*_BUILT_IN, *_registered)
    if not attribute:
        near = nearest_name(engine, known)
        raise RecogniserError(
            f"there is no recogniser '{engine}'"
            + (f"; did you mean '{near}'?" if near else "")
            + f" Known: {', '.join(known)}; another one is written package.module:Class"
        )
    try:
        maker: Any = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise RecogniserError(f"recogniser '{engine}' cannot be loaded: {error}") from None
    made: Recogniser = maker(language)
    return made


__all__ = [
    "RATE_HZ",
    "Expectation",
    "Mode",
    "Recognised",
    "RecognisedWord",
    "Recogniser",
    "RecogniserError",
    "make_recogniser",
    "register_recogniser",
]
