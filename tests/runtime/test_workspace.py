"""Workspaces: what is found where, whose module is loaded, and what is explained."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sera
from sera.runtime._loading import ModuleLoadError, load_class_from_file
from sera.runtime.workspace import UnknownName, Workspace, WorkspaceError, built_in_root

MODULE = '''"""{summary}"""

from sera import Module


class {name}(Module):
    """{summary}"""

    where = {where!r}
'''


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every test a fresh sys.path and no workspace packages."""
    monkeypatch.delenv("SERA_PATH", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    kept = {key: value for key, value in sys.modules.items() if _is_workspace_package(key)}
    for key in kept:
        del sys.modules[key]
    yield
    for key in [key for key in sys.modules if _is_workspace_package(key)]:
        del sys.modules[key]
    sys.modules.update(kept)


def _is_workspace_package(name: str) -> bool:
    return name.partition(".")[0] in ("modules", "robots", "scenarios")


def write(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def add_module(root: Path, name: str, class_name: str, where: str) -> Path:
    text = MODULE.format(summary=f"Says {where}.", name=class_name, where=where)
    return write(root / "modules" / name / "__init__.py", text).parent


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    root = tmp_path / "lab"
    add_module(root, "greeter", "Greeter", "lab")
    write(root / "scenarios" / "morning" / "scenario.toml", '[scenario]\ntitle = "Good morning"\n')
    return root


@pytest.fixture
def built_in(tmp_path: Path) -> Path:
    root = tmp_path / "built_in"
    add_module(root, "greeter", "Greeter", "built-in")
    add_module(root, "speaker", "Speaker", "built-in")
    write(root / "robots" / "adelino" / "body.toml", '[robot]\ntitle = "Adelino"\n')
    return root


def both(lab: Path, built_in: Path) -> Workspace:
    return Workspace([lab, built_in], built_in=built_in, own=lab)


def test_the_nearest_folder_around_the_current_one_that_has_content_is_the_own_root(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = lab / "scenarios" / "morning" / "media"
    deep.mkdir()
    monkeypatch.chdir(deep)
    workspace = Workspace.discover()
    assert workspace.own == lab.resolve()
    assert workspace.roots[0] == lab.resolve()
    assert workspace.roots[-1] == built_in_root()


def test_a_marker_file_makes_an_empty_folder_a_workspace(tmp_path: Path) -> None:
    write(tmp_path / "empty" / "sera.toml")
    assert Workspace.discover(tmp_path / "empty").own == (tmp_path / "empty").resolve()


@pytest.mark.parametrize(
    "content", ["modules/notes.txt", "modules/stuff/readme.md", "robots/x/y.py"]
)
def test_a_folder_that_merely_has_a_folder_named_modules_is_no_workspace(
    tmp_path: Path, content: str
) -> None:
    write(tmp_path / content)
    assert Workspace.discover(tmp_path).own is None
    with pytest.raises(WorkspaceError, match="sera new workspace"):
        Workspace.discover(tmp_path, required=True)


def test_site_packages_is_never_a_workspace(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    add_module(site, "greeter", "Greeter", "site")
    assert Workspace.discover(site).own is None


def test_a_start_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"there is no folder .*nowhere"):
        Workspace.discover(tmp_path / "nowhere")


def test_sera_path_comes_between_the_own_root_and_the_built_in_one(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, missing = tmp_path / "first", tmp_path / "second", tmp_path / "missing"
    first.mkdir()
    second.mkdir()
    monkeypatch.setenv("SERA_PATH", os.pathsep.join(map(str, [first, missing, second, first])))
    workspace = Workspace.discover(lab)
    expected = [lab, first, second, built_in_root()]
    assert list(workspace.roots) == [root.resolve() for root in expected if root is not None]
    assert [workspace.origin_of(root) for root in workspace.roots][:3] == ["own", "path", "path"]
    assert any("missing" in str(finding) for finding in workspace.problems())


def test_the_built_in_root_is_the_source_checkout_or_the_folder_inside_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "sera"
    init = write(package / "__init__.py")
    monkeypatch.setattr(sera, "__file__", str(init))
    assert built_in_root() is None
    (package / "_builtin").mkdir()
    assert built_in_root() == (package / "_builtin").resolve()


def test_listings_are_sorted_and_own_stands_in_place_of_built_in(lab: Path, built_in: Path) -> None:
    workspace = both(lab, built_in)
    assert [(entry.name, entry.origin) for entry in workspace.modules()] == [
        ("greeter", "own"),
        ("speaker", "built-in"),
    ]
    assert [entry.summary() for entry in workspace.modules()] == ["Says lab.", "Says built-in."]
    assert [entry.summary() for entry in workspace.robots()] == ["Adelino"]
    assert [entry.summary() for entry in workspace.scenarios()] == ["Good morning"]
    assert workspace.find_module("greeter") == lab.resolve() / "modules" / "greeter"
    assert workspace.find_robot("adelino") == built_in.resolve() / "robots" / "adelino"
    assert workspace.find_scenario("morning") == lab.resolve() / "scenarios" / "morning"


def test_an_entry_whose_file_is_broken_has_an_empty_summary(lab: Path, built_in: Path) -> None:
    write(lab / "modules" / "broken" / "__init__.py", "def (")
    write(lab / "robots" / "broken" / "body.toml", "= 1")
    write(lab / "robots" / "odd" / "body.toml", "robot = 3")
    workspace = both(lab, built_in)
    summaries = {entry.name: entry.summary() for entry in workspace.robots()}
    assert summaries == {"adelino": "Adelino", "broken": "", "odd": ""}
    assert workspace.modules()[0].summary() == ""


def test_an_unknown_name_comes_with_the_nearest_valid_one(lab: Path, built_in: Path) -> None:
    with pytest.raises(UnknownName) as caught:
        both(lab, built_in).find_module("greter")
    assert caught.value.nearest == "greeter"
    assert str(caught.value) == (
        "unknown module 'greter'; did you mean 'greeter'? (`sera list modules` lists all)"
    )


def test_a_folder_that_is_there_but_does_not_count_is_explained(lab: Path, built_in: Path) -> None:
    (lab / "robots" / "mine").mkdir(parents=True)
    write(lab / "scenarios" / "two-robots" / "scenario.toml")
    workspace = both(lab, built_in)
    with pytest.raises(UnknownName, match=r"unknown robot 'mine': .*mine has no body\.toml"):
        workspace.find_robot("mine")
    with pytest.raises(UnknownName, match="for example 'two_robots'"):
        workspace.find_scenario("two-robots")


def test_activating_appends_the_roots_own_first_and_only_once(lab: Path, built_in: Path) -> None:
    before = list(sys.path)
    workspace = both(lab, built_in)
    workspace.activate()
    workspace.activate()
    assert sys.path == [*before, str(lab.resolve()), str(built_in.resolve())]


def test_modules_of_all_roots_are_one_package_and_the_own_one_wins(
    lab: Path, built_in: Path
) -> None:
    workspace = both(lab, built_in)
    assert workspace.load_module_class("greeter").where == "lab"  # type: ignore[attr-defined]
    speaker = workspace.load_module_class("speaker")
    assert (speaker.__name__, speaker.__module__) == ("Speaker", "modules.speaker")


def test_the_own_module_wins_even_where_the_built_in_root_is_on_sys_path_already(
    lab: Path, built_in: Path
) -> None:
    # This is how an editable installation looks.
    sys.path.append(str(built_in.resolve()))
    assert both(lab, built_in).load_module_class("greeter").where == "lab"  # type: ignore[attr-defined]
    assert sys.path.count(str(built_in.resolve())) == 1


def test_another_workspace_in_the_same_process_gets_its_own_module(
    lab: Path, built_in: Path
) -> None:
    assert both(lab, built_in).load_module_class("greeter").where == "lab"  # type: ignore[attr-defined]
    alone = Workspace([built_in], built_in=built_in)
    assert alone.load_module_class("greeter").where == "built-in"  # type: ignore[attr-defined]


def test_a_module_made_after_the_first_load_is_found(lab: Path, built_in: Path) -> None:
    workspace = both(lab, built_in)
    workspace.load_module_class("greeter")
    add_module(lab, "latecomer", "Latecomer", "late")
    assert workspace.load_module_class("latecomer").__name__ == "Latecomer"


def test_a_foreign_package_that_nobody_imported_does_not_get_in_the_way_but_is_reported(
    lab: Path, built_in: Path, tmp_path: Path
) -> None:
    foreign = write(tmp_path / "elsewhere" / "modules.py", "raise RuntimeError('wrong one')")
    sys.path.insert(0, str(foreign.parent))
    workspace = both(lab, built_in)
    assert workspace.load_module_class("greeter").where == "lab"  # type: ignore[attr-defined]
    finding = workspace.problems()[0]
    assert (finding.severity, finding.path) == ("warning", foreign.resolve())
    assert "another Python package has the name 'modules'" in finding.message


def test_a_foreign_package_that_is_in_use_is_named(
    lab: Path, built_in: Path, tmp_path: Path
) -> None:
    foreign = write(tmp_path / "elsewhere" / "modules" / "__init__.py")
    sys.path.insert(0, str(tmp_path / "elsewhere"))
    import modules  # noqa: F401 - the foreign one

    with pytest.raises(ModuleLoadError, match="rename or uninstall the other") as caught:
        both(lab, built_in).load_module_class("greeter")
    assert caught.value.file == foreign


def test_the_folder_modules_must_not_be_a_package(lab: Path, built_in: Path) -> None:
    write(lab / "modules" / "__init__.py")
    workspace = both(lab, built_in)
    with pytest.raises(ModuleLoadError, match=r"delete modules/__init__\.py"):
        workspace.load_module_class("speaker")
    assert workspace.problems()[0].severity == "error"
    assert "hides the modules of all other roots" in workspace.problems()[0].message


def test_problems_lists_what_is_wrong_with_its_fix_errors_first(lab: Path, built_in: Path) -> None:
    write(lab / "modules" / "bare" / "code.py")
    write(lab / "modules" / "2nd-try" / "__init__.py")
    write(lab / "modules" / "class" / "__init__.py")
    write(lab / "modules" / "alone.py")
    write(lab / "modules" / "left_behind" / "__pycache__" / "x.pyc")
    write(lab / "robots" / "__init__.py")
    found = [
        (finding.severity, finding.path.relative_to(lab.resolve()).as_posix())
        for finding in both(lab, built_in).problems()
    ]
    assert found == [
        ("error", "modules/2nd-try"),
        ("error", "modules/class"),
        ("error", "modules/bare"),
        ("error", "robots/__init__.py"),
        ("warning", "modules/alone.py"),
        ("info", "modules/greeter"),
    ]
    assert [entry.name for entry in both(lab, built_in).modules()] == ["greeter", "speaker"]


def test_a_sound_workspace_has_no_problems(built_in: Path) -> None:
    assert Workspace([built_in], built_in=built_in).problems() == []


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ("import sera\n\nimport no_such_library\n", 3, "No module named 'no_such_library'"),
        ("x = 1\ndef broken(:\n", 2, "SyntaxError"),
        ("x = 1 / 0\n", 1, "ZeroDivisionError"),
        ("raise SystemExit('bye')\n", 1, "SystemExit: bye"),
        ("x = 1\n", None, "defines no subclass of sera.Module"),
        (
            "from sera import Module\nclass A(Module): ...\nclass B(Module): ...\n",
            None,
            "several module classes (A, B); call the one that the scenario starts TestModule",
        ),
    ],
)
def test_a_module_that_cannot_be_used_says_file_line_and_reason(
    lab: Path, code: str, line: int | None, words: str
) -> None:
    file = write(lab / "modules" / "test_module" / "__init__.py", code)
    with pytest.raises(ModuleLoadError) as caught:
        Workspace([lab]).load_module_class("test_module")
    assert (caught.value.file, caught.value.line) == (file.resolve(), line)
    assert words in str(caught.value)


def test_a_repaired_module_loads_after_a_failure(lab: Path) -> None:
    file = write(lab / "modules" / "mended" / "__init__.py", "import no_such_library\n")
    workspace = Workspace([lab])
    with pytest.raises(ModuleLoadError):
        workspace.load_module_class("mended")
    write(file, MODULE.format(summary="Mended.", name="Mended", where="lab"))
    assert workspace.load_module_class("mended").__name__ == "Mended"


def test_of_several_classes_the_one_named_like_the_folder_is_taken_and_imports_do_not_count(
    lab: Path,
) -> None:
    code = (
        "from modules.greeter import Greeter\n"
        "from sera import Module\n"
        "from .inner import Helper\n"
        "class SpeechDetector(Module): ...\n"
        "class Other(Module): ...\n"
        "class _Base(Module): ...\n"
    )
    write(lab / "modules" / "speech_detector" / "__init__.py", code)
    inner = "from sera import Module\nclass Helper(Module): ...\n"
    write(lab / "modules" / "speech_detector" / "inner.py", inner)
    assert Workspace([lab]).load_module_class("speech_detector").__name__ == "SpeechDetector"


def test_a_class_from_a_file_inside_the_package_counts_where_it_is_imported(lab: Path) -> None:
    write(lab / "modules" / "split" / "__init__.py", "from ._inner import Inner\n")
    inner = "from sera import Module\nclass Inner(Module): ...\n"
    write(lab / "modules" / "split" / "_inner.py", inner)
    assert Workspace([lab]).load_module_class("split").__name__ == "Inner"


def test_a_file_beside_the_scenario_is_loaded_with_its_helpers_and_without_mixing_two_scenarios(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        write(tmp_path / name / "helper.py", f"NAME = {name!r}\n")
        code = (
            "from sera import Module\n"
            "from .helper import NAME\n"
            "class Decision(Module):\n    name_of = NAME\n"
            "class Second(Module): ...\n"
        )
        write(tmp_path / name / "decision.py", code)
    one = load_class_from_file(tmp_path / "one" / "decision.py")
    two = load_class_from_file(tmp_path / "two" / "decision.py")
    assert (one.name_of, two.name_of) == ("one", "two")  # type: ignore[attr-defined]
    assert load_class_from_file(tmp_path / "one" / "decision.py") is one
    assert load_class_from_file(tmp_path / "one" / "decision.py", "Second").__name__ == "Second"
    with pytest.raises(ModuleLoadError, match="no module class 'Secnd'; did you mean 'Second'"):
        load_class_from_file(tmp_path / "one" / "decision.py", "Secnd")
    with pytest.raises(ModuleLoadError, match=r"no such file; did you mean '\./decision\.py'"):
        load_class_from_file(tmp_path / "one" / "decison.py")
    write(tmp_path / "one" / "my-decision.py")
    with pytest.raises(ModuleLoadError, match="like a Python name"):
        load_class_from_file(tmp_path / "one" / "my-decision.py")


def test_in_a_process_of_its_own_a_plain_import_finds_modules_of_all_roots(
    lab: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    add_module(other, "listener", "Listener", "other")
    code = (
        "from sera.runtime.workspace import Workspace\n"
        "Workspace.discover().activate()\n"
        "import modules.greeter, modules.listener\n"
        "print(modules.greeter.Greeter.where, modules.listener.Listener.where)\n"
    )
    source = Path(sera.__file__).parents[1]
    environment = {**os.environ, "SERA_PATH": str(other), "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=lab,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("lab other\n", 0), done.stderr
