"""Parts of a real run, and the whole of it, are killed with SIGKILL."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sera.bus import BrokerAddress, EmbeddedBroker
from sera.recording import LogReader
from sera.runtime._sweep import sweep_dead_runs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")


class LiveRun:
    """`sera run hello` in a process of its own, with its log."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.log = folder / "log.jsonl"
        arguments = ["--condition", "apart", "--plain", *options]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sera", "run", "hello", "--log", str(self.log), *arguments],
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
def live_run(tmp_path: Path) -> Iterator[LiveRun]:
    run = LiveRun(tmp_path)
    try:
        until(lambda: bool(run.records("UtteranceStarted")), 15.0)
        yield run
    finally:
        children = []
        with contextlib.suppress(psutil.NoSuchProcess):
            children = run.children()
        run.process.kill()
        run.process.wait(5)
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()


def until(condition: Callable[[], bool], timeout_s: float) -> float:
    """Wait for something; returns how long that took."""
    started_s = time.monotonic()
    while not condition():
        assert time.monotonic() - started_s < timeout_s, "it did not happen in time"
        time.sleep(0.02)
    return time.monotonic() - started_s


def test_a_killed_module_process_is_restarted_while_the_rest_keeps_running(
    live_run: LiveRun,
) -> None:
    first = live_run.presences("ada.body", "present")[-1]["data"]
    os.kill(first["process_id"], signal.SIGKILL)
    until(lambda: bool(live_run.presences("ada.body", "lost")), 3.0)
    until(lambda: len(live_run.presences("ada.body", "present")) > 1, 5.0)
    second = live_run.presences("ada.body", "present")[-1]["data"]
    assert second["boot"] > first["boot"]
    assert second["process_id"] != first["process_id"]
    faults = [record["data"]["module"] for record in live_run.records("ModuleFault")]
    assert faults == ["ada.body"]
    beats = len(live_run.records("BodyState"))
    until(lambda: len(live_run.records("BodyState")) > beats, 3.0)
    assert not live_run.presences("ada.speaker", "lost")


def test_the_run_goes_on_when_its_broker_is_killed(live_run: LiveRun) -> None:
    live_run.broker().kill()
    beats = len(live_run.records("BodyState"))
    until(lambda: len(live_run.records("BodyState")) > beats + 1, 5.0)
    output, _ = live_run.process.communicate(timeout=40)
    assert live_run.process.returncode == 0, output
    assert " completed after" in output
    said = live_run.records("UtteranceFinished")
    assert len(said) == 4, "greeting, answer, call and goodbye"


def test_a_killed_run_leaves_a_log_that_opens_and_no_processes(live_run: LiveRun) -> None:
    children = live_run.children()
    assert len(children) >= 2, "the broker and the body"
    time.sleep(1.0)
    killed_s = time.time()
    live_run.process.kill()
    live_run.process.wait(5)
    until(lambda: not any(_runs(child) for child in children), 5.0)
    reader = LogReader(live_run.log)
    records = list(reader)
    assert len(records) > 30
    assert reader.damaged <= 1
    assert killed_s - records[-1].received_s < 1.0


def test_an_interrupt_ends_the_run_cleanly_within_two_seconds(live_run: LiveRun) -> None:
    children = live_run.children()
    live_run.process.send_signal(signal.SIGINT)
    started_s = time.monotonic()
    output, _ = live_run.process.communicate(timeout=10)
    assert time.monotonic() - started_s < 2.0
    assert " stopped after" in output
    assert not any(_runs(child) for child in children)
    last = live_run.log.read_text(encoding="utf-8").splitlines()[-1]
    assert "end" in json.loads(last), "the log was closed properly"


async def test_the_next_run_on_a_shared_broker_sweeps_away_what_a_killed_one_left(
    broker_kind: Any, tmp_path: Path
) -> None:
    async with EmbeddedBroker(prefer=broker_kind) as broker:
        address = BrokerAddress(broker.host, broker.port)
        run = LiveRun(tmp_path, "--broker", address.url)
        await asyncio.to_thread(until, lambda: bool(run.records("UtteranceStarted")), 15.0)
        run.process.kill()
        await asyncio.to_thread(run.process.wait, 5)
        await asyncio.sleep(1.0)  # the body's process notices and says farewell
        dead = run.records("ModulePresence")[0]["topic"].split("/")[1]
        assert await sweep_dead_runs(address) == [dead]
        assert await sweep_dead_runs(address) == []


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
