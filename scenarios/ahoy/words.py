"""The words of the game and the Wizard's lists: reads `words.toml`, and finds guesses in it.

Pure apart from reading one file.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sera.runtime.located import FileProblem, FileProblems, KeyPath, LocatedToml, nearest_name

from .messages import Listed

_NOT_WORDS = re.compile(r"[^a-z0-9]+")
_NAME = r"^[a-z][a-z0-9_]*$"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WordLists(_Table):
    """One word in one language."""

    category: str = Field(min_length=1)
    """What the wall shows."""
    answers: list[str] = Field(min_length=1)
    """What is right; the first is what the Wizard reads."""
    hot: list[str] = Field(default_factory=list)
    warm: list[str] = Field(default_factory=list)

    def listed(self, said: str) -> Listed:
        """Where something stands that was said: the longest entry that it contains counts.

        Plurals and words around it do no harm: "it's two snakes!" is the snake.
        """
        heard = f" {plain(said)} "
        best, longest = Listed.UNLISTED, 0
        for where, entries in (
            (Listed.ANSWER, self.answers),
            (Listed.HOT, self.hot),
            (Listed.WARM, self.warm),
        ):
            for entry in entries:
                wanted = plain(entry)
                found = any(f" {wanted}{ending} " in heard for ending in ("", "s", "es"))
                if found and len(wanted) > longest:
                    best, longest = where, len(wanted)
        return best


class Word(BaseModel):
    """A word of the game; all further keys are languages."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str = Field(pattern=_NAME)
    animation: str = Field(pattern=_NAME)
    """What the body plays."""
    __pydantic_extra__: dict[str, WordLists]

    @property
    def languages(self) -> dict[str, WordLists]:
        """The lists by language."""
        return self.__pydantic_extra__


class _File(_Table):
    words: list[Word] = Field(min_length=1, max_length=50)


def plain(text: str) -> str:
    """Small letters without accents and signs, words apart by one space."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(sign for sign in bare if not unicodedata.combining(sign))
    return _NOT_WORDS.sub(" ", kept).strip()


def load_words(path: Path, language: str) -> dict[str, Word]:
    """The words by name, in the order of the rounds, all of them in that language.

    Raises:
        FileProblems: everything that is wrong in the file.
    """
    document = LocatedToml.load(path)
    try:
        file = _File.model_validate(document.data)
    except ValidationError as error:
        # Languages are extra keys: pydantic names them by their key, as the file does.
        found = [document.problem(one["loc"], one["msg"]) for one in error.errors()]
        raise FileProblems(found) from None
    problems = list(_problems(document, file, language))
    if problems:
        raise FileProblems(problems)
    return {word.name: word for word in file.words}


def _problems(document: LocatedToml, file: _File, language: str) -> list[FileProblem]:
    problems: list[FileProblem] = []
    known: set[str] = set()
    for index, word in enumerate(file.words):
        place: KeyPath = ("words", index)
        if word.name in known:
            problems.append(document.problem((*place, "name"), f"'{word.name}' is there twice"))
        known.add(word.name)
        if language not in word.languages:
            problems.append(
                document.problem(
                    place,
                    f"'{word.name}' has no lists in the language '{language}'",
                    nearest=nearest_name(language, word.languages),
                    fix=f"write [words.{language}] with category, answers, hot and warm",
                )
            )
        for tag, lists in word.languages.items():
            problems += _list_problems(document, (*place, tag), lists)
    return problems


def _list_problems(document: LocatedToml, place: KeyPath, lists: WordLists) -> list[FileProblem]:
    problems: list[FileProblem] = []
    seen: dict[str, str] = {}
    for column in ("answers", "hot", "warm"):
        entries: list[str] = getattr(lists, column)
        for entry in entries:
            if not plain(entry):
                problems.append(document.problem((*place, column), f"'{entry}' is no word"))
            elif plain(entry) in seen:
                also = seen[plain(entry)]
                message = f"'{entry}' is in {also} already, so that nobody knows what it is"
                problems.append(document.problem((*place, column), message))
            seen.setdefault(plain(entry), column)
        if column != "answers" and (wrong := _out_of_order(entries)) is not None:
            message = f"'{wrong}' is not in its alphabetical place"
            fix = "the Wizard looks for words by their first letter: sort the list"
            problems.append(document.problem((*place, column), message, fix=fix))
    return problems


def _out_of_order(entries: list[str]) -> str | None:
    for before, after in pairwise(entries):
        if plain(before) > plain(after):
            return after
    return None
