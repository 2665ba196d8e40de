"""Which workspace a command works in, and the messages that its own modules define."""

from __future__ import annotations

from pathlib import Path

from sera.messages import Message, UnknownMessageType, find_message_type
from sera.runtime.own_messages import import_own_messages
from sera.runtime.workspace import Workspace


def workspace_around(scenario: str | None = None) -> Workspace:
    """The workspace around a scenario's path; for a name or nothing, around the current folder."""
    path = Path(scenario or "").expanduser()
    is_path = bool(scenario) and (path.name != scenario or path.suffix == ".toml")
    return Workspace.discover(path if is_path and path.exists() else None)


def load_own_messages(scenario: Path | None = None) -> Workspace:
    """Import what the workspace has, so that messages which its modules define are known."""
    workspace = workspace_around(None if scenario is None else str(scenario))
    import_own_messages(workspace, scenario)
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
