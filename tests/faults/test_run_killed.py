"""Parts of a real run, and the whole of it, are killed with SIGKILL."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sera.bus import BrokerAddress
from sera.bus._broker_ports import free_port
from sera.recording import LogReader
from sera.runtime._sweep import sweep_dead_runs
from tests.conftest import find_program
from tests.helpers import PATIENCE_S, until, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")


class LiveRun:
    """`sera run hello` in a process of its own, with its log."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.log = folder / "log.jsonl"
        command = ["-P", "-m", "sera", "run", "hello", "--condition", "apart", "--plain"]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--log", str(self.log), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
        )

    def records(self, *types: str) -> list[dict[str, Any]]:
        """What the log holds so far; a line that is being written is left out."""
        if not self.log.exists():
            return []
        found = []
        for line in self.log.read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if record.get("type") in types:
                    found.append(record)
        return found

    def faults(self) -> str:
        return "\n".join(each["data"]["summary"] for each in self.records("ModuleFault"))

    def presences(self, source: str, status: str) -> list[dict[str, Any]]:
        return [
            record
            for record in self.records("ModulePresence")
            if record["source"] == source and record["data"]["status"] == status
        ]

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def broker(self) -> psutil.Process:
        return next(
            child
            for child in self.children()
            if "mosquitto" in child.name() or "sera._broker_process" in " ".join(child.cmdline())
        )


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., LiveRun]]:
    """Start a run and wait until something was said; whatever is left afterwards is ended."""
    started: list[LiveRun] = []
    # Nobody's child takes a file of the current folder for a module of Python's.
    (tmp_path / "secrets.py").write_text("raise RuntimeError('of the workspace')")

    def begin(*options: str) -> LiveRun:
        run = LiveRun(tmp_path, *options)
        started.append(run)
        wait_until(lambda: run.records("UtteranceStarted"), "a first word")
        return run

    yield begin
    for run in started:
        children = []
        with contextlib.suppress(psutil.NoSuchProcess):
            children = run.children()
        run.process.kill()
        run.process.wait(PATIENCE_S)
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()


def test_a_killed_module_process_is_restarted_and_a_killed_run_leaves_a_log_and_no_processes(
    start: Callable[..., LiveRun],
) -> None:
    run = start()
    first = run.presences("ada.body", "present")[-1]["data"]
    os.kill(first["process_id"], signal.SIGKILL)
    wait_until(lambda: run.presences("ada.body", "lost"))
    wait_until(lambda: len(run.presences("ada.body", "present")) > 1)
    second = run.presences("ada.body", "present")[-1]["data"]
    assert second["boot"] > first["boot"]
    assert second["process_id"] != first["process_id"]
    faults = [record["data"] for record in run.records("ModuleFault")]
    assert [fault["module"] for fault in faults if fault["severity"] == "error"] == ["ada.body"]
    beats = len(run.records("BodyState"))
    wait_until(lambda: len(run.records("BodyState")) > beats)
    assert not run.presences("ada.speaker", "lost")

    children = run.children()
    assert len(children) >= 2, "the broker and the body"
    run.process.kill()
    run.process.wait(PATIENCE_S)
    wait_until(lambda: not any(_runs(child) for child in children))
    reader = LogReader(run.log)
    assert len(list(reader)) > 30
    assert reader.damaged <= 1


def test_the_run_goes_on_when_its_broker_is_killed(start: Callable[..., LiveRun]) -> None:
    run = start()
    run.broker().kill()
    beats = len(run.records("BodyState"))
    wait_until(lambda: len(run.records("BodyState")) > beats + 1)
    output, _ = run.process.communicate()
    assert run.process.returncode == 0, output
    assert " completed after" in output
    said = run.records("UtteranceFinished")
    assert len(said) == 4, "greeting, answer, call and goodbye"


@pytest.fixture
def broker_of_others(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """A mosquitto that no run looks after; ended afterwards."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(port: int, *, lets_in: bool = True) -> subprocess.Popen[bytes]:
        config = tmp_path / "mosquitto.conf"
        anybody = "true" if lets_in else "false"
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous {anybody}\n")
        command = [str(find_program("mosquitto")), "-c", str(config)]
        started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        wait_until(lambda: _listens(port), "the broker")
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait(PATIENCE_S)


def test_a_broker_that_is_gone_is_said_and_logged_at_once_and_the_run_does_not_end_well(
    start: Callable[..., LiveRun],
    broker_of_others: Callable[..., subprocess.Popen[bytes]],
) -> None:
    port = free_port("127.0.0.1")
    broker = broker_of_others(port)
    run = start("--broker", f"mqtt://127.0.0.1:{port}")
    broker.kill()
    broker.wait(PATIENCE_S)
    wait_until(lambda: "no connection to the broker" in run.faults(), "a fault in the log")
    broker_of_others(port, lets_in=False)
    wait_until(lambda: "not authorised" in run.faults(), "why it is not back")
    run.process.send_signal(signal.SIGINT)
    output, _ = run.process.communicate()
    assert run.process.returncode != 0, output
    assert "the broker did not come back before the end" in output


async def test_the_next_run_on_a_shared_broker_sweeps_away_what_a_killed_one_left(
    broker_kind: str,
    shared_brokers: Callable[[str], BrokerAddress],
    start: Callable[..., LiveRun],
) -> None:
    address = shared_brokers(broker_kind)
    run = await asyncio.to_thread(start, "--broker", address.url)
    children = run.children()
    run.process.kill()
    await asyncio.to_thread(run.process.wait, PATIENCE_S)
    await until(lambda: not any(_runs(child) for child in children), "a farewell of the body")
    dead = run.records("ModulePresence")[0]["topic"].split("/")[1]
    assert dead in await sweep_dead_runs(address)
    assert await sweep_dead_runs(address) == []


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
