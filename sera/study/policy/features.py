"""From facts on a page to numbers, and back to words.

Design overview: a `Moment` holds the newest fact of every message type at the time when something
came that one may act on. Each field of it becomes one or several features:

    number                 its value; `missing` where there is no such fact
    true or false          1 or 0
    word of a few          one feature for each word: 1 where it is that word, else 0
    list                   how long it is
    age_s                  how old the fact is, seconds
    seen                   1 where there is such a fact, else 0

Fields that are personal, ids of people, free text (more than twelve different words) and what
never varies are left out.

Units and frames: as the messages say; ages in seconds.
Threading: pure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sera.messages import UnknownMessageType, find_message_type, personal_fields
from sera.study.policy.visible import RECENT_S, Seen

MOST_WORDS = 12
"""A field with more different words is free text, or ids."""
_AGE, _SEEN = "age_s", "seen"
_IDS = frozenset({"id", "person", "participant", "utterance", "session"})
_DEPTH = 3
_FAR = 1e9


class Moment(NamedTuple):
    """What was known when something came."""

    facts: dict[str, dict[str, Any]]
    """Fields of the newest fact of each type."""
    ages_s: dict[str, float]


class Feature(BaseModel):
    """One number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Annotated[str, Field(min_length=1, max_length=100)]
    """Type of the message."""
    field: Annotated[str, Field(max_length=200)]
    """Field of it, with dots for what lies inside; `age_s` and `seen` are about the fact itself."""
    kind: Literal["number", "is", "count", "age", "seen"]
    word: Annotated[str, Field(max_length=200)] | None = None
    """`is`: the word that gives 1."""
    missing: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    """What stands there where there is no such fact."""

    @property
    def name(self) -> str:
        """Such as `WordSpotted.listed is hot`."""
        whole = f"{self.type}.{self.field}"
        return f"{whole} is {self.word}" if self.kind == "is" else whole

    def value(self, moment: Moment) -> float:
        """The number, as a 32-bit float has it: trees are grown with these."""
        facts = moment.facts.get(self.type)
        if self.kind == "seen":
            return 0.0 if facts is None else 1.0
        if facts is None:
            return _rounded(self.missing)
        if self.kind == "age":
            return _rounded(moment.ages_s[self.type])
        return self._of_field(_find(facts, self.field))

    def _of_field(self, found: Any) -> float:
        if self.kind == "is":
            return 1.0 if found == self.word else 0.0
        if self.kind == "count":
            return float(len(found)) if isinstance(found, list) else _rounded(self.missing)
        if isinstance(found, bool | int | float) and abs(found) < _FAR:
            return _rounded(float(found))
        return _rounded(self.missing)


def moment_of(seen: Iterable[Seen], now_s: float) -> Moment:
    """The newest fact of every type that came until now."""
    facts: dict[str, dict[str, Any]] = {}
    times_s: dict[str, float] = {}
    for one in seen:
        if one.time_s <= now_s and one.time_s >= times_s.get(one.type, -math.inf):
            facts[one.type], times_s[one.type] = one.data, one.time_s
    ages_s = {kind: min(now_s - at_s, RECENT_S) for kind, at_s in times_s.items()}
    return Moment(facts, ages_s)


def encode(features: Sequence[Feature], moment: Moment) -> list[float]:
    """The row of numbers of a moment."""
    return [feature.value(moment) for feature in features]


def find_features(moments: Sequence[Moment]) -> tuple[list[Feature], list[str]]:
    """The features that vary in these moments, and a sentence about each type that is left out."""
    values: dict[tuple[str, str], set[Any]] = defaultdict(set)
    present: dict[str, int] = defaultdict(int)
    warnings: list[str] = []
    secret: dict[str, frozenset[str] | None] = {}
    for moment in moments:
        for kind, data in moment.facts.items():
            present[kind] += 1
            if kind not in secret:
                secret[kind] = _secret_fields(kind)
                if secret[kind] is None:
                    warnings.append(
                        f"nobody here knows the message {kind}, so that texts in it may be "
                        "personal: its texts are left out"
                    )
            for field, value in _flat(data, secret[kind] or frozenset()):
                if not (isinstance(value, str) and secret[kind] is None):
                    values[kind, field].add(value)
    features = [
        feature
        for (kind, field), found in sorted(values.items(), key=lambda item: item[0])
        for feature in _features_of(kind, field, found)
    ]
    for kind, times in sorted(present.items()):
        if times < len(moments):
            features.append(Feature(type=kind, field=_SEEN, kind="seen"))
        features.append(Feature(type=kind, field=_AGE, kind="age", missing=-1.0))
    return [one for one in features if len({one.value(each) for each in moments}) > 1], warnings


def _features_of(kind: str, field: str, found: set[Any]) -> list[Feature]:
    lengths = [len(value) for value in found if isinstance(value, tuple)]
    if lengths:
        return [Feature(type=kind, field=field, kind="count", missing=-1.0)]
    words = sorted(value for value in found if isinstance(value, str))
    if words:
        few = len(words) <= MOST_WORDS
        return [
            Feature(type=kind, field=field, kind="is", word=word)
            for word in words
            if few and len(word) <= 200
        ]
    numbers = [float(value) for value in found if isinstance(value, bool | int | float)]
    if not numbers:
        return []
    return [Feature(type=kind, field=field, kind="number", missing=math.floor(min(numbers)) - 1.0)]


def _secret_fields(kind: str) -> frozenset[str] | None:
    """Fields of a message type that are personal; None where nobody knows the type."""
    try:
        return frozenset(personal_fields(find_message_type(kind)))
    except UnknownMessageType:
        return None


def _flat(
    data: dict[str, Any], left_out: frozenset[str], before: str = "", depth: int = 1
) -> Iterator[tuple[str, Any]]:
    """Fields with dots for what lies inside; a list as an empty tuple of its length."""
    for key, value in data.items():
        path = f"{before}{key}"
        if key in _IDS or (depth == 1 and key in left_out):
            continue
        if isinstance(value, dict):
            if depth < _DEPTH:
                yield from _flat(value, left_out, f"{path}.", depth + 1)
        elif isinstance(value, list):
            yield path, (None,) * min(len(value), 1_000)
        elif isinstance(value, str | bool) or (
            isinstance(value, int | float) and math.isfinite(value) and abs(value) < _FAR
        ):
            yield path, value


def _find(data: dict[str, Any], path: str) -> Any:
    value: Any = data
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _rounded(value: float) -> float:
    return float(np.float32(value))
