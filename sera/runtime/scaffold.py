"""Make new workspaces, modules, scenarios and robots that run at once.

Nothing is ever overwritten: everything is checked and put together first, then written.
"""

from __future__ import annotations

import keyword
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from sera.messages import check_name
from sera.runtime import _templates as templates
from sera.runtime.located import FileProblem, LocatedToml, shown_path
from sera.runtime.workspace import MARKER, Kind, built_in_root

TEMPLATE_SCENARIO = "hello"
_TEXT_FILES = {".md", ".toml", ".py", ".txt", ".html", ".js", ".css", ".csv"}
_LEFT_BEHIND = {"__pycache__", "recordings"}


class ScaffoldError(Exception):
    """Something new cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Created:
    """What was made."""

    path: Path
    """The new folder."""
    files: tuple[Path, ...]
    next_steps: tuple[str, ...]
    """What to do with it: commands and remarks, one line each."""


def new_workspace(folder: Path) -> Created:
    """A workspace with a module and a scenario that runs.

    Raises:
        ScaffoldError: a file that would be written is there already.
    """
    folder = folder.expanduser().resolve()
    title = _title(folder.name) or "Workspace"
    # Not a name of a built-in module: it would stand in its place in copies of `hello`.
    values = {"name": "welcome", "title": "Welcome", "class_name": "Welcome"}
    files = {
        MARKER: templates.WORKSPACE_MARKER,
        "README.md": _fill(templates.WORKSPACE_README, {"title": title}),
        ".gitignore": templates.WORKSPACE_IGNORE,
        "modules/welcome/__init__.py": _fill(templates.MODULE, values),
        "modules/welcome/README.md": _fill(templates.MODULE_README, values),
        "scenarios/first/scenario.toml": templates.FIRST_SCENARIO,
        "scenarios/first/stage.py": templates.FIRST_STAGE,
    }
    written = _write(folder, files)
    return Created(folder, written, (f"cd {shown_path(folder)}", "sera run first"))


def new_module(root: Path, name: str) -> Created:
    """A small working module in `modules/<name>/`.

    Raises:
        ScaffoldError: the name cannot be used, or the module exists already.
    """
    folder = _new_folder(root, "modules", name)
    class_name = "".join(part.capitalize() for part in name.split("_"))
    if class_name in ("Module", "PerformUtterance", "PersonDetected"):
        raise ScaffoldError(
            f"module '{name}': its class would be called {class_name}, which SERA itself uses; "
            "choose another name"
        )
    values = {"name": name, "title": _title(name), "class_name": class_name}
    files = {
        "__init__.py": _fill(templates.MODULE, values),
        "README.md": _fill(templates.MODULE_README, values),
    }
    steps = [f"add [characters.NAME.modules.{name}] to a scenario and `sera run` it"]
    if _is_built_in("modules", name):
        steps.append(f"it stands in place of the built-in module '{name}' in this workspace")
    return Created(folder, _write(folder, files), tuple(steps))


def new_scenario(root: Path, name: str, template: Path | None = None) -> Created:
    """A copy of the built-in scenario `hello` under a new name and title.

    Args:
        root: the workspace.
        name: of the new scenario.
        template: another scenario's folder to copy.

    Raises:
        ScaffoldError: the name cannot be used, the scenario exists already, or there is nothing
            to copy.
    """
    folder = _new_folder(root, "scenarios", name)
    if template is None:
        built_in = built_in_root()
        template = built_in / "scenarios" / TEMPLATE_SCENARIO if built_in is not None else None
    if template is None or not (template / "scenario.toml").is_file():
        raise ScaffoldError(
            f"the scenario '{TEMPLATE_SCENARIO}' that would be copied is not in this installation; "
            "reinstall SERA"
        )
    files = {
        path.relative_to(template).as_posix(): _retold(path, template.name, name)
        for path in sorted(template.rglob("*"))
        if path.is_file() and not _is_left_behind(path.relative_to(template))
    }
    return Created(folder, _write(folder, files), (f"sera run {name}",))


def new_robot(root: Path, name: str, urdf: Path | None = None) -> Created:
    """A robot in `robots/<name>/` that looks about: from a URDF, or a head that pans and tilts.

    Raises:
        ScaffoldError: the name cannot be used, the robot exists already, or the URDF cannot be
            read or makes no sense.
    """
    folder = _new_folder(root, "robots", name)
    steps = [
        f"sera robot show {name} --draw {name}.png",
        f"sera run hello --robot {name}",
        f'or put robot = "{name}" into a character of a scenario',
    ]
    title = _title(name)
    values = {"name": name, "title": title, "gaze": "a head by 2 joints"}
    if urdf is None:
        files = {
            "body.toml": _fill(templates.PAN_TILT, {"title": title}),
            "README.md": _fill(templates.ROBOT_README, values | {"remarks": ""}),
        }
        return Created(folder, _write(folder, files), tuple(steps))
    # Looking at a body needs numpy and numba, which nothing else here does.
    from sera.animation.newcomer import propose_body

    try:
        proposal = propose_body(urdf.expanduser().resolve(), f"{name}.urdf", title)
    except FileProblem as problem:
        raise ScaffoldError(str(problem)) from None
    remarks = "".join(f"- {remark}.\n" for remark in proposal.remarks)
    if remarks:
        remarks = f"\nWhat was noticed or mended:\n{remarks}"
    values |= {"title": proposal.title, "gaze": proposal.gaze, "remarks": remarks}
    files = {
        "body.toml": proposal.body,
        f"{name}.urdf": proposal.urdf,
        "README.md": _fill(templates.ROBOT_README, values),
    }
    steps += proposal.remarks
    return Created(folder, _write(folder, files), tuple(steps))


def _new_folder(root: Path, kind: Kind, name: str) -> Path:
    what = kind[:-1]
    try:
        check_name(name, what)
    except ValueError as error:
        raise ScaffoldError(str(error)) from None
    if keyword.iskeyword(name):
        raise ScaffoldError(f"{what} '{name}': that is a word of Python; choose another name")
    folder = root.expanduser().resolve() / kind / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ScaffoldError(
            f"{shown_path(folder)} exists already; choose another name, or delete it first"
        )
    return folder


def _write(folder: Path, files: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    paths = {folder / name: content for name, content in files.items()}
    for path in paths:
        if path.exists():
            raise ScaffoldError(f"{shown_path(path)} exists already and is not overwritten")
    is_new = not folder.exists()
    try:
        for path, content in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        if is_new:  # leave nothing half made
            shutil.rmtree(folder, ignore_errors=True)
        reason = error.strerror or str(error)
        raise ScaffoldError(f"{shown_path(folder)} cannot be written: {reason}") from None
    return tuple(paths)


def _retold(path: Path, old_name: str, new_name: str) -> str | bytes:
    """A file of the template with the new scenario's name and title in place of the old ones."""
    content = path.read_bytes()
    if path.suffix not in _TEXT_FILES:
        return content
    text = content.decode("utf-8")
    if path.name == "scenario.toml":
        text = _with_title(path, text, _title(new_name))
    if path.name == "README.md":
        text = re.sub(r"\A# .*", f"# {_title(new_name)}", text)
    old = re.escape(old_name)
    return re.sub(rf"\b(scenarios/|sera run ){old}\b", rf"\g<1>{new_name}", text)


def _with_title(path: Path, text: str, title: str) -> str:
    document = LocatedToml(path, text)
    lines = document.text.split("\n")
    lines[document.line_of(("scenario", "title")) - 1] = f'title = "{title}"'
    return "\n".join(lines)


def _is_left_behind(path: Path) -> bool:
    return any(part in _LEFT_BEHIND or part.startswith(".") for part in path.parts)


def _is_built_in(kind: Kind, name: str) -> bool:
    root = built_in_root()
    return root is not None and (root / kind / name).is_dir()


def _title(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().capitalize()


def _fill(text: str, values: dict[str, str]) -> str:
    return Template(text).substitute(values)
