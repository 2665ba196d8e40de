"""A learned policy: decision trees as data, which anybody can read and nothing is run from.

Design overview: the file is JSON. `Policy.load` checks every number and every index in it, so that
a file from somebody else can do no harm beyond a bad choice: no class is named in it and no code
is loaded. A choice is a message type with fields, or nothing at all.
A forest's share of a choice is the mean of its trees' shares.

Units and frames: those of the features.
Threading: immutable.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from sera.study.policy.features import Feature, Moment, encode

FORMAT = 1
NOTHING = "(nothing)"
_LARGEST_BYTES = 50_000_000
_Count = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PolicyFileError(ValueError):
    """A file that is no policy; says in one sentence why."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Choice(_Table):
    """What was chosen: an Action with some fields, or nothing."""

    type: Annotated[str, Field(max_length=100)] | None = None
    """Type of the Action; None: nothing was done."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Such as `RateGuess rating=hot`."""
        if self.type is None:
            return NOTHING
        given = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in self.fields.items()
        ]
        return " ".join([self.type, *given])


class Node(_Table):
    """A question about one feature, or an answer."""

    feature: Annotated[int, Field(ge=0)] | None = None
    """Which feature is asked about; None: this is a leaf."""
    up_to: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    """The question: is it at most this?"""
    yes: int = 0
    """Number of the node to go to; always further down the list."""
    no: int = 0
    counts: list[_Count] = Field(default_factory=list)
    """A leaf: how often each choice was made here."""


class Tree(_Table):
    """Nodes, the first one is the root."""

    nodes: list[Node] = Field(min_length=1, max_length=200_000)

    def way(self, row: Sequence[float]) -> list[int]:
        """Numbers of the nodes from the root to the leaf."""
        way = [0]
        while (node := self.nodes[way[-1]]).feature is not None:
            way.append(node.yes if row[node.feature] <= node.up_to else node.no)
        return way


class Chosen(NamedTuple):
    """What a policy would do."""

    choice: Choice
    share: float
    """How sure it is: share of the same cases in which that was chosen, from 0 to 1."""
    reason: str


class Policy(_Table):
    """Trees, the features that they ask about, and the choices between which they decide."""

    sera_policy: int = FORMAT
    acts_on: Annotated[str, Field(min_length=1, max_length=100)]
    """Type of the perception after which it chooses."""
    features: list[Feature] = Field(max_length=10_000)
    choices: list[Choice] = Field(min_length=1, max_length=1_000)
    trees: list[Tree] = Field(min_length=1, max_length=2_000)
    made_from: dict[str, JsonValue] = Field(default_factory=dict)
    """How it was learned and how well it does; for people."""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.sera_policy != FORMAT:
            raise ValueError(
                f"this is a policy of format {self.sera_policy}, and this version reads {FORMAT}"
            )
        for number, tree in enumerate(self.trees):
            for place, node in enumerate(tree.nodes):
                where = f"trees[{number}].nodes[{place}]"
                if node.feature is None:
                    if len(node.counts) != len(self.choices) or not sum(node.counts) > 0:
                        raise ValueError(f"{where}: a leaf counts every choice, and some case")
                elif node.feature >= len(self.features):
                    raise ValueError(f"{where}: there is no feature {node.feature}")
                elif not all(place < child < len(tree.nodes) for child in (node.yes, node.no)):
                    raise ValueError(f"{where}: leads to a node that does not come after it")
        return self

    @property
    def hears(self) -> list[str]:
        """Types of the messages that it must be shown."""
        return sorted({self.acts_on, *(feature.type for feature in self.features)})

    def shares(self, row: Sequence[float]) -> list[float]:
        """How probable each choice is for a row of numbers."""
        sums = [0.0] * len(self.choices)
        for tree in self.trees:
            counts = tree.nodes[tree.way(row)[-1]].counts
            whole = sum(counts)
            for place, count in enumerate(counts):
                sums[place] += count / whole
        return [one / len(self.trees) for one in sums]

    def choose(self, moment: Moment) -> Chosen:
        """What it would do now, and why."""
        row = encode(self.features, moment)
        shares = self.shares(row)
        best = max(range(len(shares)), key=shares.__getitem__)
        return Chosen(self.choices[best], shares[best], self._reason(row, best, shares[best]))

    def _reason(self, row: Sequence[float], best: int, share: float) -> str:
        label = self.choices[best].label
        if len(self.trees) > 1:
            agree = sum(_leads_to(tree, row, best) for tree in self.trees)
            return f"{agree} of {len(self.trees)} trees say {label} ({share:.0%})"
        tree = self.trees[0]
        way = tree.way(row)
        asked = [
            answer(self.features, tree.nodes[here], yes=tree.nodes[here].yes == there)
            for here, there in pairwise(way)
        ]
        counts = tree.nodes[way[-1]].counts
        often = f"{label} in {counts[best]:g} of {sum(counts):g} cases"
        return f"{'; '.join(shortened(asked))}: {often}" if asked else often

    # -- the file ---------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        text = self.model_dump_json(indent=1, exclude_defaults=True)
        data = {"sera_policy": FORMAT, **json.loads(text)}
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Policy:
        """Read a policy.

        Raises:
            PolicyFileError: it cannot be read or is none.
        """
        try:
            if path.stat().st_size > _LARGEST_BYTES:
                raise PolicyFileError(f"{path}: {path.stat().st_size:,} bytes are no policy")
            data: Any = json.loads(path.read_bytes())
        except OSError as error:
            raise PolicyFileError(f"{path} cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:
            raise PolicyFileError(f"{path} is no JSON file: {error}") from None
        if not isinstance(data, dict) or "sera_policy" not in data:
            raise PolicyFileError(
                f"{path} is no policy; `sera study learn NAME --out {path.name}` writes one"
            )
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            message = first["msg"].removeprefix("Value error, ")
            raise PolicyFileError(f"{path}: {where + ': ' if where else ''}{message}") from None


def answer(features: Sequence[Feature], node: Node, *, yes: bool) -> str:
    """A question with its answer, such as `WordSpotted.confidence above 0.6`."""
    feature = features[node.feature or 0]
    if feature.kind == "is":
        return f"{feature.type}.{feature.field} is {'not ' if yes else ''}{feature.word}"
    if feature.kind == "seen":
        return f"{feature.type} is {'not there' if yes else 'there'}"
    return f"{feature.name} {'at most' if yes else 'above'} {node.up_to:.4g}"


def shortened(asked: Sequence[str]) -> list[str]:
    """Without answers that a later one makes superfluous: `is not hot` before `is warm`."""
    kept: list[str] = []
    decided = {one.split(" is ")[0] for one in asked if " is " in one and " is not " not in one}
    for one in asked:
        if " is not " in one and one.split(" is not ")[0] in decided:
            continue
        kept.append(one)
    return kept


def _leads_to(tree: Tree, row: Sequence[float], best: int) -> bool:
    counts = tree.nodes[tree.way(row)[-1]].counts
    return counts[best] == max(counts)
