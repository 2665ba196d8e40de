"""Import module classes: from the roots of a workspace, or from a file beside a scenario.

`modules`, `robots` and `scenarios` are namespace packages: folders of that name in several roots
that act as one package. Python would build them from `sys.path` in its own order, and an
installed package or a file of the same name would take their place, so they are put together
here from the roots.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, get_args

from sera.runtime.located import nearest_name, shown_path
from sera.runtime.workspace import Kind, Workspace, WorkspaceError

if TYPE_CHECKING:
    from sera.runtime.module import Module


class ModuleLoadError(WorkspaceError):
    """A module is there but cannot be used.

    Args:
        name: the module as the scenario names it.
        file: the file in which the trouble is.
        line: the line, where it is known.
        reason: what is wrong, and what to do.
    """

    def __init__(self, name: str, file: Path, line: int | None, reason: str) -> None:
        self.name = name
        self.file = file
        self.line = line
        self.reason = reason
        place = shown_path(file) + (f":{line}" if line else "")
        super().__init__(f"module '{name}': {reason} ({place})")


def claim_namespaces(roots: Sequence[Path]) -> dict[Kind, Path]:
    """Make `modules`, `robots` and `scenarios` the folders of these roots, in this order.

    Returns:
        The names that cannot be had, because a package of that name is in use, and its file.
    """
    taken: dict[Kind, Path] = {}
    importlib.invalidate_caches()  # folders may have been made a moment ago
    for kind in get_args(Kind):
        paths = [str(root / kind) for root in roots if (root / kind).is_dir()]
        present = sys.modules.get(kind)
        if present is None:
            spec = importlib.machinery.ModuleSpec(kind, None, is_package=True)
            spec.submodule_search_locations = paths
            sys.modules[kind] = importlib.util.module_from_spec(spec)
        elif getattr(present, "__file__", None) is None and hasattr(present, "__path__"):
            present.__path__ = paths
        else:
            taken[kind] = Path(present.__file__ or "")
    return taken


def foreign_package(kind: Kind, roots: Sequence[Path]) -> Path | None:
    """A module or package named like a workspace folder that lives outside the roots."""
    own = {root / kind for root in roots}
    for entry in sys.path:
        place = Path(entry or ".").resolve()
        for file in (place / kind / "__init__.py", place / f"{kind}.py"):
            if file.is_file() and file.parent not in own:
                return file
    return None


def load_packaged_class(workspace: Workspace, name: str) -> type[Module]:
    """The module class of `modules/<name>/` in the first root that has it."""
    from sera.runtime._workspace_check import package_marker

    folder = workspace.find_module(name)
    for root in workspace.roots:
        for finding in package_marker(root, "modules"):
            raise ModuleLoadError(name, finding.path, None, f"{finding.message}; {finding.fix}")
    if "modules" in (taken := workspace.activate()):
        reason = (
            "another Python package named 'modules' is in use, so the workspace's own cannot be "
            "imported; rename or uninstall the other"
        )
        raise ModuleLoadError(name, taken["modules"], None, reason)
    full_name = f"modules.{name}"
    loaded = sys.modules.get(full_name)
    if loaded is not None and not _is_from(loaded, folder):
        _forget(full_name)  # it came from another root, of another workspace
    package = _import(name, full_name, folder)
    return _the_class(name, package, wanted=None, expected=name.replace("_", ""))


def load_class_from_file(file: Path, class_name: str | None = None) -> type[Module]:
    """The module class of a single file, such as the `decision.py` beside a scenario.

    The file becomes part of a package of its own, so that `from .helper import …` finds files
    beside it, and two scenarios can both have a `decision.py`.

    Raises:
        ModuleLoadError: the file is not there, cannot be imported, or has no class or too many.
    """
    module = import_file(file)
    expected = file.stem.replace("_", "")
    return _the_class(f"./{file.name}", module, wanted=class_name, expected=expected)


def import_file(file: Path) -> ModuleType:
    """Import a single file as part of a package of its folder.

    Raises:
        ModuleLoadError: the file is not there or cannot be imported.
    """
    file = file.resolve()
    name = f"./{file.name}"
    if not file.is_file():
        beside = [other.name for other in sorted(file.parent.glob("*.py"))]
        near = nearest_name(file.name, beside)
        hint = f"; did you mean './{near}'?" if near else ""
        raise ModuleLoadError(name, file, None, f"there is no such file{hint}")
    if not file.stem.isidentifier():
        raise ModuleLoadError(name, file, None, "name the file like a Python name, my_module.py")
    folder = file.parent
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    package_name = f"sera_scenario_{digest}"
    if package_name not in sys.modules:
        spec = importlib.machinery.ModuleSpec(package_name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[package_name] = importlib.util.module_from_spec(spec)
    importlib.invalidate_caches()
    return _import(name, f"{package_name}.{file.stem}", folder)


def _import(name: str, full_name: str, folder: Path) -> ModuleType:
    try:
        return importlib.import_module(full_name)
    except (Exception, SystemExit) as error:
        _forget(full_name)  # what was half imported must not be found next time
        file, line = _place_of(error, folder)
        kind = type(error).__name__
        reason = f"cannot be imported: {kind}: {error}"
        raise ModuleLoadError(name, file, line, reason) from error


def _place_of(error: BaseException, folder: Path) -> tuple[Path, int | None]:
    """The last line of the module's own files that had a part in the error."""
    if isinstance(error, SyntaxError) and error.filename:
        return Path(error.filename), error.lineno
    place: tuple[Path, int | None] = (folder / "__init__.py", None)
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).is_relative_to(folder):
            place = (Path(frame.filename), frame.lineno)
    return place


def _the_class(
    name: str, package: ModuleType, *, wanted: str | None, expected: str
) -> type[Module]:
    from sera.runtime.module import Module

    inside = f"{package.__name__}."
    found = {
        cls.__name__: cls
        for cls in vars(package).values()
        if inspect.isclass(cls)
        and issubclass(cls, Module)
        and f"{cls.__module__}.".startswith(inside)
        and (wanted is not None or not cls.__name__.startswith("_"))
    }
    file = Path(package.__file__ or "")
    if wanted is not None:
        if wanted in found:
            return found[wanted]
        near = nearest_name(wanted, found)
        hint = f"; did you mean '{near}'?" if near else ""
        raise ModuleLoadError(name, file, None, f"has no module class '{wanted}'{hint}")
    if len(found) == 1:
        return next(iter(found.values()))
    named_alike = [cls for key, cls in found.items() if key.lower() == expected.lower()]
    if len(named_alike) == 1:
        return named_alike[0]
    if not found:
        reason = "defines no subclass of sera.Module; write one, or import it in this file"
        raise ModuleLoadError(name, file, None, reason)
    proposal = "".join(part.capitalize() for part in package.__name__.rsplit(".", 1)[1].split("_"))
    reason = (
        f"has several module classes ({', '.join(sorted(found))}); call the one that the "
        f"scenario starts {proposal}"
    )
    raise ModuleLoadError(name, file, None, reason)


def _is_from(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve().parent == folder.resolve()


def _forget(full_name: str) -> None:
    for known in [key for key in sys.modules if f"{key}.".startswith(f"{full_name}.")]:
        del sys.modules[known]
