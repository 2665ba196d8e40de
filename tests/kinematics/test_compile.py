"""Compiled kernels: kept once for all checkouts, never stale, and at home anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import sera

KERNEL = """
from sera.kinematics._compile import kernel
from sera.kinematics.callee import factor


@kernel
def scaled(value: float) -> float:
    return factor() * value
"""
CALLEE = """
from sera.kinematics._compile import kernel


@kernel
def factor() -> float:
    return {factor}
"""


def make_package(folder: Path, factor: float) -> None:
    """A tiny SERA with the real compiler and two kernels of which one calls the other."""
    room = folder / "sera" / "kinematics"
    room.mkdir(parents=True, exist_ok=True)
    (folder / "sera" / "__init__.py").write_text("")
    (room / "__init__.py").write_text("")
    package = Path(sera.__file__).parent
    shutil.copy(package / "_kernel_cache.py", room.parent)
    shutil.copy(package / "kinematics" / "_compile.py", room)
    (room / "caller.py").write_text(KERNEL)
    (room / "callee.py").write_text(CALLEE.format(factor=factor))


def run(folder: Path, code: str, **environment: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            **environment,
        },
        check=True,
        capture_output=True,
        text=True,
    )
    return answer.stdout.strip()


CALL = """
from sera.kinematics.caller import scaled

print(scaled(10.0), sum(scaled.stats.cache_hits.values()))
"""


def test_a_change_in_a_called_kernel_is_never_missed_and_nothing_compiles_twice(tmp_path):
    make_package(tmp_path, 2.0)
    assert run(tmp_path, CALL) == "20.0 0"
    assert run(tmp_path, CALL) == "20.0 1"
    make_package(tmp_path, 3.0)
    assert run(tmp_path, CALL) == "30.0 0"
    make_package(tmp_path, 2.0)
    assert run(tmp_path, CALL) == "20.0 1"


def test_a_second_checkout_compiles_nothing(tmp_path):
    first, second, cache = tmp_path / "first", tmp_path / "second", str(tmp_path / "cache")
    make_package(first, 2.0)
    make_package(second, 2.0)
    assert run(first, CALL, XDG_CACHE_HOME=cache) == "20.0 0"
    assert run(second, CALL, XDG_CACHE_HOME=cache) == "20.0 1"
    assert not list(tmp_path.glob("*/sera/kinematics/__pycache__/kernels"))


def test_kernels_lie_beside_the_sources_if_the_users_folder_cannot_be_written(tmp_path):
    make_package(tmp_path, 2.0)
    # Folders that refuse writing stop nobody who is root: a file in their place does.
    (tmp_path / "cache").write_text("in the way")
    assert run(tmp_path, CALL) == "20.0 0"
    assert run(tmp_path, CALL) == "20.0 1"


def test_where_nothing_can_be_written_kernels_compile_and_run_all_the_same(tmp_path):
    make_package(tmp_path, 2.0)
    (tmp_path / "sera" / "kinematics" / "__pycache__").write_text("in the way")
    (tmp_path / "cache").write_text("in the way")
    assert run(tmp_path, CALL) == "20.0 0"


def test_importing_sera_and_asking_for_help_needs_no_numba():
    code = (
        "import sys, sera, sera.cli; from typer.testing import CliRunner;"
        "result = CliRunner().invoke(sera.cli.app, ['--help']);"
        "print(result.exit_code, 'numba' in sys.modules, 'numpy' in sys.modules)"
    )
    assert run(Path(sera.__file__).parents[1], code) == "0 False False"
