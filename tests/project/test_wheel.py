"""The wheel: what it holds, and that it works from an empty folder of a machine like any other."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELATIVE_IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.{1,2}/[^"']+\.js)["']""")
SERA_VARIABLES = ("SERA_PATH", "SERA_BROKER", "PYTHONPATH")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in SERA_VARIABLES}
    finished = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, f"{command}\n{finished.stdout}\n{finished.stderr}"
    return finished


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel; its programs' folder.

    The libraries come from this environment through a .pth file (not the editable SERA beside
    them: a .pth file inside that folder is not read), so that nothing is fetched a second time.
    """
    place = tmp_path_factory.mktemp("elsewhere")
    environment = place / "venv"
    windows = os.name == "nt"
    programs = environment / ("Scripts" if windows else "bin")
    python = programs / ("python.exe" if windows else "python")
    if uv := shutil.which("uv"):
        run(uv, "venv", "--quiet", "--python", sys.executable, environment, cwd=place)
        run(uv, "pip", "install", "--quiet", "--no-deps", "--python", python, wheel, cwd=place)
    else:
        run(sys.executable, "-m", "venv", environment, cwd=place)
        offline = ("--quiet", "--no-deps", "--no-index")
        run(python, "-m", "pip", "install", *offline, wheel, cwd=place)
    where = run(
        python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place
    ).stdout.strip()
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(where, "libraries-of-the-tests.pth").write_text("\n".join(sorted(libraries)) + "\n")
    return programs


@pytest.fixture
def empty_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "an empty folder"
    folder.mkdir()
    return folder


def test_nothing_but_sera_stands_at_the_top_of_the_wheel(names):
    tops = {name.split("/", 1)[0] for name in names}
    assert "sera" in tops
    assert {top for top in tops if top != "sera" and not top.endswith(".dist-info")} == set()


def test_the_built_in_workspace_is_inside_sera_file_by_file(names):
    carried = {name.removeprefix("sera/_builtin/") for name in names if "/_builtin/" in name}
    expected = {
        path.relative_to(ROOT).as_posix()
        for folder in ("modules", "robots", "scenarios")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and not {"__pycache__", "recordings"} & set(path.parts)
        and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    }
    assert carried == expected
    assert "scenarios/hello/scenario.toml" in carried
    assert not any(name in carried for name in ("modules/__init__.py", "scenarios/__init__.py"))


def tracked_files_of_sera() -> set[str]:
    """What git has of the package, without what is deleted and not yet committed."""
    listed = run("git", "ls-files", "-z", "--cached", "--", "sera", cwd=ROOT).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


def test_every_file_of_the_package_that_git_has_is_in_the_wheel(names):
    tracked = tracked_files_of_sera()
    assert len(tracked) > 500
    assert sorted(tracked - set(names)) == []


def test_pages_vendored_programs_with_their_licences_and_forms_are_in_the_wheel(names):
    """By name, so that a file that was deleted or never added is missed, too."""
    carried = set(names)
    needed = {
        "sera/py.typed",
        "sera/console/pages/index.html",
        "sera/console/pages/main.js",
        "sera/console/pages/tablet.html",
        "sera/console/pages/style/tokens.css",
    }
    assert sorted(needed - carried) == []
    vendored = {path.name for path in (ROOT / "sera/console/vendor").iterdir() if path.is_dir()}
    assert vendored >= {"three", "urdf-loader"}
    for folder in vendored:
        below = [name for name in carried if name.startswith(f"sera/console/vendor/{folder}/")]
        assert f"sera/console/vendor/{folder}/LICENSE" in below
        assert any(name.endswith(".js") for name in below)
    for folder, ending in (("study/questionnaires", ".toml"), ("web/static", ".html")):
        there = {path.name for path in (ROOT / "sera" / folder).glob(f"*{ending}")}
        assert there
        assert {f"sera/{folder}/{name}" for name in there} <= carried


def test_pages_import_nothing_that_the_wheel_has_not(names):
    """A page whose file was forgotten stays white: every import must lead to a file."""
    carried = set(names)
    missing = []
    for name in sorted(carried):
        if not (name.startswith("sera/console/pages/") and name.endswith(".js")):
            continue
        folder = (ROOT / name).parent
        for wanted in RELATIVE_IMPORT.findall((ROOT / name).read_text(encoding="utf-8")):
            file = os.path.normpath(folder / wanted)
            if Path(file).relative_to(ROOT).as_posix() not in carried:
                missing.append(f"{name} imports {wanted}")
    assert missing == []


def test_no_rubbish_travels(names):
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []


def test_an_editable_install_copies_nothing(names):
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hatch_build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hatch_build)

    def included_for(version: str) -> dict[str, str]:
        hook = hatch_build.BuiltinWorkspaceHook(str(ROOT), {}, None, None, "", "wheel")
        build_data: dict[str, dict[str, str]] = {"force_include": {}}
        hook.initialize(version, build_data)
        return build_data["force_include"]

    assert included_for("editable") == {}
    assert set(included_for("standard").values()) <= set(names)


def test_the_installed_sera_is_the_wheels_and_no_package_is_named_modules(installed, empty_folder):
    code = (
        "import importlib.util, json, sera;"
        "print(json.dumps([sera.__file__, sera.__version__,"
        " [n for n in ('modules', 'robots', 'scenarios')"
        "  if importlib.util.find_spec(n) is not None]]))"
    )
    file, version, strangers = json.loads(
        run(installed / "python", "-c", code, cwd=empty_folder).stdout
    )
    assert Path(file).is_relative_to(installed.parent)
    assert version in next(installed.parent.rglob("sera_hri-*.dist-info")).name
    assert strangers == []


def test_import_sera_is_light(installed, empty_folder):
    code = "import sys, sera; print('pydantic' in sys.modules, 'asyncio' in sys.modules)"
    assert run(installed / "python", "-c", code, cwd=empty_folder).stdout.split() == [
        "False",
        "False",
    ]


def test_the_built_in_modules_are_listed_from_an_empty_folder(installed, empty_folder):
    listed = run(installed / "sera", "list", "modules", cwd=empty_folder).stdout
    built_in = [
        path.name for path in (ROOT / "modules").iterdir() if (path / "__init__.py").exists()
    ]
    assert built_in
    assert [name for name in built_in if name not in listed] == []


def test_hello_runs_in_virtual_time_from_an_empty_folder(installed, empty_folder):
    asked = ("run", "hello", "--virtual", "--seed", "7", "--duration", "2", "--json")
    assert json.loads(run(installed / "sera", *asked, cwd=empty_folder).stdout)
