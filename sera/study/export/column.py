"""Columns of exported tables: everything that a codebook says about one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

ColumnKind = Literal["text", "whole", "decimal", "truth"]
"""Words, whole numbers, numbers with decimals, or true and false."""
Level = Literal["nominal", "ordinal", "scale"]
Value = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and what it means."""

    name: str
    """In the tables."""
    meaning: str
    kind: ColumnKind = "text"
    unit: str = ""
    level: Level = "nominal"
    labels: Mapping[Value, str] = field(default_factory=dict)
    """What single values stand for."""
    lowest: float | None = None
    highest: float | None = None
    questionnaire: str = ""
    """Name of the form that it comes from."""
    item: str = ""
    """Name of the item in the form."""
    wording: str = ""
    """What the participant read, by language."""
    source: str = ""
    """Where the questionnaire comes from."""
    validation: str = ""
    """For each language whether its wording was validated."""
    reversed: bool = False
    """Whether a high answer means little of what its scale measures."""
    scales: tuple[str, ...] = ()
    """Scales that the item counts for."""
    is_answer: bool = False
    """Whether an empty cell may be a question that was left out."""


@dataclass(slots=True)
class Table:
    """Rows with the columns that explain them."""

    name: str
    columns: list[Column]
    rows: list[dict[str, Value]] = field(default_factory=list)
    """Values by column; what is missing is empty."""
    notes: list[str] = field(default_factory=list)
    """What a reader has to know, one sentence each."""
    left_out: set[tuple[int, str]] = field(default_factory=set)
    """Row and column of questions that were asked and not answered."""


def plain(value: Any) -> Value:
    """A value that a table has letters for; None where there is none."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    return None


def unique(name: str, taken: Iterable[str]) -> str:
    """The name, with a number behind it where others are called so already."""
    used = {one.lower() for one in taken}
    chosen, number = name, 2
    while chosen.lower() in used:
        chosen, number = f"{name}_{number}", number + 1
    return chosen
