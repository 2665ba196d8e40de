"""Emotions that have names: where each lies, and what else it is called.

    emotions = load_emotions([workspace_folder, scenario_folder])
    emotions.named("joy")            # the point of happiness
    emotions.nearest(PAD(0.5, 0.4, 0.3))

Design overview: `emotions.toml` beside this file has the built-in ones. A workspace or a scenario
may have a file of the same name, which adds emotions and changes those of the same name; the more
particular folder comes last. Where an emotion lies is a choice that a laboratory may make anew, so
that each says where its numbers come from.

    [emotions.relief]
    pad = [0.2, -0.3, 0.4]
    also = ["relieved"]
    source = "our pilot, twelve raters"

Units and frames: pleasure, arousal and dominance from -1 to 1.
Threading: immutable once loaded.
Safety: a file with a problem is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sera.emotion.pad import PAD
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name

EMOTIONS_FILE = "emotions.toml"
_BUILT_IN = Path(__file__).with_name(EMOTIONS_FILE)

_Name = Annotated[
    str, StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^[a-z][a-z _-]*$")
]
_Axis = Annotated[float, Field(ge=-1, le=1)]


class EmotionsError(FileProblems):
    """Files of emotions that cannot be used, with everything that is wrong in them."""

    what = "files of emotions"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _EmotionTable(_Table):
    """[emotions.<name>]: one of them."""

    pad: tuple[_Axis, _Axis, _Axis]
    also: list[_Name] = []
    source: str = ""


class _EmotionsFile(_Table):
    emotions: dict[_Name, _EmotionTable] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Emotion:
    """One emotion."""

    name: str
    pad: PAD
    also: tuple[str, ...] = ()
    """Other words for it."""
    source: str = ""
    """Where its numbers come from."""


class Emotions:
    """Emotions by name.

    Args:
        emotions: in the order in which they are listed; a later one of a name, or of a word,
            takes it from an earlier one.
    """

    def __init__(self, emotions: Iterable[Emotion]) -> None:
        self._by_name: dict[str, Emotion] = {}
        for emotion in emotions:
            self._by_name[emotion.name] = emotion
        self._words: dict[str, str] = {}
        for emotion in self._by_name.values():
            self._words |= dict.fromkeys(emotion.also, emotion.name)
        self._words |= {name: name for name in self._by_name}

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each emotion."""
        return tuple(self._by_name)

    @property
    def synonyms(self) -> Mapping[str, str]:
        """Every other word, with the name that it stands for."""
        return {word: name for word, name in self._words.items() if word != name}

    def emotion(self, name: str) -> Emotion:
        """The emotion of that name or word, in any case.

        Raises:
            LookupError: there is none; with the nearest and all names.
        """
        word = name.strip().lower()
        if word not in self._words:
            near = nearest_name(word, self._words)
            hint = f"; did you mean '{near}'?" if near else ""
            known = ", ".join(self._by_name)
            raise LookupError(f"there is no emotion '{name}'{hint} (known: {known})")
        return self._by_name[self._words[word]]

    def named(self, name: str) -> PAD:
        """The point of that name or word.

        Raises:
            LookupError: there is none; with the nearest and all names.
        """
        return self.emotion(name).pad

    def nearest(self, pad: PAD) -> str:
        """The name of the emotion that lies nearest; the first listed of equally near ones."""
        return min(self._by_name, key=lambda name: self._by_name[name].pad.distance(pad))


def load_emotions(folders: Iterable[Path] = ()) -> Emotions:
    """The built-in emotions with those of the folders over them; folders without a file count not.

    Raises:
        EmotionsError: with every problem of all files, by line.
    """
    found = list(_read(_BUILT_IN))
    problems: list[FileProblem] = []
    for folder in folders:
        path = Path(folder) / EMOTIONS_FILE
        if not path.is_file():
            continue
        try:
            found += _read(path)
        except EmotionsError as error:
            problems += error.problems
    if problems:
        raise EmotionsError(problems)
    return Emotions(found)


@cache
def built_in() -> Emotions:
    """The emotions that come with SERA."""
    return Emotions(_read(_BUILT_IN))


def _read(path: Path) -> list[Emotion]:
    try:
        document = LocatedToml.load(path)
        file = _EmotionsFile.model_validate(document.data)
    except FileProblem as problem:
        raise EmotionsError([problem]) from None
    except ValidationError as error:
        raise EmotionsError(problems_of(error, document, _EmotionsFile, document.data)) from None
    problems: list[FileProblem] = []
    taken = {name: name for name in file.emotions}
    for name, table in file.emotions.items():
        for number, word in enumerate(table.also):
            owner = taken.setdefault(word, name)
            if owner != name:
                message = f"'{word}' stands for '{owner}' already"
                problems.append(document.problem(("emotions", name, "also", number), message))
    if problems:
        raise EmotionsError(problems)
    return [
        Emotion(name, PAD(*table.pad), tuple(table.also), table.source)
        for name, table in file.emotions.items()
    ]
