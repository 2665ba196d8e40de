"""Where the engine looks for things, and which messages it must know for a program."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sera.messages import UnknownMessageType, find_message_type
from sera.runtime.own_messages import import_own_messages
from sera.runtime.workspace import Workspace, built_in_root


def workspace_of(scenario: Path | None, robot: Path) -> Workspace:
    """The workspace whose things count: of the scenario, the current folder or the robot.

    A laboratory may play a built-in scenario with a robot of its own, and a scenario of its own
    with a built-in robot, from any folder: the first of the three that is its own is meant.
    """
    places = [place for place in (scenario, Path.cwd(), robot) if place is not None]
    found = [Workspace.discover(place) for place in places]
    built_in = built_in_root()
    return next((each for each in found if each.own not in {None, built_in}), found[0])


def learn_messages(program: Path, workspace: Workspace, scenario: Path | None) -> None:
    """See that messages which a program file names are known, if anybody here defines them.

    Importing modules takes a while and may do anything, hence only where a name is unknown. What
    is wrong with the file is said by whoever reads it next.
    """
    try:
        named = set(_messages_in(tomllib.loads(program.read_text(encoding="utf-8"))))
    except (OSError, ValueError):
        return
    if not all(map(_is_known, sorted(named))):
        import_own_messages(workspace, scenario)


def _messages_in(table: Any) -> Iterator[str]:
    inside: list[Any] = []
    if isinstance(table, dict):
        name = table.get("message")
        if isinstance(name, str):
            yield name
        inside = list(table.values())
    elif isinstance(table, list):
        inside = table
    for each in inside:
        yield from _messages_in(each)


def _is_known(name: str) -> bool:
    try:
        find_message_type(name)
    except UnknownMessageType:
        return False
    return True
