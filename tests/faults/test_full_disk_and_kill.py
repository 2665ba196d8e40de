"""A disk that fills up and a run that is killed at that moment: what was acknowledged is there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from sera.recording import LogReader
from tests.helpers import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files")

SCENARIO = '[scenario]\ntitle = "A form"\n[characters.ada]\n'
SHEET = {
    "questionnaire": "comments",
    "participant": "p07",
    "answers": {},
    "free_answers": {"liked": "it looked at me"},
    "ref": 1,
}


class Session:
    """`sera run` in a process of its own, whose files can be kept from growing."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.jsonl"
        place = folder / "scenarios" / "form"
        place.mkdir(parents=True)
        (folder / "sera.toml").touch()
        (place / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
        options = ["--log", str(self.log), "--plain", "--console", "--no-browser"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sera", "run", "form", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
        )

    def address(self) -> str:
        """Of the tablet's socket, once the run has told where its pages are."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                return f"ws://127.0.0.1:{found[1]}/ws?role=participant"
        raise AssertionError("the run ended without an address")

    def fill_disk(self) -> None:
        """No file of the run grows any more."""
        self._limit(1)

    def free_disk(self) -> None:
        self._limit(None)

    def _limit(self, size: int | None) -> None:
        import resource

        most = resource.RLIM_INFINITY
        soft = most if size is None else size
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (soft, most))

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)

    def kept(self) -> list[dict[str, Any]]:
        return [one.data for one in LogReader(self.log) if one.type == "QuestionnaireAnswered"]


@pytest.fixture
async def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Session]:
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "runs"))
    made = Session(tmp_path)
    yield made
    if made.process.poll() is None:
        made.kill()


async def accepted(socket: Any) -> None:
    """Wait until the run says that it has the sheet."""
    async with asyncio.timeout(PATIENCE_S):
        while "accepted" not in (frame := json.loads(await socket.recv())):
            assert "refused" not in frame, frame


async def test_answers_are_acknowledged_only_when_neither_a_kill_nor_a_full_disk_can_take_them(
    session: Session,
) -> None:
    """And what was not acknowledged when the run was killed is still with the tablet."""
    address = await asyncio.to_thread(session.address)
    async with connect(address) as socket:
        session.fill_disk()
        await socket.send(json.dumps({"answers": SHEET}))
        waiting = asyncio.create_task(accepted(socket))
        await asyncio.sleep(1.0)  # nothing tells that a sheet waits for room
        assert not waiting.done()
        assert session.kept() == []
        session.free_disk()
        await waiting
        session.fill_disk()
        await socket.send(json.dumps({"answers": SHEET | {"participant": "p08", "ref": 2}}))
        waiting = asyncio.create_task(accepted(socket))
        await asyncio.sleep(1.0)
        assert not waiting.done()
        session.kill()
        waiting.cancel()
    kept = session.kept()
    assert len(kept) == 1, session.log.read_text("utf-8")
    (answered,) = kept
    assert answered["free_answers"]["liked"].startswith("~p07.")
    originals = "".join(path.read_text("utf-8") for path in session.log.parent.rglob("p07.jsonl"))
    assert "it looked at me" in originals
