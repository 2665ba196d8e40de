"""Which workspace a command works in, and the messages that its own modules define."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sera.messages import Message, UnknownMessageType, find_message_type
from sera.runtime.workspace import Workspace


def workspace_around(scenario: str | None = None) -> Workspace:
    """The workspace around a scenario's path; for a name or nothing, around the current folder."""
    path = Path(scenario or "").expanduser()
    is_path = bool(scenario) and (path.name != scenario or path.suffix == ".toml")
    return Workspace.discover(path if is_path and path.exists() else None)


def load_own_messages(scenario: Path | None = None) -> Workspace:
    """Import what the workspace has, so that messages which its modules define are known.

    A module that cannot be imported here (its camera's library is on another machine) is passed
    over: its messages stay unknown, and whoever asks for one is told so.
    """
    workspace = workspace_around(None if scenario is None else str(scenario))
    workspace.activate()
    for entry in workspace.modules():
        with contextlib.suppress(Exception):
            workspace.load_module_class(entry.name)
    if scenario is not None:
        from sera.runtime.scenario import load_scenario

        with contextlib.suppress(Exception):
            load_scenario(scenario, workspace)
    return workspace


def message_type_named(name: str, scenario: Path | None = None) -> type[Message]:
    """A message type of the vocabulary, or one that a module of the workspace defines.

    Raises:
        UnknownMessageType: with the nearest known names.
    """
    try:
        return find_message_type(name)
    except UnknownMessageType:
        load_own_messages(scenario)
        return find_message_type(name)
