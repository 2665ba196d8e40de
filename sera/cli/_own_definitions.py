"""Which messages the buttons of a scenario send, and where its files define them; none is run."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

from sera.cli._scenario_findings import LAYOUT_FILE


def sent_by_buttons(folder: Path) -> set[str]:
    """Every name of a message in the layout of a scenario; none where it cannot be read."""
    try:
        layout = tomllib.loads((folder / LAYOUT_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return set(_sends(layout))


def _sends(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for each in value for name in _sends(each)]
    if not isinstance(value, dict):
        return []
    sent = value.get("send")
    own = [sent] if isinstance(sent, str) else []
    return own + [name for key, each in value.items() if key != "with" for name in _sends(each)]


def files_that_define(folder: Path, names: set[str]) -> dict[str, Path]:
    """The file of a folder that has a class of each name, where there is one."""
    found: dict[str, Path] = {}
    for file in sorted(folder.glob("*.py")) if names else []:
        try:
            tree = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name in names:
                found.setdefault(node.name, file)
    return found
