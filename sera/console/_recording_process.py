"""Reads a recording for the console, in a process of its own: one question in, one answer out.

The question is a line of JSON on stdin with `ask` (`overview`, `motion`, `clip`, `wizard` or
`trace`), the path of the log, and whether the condition may be told.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sera.console._in_child import NOT_THERE, step_back
from sera.recording import LogReader, Record, UnknownMessageId, export, filter_records, trace
from sera.recording.review import (
    Tally,
    is_counted_only,
    light_records,
    look_over,
    motion_lines,
    records_between,
    safe_json,
    without_condition,
)
from sera.recording.review._hidden import tells_condition
from sera.recording.review._overview import facts_of_type
from sera.recording.wizard import analyse

_LEAD_S = 5.0
"""How far before a stretch its beginning is looked for."""
_STEPS_TOLD = 200


def main() -> None:
    """Answer the question on stdin."""
    step_back()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    question = json.loads(sys.stdin.readline())
    try:
        log = LogReader(question["log"])
        for piece in _ANSWERS[question["ask"]](log, question):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Nobody listens any more; without this Python complains while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, UnknownMessageId) as error:
        known = error.args[0] if len(error.args) == 1 else error
        print(str(known).replace(str(question["log"]), "the recording"), file=sys.stderr)
        sys.exit(NOT_THERE if isinstance(error, UnknownMessageId) else 1)


def _shown(records: Iterable[Record], question: dict[str, Any]) -> Iterable[Record]:
    return without_condition(records) if question["hide_condition"] else records


def _overview(log: LogReader, question: dict[str, Any]) -> Iterator[bytes]:
    origin_s = log.origin_s()
    tally = Tally()
    listed = _shown(light_records(log, is_counted_only, tally), question)
    found = look_over(listed, origin_s, tally)
    facts = scenario_facts(question.get("scenario_file"))
    from_file = facts is not None
    if facts is None:
        facts = {"characters": {}, "space": {}, "people": {}, "title": ""}
    for character in found.characters:
        facts["characters"].setdefault(character, dict(_NOWHERE))
    recorded = None if log.header is None else log.header.robots
    if recorded is not None:
        # What the run had, whatever the file says today: a condition or --robot may differ.
        for character in recorded:
            facts["characters"].setdefault(character, dict(_NOWHERE))
        for character, one in facts["characters"].items():
            one["robot"] = recorded.get(character)
    yield safe_json(
        {
            "origin_s": origin_s,
            "duration_s": found.duration_s,
            "messages": found.messages,
            "complete": log.end is not None,
            "damaged_lines": log.damaged,
            "lost": log.lost,
            "types": {
                name: {"count": count, "family": facts_of_type(name).family}
                for name, count in sorted(found.types.items())
            },
            "families": found.families,
            "characters": found.characters,
            "facts": facts,
            "facts_from_file": from_file,
            "robots_recorded": recorded is not None,
            "entries": found.entries,
            "left_out": found.left_out,
            "marks": found.marks,
            "phases": found.phases,
            "words": found.words,
            "motion": "JointFrame" in found.types,
        }
    )


def _motion(log: LogReader, question: dict[str, Any]) -> Iterator[bytes]:
    origin_s = log.origin_s()
    from_s, to_s = question["from_s"], question["to_s"]
    records = records_between(log, origin_s + from_s - _LEAD_S, origin_s + to_s)
    yield from motion_lines(
        _shown(records, question),
        origin_s=origin_s,
        from_s=from_s,
        hz=question["hz"],
        limit_bytes=question["limit_bytes"],
    )


def _clip(log: LogReader, question: dict[str, Any]) -> Iterator[bytes]:
    origin_s = log.origin_s()
    from_s, to_s = origin_s + question["from_s"], origin_s + question["to_s"]
    records = filter_records(
        _shown(records_between(log, from_s, to_s), question), types=question["types"]
    )
    with tempfile.TemporaryDirectory(prefix="sera-clip-") as folder:
        path = Path(folder) / "clip.csv"
        export(records, path)
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    yield b""


def _wizard(log: LogReader, question: dict[str, Any]) -> Iterator[bytes]:
    yield safe_json(analyse(_shown(log, question), log.origin_s()).as_dict())


def _trace(log: LogReader, question: dict[str, Any]) -> Iterator[bytes]:
    origin_s = log.origin_s()
    steps = trace(log, question["message"])
    hide = question["hide_condition"]
    shown = [step for step in steps if not (hide and tells_condition(step.record))]
    # The message and its causes come first; of thousands of effects the first ones do.
    told = [
        {
            "depth": step.depth,
            "asked_for": step.asked_for,
            "at_s": round(step.record.received_s - origin_s, 3),
            "type": step.record.type,
            "id": step.record.id,
            "source": step.record.source,
            "character": step.record.character,
            "cause": step.record.cause,
            "data": step.record.data,
        }
        for step in shown[:_STEPS_TOLD]
    ]
    yield safe_json({"steps": told, "left_out": max(0, len(shown) - _STEPS_TOLD)})


_NOWHERE = {"robot": None, "position_m": (0.0, 0.0, 0.0), "yaw_deg": 0.0, "language": None}


def scenario_facts(file: str | None) -> dict[str, Any] | None:
    """Who stood where, as the scenario's file says today; None where it does not say."""
    if file is None:
        return None
    from sera.runtime._scenario_schema import Character, Person, Space

    try:
        read = tomllib.loads(Path(file).read_text(encoding="utf-8"))
        characters = {
            name: Character.model_validate(table)
            for name, table in read.get("characters", {}).items()
        }
        space = Space.model_validate(read.get("space", {}))
        people = {
            name: Person.model_validate(table) for name, table in read.get("people", {}).items()
        }
        title = str(read.get("scenario", {}).get("title", ""))
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    return {
        "title": title,
        "characters": {
            name: {
                "robot": one.robot,
                "position_m": one.position_m,
                "yaw_deg": one.yaw_deg,
                "language": one.language,
            }
            for name, one in characters.items()
        },
        "space": space.model_dump(mode="json"),
        "people": {name: one.model_dump(mode="json") for name, one in people.items()},
    }


_ANSWERS = {
    "overview": _overview,
    "motion": _motion,
    "clip": _clip,
    "wizard": _wizard,
    "trace": _trace,
}

if __name__ == "__main__":
    main()
