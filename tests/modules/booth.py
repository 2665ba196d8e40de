"""A speaker alone on the bus, for tests of the voice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import Envelope, ModuleFault, Speak, SpeechFinished
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.clock import run as run_with_clock
from sera.runtime.workspace import Workspace
from tests.helpers import until

WORKSPACE = Workspace.discover(Path(__file__).parents[2])


class Booth:
    """A speaker alone on the bus, and somebody who orders it about."""

    def __init__(self, host: ModuleHost, someone: MemoryBus, heard: list[Envelope]) -> None:
        self.module: Any = host.module
        self.someone = someone
        self.heard = heard

    async def say(self, text: str, **how: Any) -> SpeechFinished:
        """Have a text said; its end comes back."""
        speech = self.someone.publish(Speak(text=text, **how)).id

        def ends() -> list[SpeechFinished]:
            return [end for end in self.of(SpeechFinished) if end.speech == speech]

        end: SpeechFinished = (await until(ends, "the end of a text"))[0]
        return end

    def of(self, kind: type[Any]) -> list[Any]:
        return [each.message for each in self.heard if isinstance(each.message, kind)]

    @property
    def faults(self) -> list[str]:
        return [fault.summary for fault in self.of(ModuleFault)]


def play(
    scene: Callable[[Booth], Any], folder: Path | None = None, clock: Any = "real", **settings: Any
) -> Any:
    async def main() -> Any:
        time, broker, heard = Clock.for_running_loop(), MemoryBroker(), []

        def bus(identity: Identity, will: Any = None, everyone: Any = None) -> MemoryBus:
            return MemoryBus(identity, broker, now=time.now, will=will, hears_everyone=everyone)

        someone, witness = bus(Identity("r", "ada", "someone")), bus(Identity("r", "world", "w"))
        await someone.connect()
        await witness.connect()
        await witness.subscribe(None, heard.append)
        host = ModuleHost(
            load_packaged_class(WORKSPACE, "speaker"),
            Identity("r", "ada", "speaker"),
            ModuleContext(clock=time, folder=folder),
            bus,
            settings=settings,
        )
        await host.open()
        task = asyncio.create_task(host.live())
        await host.started.wait()
        try:
            return await scene(Booth(host, someone, heard))
        finally:
            host.stop()
            await task

    return run_with_clock(main(), clock=clock)
