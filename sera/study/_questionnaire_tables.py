"""The tables of a questionnaire's file: what it is, its languages, groups, items and scales."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sera.study._table import LanguageTag, PlanName, Table

Words = dict[LanguageTag, Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]]
"""A text by language."""
Anchors = dict[LanguageTag, list[str]]
"""Words of a scale by language: for its two ends, or one for each point."""
Answer = bool | int | float | str | None
ItemKind = Literal[
    "scale",
    "picture_scale",
    "slider",
    "choice",
    "multiple",
    "number",
    "text",
    "agreement",
    "info",
]
DrawingName = Literal["ios", "sam_pleasure", "sam_arousal", "sam_dominance"]
RATED_KINDS = ("scale", "picture_scale", "slider")
"""Kinds whose answer is a number between two ends, which a scale can be made of."""
POINT_KINDS = ("scale", "picture_scale")
"""Kinds that are answered with one of a few points, counted from 1."""
INHERITED = ("kind", "points", "anchors", "shuffle", "required")
"""What the items of a group need not say themselves."""


class Wording(Table):
    """Where the wording in one language comes from."""

    validated: str | None = None
    """Citation of its validation."""
    used_in: str | None = None
    """Where it is not validated: the study whose participants read it like this."""
    printed_in: str | None = None
    """Where it is not validated: the publication that prints it."""
    ours: Literal["wording", "translation"] = "translation"
    """Where it is none of these: whether the items are ours or only their translation."""
    note: str = ""
    """What else a reader has to know, such as which part differs."""

    def __str__(self) -> str:
        if self.validated:
            told = f"validated ({self.validated})"
        elif self.used_in:
            told = f"wording as used in ({self.used_in}), not validated"
        elif self.printed_in:
            told = f"wording as printed in ({self.printed_in}), not validated"
        else:
            whose = "own wording" if self.ours == "wording" else "translation"
            told = f"our {whose}, not validated"
        return f"{told}; {self.note}" if self.note else told


class Choice(Table):
    """One of several answers."""

    key: PlanName
    """What stands in the data."""
    text: Words
    """What the participant reads."""


class Group(Table):
    """Items that belong together: one instruction, and what they have in common."""

    name: PlanName
    """What items name in `group`."""
    text: Words = Field(default_factory=dict)
    """The instruction above each of them."""
    kind: ItemKind | None = None
    """Kind of its items."""
    points: int | None = Field(default=None, ge=2, le=21)
    """Points of its items."""
    anchors: Anchors = Field(default_factory=dict)
    """Anchors of its items."""
    shuffle: bool | None = None
    """Whether its items trade places."""
    required: bool | None = None
    """Whether its items have to be answered."""


class Item(Table):
    """A question, something to agree to, or something to read."""

    id: PlanName
    """Name in the data."""
    kind: ItemKind
    """How it is answered."""
    text: Words = Field(default_factory=dict)
    """What the participant reads; a scale without it is a semantic differential, which asks with
    its two anchors alone."""
    body: Words = Field(default_factory=dict)
    """Paragraphs below it, with an empty line between two (`info` and `agreement`)."""
    help: Words = Field(default_factory=dict)
    """A line below it."""
    group: PlanName | None = None
    """The group that it belongs to."""
    required: bool = False
    """Whether the form can be sent without an answer; an agreement has to be ticked."""
    reversed: bool = False
    """Whether a high answer means little of what is measured; for the analysis."""
    shuffle: bool = False
    """Items of a group with this mark trade places among themselves at random."""
    points: int = Field(default=7, ge=2, le=21)
    """How many points a scale has, counted from 1."""
    anchors: Anchors = Field(default_factory=dict)
    """Words of a scale or slider: for its two ends, or one for each point."""
    drawing: DrawingName | None = None
    """What a picture scale shows at each point."""
    labels: Anchors = Field(default_factory=dict)
    """Words in a drawing: of the two circles of `ios`."""
    choices: list[Choice] = Field(default_factory=list)
    """Answers to choose from."""
    least: float | None = None
    """The smallest number; of a slider 0, if left out."""
    most: float | None = None
    """The largest number; of a slider 100, if left out."""
    step: float | None = Field(default=None, gt=0)
    """What a slider moves by; 5, if left out."""
    whole: bool = True
    """Whether numbers have no decimals."""

    @property
    def is_differential(self) -> bool:
        """Whether it asks with its two anchors alone."""
        return self.kind == "scale" and not self.text

    @property
    def is_asked(self) -> bool:
        """Whether it has an answer."""
        return self.kind != "info"

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest number that it takes."""
        if self.kind in POINT_KINDS:
            return 1.0, float(self.points)
        if self.kind == "slider":
            return (
                0.0 if self.least is None else self.least,
                100.0 if self.most is None else self.most,
            )
        return self.least, self.most

    @property
    def slider_step(self) -> float:
        return 5.0 if self.step is None else self.step

    def asks(self, tag: str) -> str:
        """What the participant reads in a language; of a differential, its two ends."""
        if self.is_differential:
            ends = self.anchors[tag]
            return f"{ends[0]} – {ends[-1]}"  # noqa: RUF001
        return self.text[tag]


class ScaleTable(Table):
    """Items that measure one thing together."""

    name: PlanName
    """Name in the data, such as `RC`; unique in a study."""
    title: Words
    """What reports call it."""
    items: list[PlanName] = Field(default_factory=list)
    """Its items; left out where it has parts."""
    parts: list[PlanName] = Field(default_factory=list)
    """Scales that it is made of: it has all of their items, and is the mean of those."""
    negative: bool = False
    """Whether lower is better, so that the analysis turns it round for comparisons."""


class FormFacts(Table):
    """What the form is."""

    title: Words
    intro: Words = Field(default_factory=dict)
    """What stands before the first item."""
    source: str
    """Where the items come from."""
    licence: str
    """Under which terms they may be used."""


def with_group_defaults(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a file in which each item has what its group says for all of its items."""
    groups = {
        group["name"]: group
        for group in _tables(data.get("groups"))
        if isinstance(group.get("name"), str)
    }
    items = data.get("items")
    if not groups or not isinstance(items, list):
        return data
    filled = []
    for item in items:
        name = item.get("group") if isinstance(item, dict) else None
        group = groups.get(name, {}) if isinstance(name, str) else {}
        shared = {key: group[key] for key in INHERITED if key in group}
        filled.append(shared | item if isinstance(item, dict) else item)
    return data | {"items": filled}


def _tables(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
