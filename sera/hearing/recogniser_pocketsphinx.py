"""pocketsphinx with the American English model of its own package.

Design overview
    Phrases are entries of the dictionary, each as a whole, beside everyday words, in a unigram
    language model (`sera.hearing.grammar`): one pass finds a phrase inside of other speech, other
    speech goes to the everyday words, and the lattice gives each phrase a posterior. A JSGF
    grammar cannot do that here: loops of fillers took longer than the speech itself. `strict` uses
    JSGF and `keywords` the key phrase search; both take their confidence from the first, which
    hears the same sound. Open vocabulary is the package's own trigram model.

    Confidence of a phrase is its posterior, capped at 1. On synthetic voices in quiet and at 20 dB
    right phrases had 0.5 and more in 95 of 100 cases, wrong ones 0.2 and less; what lies between is
    for the user's threshold. Confidence of open text is the geometric mean of its words'.

Units and frames
    16 bit, 16 kHz, one channel; frames of 10 ms.

Threading
    One thread; decoding takes about 0.06 s a second of sound, open vocabulary about 0.4 s.
"""

from __future__ import annotations

import importlib
import math
import tempfile
from pathlib import Path
from typing import Any

from sera.hearing.grammar import FILLERS, Grammar, Phrase, jsgf, spotting_model
from sera.hearing.recogniser import (
    RATE_HZ,
    Expectation,
    Mode,
    Recognised,
    RecognisedWord,
    RecogniserError,
)
from sera.hearing.recogniser_dictionary import PronouncingDictionary, dictionary_text

FRAMES_PER_S = 100.0
GUESS_EVERY_BYTES = int(0.3 * RATE_HZ) * 2
UNCONFIRMED = 0.2
"""Confidence of a phrase that only the grammar or the key phrase search found."""
MOST_BYTES = 30 * RATE_HZ * 2
"""Half a minute: what is longer is no answer, and is cut."""
_FIRST_GUESS = 0.5
_BESIDE = 0.5
"""A phrase that is less than half as sure as another one in the utterance is left out."""


class PocketSphinx:
    """The engine.

    Args:
        language: must be English.

    Raises:
        RecogniserError: the package is missing, or the language another one.
    """

    def __init__(self, language: str = "en") -> None:
        if language.lower().replace("_", "-").split("-")[0] != "en":
            raise RecogniserError(
                f"pocketsphinx brings a model for English only, not for '{language}': name "
                "another engine in the recogniser's settings, or set language to en"
            )
        try:
            # It has no types.
            self._library: Any = importlib.import_module("pocketsphinx")
            model = Path(self._library.get_model_path())
            self._dictionary = PronouncingDictionary(model / "en-us" / "cmudict-en-us.dict")
        except ImportError:
            raise RecogniserError(
                "pocketsphinx is not installed: pip install 'sera-hri[hearing]'"
            ) from None
        except OSError as error:
            raise RecogniserError(f"pocketsphinx has no model: {error}; install it again") from None
        self._phrases: Any = None
        self._open: Any = None
        self._strict: Any = None
        self._entries: dict[str, Phrase] = {}
        self._expected = Expectation()
        self._sound = bytearray()
        self._fed = 0
        self._under_way = False

    def _decoder(self, **settings: Any) -> Any:
        return self._library.Decoder(samprate=float(RATE_HZ), loglevel="FATAL", **settings)

    # -- what may be said -------------------------------------------------------------------

    def expect(self, expectation: Expectation) -> list[str]:
        if self._under_way:  # what was said so far was said to another grammar
            self._under_way = False
            self._live.end_utt()
        self._expected = expectation
        if expectation.mode == "open":
            return []
        grammar = Grammar.of(expectation.phrases)
        told = [f"'{each[:60]}' has no words that can be heard" for each in grammar.unusable]
        guessed = [word for word in grammar.vocabulary if word not in self._dictionary]
        if guessed:
            told.append(
                f"not in the dictionary, so that the pronunciation is guessed: {', '.join(guessed)}"
            )
        if not grammar.phrases:
            told.append("no phrase can be heard here; the open vocabulary is used")
            self._expected = Expectation("open")
            return told
        with tempfile.TemporaryDirectory(prefix="sera-grammar-") as folder:
            self._phrases = self._spotter(grammar, Path(folder))
            if expectation.mode in ("strict", "keywords"):
                self._strict = self._second(grammar, Path(folder), expectation.mode)
        return told

    def _spotter(self, grammar: Grammar, folder: Path) -> Any:
        said = self._dictionary.sound_of
        self._entries = {f"p{place}": each for place, each in enumerate(grammar.phrases)}
        phrases = {entry: said(phrase.words) for entry, phrase in self._entries.items()}
        taken = set(phrases.values())
        fillers = {
            f"x{n}": sound for n, w in enumerate(FILLERS) if (sound := said((w,))) not in taken
        }
        dictionary, model = folder / "spot.dict", folder / "spot.arpa"
        dictionary.write_text(dictionary_text({**fillers, **phrases}), encoding="utf-8")
        model.write_text(spotting_model(phrases, fillers), encoding="utf-8")
        return self._decoder(dict=str(dictionary), lm=str(model))

    def _second(self, grammar: Grammar, folder: Path, mode: Mode) -> Any:
        """The JSGF grammar, or the key phrase search."""
        said = self._dictionary.sound_of
        dictionary = folder / "words.dict"
        words = {word: said((word,)) for word in grammar.vocabulary}
        dictionary.write_text(dictionary_text(words), encoding="utf-8")
        decoder = self._decoder(dict=str(dictionary), lm=None)
        if mode == "strict":
            decoder.add_jsgf_string(mode, jsgf(grammar))
        else:
            lines = [
                # Long phrases are hardly ever said by chance, so that they may fit less well.
                f"{' '.join(each.words)} /1e-{min(40, 3 * len(said(each.words).split()))}/\n"
                for each in grammar.phrases
            ]
            file = folder / "phrases.list"
            file.write_text("".join(lines), encoding="utf-8")
            decoder.add_kws(mode, str(file))
        decoder.activate_search(mode)
        return decoder

    # -- an utterance -----------------------------------------------------------------------

    @property
    def _live(self) -> Any:
        if self._expected.mode != "open":
            return self._phrases
        if self._open is None:
            self._open = self._decoder()
        return self._open

    def begin(self) -> None:
        self._sound.clear()
        self._fed = 0
        self._under_way = True
        self._live.start_utt()

    def feed(self, pcm: bytes) -> Recognised | None:
        room = MOST_BYTES - len(self._sound)
        pcm = pcm[: max(0, room) // 2 * 2]
        if not pcm or not self._under_way:
            return None
        self._sound += pcm
        self._fed += len(pcm)
        self._live.process_raw(pcm)
        if self._fed < GUESS_EVERY_BYTES:
            return None
        self._fed = 0
        guess = self._read(self._live)
        return None if guess is None else Recognised(guess.text, (), _FIRST_GUESS, guess.mode)

    def end(self) -> Recognised | None:
        if not self._under_way:
            return None
        self._under_way = False
        self._live.end_utt()
        if not self._sound:
            return None
        found = self._read(self._live)
        if self._expected.mode in ("strict", "keywords"):
            found = self._confirmed(found)
        if found is None and self._expected.fall_back and self._expected.mode != "open":
            self._open = self._open or self._decoder()
            self._decode(self._open)
            found = self._read_open(self._open)
        return found

    def close(self) -> None:
        self._phrases = self._open = self._strict = None

    def _decode(self, decoder: Any) -> None:
        decoder.start_utt()
        decoder.process_raw(bytes(self._sound), full_utt=True)
        decoder.end_utt()

    def _confirmed(self, spotted: Recognised | None) -> Recognised | None:
        """What the grammar or the key phrase search found, as sure as the other makes it."""
        mode: Mode = self._expected.mode
        self._decode(self._strict)
        hypothesis = self._strict.hyp()
        said = " ".join(hypothesis.hypstr.split()) if hypothesis is not None else ""
        padded = f" {said} "
        found = [
            each.written for each in self._entries.values() if f" {' '.join(each.words)} " in padded
        ]
        if spotted is not None and any(f" {each} " in f" {spotted.text} " for each in found):
            return Recognised(spotted.text, spotted.words, spotted.confidence, mode)
        return Recognised(found[0], (), UNCONFIRMED, mode) if found else None

    def _read(self, decoder: Any) -> Recognised | None:
        return self._read_open(decoder) if self._expected.mode == "open" else self._spotted(decoder)

    def _spotted(self, decoder: Any) -> Recognised | None:
        if decoder.hyp() is None:
            return None
        found: dict[str, tuple[float, Any]] = {}
        for segment in decoder.seg() or ():
            entry = segment.word.split("(")[0]
            if entry in self._entries:
                sure = _fraction(segment.prob)
                if entry not in found or found[entry][0] < sure:
                    found[entry] = (sure, segment)
        if not found:
            return None
        surest = max(sure for sure, _ in found.values())
        found = {each: one for each, one in found.items() if one[0] >= surest * _BESIDE}
        words = [
            word
            for entry, (sure, segment) in found.items()
            for word in self._timed(self._entries[entry], segment, sure)
        ]
        text = " ".join(self._entries[entry].written for entry in found)
        return Recognised(text, tuple(words), min(sure for sure, _ in found.values()), "grammar")

    def _timed(self, phrase: Phrase, segment: Any, sure: float) -> list[RecognisedWord]:
        """The words of a phrase, sharing its time by their phones."""
        phones = [len(self._dictionary.sound_of((word,)).split()) for word in phrase.words]
        start_s = segment.start_frame / FRAMES_PER_S
        phone_s = ((segment.end_frame + 1) / FRAMES_PER_S - start_s) / sum(phones)
        timed = []
        for word, count in zip(phrase.words, phones, strict=True):
            end_s = start_s + count * phone_s
            timed.append(RecognisedWord(word, round(start_s, 3), round(end_s, 3), sure))
            start_s = end_s
        return timed

    def _read_open(self, decoder: Any) -> Recognised | None:
        hypothesis = decoder.hyp()
        if hypothesis is None or not hypothesis.hypstr.strip():
            return None
        words = tuple(
            RecognisedWord(
                segment.word.split("(")[0],
                segment.start_frame / FRAMES_PER_S,
                (segment.end_frame + 1) / FRAMES_PER_S,
                _fraction(segment.prob),
            )
            for segment in decoder.seg() or ()
            if not segment.word.startswith(("<", "[", "+"))
        )
        logs = [math.log(max(word.confidence, 1e-6)) for word in words]
        sure = math.exp(sum(logs) / len(logs)) if logs else 0.0
        return Recognised(" ".join(word.text for word in words), words, _fraction(sure), "open")


def _fraction(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 3)


__all__ = ["PocketSphinx"]
