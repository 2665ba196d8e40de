"""The floor piano: real MIDI bytes through a pipe become keys, and a missing device is awaited."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import WORLD, Envelope, KeyPressed, ModuleFault
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.workspace import Workspace
from tests.helpers import until

PIANO = Workspace.discover(Path(__file__)).load_module_class("floor_piano")
module = sys.modules[PIANO.__module__]
NoteReader = sys.modules[f"{PIANO.__module__}._midi"].NoteReader


@asynccontextmanager
async def piano(**settings: Any) -> AsyncIterator[list[Envelope]]:
    """The module in real time, since its device is read in a thread; and what was said."""
    clock, broker, heard = Clock(), MemoryBroker(), []

    def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone)

    witness = join(Identity("play", WORLD, "witness"))
    await witness.connect()
    await witness.subscribe(None, heard.append, everyone=True)
    context = ModuleContext(clock=clock, seed=1)
    host = ModuleHost(PIANO, Identity("play", WORLD, "piano"), context, join, settings=settings)
    task = asyncio.create_task(host.run())
    yield heard
    host.stop()
    await asyncio.gather(task, return_exceptions=True)


def keys(heard: list[Envelope]) -> list[str]:
    return [one.message.key for one in heard if isinstance(one.message, KeyPressed)]


def faults(heard: list[Envelope]) -> list[str]:
    return [one.message.summary for one in heard if isinstance(one.message, ModuleFault)]


def write(pipe: Path, *values: int) -> None:
    """As a writer that is there until the reader has it: opening without one would fail."""
    descriptor = os.open(pipe, os.O_RDWR)
    os.write(descriptor, bytes(values))
    WRITERS.append(descriptor)


WRITERS: list[int] = []


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(module, "TRY_AGAIN_S", 0.02)
    path = tmp_path / "midi"
    os.mkfifo(path)
    yield path
    while WRITERS:
        os.close(WRITERS.pop())


async def test_notes_that_go_down_are_keys_that_were_pressed(pipe):
    async with piano(device=str(pipe), person="player") as heard:
        write(pipe, 0x90, 62, 100, 0x80, 62, 64)  # d4 down and up
        write(pipe, 0x90, 60, 90, 64, 80, 64, 0)  # running status; e4 goes up with no force
        write(pipe, 0x9F, 72, 1)  # another channel, hardly touched
        await until(lambda: len(keys(heard)) == 4)
    assert keys(heard) == ["d4", "c4", "e4", "c5"]
    assert {one.message.person for one in heard if isinstance(one.message, KeyPressed)} == {
        "player"
    }
    assert faults(heard) == []


async def test_an_instrument_of_other_octaves_is_transposed_and_soft_notes_do_not_count(pipe):
    async with piano(device=str(pipe), transpose=-24, least_velocity=40) as heard:
        write(pipe, 0x90, 84, 39, 86, 40, 12, 100, 88, 127)
        await until(lambda: len(keys(heard)) == 2)
    assert keys(heard) == ["d4", "e4"]  # 12 would be below the lowest note of MIDI


async def test_a_missing_device_is_told_once_and_found_when_it_comes(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TRY_AGAIN_S", 0.02)
    path = tmp_path / "late"
    async with piano(device=str(path)) as heard:
        await until(lambda: faults(heard))
        await asyncio.sleep(0.15)  # many a try
        (told,) = faults(heard)
        assert str(path) in told
        assert "No such file or directory; it is tried again" in told
        os.mkfifo(path)
        write(path, 0x90, 65, 100)
        await until(lambda: keys(heard) == ["f4"])
        assert len(faults(heard)) == 1
    os.close(WRITERS.pop())


async def test_a_port_that_comes_later_is_found_and_its_absence_told_once(monkeypatch):
    import mido

    there: list[str] = []

    class Port:
        def __init__(self) -> None:
            off = mido.Message("note_on", note=67, velocity=0)
            self.notes = [off, mido.Message("note_on", note=69)]

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing to close."""

        def iter_pending(self) -> list[Any]:
            given, self.notes = self.notes, []
            return given

    monkeypatch.setattr(module, "TRY_AGAIN_S", 0.02)
    monkeypatch.setattr(mido, "get_input_names", lambda: there)
    monkeypatch.setattr(mido, "open_input", lambda _name: Port())
    async with piano(port="Mat") as heard:
        await until(lambda: faults(heard))
        await asyncio.sleep(0.1)
        there.append("Mat 2:0")
        await until(lambda: keys(heard) == ["a4"])
    (told,) = faults(heard)
    assert "port 'Mat': there is no such port (there: none)" in told


@pytest.mark.parametrize("settings", [{}, {"device": "/dev/null", "port": "x"}])
async def test_neither_or_both_of_device_and_port_get_a_sentence(settings):
    async with piano(**settings) as heard:
        (told,) = await until(lambda: faults(heard))
    assert "name either device or port" in told


# -- the stream of bytes ----------------------------------------------------------------------


def test_bytes_of_the_clock_in_the_middle_of_a_note_change_nothing():
    assert NoteReader().feed(bytes([0x90, 0xF8, 60, 0xFE, 100])) == [(60, 100)]


def test_a_message_may_come_in_pieces_and_the_stream_begin_anywhere():
    reader = NoteReader()
    assert reader.feed(bytes([64, 12])) == []
    assert reader.feed(bytes([0x93])) == []
    assert reader.feed(bytes([60])) == []
    assert reader.feed(bytes([7, 61])) == [(60, 7)]
    assert reader.feed(bytes([8])) == [(61, 8)]


def test_other_messages_are_passed_over_with_their_own_lengths():
    stream = [0xC0, 60, 61, 0xD2, 99, 0xB0, 64, 127, 0xE0, 1, 2, 0xA0, 60, 90]
    stream += [0xF0, 0x90 - 0x80, 60, 100, 0xF7, 60, 100]  # what the maker says, and a stray end
    assert NoteReader().feed(bytes([*stream, 0x91, 65, 50])) == [(65, 50)]


NOTES = st.lists(st.tuples(st.integers(0, 127), st.integers(1, 127)), max_size=20)


@given(NOTES, st.data())
def test_any_notes_come_through_however_they_are_written_and_cut(notes, data):
    stream: list[int] = []
    for number, (note, velocity) in enumerate(notes):
        running = number > 0 and data.draw(st.booleans())
        stream += [*([] if running else [0x90]), note, velocity]
        if data.draw(st.booleans()):
            stream.append(0xF8)
    cut = data.draw(st.integers(0, len(stream)))
    reader = NoteReader()
    assert reader.feed(bytes(stream[:cut])) + reader.feed(bytes(stream[cut:])) == notes


@given(st.binary(max_size=300))
def test_no_bytes_raise_and_what_comes_out_are_notes(read):
    for note, velocity in NoteReader().feed(read):
        assert 0 <= note <= 127
        assert 1 <= velocity <= 127


@given(st.integers(0, 127))
def test_every_note_has_a_name_that_a_message_takes(note):
    assert KeyPressed(key=module.key_name(note)).key == module.key_name(note)


def test_the_names_are_those_of_the_game():
    assert [module.key_name(note) for note in (60, 61, 69, 72)] == ["c4", "cs4", "a4", "c5"]
