"""Says the JSON Schema of message types, in a process of its own.

Reading what is written under fields rebuilds every message class, which a process that is busy
with messages cannot have done to it. The question is a line of JSON on stdin: `types` by name
with the Python module of each, and `root`, the folder of the workspace.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from sera.console._in_child import step_back
from sera.messages import message_types


def main() -> None:
    """Answer the question on stdin."""
    step_back()
    question = json.loads(sys.stdin.readline())
    print(json.dumps(described(question["types"], question.get("root"))))


def described(types: dict[str, str], root: str | None) -> dict[str, Any]:
    """`messages` in alphabetical order, each with its schema, and the `definitions` they use.

    Args:
        types: Python module by message type.
        root: folder of the workspace, whose modules may define some of them.
    """
    from sera.messages._schema import definitions

    strangers = {module for module in types.values() if not module.startswith("sera.messages.")}
    if strangers and root is not None:
        from sera.runtime.workspace import Workspace

        Workspace.discover(Path(root)).activate()
    for module in sorted(strangers):
        with contextlib.suppress(Exception):  # its library may be missing here
            importlib.import_module(module)
    known = {name: kind for name, kind in message_types().items() if name in types}
    found = definitions(known, "#/$defs/")
    messages = []
    for name in sorted(types):
        schema = found.pop(name, {"type": "object", "additionalProperties": True})
        messages.append(
            {
                "type": name,
                "kind": schema.get("x-kind"),
                "family": schema.get("x-family", "own"),
                "about": schema.get("description", ""),
                "channel": schema.get("x-channel"),
                "valid_for_s": schema.get("x-valid-for-s"),
                "world": schema.get("x-belongs-to-world", False),
                "schema": schema,
            }
        )
    return {"messages": messages, "definitions": found}


if __name__ == "__main__":
    main()
