"""The floor piano and the pieces: `pieces.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml

NOTE_NAMES = ("c", "cs", "d", "ds", "e", "f", "fs", "g", "gs", "a", "as", "b")
MOST_NOTES = 6
KeyName = Annotated[str, Field(pattern=r"^([cdfga]s?|e|b)[0-8]$")]


class PiecesError(FileProblems):
    """Everything that is wrong in a file of pieces."""

    what = "file of pieces"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Piano(_Table):
    """The piano on the floor, in front of the robot."""

    keys: list[KeyName] = Field(min_length=2, max_length=88)
    """From the player's left to right."""
    start: KeyName
    """The key that begins the game."""
    white_width_m: float = Field(gt=0)
    front_m: float = Field(gt=0)
    """From the robot to the middle of the white keys."""
    black_back_m: float = Field(ge=0)
    """How much nearer to the robot the black keys lie."""

    def index(self, key: str) -> int:
        """Place of a key, counted from the player's left."""
        return self.keys.index(key)

    def position_m(self, key: str) -> tuple[float, float, float]:
        """Where a key lies on the floor: the right of who faces the robot is its left, +X."""
        whites = [name for name in self.keys if not is_black(name)]
        middle = (len(whites) - 1) / 2
        if is_black(key):
            below = [name for name in self.keys[: self.index(key)] if not is_black(name)]
            place = len(below) - 0.5
        else:
            place = float(whites.index(key))
        sideways_m = (place - middle) * self.white_width_m
        near_m = self.black_back_m if is_black(key) else 0.0
        return (sideways_m, 0.0, self.front_m - near_m)


class Piece(_Table):
    """A piece to discover: a level of the game."""

    title: dict[str, str] = Field(min_length=1)
    composer: str
    parts: list[Annotated[list[KeyName], Field(min_length=1, max_length=MOST_NOTES)]] = Field(
        min_length=1
    )

    @property
    def notes(self) -> list[str]:
        """All notes in order."""
        return [note for part in self.parts for note in part]


class Pieces(_Table):
    """What is played, and on what."""

    piano: Piano
    pieces: list[Piece] = Field(min_length=1)


def is_black(key: str) -> bool:
    """Whether it is a black key."""
    return key[1] == "s"


def midi_number(key: str) -> int:
    """The note's number on MIDI devices: 60 for c4."""
    return 12 * (int(key[-1]) + 1) + NOTE_NAMES.index(key[:-1])


def nearest_key(note: str, keys: list[str]) -> str:
    """The key of a piano that sounds most like a note; names say little about that."""
    return min(keys, key=lambda key: abs(midi_number(key) - midi_number(note)))


def load_pieces(path: Path) -> Pieces:
    """Read the file.

    Raises:
        PiecesError: with every problem, by line.
    """
    try:
        document = LocatedToml.load(path)
    except FileProblem as problem:
        raise PiecesError([problem]) from None
    try:
        pieces = Pieces.model_validate(document.data)
    except ValidationError as error:
        raise PiecesError(problems_of(error, document, Pieces, document.data)) from None
    problems = _problems(document, pieces)
    if problems:
        raise PiecesError(problems)
    return pieces


def _problems(document: LocatedToml, pieces: Pieces) -> list[FileProblem]:
    keys = pieces.piano.keys
    found = []
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        found.append(document.problem(("piano", "keys"), f"the key {twice} is there twice"))
    if sorted(keys, key=midi_number) != keys:
        found.append(document.problem(("piano", "keys"), "keys are written from low to high"))
    if pieces.piano.start not in keys:
        near = nearest_key(pieces.piano.start, keys)
        message = f"the piano has no key {pieces.piano.start}"
        found.append(document.problem(("piano", "start"), message, nearest=near))
    return found + [
        document.problem(
            ("pieces", number, "parts", place),
            f"the piano has no key {note}",
            nearest=nearest_key(note, keys),
        )
        for number, piece in enumerate(pieces.pieces)
        for place, part in enumerate(piece.parts)
        for note in part
        if note not in keys
    ]
