"""A recording of any length as one bounded overview: its time line, words, marks and phases.

Design overview: one pass, in bounded memory. Streams and the system's own book-keeping are
counted and not listed. What people look for (orders, marks, faults, what was said) is listed up
to `KEPT_EACH`; of the rest every second is let go whenever there are too many, so that what is
left is spread over the whole recording.

Units and frames: times count in seconds from the beginning of the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sera.messages import Action, UnknownMessageType, find_message_type
from sera.recording._format import MALFORMED_TYPE
from sera.recording._reader import Record
from sera.recording.review._light import Tally
from sera.recording.review._times import has_sound_time

KEPT_EACH = 10_000
"""How many entries are listed of what matters, and as many of the rest."""
WORDS_KEPT, MARKS_KEPT = 5_000, 2_000
SUMMARY_LENGTH = 140
_COUNTED_ONLY = frozenset(
    {
        *("Receipt", "ClockProbe", "ClockReply", "ClockOffset", "ModuleCounters", "Handled"),
        *("BodyState", "EngineState", "GazeState", "BlendReport", "BehaviourState", "SpeechWord"),
    }
)
_NOTABLE = frozenset(
    {
        *("ModuleFault", "ActionExpired", "UtteranceStarted", "UtteranceCancelled"),
        *("SpeechStarted", "SpeechHeard", "Suggestion", "SuggestionResolved", "OperatorDecided"),
        *("AutonomyChanged", "PersonDetected", "PersonLost", "QuestionAsked", "QuestionAnswered"),
        *("RunEnding", "ActivityEvent", MALFORMED_TYPE),
    }
)


class Entry(NamedTuple):
    """One message on the time line."""

    at_s: float
    type: str
    character: str
    source: str
    id: str
    cause: str | None
    words: str
    """Its fields in one line, shortened."""


@dataclass(slots=True)
class Overview:
    """What is in a recording."""

    duration_s: float = 0.0
    messages: int = 0
    types: dict[str, int] = field(default_factory=dict)
    families: dict[str, int] = field(default_factory=dict)
    characters: dict[str, int] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    left_out: int = 0
    """Entries that were let go because there are too many."""
    marks: list[dict[str, Any]] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    words: list[dict[str, Any]] = field(default_factory=list)
    """What was said, by characters and people: `from_s`, `to_s`, `who`, `text`."""

    def count(self, type_name: str, character: str, number: int = 1) -> None:
        """So many messages of a type belong to a character."""
        self.messages += number
        self.types[type_name] = self.types.get(type_name, 0) + number
        family = facts_of_type(type_name).family
        self.families[family] = self.families.get(family, 0) + number
        if character and character != "world":
            self.characters[character] = self.characters.get(character, 0) + number


def look_over(records: Iterable[Record], origin_s: float, counted: Tally | None = None) -> Overview:
    """Condense records into an overview.

    Args:
        records: of one log, in its order.
        origin_s: the beginning of the run on their clock.
        counted: messages beside them that were only counted; looked at after the last record.
    """
    made = Overview()
    rest = _Thinned(KEPT_EACH)
    notable: list[Entry] = []
    lines = _Words(made.words)
    for record in records:
        if not has_sound_time(record):
            continue
        at_s = round(record.received_s - origin_s, 3)
        made.duration_s = max(made.duration_s, at_s)
        type_name = str(record.type)
        made.count(type_name, str(record.character))
        about = facts_of_type(type_name)
        lines.take(record, at_s)
        _note_session(made, record, at_s)
        if is_counted_only(type_name):
            continue
        entry = _entry(record, at_s)
        if not (about.order or type_name in _NOTABLE):
            rest.add(entry)
        elif len(notable) < KEPT_EACH:
            notable.append(entry)
        else:
            made.left_out += 1
    if counted is not None and counted.counts:
        made.duration_s = max(made.duration_s, round(counted.last_s - origin_s, 3))
        for kind, number in counted.counts.items():
            made.count(kind.type, kind.character, number)
    made.left_out += rest.let_go
    made.entries = sorted([*notable, *rest.kept], key=lambda entry: entry.at_s)
    return made


class TypeFacts(NamedTuple):
    """What the vocabulary says about a type."""

    family: str
    stream: bool
    order: bool


@cache
def facts_of_type(name: str) -> TypeFacts:
    """How to treat messages of a type; one that nobody knows here belongs to a laboratory."""
    try:
        known = find_message_type(name)
    except UnknownMessageType:
        return TypeFacts("system" if name == MALFORMED_TYPE else "own", stream=False, order=False)
    return TypeFacts(known.family, known.stream, issubclass(known, Action))


def is_counted_only(name: str) -> bool:
    """Whether an overview only counts messages of a type: streams and book-keeping."""
    return name in _COUNTED_ONLY or facts_of_type(name).stream


class _Thinned:
    """Keeps so many of a sequence of unknown length, evenly spread."""

    def __init__(self, limit: int) -> None:
        self.kept: list[Entry] = []
        self.let_go = 0
        self._limit = limit
        self._stride = 1
        self._seen = 0

    def add(self, entry: Entry) -> None:
        if self._seen % self._stride:
            self.let_go += 1
        else:
            self.kept.append(entry)
            if len(self.kept) > self._limit:
                self.let_go += len(self.kept) // 2
                self.kept = self.kept[::2]
                self._stride *= 2
        self._seen += 1


class _Words:
    """What was said: begins with SpeechStarted, ends with SpeechFinished."""

    def __init__(self, said: list[dict[str, Any]]) -> None:
        self._said = said
        self._open: dict[str, dict[str, Any]] = {}

    def take(self, record: Record, at_s: float) -> None:
        data = record.data
        if record.type == "SpeechStarted":
            expected = data.get("expected_duration_s")
            lasts_s = expected if isinstance(expected, int | float) else 3.0
            self._add(record, at_s, at_s + lasts_s, str(record.character), str(data.get("speech")))
        elif record.type == "SpeechFinished":
            line = self._open.pop(str(data.get("speech")), None)
            if line is not None:
                line["to_s"] = at_s
        elif record.type == "SpeechHeard" and data.get("text"):
            who = str(data.get("person") or "somebody")
            self._add(record, at_s, at_s + 3.0, who, None)

    def _add(
        self, record: Record, from_s: float, to_s: float, who: str, speech: str | None
    ) -> None:
        if len(self._said) >= WORDS_KEPT:
            return
        text = str(record.data.get("text") or "")[:1000]
        line = {
            "from_s": round(from_s, 3),
            "to_s": round(to_s, 3),
            "who": who,
            "text": text,
            "heard": speech is None,
            "id": record.id,
        }
        self._said.append(line)
        if speech is not None:
            self._open[speech] = line
            if len(self._open) > 100:
                self._open.pop(next(iter(self._open)))


def _note_session(made: Overview, record: Record, at_s: float) -> None:
    data = record.data
    if record.type == "SessionMark" and len(made.marks) < MARKS_KEPT:
        fields = {key: data.get(key) for key in ("label", "note", "about", "by")}
        made.marks.append({"at_s": at_s, "id": record.id, **fields})
    elif record.type == "SessionPhase" and len(made.phases) < MARKS_KEPT:
        fields = {key: data.get(key) for key in ("phase", "step", "status")}
        made.phases.append({"at_s": at_s, **fields})


def _entry(record: Record, at_s: float) -> Entry:
    return Entry(
        at_s,
        str(record.type),
        str(record.character),
        str(record.source),
        str(record.id),
        None if record.cause is None else str(record.cause),
        in_one_line(record.data),
    )


def in_one_line(data: dict[str, Any]) -> str:
    """The fields of a message for people, shortened."""
    parts = []
    length = 0
    for key, value in data.items():
        if value is None or value in ("", [], {}):
            continue
        text = value if isinstance(value, str) else json.dumps(value, default=str)[:SUMMARY_LENGTH]
        parts.append(f"{key} {text}")
        length += len(parts[-1])
        if length > SUMMARY_LENGTH:
            break
    line = " · ".join(parts).replace("\n", " ")
    return line if len(line) <= SUMMARY_LENGTH else f"{line[: SUMMARY_LENGTH - 1]}…"
