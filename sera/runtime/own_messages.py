"""Messages that a workspace's own modules define: known once their modules are imported."""

from __future__ import annotations

import contextlib
from pathlib import Path

from sera.runtime.workspace import Workspace


def import_own_messages(workspace: Workspace, scenario: Path | None = None) -> None:
    """Import the modules of a workspace, so that the messages which they define are known.

    A module that cannot be imported here (its camera's library is on another machine) is passed
    over: its messages stay unknown, and whoever asks for one is told so.

    Args:
        workspace: whose modules.
        scenario: file of a scenario, whose own `decision.py` and its like are imported too.
    """
    workspace.activate()
    for entry in workspace.modules():
        with contextlib.suppress(Exception):
            workspace.load_module_class(entry.name)
    if scenario is not None:
        from sera.runtime.scenario import load_scenario

        with contextlib.suppress(Exception):
            load_scenario(scenario, workspace)
