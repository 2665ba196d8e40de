"""The town on the table: its places on a grid, the ways between them, and the words for them.

Pure: reads one file and knows no clock. Units and frames: cells are (column, row) from the north
west corner; pixels are those of the table, from its upper left corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sera.messages import ScreenPoint
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name

Cell = tuple[int, int]

DIRECTIONS: dict[str, Cell] = {
    "north": (0, -1),
    "north-east": (1, -1),
    "east": (1, 0),
    "south-east": (1, 1),
    "south": (0, 1),
    "south-west": (-1, 1),
    "west": (-1, 0),
    "north-west": (-1, -1),
}
"""What one step in each direction does to column and row."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a way: so many steps in one direction."""

    direction: str
    steps: int


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Phrases(_Table):
    """What a place is called in one language."""

    label: str = Field(min_length=1)
    the: str = Field(min_length=1)
    at: str = Field(min_length=1)
    of: str = Field(min_length=1)


class Place(BaseModel):
    """A place; all further keys are languages."""

    model_config = ConfigDict(frozen=True, extra="allow")

    cell: Cell
    __pydantic_extra__: dict[str, Phrases]

    @property
    def phrases(self) -> dict[str, Phrases]:
        """By language."""
        return self.__pydantic_extra__


class Grid(_Table):
    """Where the grid lies on the table."""

    columns: int = Field(ge=2, le=8)
    rows: int = Field(ge=2, le=6)
    left_px: float = Field(gt=0)
    top_px: float = Field(gt=0)
    step_px: float = Field(gt=0)
    reach_px: float = Field(gt=0)


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    steps: list[str] = Field(min_length=1)
    then: str
    __pydantic_extra__: dict[str, str]


class _File(_Table):
    grid: Grid
    words: dict[str, _Words]
    places: dict[str, Place] = Field(min_length=4)


class Town:
    """The places, and how one gets from one to another.

    Args:
        file: the checked tables of `town.toml`.
        screen: name of the screen on which the town is shown.
    """

    def __init__(self, file: _File, screen: str = "table") -> None:
        self.grid = file.grid
        self.places = file.places
        self.languages = tuple(file.words)
        self._words = file.words
        self._screen = screen
        self._at = {place.cell: name for name, place in file.places.items()}

    @classmethod
    def load(cls, path: Path, screen: str = "table") -> Town:
        """Read a town.

        Raises:
            FileProblems: everything that is wrong in the file.
        """
        document = LocatedToml.load(path)
        try:
            file = _File.model_validate(document.data)
        except ValidationError as error:
            problems = [document.problem(one["loc"], one["msg"]) for one in error.errors()]
            raise FileProblems(problems) from None
        problems = [*_misplaced(file, document), *_speechless(file, document)]
        if problems:
            raise FileProblems(problems)
        return cls(file, screen)

    def language(self, wanted: str) -> str:
        """The nearest language of the town: `pt` for `pt-PT`.

        Raises:
            ValueError: it has none such.
        """
        for tag in (wanted, wanted.partition("-")[0]):
            if tag in self._words:
                return tag
        near = nearest_name(wanted, self._words)
        meant = f"; did you mean '{near}'?" if near else ""
        raise ValueError(f"the town has no words in '{wanted}'{meant} ({', '.join(self._words)})")

    # -- ways -------------------------------------------------------------------------------

    def walk(self, start: str, legs: Sequence[Leg]) -> str | None:
        """The place where a way ends; None where it leaves the town."""
        column, row = self.places[start].cell
        for leg in legs:
            across, down = DIRECTIONS[leg.direction]
            for _ in range(leg.steps):
                column, row = column + across, row + down
                if (column, row) not in self._at:
                    return None
        return self._at[column, row]

    def ways_from(self, start: str, steps: int) -> list[tuple[Leg, str]]:
        """All straight ways of so many steps from a place, and where they end."""
        ways = [(leg := Leg(name, steps), self.walk(start, [leg])) for name in DIRECTIONS]
        return [(leg, end) for leg, end in ways if end is not None]

    # -- places on the table ----------------------------------------------------------------

    def point(self, place: str) -> ScreenPoint:
        """Where a place is on the table."""
        column, row = self.places[place].cell
        grid = self.grid
        return ScreenPoint(
            screen=self._screen,
            x_px=grid.left_px + column * grid.step_px,
            y_px=grid.top_px + row * grid.step_px,
        )

    def place_at(self, point: ScreenPoint) -> str | None:
        """The place that a touch means; None where it means none."""
        if point.screen != self._screen:
            return None
        for name in self.places:
            centre = self.point(name)
            across, down = point.x_px - centre.x_px, point.y_px - centre.y_px
            if max(abs(across), abs(down)) <= self.grid.reach_px:
                return name
        return None

    # -- words ------------------------------------------------------------------------------

    def phrases(self, place: str, language: str) -> Phrases:
        """What a place is called."""
        return self.places[place].phrases[self.language(language)]

    def direction_word(self, direction: str, language: str) -> str:
        """A direction of the compass in words."""
        return self._words[self.language(language)].__pydantic_extra__[direction]

    def way_words(self, legs: Sequence[Leg], language: str) -> str:
        """A way in words: `one step north and then two steps east`."""
        words = self._words[self.language(language)]
        told = []
        for leg in legs:
            template = words.steps[min(leg.steps, len(words.steps)) - 1]
            told.append(template.format(direction=self.direction_word(leg.direction, language)))
        return words.then.join(told)


def _misplaced(file: _File, document: LocatedToml) -> Iterator[FileProblem]:
    taken: dict[Cell, str] = {}
    for name, place in file.places.items():
        column, row = place.cell
        where = ("places", name, "cell")
        if not (0 <= column < file.grid.columns and 0 <= row < file.grid.rows):
            size = f"the grid has {file.grid.columns} columns and {file.grid.rows} rows"
            yield document.problem(where, size, fix="choose a cell inside, from [0, 0]")
        first = taken.setdefault(place.cell, name)
        if first != name:
            yield document.problem(where, f"the cell is that of '{first}' already")


def _speechless(file: _File, document: LocatedToml) -> Iterator[FileProblem]:
    for name, place in file.places.items():
        for language in file.words:
            if language not in place.phrases:
                yield document.problem(("places", name), f"has no words in '{language}'")
    for language, words in file.words.items():
        for direction in DIRECTIONS:
            if direction not in words.__pydantic_extra__:
                yield document.problem(("words", language), f"has no word for '{direction}'")
