"""Reads pronunciation lists from TOML and CSV, or says everything that is wrong in them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name, read_text
from sera.speech.pronunciation import Pronunciation, PronunciationList

_KEYS = ("respelling", "phonemes")
_COLUMNS = ("language", "word", *_KEYS)


class PronunciationError(FileProblems):
    """A pronunciation list that cannot be used, with everything that is wrong in it."""

    what = "pronunciation list"


def load_pronunciations(path: Path) -> PronunciationList:
    """The list in a `.toml` or `.csv` file.

    Raises:
        PronunciationError: with every problem of the file, by line.
    """
    try:
        if path.suffix.lower() == ".csv":
            return _from_csv(path, read_text(path))
        return _from_toml(LocatedToml.load(path))
    except FileProblem as problem:
        raise PronunciationError([problem]) from None


def _from_toml(document: LocatedToml) -> PronunciationList:
    lists: dict[str, dict[str, Pronunciation]] = {}
    problems: list[FileProblem] = []
    for language, table in document.data.items():
        if not isinstance(table, dict):
            message = "words stand in the table of their language"
            problems.append(document.problem((language,), message, fix='such as [en] or ["*"]'))
            continue
        for word, value in table.items():
            place = (language, word)
            entry = {"respelling": value} if isinstance(value, str) else value
            if not isinstance(entry, dict):
                message = "a pronunciation is a text, or a table with respelling and phonemes"
                problems.append(document.problem(place, message, fix=f'such as {word} = "…"'))
                continue
            problems += [
                document.problem(
                    (*place, key), f"unknown key '{key}'", nearest=nearest_name(key, _KEYS)
                )
                for key in entry
                if key not in _KEYS
            ]
            wrong = _wrong(word, entry)
            if wrong:
                problems.append(document.problem(place, wrong))
            else:
                said = Pronunciation(entry.get("respelling"), entry.get("phonemes"))
                lists.setdefault(language, {})[word] = said
    if problems:
        raise PronunciationError(problems)
    return PronunciationList(lists)


def _from_csv(path: Path, text: str) -> PronunciationList:
    rows = csv.reader(io.StringIO(text, newline=""))
    lists: dict[str, dict[str, Pronunciation]] = {}
    problems: list[FileProblem] = []
    try:
        header = [name.strip().lower() for name in next(rows, [])]
        if "word" not in header or not set(header) & set(_KEYS):
            message = "the first line names the columns language, word, respelling, phonemes"
            raise FileProblem(
                path, message, line=1, fix="'word' and one of the last two must be there"
            )
        problems += [
            FileProblem(
                path, f"unknown column '{name}'", line=1, nearest=nearest_name(name, _COLUMNS)
            )
            for name in header
            if name not in _COLUMNS
        ]
        for row in rows:
            cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
            if not any(cells.values()):
                continue
            word = cells.get("word", "")
            entry = {key: cells[key] for key in _KEYS if cells.get(key)}
            wrong = _wrong(word, entry)
            if wrong:
                problems.append(FileProblem(path, wrong, line=rows.line_num))
                continue
            said = Pronunciation(entry.get("respelling"), entry.get("phonemes"))
            lists.setdefault(cells.get("language") or "*", {})[word] = said
    except csv.Error as error:
        raise FileProblem(path, f"not valid CSV, {error}", line=rows.line_num) from None
    if problems:
        raise PronunciationError(problems)
    return PronunciationList(lists)


def _wrong(word: str, entry: dict[str, Any]) -> str | None:
    """What is wrong with one entry, as a sentence without a full stop."""
    if not word.strip():
        return "the word is missing"
    given = {key: value for key, value in entry.items() if key in _KEYS}
    if not given:
        return f"'{word}' has neither respelling nor phonemes"
    for key, value in given.items():
        if not isinstance(value, str) or not value.strip():
            return f"the {key} of '{word}' is not a text"
        if "[[" in value or "]]" in value or not value.isprintable():
            return f"the {key} of '{word}' has brackets or control characters; leave them out"
    return None
