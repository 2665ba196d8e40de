"""Before a run in real time the inner loops are compiled, once; nobody else waits for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sera import _kernel_cache
from sera.cli import _kernels
from sera.cli._kernels import compile_kernels_once

ENGINE = SimpleNamespace(implementation="animation_engine")
OTHER = SimpleNamespace(implementation="behaviour_manager")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What is started on a machine where nothing was compiled yet."""
    commands: list[list[str]] = []

    def start(command: list[str], **_options: Any) -> Any:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(_kernels, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(_kernel_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(_kernels.subprocess, "run", start)
    return commands


def test_a_run_with_an_engine_compiles_first_where_nothing_is_compiled(
    asked: list[list[str]],
) -> None:
    compile_kernels_once([OTHER, ENGINE])
    assert asked == [[sys.executable, "-P", "-m", "sera", "doctor", "--warm"]]


def test_a_run_without_an_engine_waits_for_nothing(asked: list[list[str]]) -> None:
    compile_kernels_once([OTHER])
    assert asked == []


def test_what_is_compiled_is_not_compiled_again(asked: list[list[str]], tmp_path: Path) -> None:
    _kernel_cache.mark_in(tmp_path).touch()
    compile_kernels_once([ENGINE])
    assert asked == []


def test_where_nothing_can_be_kept_the_run_goes_on(
    asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_kernels, "cache_folder", lambda: None)
    compile_kernels_once([ENGINE])
    assert asked == []


def test_a_failure_is_told_and_the_run_goes_on(
    asked: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        _kernels.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1)
    )
    compile_kernels_once([ENGINE])
    assert "stand still at first" in capsys.readouterr().err


def test_asking_does_not_load_the_compiler() -> None:
    code = "import sys, sera.cli._kernels as k; k.is_warm(); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
