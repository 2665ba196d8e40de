"""A report before it has a form: sections of sentences, tables and figures.

Pages, PDFs and the terminal are made of the same document, so that none says more or less than
the others. A document of simulated data marks every caption and figure by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sera.study.analysis import Group, Variable

SIMULATED = "SIMULATED"
"""What stands on all that simulated participants gave."""
SIMULATED_SENTENCE = (
    "SIMULATED DATA. No person took part. Simulated participants try out a study and its "
    "analysis; they support no claim about people."
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

Mark = Literal["good", "bad", "strong"]
Place = tuple[int, int]
"""Row and column of a cell."""


def printable(text: str) -> str:
    """Text without characters that no page can hold."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph."""

    text: str
    kind: Literal["plain", "test", "warning", "small"] = "plain"
    lead: str = ""
    """Words before it, in bold."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first column holds the rows' headings."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marks: Mapping[Place, Mark] = field(default_factory=dict)
    """Cells that stand out; their text says the same without the colour."""
    note: str = ""
    number: int = 0
    widths: tuple[float, ...] = ()
    """Relative widths on paper; left out: by their content."""

    @property
    def heading(self) -> str:
        return f"Table {self.number}. {self.caption}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot of a variable by condition."""

    caption: str
    variable: Variable
    conditions: tuple[Group, ...]
    within: bool
    simulated: bool
    number: int = 0

    @property
    def heading(self) -> str:
        return f"Figure {self.number}. {self.caption}"


Block = Sentence | Listing | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report."""

    title: str
    blocks: tuple[Block, ...] = ()
    level: Literal[1, 2] = 1
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report."""

    title: str
    subtitle: str
    simulated: bool
    sections: tuple[Section, ...]
