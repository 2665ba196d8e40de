"""Recordings for the Review page: a list, and what stands in each.

Design overview: a recording is known by a name from the list, never by a path; sessions of studies
are listed with study, participant and kind. Whatever reads more than the ends of a log does so in a
child process, whose output is passed on in pieces.

Safety: the condition of a session is left out of every answer, unless the study file beside the
scenario reveals it. A log that a link takes out of the folder of recordings is not shown.
"""

from __future__ import annotations

import asyncio
import difflib
import math
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.console._child import Children
from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering
from sera.messages import check_name
from sera.recording import LogReader, Recording, find_recording, list_recordings, runs_folder
from sera.recording.review import LogEnd, end_of_log

LISTED = 500
LONGEST_MOTION_S = 600.0
MOTION_BYTES = 6 * 1024 * 1024
_PROGRAM = "sera.console._recording_process"
_TYPES = re.compile(r"[A-Za-z0-9_*?]{1,80}\Z")
_PLACE = "/console/api/recordings"


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/recordings` and what is below it."""
    children = Children(_PROGRAM)

    @answering(console)
    async def listed(_request: Request, _visitor: Visitor) -> Response:
        return JSONResponse(await asyncio.to_thread(listed_recordings, console))

    @answering(console)
    async def overview(request: Request, _visitor: Visitor) -> Response:
        question = await _question(console, request, "overview")
        return await children.respond(question, "application/json")

    @answering(console)
    async def motion(request: Request, _visitor: Visitor) -> Response:
        from_s, to_s = _stretch(request)
        question = await _question(console, request, "motion")
        question |= {
            "from_s": from_s,
            "to_s": min(to_s, from_s + LONGEST_MOTION_S),
            "hz": min(max(_number(request, "hz", 15.0), 1.0), 60.0),
            "limit_bytes": MOTION_BYTES,
        }
        return await children.respond(question, "application/x-ndjson")

    @answering(console)
    async def clip(request: Request, _visitor: Visitor) -> Response:
        from_s, to_s = _stretch(request)
        types = [one for one in request.query_params.get("types", "").split(",") if one]
        wrong = next((one for one in types if not _TYPES.match(one)), None)
        if wrong is not None or len(types) > 100:
            raise Denied(400, "types are names of messages with commas between them")
        question = await _question(console, request, "clip")
        question |= {"from_s": from_s, "to_s": to_s, "types": types}
        end = f"{to_s:.0f}s" if to_s < 1e9 else "end"
        name = f"{question['name'].replace(':', '_')}_{from_s:.0f}-{end}.csv"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return await children.respond(question, "text/csv; charset=utf-8", headers)

    @answering(console)
    async def wizard(request: Request, _visitor: Visitor) -> Response:
        question = await _question(console, request, "wizard")
        return await children.respond(question, "application/json")

    @answering(console)
    async def traced(request: Request, _visitor: Visitor) -> Response:
        message = request.query_params.get("message", "")
        if not message or len(message) > 500:
            raise Denied(400, "say which message: ?message=ada.speaker-1-12")
        question = await _question(console, request, "trace") | {"message": message}
        return await children.respond(question, "application/json")

    @answering(console)
    async def nothing(request: Request, _visitor: Visitor) -> Response:
        raise Denied(404, _no_such(request.path_params["rest"], []))

    return [
        Route(_PLACE, listed),
        Route(_PLACE + "/{name}", overview),
        Route(_PLACE + "/{name}/motion", motion),
        Route(_PLACE + "/{name}/clip.csv", clip),
        Route(_PLACE + "/{name}/wizard", wizard),
        Route(_PLACE + "/{name}/trace", traced),
        Route(_PLACE + "/{rest:path}", nothing),
    ]


def listed_recordings(console: Console) -> dict[str, Any]:
    """All recordings that can be asked for, newest first; only the ends of each log are read."""
    base = _base(console)
    # A folder that somebody renamed, or that a link takes elsewhere, cannot be asked for.
    kept = [one for one in list_recordings(base) if _may_be_opened(one, base)]
    shown = [_line(one, console) for one in kept[:LISTED]]
    return {"recordings": shown, "left_out": max(0, len(kept) - LISTED)}


def _base(console: Console) -> Path:
    return runs_folder() if console.recordings is None else console.recordings


def _may_be_opened(one: Recording, base: Path) -> bool:
    return find_recording(one.name, base) is not None and one.lies_within(base)


def _line(one: Recording, console: Console) -> dict[str, Any]:
    live = one.run_id == console.run
    try:
        end, why = end_of_log(one.log_path), None
    except OSError:
        end, why = LogEnd(False, None, None, 0), "there is no log in its folder"
    if why is None and not end.complete and not live:
        why = "it has no last line: the run was killed, or goes on elsewhere"
    part = one.in_study
    return {
        "id": one.name,
        "scenario": one.scenario,
        "study": None
        if part is None
        else {"name": part.study, "participant": part.participant, "kind": part.kind},
        "started": _started(one),
        "clock": one.info.clock if one.info else "",
        "duration_s": end.duration_s,
        "messages": end.messages,
        "size_bytes": end.size_bytes,
        "live": live,
        "broken": not end.complete and not live,
        "why": why,
    }


def _started(one: Recording) -> str | None:
    if one.info is None and one.in_study is None:
        return None  # nothing but the age of a damaged file tells it
    return datetime.fromtimestamp(one.started_s, UTC).isoformat(timespec="seconds")


async def _question(console: Console, request: Request, ask: str) -> dict[str, Any]:
    return await asyncio.to_thread(_prepared, console, str(request.path_params["name"]), ask)


def _prepared(console: Console, name: str, ask: str) -> dict[str, Any]:
    """What the child must know.

    Raises:
        Denied: there is no such recording.
    """
    base = _base(console)
    one = find_recording(name, base)
    if one is None or not one.lies_within(base):
        raise Denied(404, _no_such(name, [one.name for one in list_recordings(base)]))
    if not one.log_path.is_file():
        raise Denied(404, f"the recording {name} has no log: its folder holds only run.json")
    header = LogReader(one.log_path).header
    scenario = one.scenario or (header.scenario if header else "")
    today = _scenario_file(console, scenario)
    file = _frozen_file(one, scenario) or today
    return {
        "ask": ask,
        "name": name,
        "log": str(one.log_path.absolute()),
        "scenario_file": None if file is None else str(file.absolute()),
        "hide_condition": not _reveals_condition(today),
    }


def _frozen_file(one: Recording, scenario: str) -> Path | None:
    """The scenario file that a session was run from: who stood where then, not today."""
    if one.frozen_inputs is None or one.in_study is None or scenario != one.in_study.study:
        return None
    file = one.frozen_inputs / "scenarios" / one.in_study.study / "scenario.toml"
    return file if file.is_file() else None


def _no_such(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; the nearest is {near[0]}" if near else ""
    return f"there is no recording {name[:80]!r}{hint}: take a name from the list of recordings"


def _scenario_file(console: Console, name: str) -> Path | None:
    """The file of a scenario as it is today; the name comes from a log and is not trusted."""
    if console.scenario is not None and console.scenario.name == name:
        return console.scenario.path
    try:
        check_name(name, "scenario")
        file = None if console.workspace is None else console.workspace.find_scenario(name)
    except (ValueError, LookupError):
        return None
    return None if file is None else file / "scenario.toml"


def _reveals_condition(scenario_file: Path | None) -> bool:
    if scenario_file is None:
        return False
    try:
        study = tomllib.loads(scenario_file.with_name("study.toml").read_text(encoding="utf-8"))
        revealed = study.get("study", {}).get("reveal", [])
    except (OSError, ValueError, AttributeError, RecursionError):
        return False
    return isinstance(revealed, list) and "condition" in revealed


def _stretch(request: Request) -> tuple[float, float]:
    from_s = max(0.0, _number(request, "from_s", 0.0))
    to_s = _number(request, "to_s", 1e12)
    if to_s <= from_s:
        raise Denied(400, f"a stretch ends after it begins; from_s is {from_s:g}, to_s {to_s:g}")
    return from_s, to_s


def _number(request: Request, name: str, default: float) -> float:
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Denied(400, f"{name} is a number, not {text[:40]!r}")
    return value
