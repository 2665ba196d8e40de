"""How runs of this machine are found."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import psutil
import pytest

from sera.runtime import live_runs
from sera.runtime.live_runs import (
    LiveRun,
    LiveRunError,
    announce,
    clear_stale_runs,
    find_live_run,
    list_live_runs,
    live_runs_folder,
    register,
    unregister,
)

posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("LOCALAPPDATA", str(folder))
    return folder


def announced(run_id: str = "hello_1", broker: str = "mqtt://u:secret@127.0.0.1:4") -> None:
    announce(run_id, broker=broker, scenario="hello", scenario_file=Path("hello/scenario.toml"))


def someone_elses(pid: int, run_id: str = "hello_1") -> LiveRun:
    return LiveRun(run_id, "mqtt://x:1", "hello", "x.toml", pid, 12.0, 34.0)


def test_a_run_that_was_announced_is_found_with_its_broker():
    announced()
    run = find_live_run()
    assert run == find_live_run("hello_1")
    assert (run.run, run.broker, run.pid) == ("hello_1", "mqtt://u:secret@127.0.0.1:4", os.getpid())
    assert run.is_alive
    assert "secret" not in str(run)


def test_a_run_that_has_ended_is_not_found():
    announced()
    unregister("hello_1")
    unregister("hello_1")
    assert list_live_runs() == []
    assert list(live_runs_folder().iterdir()) == []


@posix_only
def test_folder_and_file_belong_to_the_user_alone():
    announced()
    (path,) = live_runs_folder().glob("*.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@posix_only
def test_a_folder_that_others_could_write_to_is_neither_used_nor_believed(caplog):
    announced()
    live_runs_folder().chmod(0o777)
    assert list_live_runs() == []
    announced("hello_2")
    assert "will not find this run by themselves" in caplog.text
    assert not (live_runs_folder() / "hello_2.json").exists()


@posix_only
def test_a_link_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    live_runs_folder().symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotADirectoryError):
        register(someone_elses(1))
    assert list_live_runs() == []


def test_a_run_whose_process_is_gone_is_stale_and_removed():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    path = register(someone_elses(process.pid))
    assert path.exists()
    assert list_live_runs() == []
    assert not path.exists()
    register(someone_elses(process.pid, "hello_2"))
    announced("hello_3")
    assert clear_stale_runs() == ["hello_2"]
    assert [run.run for run in list_live_runs()] == ["hello_3"]


def test_a_process_id_that_belongs_to_somebody_else_by_now_is_stale():
    parent = psutil.Process(os.getpid())
    path = register(replace(someone_elses(os.getpid()), process_started_s=parent.create_time() - 9))
    assert list_live_runs() == []
    assert not path.exists()


def test_without_psutil_a_process_that_exists_is_enough(monkeypatch):
    monkeypatch.setitem(sys.modules, "psutil", None)
    announced()
    assert find_live_run().process_started_s == 0.0
    register(someone_elses(2**22 + 1, "hello_2"))
    assert [run.run for run in list_live_runs()] == ["hello_1"]


def test_files_that_are_no_runs_are_passed_over():
    announced()
    folder = live_runs_folder()
    (folder / "broken.json").write_text("{")
    (folder / "other.json").write_text(json.dumps({"run": "x"}))
    (folder / "list.json").write_text("[]")
    future = {**asdict(find_live_run()), "run": "y", "of_a_newer_version": True}
    (folder / "newer.json").write_text(json.dumps(future))
    assert [run.run for run in list_live_runs()] == ["hello_1"]


def test_where_nothing_is_alive_it_says_what_to_do():
    with pytest.raises(LiveRunError, match=r"^no run is alive on this machine: start one with"):
        find_live_run()
    with pytest.raises(LiveRunError, match=r"^no run 'x', nor any other, is alive"):
        find_live_run("x")


def test_an_unknown_run_is_answered_with_the_nearest():
    announced("hello_20260101_120000_ab12")
    with pytest.raises(LiveRunError) as caught:
        find_live_run("hello_20260101_120000_ab13")
    assert "did you mean 'hello_20260101_120000_ab12'?" in str(caught.value)
    assert "(scenario hello, since" in str(caught.value)


def test_of_several_runs_one_must_be_named_and_the_oldest_is_listed_first(monkeypatch):
    for second, run_id in enumerate(("b_1", "a_1")):
        monkeypatch.setattr(live_runs.time, "time", lambda now_s=float(second): now_s)
        announced(run_id)
    assert [run.run for run in list_live_runs()] == ["b_1", "a_1"]
    assert find_live_run("a_1").run == "a_1"
    with pytest.raises(LiveRunError) as caught:
        find_live_run()
    assert str(caught.value).startswith("several runs are alive, choose one with --run ID:\n  b_1")


@posix_only
def test_without_a_runtime_folder_the_temporary_one_is_used(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(live_runs.tempfile, "gettempdir", lambda: str(tmp_path))
    assert live_runs_folder() == tmp_path / f"sera-{os.getuid()}"
