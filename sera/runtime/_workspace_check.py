"""What is wrong or surprising in a workspace: for the loader and for `sera doctor`."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import get_args

from sera.messages import check_name
from sera.runtime._loading import foreign_package
from sera.runtime.workspace import Finding, Kind, Workspace, candidate_folders, sera_path

_RANK = {"error": 0, "warning": 1, "info": 2}


def check_workspace(workspace: Workspace) -> list[Finding]:
    """All findings, errors first, in the order of the roots."""
    findings = _unusable_paths()
    for kind in get_args(Kind):
        findings += _name_taken(kind, workspace)
        for root in workspace.roots:
            findings += package_marker(root, kind)
            findings += _folder_names(root, kind)
        if kind == "modules":
            for root in workspace.roots:
                findings += _module_folders(root)
        findings += _hidden_entries(workspace, kind)
    return sorted(findings, key=lambda finding: _RANK[finding.severity])


def package_marker(root: Path, kind: Kind) -> list[Finding]:
    """`modules/__init__.py` makes the folder a package of its own, which hides all others."""
    file = root / kind / "__init__.py"
    if not file.is_file():
        return []
    message = f"this file hides the {kind} of all other roots, the built-in ones too"
    return [Finding("error", file, message, f"delete {kind}/__init__.py")]


def _unusable_paths() -> list[Finding]:
    return [
        Finding(
            "warning",
            folder,
            "SERA_PATH names this folder, which does not exist",
            "correct SERA_PATH",
        )
        for folder in sera_path()
        if not folder.is_dir()
    ]


def _name_taken(kind: Kind, workspace: Workspace) -> list[Finding]:
    foreign = foreign_package(kind, workspace.roots)
    if foreign is None:
        return []
    message = f"another Python package has the name '{kind}'; SERA uses that name for workspaces"
    return [Finding("warning", foreign, message, "rename or uninstall the other package")]


def _folder_names(root: Path, kind: Kind) -> list[Finding]:
    findings = []
    for folder in candidate_folders(root / kind):
        try:
            check_name(folder.name, kind[:-1])
        except ValueError as error:
            findings.append(Finding("error", folder, str(error), "rename the folder"))
            continue
        if keyword.iskeyword(folder.name):
            message = f"'{folder.name}' is a word of the Python language"
            findings.append(Finding("error", folder, message, "rename the folder"))
    return findings


def _module_folders(root: Path) -> list[Finding]:
    findings = []
    for folder in candidate_folders(root / "modules"):
        # A folder without any Python file is what a deleted module leaves behind.
        if not (folder / "__init__.py").is_file() and any(folder.glob("*.py")):
            message = "a module's folder needs an __init__.py"
            fix = f"add {folder.name}/__init__.py and import the module's class in it"
            findings.append(Finding("error", folder, message, fix))
    for file in sorted((root / "modules").glob("*.py")):
        if file.name != "__init__.py":
            message = "a module is a folder, so this file is not found"
            fix = f"move it to modules/{file.stem}/__init__.py"
            findings.append(Finding("warning", file, message, fix))
    return findings


def _hidden_entries(workspace: Workspace, kind: Kind) -> list[Finding]:
    first: dict[str, Path] = {}
    findings = []
    for entry in workspace.all_entries(kind):
        if entry.name not in first:
            first[entry.name] = entry.path
            continue
        what = "built-in " if entry.origin == "built-in" else ""
        message = f"stands in place of the {what}{kind[:-1]} of the same name in {entry.root}"
        fix = "rename it if that is not meant"
        findings.append(Finding("info", first[entry.name], message, fix))
    return findings
