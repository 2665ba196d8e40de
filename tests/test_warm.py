"""`sera doctor --warm`: all kernels compiled beforehand, kept where they can be, and told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sera
from sera import _kernel_cache, _warm
from sera.cli import app

ROOT = Path(sera.__file__).parents[1]

# Which kernels would still be compiled after warming: those that nothing loaded refers to, and
# whatever an ordinary evaluation asks the compiler for.
LEFT_COLD = """
import importlib, json, pkgutil, sys, tempfile
from pathlib import Path
from numba.core.dispatcher import Dispatcher
import sera.animation.engine, sera.animation.frame, sera.evaluation, sera.kinematics
from sera._warm import warm

warm()
rooms = (sera.kinematics, sera.evaluation, sera.animation.engine, sera.animation.frame)
for room in rooms:
    for found in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        importlib.import_module(found.name)
kernels = {
    id(value): value
    for name, module in list(sys.modules.items()) if name.startswith("sera.")
    for value in vars(module).values() if isinstance(value, Dispatcher)
}
known = [kernel for kernel in kernels.values() if kernel.signatures]
reached = {id(kernel) for kernel in known}
while known:
    function = known.pop().py_func
    for name in function.__code__.co_names:
        called = function.__globals__.get(name)
        if isinstance(called, Dispatcher) and id(called) not in reached:
            reached.add(id(called))
            known.append(called)
package = Path(sera.kinematics.__file__).parents[1]
sources = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
cold = [
    kernel.py_func.__name__ for number, kernel in kernels.items()
    if number not in reached
    and sum(source.count(kernel.py_func.__name__) for source in sources) > 1
]

def compiled():
    return sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels.values())

from sera.evaluation.erik import Wish, evaluate
before = compiled()
wish = Wish(skeletons=("C",), methods=("optimal", "published"), sample=70, baselines=True, floor=3)
evaluate(wish, Path(tempfile.mkdtemp()), figures=False)
print(json.dumps({"kernels": len(kernels), "cold": cold, "compiled": compiled() - before}))
"""


def run(code: str, folder: Path, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=280,
    ).stdout.strip()


@pytest.mark.timeout(300)  # where nothing is compiled yet it is done here
def test_after_warming_no_kernel_is_left_to_compile():
    found = json.loads(run(LEFT_COLD, ROOT))
    assert found["kernels"] > 100
    assert found["cold"] == []
    assert found["compiled"] == 0


@pytest.fixture
def few_steps(tmp_path, monkeypatch) -> Path:
    """Two steps that cost nothing, and a cache of their own."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(_warm, "steps", lambda: {"first": lambda: None, "second": lambda: None})
    monkeypatch.setattr(_warm, "cache_folder", lambda: folder)
    monkeypatch.setattr(_kernel_cache, "cache_folder", lambda: folder)
    monkeypatch.setattr("sera.cli._doctor_warm.MOST_PROCESSES", 1)
    return folder


def test_warming_tells_its_progress_and_where_kernels_are_kept(few_steps):
    result = CliRunner().invoke(app, ["doctor", "--warm"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("compiling the inner loops")
    assert lines[1].startswith(" 1 of 2  first (")
    assert lines[2].startswith(" 2 of 2  second (")
    assert lines[3].endswith(f"kept in {few_steps}")


def test_the_doctor_knows_whether_kernels_are_warm(few_steps):
    from sera.cli._doctor_checks import _kernels

    (cold,) = _kernels()
    assert (cold.status, cold.fix) == ("warning", "sera doctor --warm")
    _warm.warm()
    (warm,) = _kernels()
    assert (warm.status, warm.finding) == ("ok", f"compiled ({few_steps})")


def test_a_change_of_the_sources_makes_kernels_cold_again(few_steps, monkeypatch, tmp_path):
    package = tmp_path / "package"
    (package / "kinematics").mkdir(parents=True)
    (package / "kinematics" / "a.py").write_text("one")
    monkeypatch.setattr(_kernel_cache, "_PACKAGE", package)
    _warm.warm()
    assert _kernel_cache.is_warm()
    (package / "kinematics" / "a.py").write_text("two")
    assert not _kernel_cache.is_warm()
    _warm.warm()
    (package / "kinematics" / "a.py").write_text("one")
    assert _kernel_cache.is_warm(), "another branch of the same checkout stays warm"


def test_old_states_of_the_sources_are_forgotten(tmp_path):
    for age in range(12):
        folder = tmp_path / f"kernels.{age}"
        folder.mkdir()
        os.utime(folder, (1000 - age, 1000 - age))
    _kernel_cache.keep_newest(tmp_path, "kernels.*")
    left = {path.suffix for path in tmp_path.iterdir()}
    assert left == {f".{age}" for age in range(_kernel_cache.KEPT_STATES)}


def test_the_answer_for_scripts_has_times_and_the_folder(few_steps):
    answer = json.loads(CliRunner().invoke(app, ["doctor", "--warm", "--json"]).stdout)
    assert answer["folder"] == str(few_steps)
    assert set(answer["steps"]) == {"first", "second"}


def test_where_nothing_can_be_kept_warming_says_so_and_fails(monkeypatch):
    monkeypatch.setattr(_warm, "cache_folder", lambda: None)
    result = CliRunner().invoke(app, ["doctor", "--warm"])
    assert result.exit_code == 1
    assert "compiled kernels can be kept nowhere" in result.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_setting_up_warms_kernels_and_does_not_fail_where_that_fails():
    for target in ("setup", "run"):
        asked = ["make", "--dry-run", "--always-make", target]
        shown = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        lines = shown.splitlines()
        installed = next(place for place, line in enumerate(lines) if "tools/setup.sh" in line)
        assert "sera doctor --warm || echo" in lines[installed + 1]
