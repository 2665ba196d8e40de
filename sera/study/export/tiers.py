"""What happened in a session as tiers for ELAN.

Tiers: phases and steps; for each robot what it says, looks at, plays and which posture it has; when
people speak; marks of operators; and one for each type of event of the scenario itself, such as the
judgement of a guess. An event that has no length gets `POINT_MS`.

Units and frames: seconds in the log, whole milliseconds from the zero of the tiers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from sera.messages import message_types
from sera.recording._marks import personal_of
from sera.study.export.eaf import Annotation, Tier
from sera.study.export.long import is_stream
from sera.study.measures import LogEntry, SessionLog
from sera.study.plan import EXTRA_PREFIX, StudyPlan

POINT_MS = 200
LONGEST_TEXT = 300
_OWN_PACKAGE = "sera.messages"
Span = tuple[float, float, str]


def tiers_of(plan: StudyPlan, log: SessionLog, zero_s: float = 0.0) -> list[Tier]:
    """All tiers that have something on them.

    Args:
        plan: of the study.
        log: of one run of a session.
        zero_s: what the tiers count from; what is over before is left out.
    """
    end_s = log.duration_s
    found: dict[str, tuple[str, list[Span]]] = {}

    def add(name: str, spans: Iterable[Span], participant: str = "") -> None:
        own = found.setdefault(name, (participant, []))[1]
        own.extend(spans)

    for name, spans in _course(plan, log).items():
        add(name, spans)
    for name, who, spans in _robots(log, end_s):
        add(name, spans, who)
    for name, spans in _people(log, end_s):
        add(name, spans)
    add("marks", (_point(entry, _mark(entry)) for entry in _of(log, "SessionMark")))
    for type_name in sorted(log.types):
        if _is_the_scenarios(type_name):
            add(type_name, (_point(entry, _fields(entry)) for entry in _of(log, type_name)))
    tiers = []
    for name, (participant, spans) in found.items():
        annotations = [
            Annotation(_ms(start_s - zero_s), _ms(stop_s - zero_s), text[:LONGEST_TEXT])
            for start_s, stop_s, text in sorted(spans)
            if _ms(stop_s - zero_s) > 0
        ]
        if annotations:
            tiers.append(Tier(name, annotations, participant))
    return tiers


def _ms(time_s: float) -> int:
    return round(time_s * 1000)


def _of(log: SessionLog, type_name: str) -> list[LogEntry]:
    return log.messages(type_name) if type_name in log.types else []


def _point(entry: LogEntry, text: str) -> Span:
    return entry.time_s, entry.time_s + POINT_MS / 1000, text


def _course(plan: StudyPlan, log: SessionLog) -> dict[str, list[Span]]:
    steps = {step.name: step.title for _, step in plan.steps()}
    course: dict[str, list[Span]] = {"phases": [], "steps": []}
    for name, spans in log.phases.intervals.items():
        is_step = name in steps or name.startswith(EXTRA_PREFIX)
        course["steps" if is_step else "phases"] += [(start, stop, name) for start, stop in spans]
    return course


def _robots(log: SessionLog, end_s: float) -> Iterable[tuple[str, str, list[Span]]]:
    for who, entries in _by_character(_of(log, "SpeechStarted")).items():
        ends = _ends(log, "SpeechFinished", "speech")
        spans = [
            _until(one, ends.get(str(one.data.get("speech"))), end_s, "text") for one in entries
        ]
        yield f"{who} speech", who, spans
    for who, entries in _by_character([*_of(log, "Gaze"), *_of(log, "GazeAt")]).items():
        named = [one for one in entries if one.data.get("target") is not None]
        yield f"{who} gaze", who, _states(named, "target", end_s)
    for who, entries in _by_character(_of(log, "SetPosture")).items():
        yield f"{who} posture", who, _states(entries, "posture", end_s)
    for who, entries in _by_character(_of(log, "PlayAnimation")).items():
        ends = _ends(log, "AnimationFinished", "action")
        spans = [_until(one, ends.get(one.id), end_s, "animation") for one in entries]
        yield f"{who} animation", who, spans


def _by_character(entries: Sequence[LogEntry]) -> dict[str, list[LogEntry]]:
    found: dict[str, list[LogEntry]] = {}
    for entry in sorted(entries, key=lambda one: (one.time_s, one.order)):
        found.setdefault(entry.character, []).append(entry)
    return found


def _ends(log: SessionLog, type_name: str, key: str) -> dict[str, float]:
    return {str(entry.data.get(key)): entry.time_s for entry in _of(log, type_name)}


def _until(entry: LogEntry, stop_s: float | None, end_s: float, field: str) -> Span:
    text = str(entry.data.get(field) or "")
    return entry.time_s, max(end_s if stop_s is None else stop_s, entry.time_s), text


def _states(entries: Sequence[LogEntry], field: str, end_s: float) -> list[Span]:
    """What holds until the next one says otherwise."""
    changes: list[tuple[float, str]] = []
    for entry in entries:
        text = str(entry.data.get(field))
        if not changes or changes[-1][1] != text:
            changes.append((entry.time_s, text))
    last = (max(end_s, changes[-1][0]) if changes else end_s, "")
    return [(start, stop, text) for (start, text), (stop, _) in pairwise([*changes, last])]


def _people(log: SessionLog, end_s: float) -> Iterable[tuple[str, list[Span]]]:
    since: dict[str, float] = {}
    spans: dict[str, list[Span]] = {}
    for entry in _of(log, "SpeechActivity"):
        who = str(entry.data.get("person") or entry.data.get("side") or "somebody")
        if entry.data.get("speaking"):
            since.setdefault(who, entry.time_s)
        elif (start_s := since.pop(who, None)) is not None:
            spans.setdefault(who, []).append((start_s, entry.time_s, who))
    for who, start_s in since.items():
        spans.setdefault(who, []).append((start_s, max(start_s, end_s), who))
    return [(f"{who} speaks", own) for who, own in spans.items()]


def _mark(entry: LogEntry) -> str:
    by = entry.data.get("by")
    return f"{entry.data.get('label')} ({by})" if by else str(entry.data.get("label"))


def _is_the_scenarios(type_name: str) -> bool:
    """Whether the scenario itself, or its activity, made this type."""
    if is_stream(type_name) or type_name.startswith("("):
        return False
    known: Callable[..., Any] | None = message_types().get(type_name)
    return (
        known is None
        or not known.__module__.startswith(_OWN_PACKAGE)
        or (type_name == "ActivityEvent")
    )


def _fields(entry: LogEntry) -> str:
    known = message_types().get(entry.type)
    hidden = personal_of(known) if known is not None else {}
    return ", ".join(
        f"{name}={value}"
        for name, value in entry.data.items()
        if name not in hidden and value is not None and isinstance(value, str | int | float)
    )
