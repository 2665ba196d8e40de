"""Build hook: a wheel carries the built-in workspace inside the package `sera`.

`modules/`, `robots/` and `scenarios/` stand at the top of the repository, where a workspace has
them. In a wheel they would become top-level packages of everybody's site-packages, so they go
to `sera/_builtin/` instead. An editable install reads them from the repository: there the hook
does nothing, since copies would go stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WORKSPACE_FOLDERS = ("modules", "robots", "scenarios")
# Recordings may hold personal data of a study: they never travel in a package.
SKIPPED_FOLDERS = frozenset({"__pycache__", "runs", "node_modules"})
SKIPPED_SUFFIXES = frozenset({".pyc", ".pyo"})


def workspace_files(root: Path) -> dict[str, str]:
    """Give every file of the built-in workspace and its place inside the wheel."""
    placed: dict[str, str] = {}
    for folder in WORKSPACE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            parts = path.relative_to(root).parts
            if not path.is_file() or path.suffix in SKIPPED_SUFFIXES:
                continue
            if any(part in SKIPPED_FOLDERS or part.startswith(".") for part in parts):
                continue
            placed[str(path)] = "/".join(("sera", "_builtin", *parts))
    return placed


class BuiltinWorkspaceHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the built-in workspace to standard wheels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        build_data["force_include"].update(workspace_files(Path(self.root)))
