"""A recorded line on disk: a WAV file and, beside it, its text and the times of its words.

`hello.wav` goes with one of `hello.json` (text, language, words), `hello.csv` (columns word,
start_s, end_s) and `hello.txt` (the text alone; the times are found by alignment).
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sera.runtime.located import FileProblem, read_text
from sera.speech._word_times import TimedWord, parse_word_times
from sera.speech.speech import Phoneme, Speech
from sera.speech.wav import Sound, WavError, read_wav


@dataclass(frozen=True, slots=True)
class Recording:
    """What is known of a recorded line before its sound is read."""

    wav: Path
    text: str
    language: str | None
    words: tuple[TimedWord, ...]
    """Empty where they are not known."""
    estimated: frozenset[int] = frozenset()
    """Which of the words were estimated when the file was made."""
    phonemes: tuple[Phoneme, ...] = ()
    rate: float | None = None
    """The speed that it was rendered at; None for one that somebody spoke."""

    def sound(self) -> Sound:
        """The sound.

        Raises:
            FileProblem: the file is no WAV file.
        """
        try:
            return read_wav(self.wav.read_bytes())
        except (OSError, WavError) as error:
            raise FileProblem(self.wav, f"the recording cannot be used: {error}") from None


def read_recording(wav: Path) -> Recording:
    """What stands beside `wav`.

    Raises:
        FileProblem: there is nothing beside it, or it cannot be read.
    """
    for suffix, read in ((".json", _from_json), (".csv", _from_csv), (".txt", _from_text)):
        beside = wav.with_suffix(suffix)
        if beside.is_file():
            return read(wav, beside)
    raise FileProblem(
        wav,
        "nothing says what is spoken in this recording",
        fix=f"write its text into {wav.stem}.txt beside it",
    )


def words_file(speech: Speech, *, rate: float | None = None) -> str:
    """The JSON that goes beside a recording of `speech`, rendered at a speed where one is given."""
    data = {
        "text": speech.text,
        "language": speech.language,
        "voice": speech.voice,
        "duration_s": round(speech.duration_s, 6),
        **({} if rate is None else {"rate": rate}),
        "words": [
            {
                "word": word.text,
                "start_s": round(word.start_s, 6),
                "end_s": round(word.end_s, 6),
                "estimated": word.estimated,
            }
            for word in speech.words
        ],
        "phonemes": [
            [phoneme.ipa, round(phoneme.start_s, 6), round(phoneme.end_s, 6)]
            for phoneme in speech.phonemes
        ],
    }
    return json.dumps(data, ensure_ascii=True, indent=1) + "\n"


def _from_json(wav: Path, beside: Path) -> Recording:
    try:
        data: Any = json.loads(read_text(beside))
        words = tuple(parse_word_times(data))
        rows = data["words"] if isinstance(data, dict) and "words" in data else []
        text = data.get("text") if isinstance(data, dict) else None
        language = data.get("language") if isinstance(data, dict) else None
        listed = data.get("phonemes", []) if isinstance(data, dict) else []
        rate = data.get("rate") if isinstance(data, dict) else None
        rate = None if rate is None else float(rate)
        phonemes = tuple(Phoneme(str(ipa), float(start), float(end)) for ipa, start, end in listed)
    except json.JSONDecodeError as error:
        raise FileProblem(beside, f"not valid JSON, {error.msg}", line=error.lineno) from None
    except (ValueError, TypeError, RecursionError) as error:
        raise FileProblem(beside, str(error)) from None
    estimated = frozenset(number for number, row in enumerate(rows) if row.get("estimated"))
    spoken = text if isinstance(text, str) else " ".join(word.text for word in words)
    tag = language if isinstance(language, str) else None
    return Recording(wav, spoken, tag, words, estimated, phonemes, rate)


def _from_csv(wav: Path, beside: Path) -> Recording:
    try:
        rows = list(csv.DictReader(io.StringIO(read_text(beside), newline="")))
        words = tuple(parse_word_times(rows))
    except (csv.Error, ValueError) as error:
        fix = "the columns are word, start_s, end_s"
        raise FileProblem(beside, str(error), fix=fix) from None
    script = wav.with_suffix(".txt")
    text = read_text(script).strip() if script.is_file() else " ".join(w.text for w in words)
    return Recording(wav, text, None, words)


def _from_text(wav: Path, beside: Path) -> Recording:
    return Recording(wav, read_text(beside).strip(), None, ())
