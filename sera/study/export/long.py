"""The long table: a row an event, with the phase and step that it fell into.

Fields of messages have columns of their own, `field.<path>`; lists and dictionaries stand in one
cell as JSON. Fields that are marked personal are left out, and so are streams (joint frames) and
housekeeping (receipts, clocks) unless they are asked for.

Units and frames: seconds from the beginning of the session in that condition.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel

from sera.messages import Message, message_types
from sera.messages._docstrings import read_docstrings
from sera.messages._fields import model_in
from sera.recording._marks import holds_an_action, personal_of
from sera.study.export._form_columns import YES_NO
from sera.study.export.column import Column, ColumnKind, Level, Table, Value, plain
from sera.study.export.recorded import Recorded
from sera.study.export.wide import KINDS
from sera.study.measures import SessionLog
from sera.study.plan import EXTRA_PREFIX, StudyPlan

HOUSEKEEPING = frozenset(
    {
        "ModulePresence",
        "ModuleCounters",
        "Receipt",
        "Handled",
        "ClockProbe",
        "ClockReply",
        "ClockOffset",
        "SoundLevel",
    }
)
"""Left out with the streams: they tell nothing about the session."""
FIXED = (
    Column("session", "Id of the session"),
    Column("id", "Pseudonym of the participant"),
    Column(
        "simulated",
        "Whether the participant was simulated; such rows support no claim about people",
        "truth",
        labels=YES_NO,
    ),
    Column("kind", "Kind of the session", labels=KINDS),
    Column("condition", "Condition in which it happened"),
    Column("period", "Which of the participant's conditions it was, from 1", "whole"),
    Column(
        "time",
        "When it was observed or ordered, from the beginning of the session in that condition; a "
        "session that was resumed goes on where it stopped",
        "decimal",
        "s",
        "scale",
    ),
    Column("type", "Type of the message; `sera messages` and docs/messages.md explain each"),
    Column("character", "Whose message it is; world: of nobody in particular"),
    Column("source", "Module that sent it"),
    Column("phase", "Phase of the session in which it fell; empty in pauses"),
    Column("step", "Step of the session in which it fell; empty in pauses"),
)


def long_table(
    plan: StudyPlan, logs: Sequence[tuple[Recorded, SessionLog]], *, streams: bool = False
) -> Table:
    """A row an event.

    Args:
        plan: of the study.
        logs: of its sessions, each with whose it is.
        streams: whether messages that come many times a second are wanted as well.
    """
    table = Table("long", [])
    fields: dict[str, _Field] = {}
    read_docstrings(message_types()[name] for name in _known_types(logs))
    for one, log in logs:
        table.rows += _rows(plan, one, log, fields, streams=streams)
    table.columns = [*FIXED, *(told.column(name) for name, told in sorted(fields.items()))]
    return table


def is_stream(type_name: str) -> bool:
    """Whether messages of the type come all the time and tell nothing by themselves."""
    known = message_types().get(type_name)
    return type_name in HOUSEKEEPING or (known is not None and known.stream)


def _rows(
    plan: StudyPlan,
    one: Recorded,
    log: SessionLog,
    fields: dict[str, _Field],
    *,
    streams: bool,
) -> Iterator[dict[str, Value]]:
    phase_at, step_at = course_of(plan, log)
    entries = [
        entry
        for type_name in sorted(log.types)
        if streams or not is_stream(type_name)
        for entry in log.messages(type_name)
    ]
    for entry in sorted(entries, key=lambda entry: (entry.time_s, entry.order)):
        row: dict[str, Value] = {
            "session": one.session,
            "id": one.participant,
            "simulated": one.kind == "simulated",
            "kind": one.kind,
            "condition": one.condition,
            "period": one.period,
            "time": round(entry.time_s, 4),
            "type": entry.type,
            "character": entry.character,
            "source": entry.source,
            "phase": phase_at(entry.time_s),
            "step": step_at(entry.time_s),
        }
        for path, value, meaning in _flat(entry.data, message_types().get(entry.type)):
            name = f"field.{path}"
            row[name] = value
            fields.setdefault(name, _Field()).note(entry.type, meaning, value)
        yield row


class _At:
    """Which of several intervals a time falls into."""

    def __init__(self, spans: list[tuple[float, float, str]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start_s for start_s, _, _ in self._spans]

    def __call__(self, time_s: float) -> str | None:
        for place in range(bisect_right(self._starts, time_s) - 1, -1, -1):
            start_s, stop_s, name = self._spans[place]
            if start_s <= time_s <= stop_s:
                return name
        return None


def course_of(plan: StudyPlan, log: SessionLog) -> tuple[_At, _At]:
    """Which phase and which step was under way at a time."""
    steps = {step.name for _, step in plan.steps()}
    phases: list[tuple[float, float, str]] = []
    inner: list[tuple[float, float, str]] = []
    for name, spans in log.phases.intervals.items():
        is_step = name in steps or name.startswith(EXTRA_PREFIX)
        (inner if is_step else phases).extend((start, stop, name) for start, stop in spans)
    return _At(phases), _At(inner)


def _flat(
    data: Mapping[str, Any], model: type[BaseModel] | None, prefix: str = ""
) -> Iterator[tuple[str, Value, str]]:
    """Path, value and meaning of all fields that may leave."""
    hidden = personal_of(model) if model is not None else {}
    if model is not None and issubclass(model, Message) and holds_an_action(model):
        hidden = {**hidden, "action": "text"}  # another message's fields, personal ones among them
    for key, value in data.items():
        if key in hidden or value is None:
            continue
        field = None if model is None else model.model_fields.get(key)
        inner = None if field is None else model_in(field.annotation)
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and inner is not None:
            yield from _flat(value, inner, f"{path}.")
        elif isinstance(value, Mapping | list):
            yield path, _json(value, field), _meaning(field)
        else:
            yield path, plain(value), _meaning(field)


def _json(value: Any, field: Any) -> str:
    listed = None if field is None else _part_in(field.annotation)
    if listed is not None:
        hidden = personal_of(listed)
        value = _without(value, set(hidden))
    return json.dumps(value, ensure_ascii=False)


def _part_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a list or dictionary holds."""
    if (found := model_in(annotation)) is not None:
        return found
    return next((one for arg in get_args(annotation) if (one := _part_in(arg))), None)


def _without(value: Any, hidden: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {k: _without(v, hidden) for k, v in value.items() if k not in hidden}
    return [_without(one, hidden) for one in value] if isinstance(value, list) else value


def _meaning(field: Any) -> str:
    return " ".join(((field and field.description) or "").split())


def _known_types(logs: Sequence[tuple[Recorded, SessionLog]]) -> set[str]:
    known = message_types()
    return {name for _, log in logs for name in log.types if name in known}


class _Field:
    """What is known of one column of fields."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}
        self._kinds: set[type] = set()

    def note(self, type_name: str, meaning: str, value: Value) -> None:
        self._types.setdefault(type_name, meaning)
        if value is not None:
            self._kinds.add(type(value))

    def column(self, name: str) -> Column:
        by_meaning: dict[str, list[str]] = {}
        for type_name, meaning in self._types.items():
            by_meaning.setdefault(meaning, []).append(type_name)
        unknown = f"{name.removeprefix('field.')} (see the scenario's own messages)"
        parts = [
            f"{', '.join(sorted(types))}: {meaning or unknown}"
            for meaning, types in sorted(by_meaning.items(), key=lambda item: sorted(item[1]))
        ]
        kind, level = self._kind()
        return Column(name, " / ".join(parts), kind, unit=_unit(name), level=level)

    def _kind(self) -> tuple[ColumnKind, Level]:
        if self._kinds and self._kinds <= {bool}:
            return "truth", "nominal"
        if self._kinds and self._kinds <= {int}:
            return "whole", "scale"
        if self._kinds and self._kinds <= {int, float}:
            return "decimal", "scale"
        return "text", "nominal"


_UNITS = {
    "_s": "s",
    "_ms": "ms",
    "_rad": "rad",
    "_deg": "deg",
    "_m": "m",
    "_hz": "Hz",
    "_dbfs": "dBFS",
}


def _unit(name: str) -> str:
    return next((unit for end, unit in _UNITS.items() if name.endswith(end)), "")
