"""The way from a fresh clone to a run: the set-up scripts, and what is said about skipped tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

with_a_shell = pytest.mark.skipif(os.name != "posix", reason="make and sh are POSIX programs")

SOME_TESTS = """
import pytest

@pytest.mark.needs_program("a-program-nobody-has")
def test_one():
    assert False

def test_two():
    pass
"""


def run_some_tests(
    folder: Path, *, ci: str, tests: str = SOME_TESTS
) -> subprocess.CompletedProcess[str]:
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_some.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    needs_program(name): x\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    environment = {**os.environ, "CI": ci}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_the_last_lines_name_what_was_skipped_and_why(tmp_path):
    finished = run_some_tests(tmp_path, ci="")
    assert finished.returncode == 0
    assert finished.stdout.splitlines()[-2] == (
        "test_some.py::test_one: a-program-nobody-has is not installed "
        "(Debian: apt-get install a-program-nobody-has)"
    )


def test_in_ci_a_skip_is_a_failure(tmp_path):
    finished = run_some_tests(tmp_path, ci="true")
    assert finished.returncode == 1
    assert "1 skipped: in CI that is a failure" in finished.stdout


def test_in_ci_what_a_failing_test_printed_comes_last(tmp_path):
    failing = "def test_three():\n    print('the reason')\n    assert False\n"
    finished = run_some_tests(tmp_path, ci="true", tests=failing)
    assert finished.stdout.splitlines()[-1] == "the reason"


@with_a_shell
def test_without_a_recent_python_the_set_up_says_what_to_install(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "dirname", "id", "rm"):
        program = shutil.which(name)
        assert program is not None
        (programs / name).symlink_to(program)
    old = programs / "python3"
    old.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'Python 3.9.2'\nexit 1\n")
    old.chmod(0o755)
    tools = tmp_path / "checkout" / "tools"
    tools.mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "setup.sh", tools)
    finished = subprocess.run(
        ["/bin/sh", "tools/setup.sh", "run"],
        cwd=tools.parent,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert "SERA needs Python 3.11 or newer (python3 is Python 3.9.2)" in finished.stderr
    assert "make PYTHON=" in finished.stderr


@with_a_shell
def test_where_programs_cannot_be_installed_it_says_which_are_missing(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "id").write_text("#!/bin/sh\necho 1000\n")
    (programs / "id").chmod(0o755)
    script = (ROOT / "tools" / "install_programs.sh").read_text()
    copy = tmp_path / "install_programs.sh"
    copy.write_text(script.replace('programs="mosquitto', 'programs="a-program-nobody-has'))
    finished = subprocess.run(
        ["/bin/sh", copy],
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0
    assert "not installed here: a-program-nobody-has" in finished.stderr
    assert "sudo apt install a-program-nobody-has" in finished.stderr


@with_a_shell
def test_plain_make_lists_what_can_be_made():
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    listed = subprocess.run([make], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("run", "test", "setup", "lint", "bench-bus", "docs-schema", "clean"):
        assert f"\n  {target} " in listed


@with_a_shell
def test_continuous_integration_calls_make_test():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == "exec make test"


def test_no_program_of_ours_looks_for_modules_in_the_current_folder():
    child = re.compile(r'sys\.executable,[^\])]*?"-m"', re.DOTALL)
    for source in sorted((ROOT / "sera").rglob("*.py")):
        for command in child.findall(source.read_text(encoding="utf-8")):
            assert '"-P"' in command, source
