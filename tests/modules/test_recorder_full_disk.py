"""The recorder on a full disk: a study record is receipted when it is on the disk, not before."""

from __future__ import annotations

import asyncio
import errno
import json
from pathlib import Path
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    WORLD,
    GazeAt,
    ModuleFault,
    ModulePresence,
    QuestionnaireAnswered,
    Receipt,
    SessionMark,
)
from sera.recording import _line_file
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.workspace import Workspace
from tests.helpers import until

SHEET = QuestionnaireAnswered(
    questionnaire="ios",
    participant="p07",
    session="s1",
    answers={"ios": 4},
    free_answers={"why": "because it looked at me"},
)


class Disk:
    """A disk that the test fills and frees."""

    def __init__(self) -> None:
        self.is_full = False
        self.syncs_fail = False
        self.synced: list[Path] = []


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk()
    write_some, sync = _line_file._write_some, _line_file.sync_files

    def refuse(file: Any, view: memoryview) -> int:
        if made.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_some(file, view)

    def sync_files(paths: list[Path]) -> None:
        if made.syncs_fail:
            raise OSError(errno.EIO, "Input/output error")
        sync(paths)
        made.synced += paths

    monkeypatch.setattr(_line_file, "_write_some", refuse)
    recorder = Workspace.discover(Path(__file__)).load_module_class("recorder")
    module = __import__("sys").modules[recorder.__module__]
    monkeypatch.setattr(module, "sync_files", sync_files)
    monkeypatch.setattr(module, "FLUSH_EVERY_S", 0.02)
    return made


class Room:
    """A recorder on a bus in memory, and somebody who says things to it."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.heard: list[Any] = []
        broker, clock = MemoryBroker(), Clock()

        def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        workspace = Workspace.discover(Path(__file__))
        context = ModuleContext(clock=clock, options={"log": log, "run": "r", "life": 0})
        self.other = join(Identity("r", WORLD, "somebody"))
        recorder = workspace.load_module_class("recorder")
        self.host = ModuleHost(recorder, Identity("r", WORLD, "recorder"), context, join)

    async def open(self) -> None:
        await self.other.connect()
        await self.other.subscribe(None, self.heard.append, everyone=True)
        self.task = asyncio.create_task(self.host.run())
        await until(lambda: self.of(ModulePresence)[-1:] and self.host.started.is_set())

    def of(self, kind: type[Any]) -> list[Any]:
        return [one.message for one in self.heard if isinstance(one.message, kind)]

    def receipted(self) -> list[str]:
        return [name for one in self.of(Receipt) for name in one.ids]

    def written(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_bytes().splitlines()]

    async def close(self) -> None:
        self.host.stop()
        await asyncio.gather(self.task, return_exceptions=True)
        await self.other.close()


@pytest.fixture
async def room(tmp_path: Path, disk: Disk) -> Any:
    made = Room(tmp_path / "log.jsonl")
    await made.open()
    yield made
    await made.close()


async def test_a_record_is_on_the_disk_before_it_is_receipted(room: Room, disk: Disk) -> None:
    sent = room.other.publish(SHEET).id
    await until(lambda: room.receipted() == [sent])
    assert room.log in disk.synced
    originals = [path for path in disk.synced if path != room.log]
    assert any("because it looked at me" in path.read_text("utf-8") for path in originals)
    assert room.written()[-1]["type"] in ("QuestionnaireAnswered", "ModulePresence", "Receipt")
    assert sent in [line.get("id") for line in room.written()]


async def test_on_a_full_disk_nothing_is_receipted_until_there_is_space(
    room: Room, disk: Disk
) -> None:
    await until(lambda: room.log.stat().st_size > 0)
    disk.is_full = True
    sent = room.other.publish(SHEET).id
    mark = room.other.publish(SessionMark(label="note", session="s1")).id
    await until(lambda: any("No space left" in fault.summary for fault in room.of(ModuleFault)))
    assert room.receipted() == []
    assert sent not in [line.get("id") for line in room.written()]
    disk.is_full = False
    await until(lambda: room.receipted() == [sent, mark])
    assert [line["id"] for line in room.written() if line.get("id") in (sent, mark)] == [sent, mark]


async def test_what_a_full_disk_makes_the_recorder_give_up_is_never_a_study_record(
    room: Room, disk: Disk
) -> None:
    writer = room.host.module._writer  # type: ignore[attr-defined]
    writer._log._keep_bytes = 2000
    disk.is_full = True

    async def lose_some() -> None:
        lost = writer.lost
        for number in range(50):
            room.other.publish(GazeAt(target=f"t{number}"), character="ada")
        await until(lambda: writer.lost > lost)

    await lose_some()
    sent = room.other.publish(SHEET).id
    await lose_some()
    disk.is_full = False
    await until(lambda: sent in room.receipted())
    lines = [line for line in room.written() if line.get("id") == sent]
    assert [line["data"]["answers"] for line in lines] == [{"ios": 4}]


async def test_a_record_that_did_not_reach_the_disk_after_all_is_written_again(
    room: Room, disk: Disk
) -> None:
    disk.syncs_fail = True
    sent = room.other.publish(SHEET).id
    await until(lambda: any("reach the disk" in one.summary for one in room.of(ModuleFault)))
    assert room.receipted() == []
    disk.syncs_fail = False
    await until(lambda: room.receipted() == [sent])
    assert len([line for line in room.written() if line.get("id") == sent]) >= 2
