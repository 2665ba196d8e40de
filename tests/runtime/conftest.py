"""What the tests of the runtime share: a troupe of modules in memory, and a bus for hard times."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sera.bus import Bus, Identity, MemoryBroker, MemoryBus
from sera.bus._topics import matches
from sera.messages import Envelope, Kind, Message, State
from sera.runtime import Clock, Module, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime.clock import run
from tests.bus.brokers import shared_brokers  # noqa: F401


class Troupe:
    """Modules on an in-memory bus, a witness who hears everything, and a stranger who speaks."""

    def __init__(self) -> None:
        self.broker = MemoryBroker()
        self.clock = Clock.for_running_loop()
        self.heard: list[Envelope] = []
        self.hosts: list[ModuleHost] = []
        self.tasks: dict[ModuleHost, asyncio.Task[None]] = {}
        self.stranger = self._bus(Identity("run", "world", "stranger"))
        self._witness = self._bus(Identity("run", "world", "witness"))

    def _bus(
        self, identity: Identity, will: State | None = None, hears_everyone: bool | None = None
    ) -> MemoryBus:
        return MemoryBus(
            identity, self.broker, now=self.clock.now, will=will, hears_everyone=hears_everyone
        )

    async def open(self) -> None:
        await self.stranger.connect()
        await self._witness.connect()
        await self._witness.subscribe(None, self.heard.append)

    def host(
        self, module_class: type[Module], source: str, *, boot: int = 0, **options: Any
    ) -> ModuleHost:
        """A module that is not yet connected."""
        character, _, name = source.partition(".")
        context = options.pop("context", None) or ModuleContext(clock=self.clock)
        host = ModuleHost(
            module_class, Identity("run", character, name, boot), context, self._bus, **options
        )
        self.hosts.append(host)
        return host

    async def add(self, module_class: type[Module], source: str, **options: Any) -> Any:
        """A module that has started; gives the module."""
        host = self.host(module_class, source, **options)
        await self.let_live(host)
        await host.started.wait()
        await asyncio.sleep(0.001)
        return host.module

    async def let_live(self, host: ModuleHost) -> asyncio.Task[None]:
        await host.open()
        self.tasks[host] = asyncio.create_task(host.live(), name=host.identity.source)
        return self.tasks[host]

    async def say(self, *messages: Message, character: str = "ada") -> list[Envelope]:
        """Let the stranger say something that is no matter of delivery, and be heard."""
        said = [self.stranger.publish(message, character=character) for message in messages]
        await asyncio.sleep(0.001)
        return said

    def all(self, message_type: type[Message], source: str | None = None) -> list[Envelope]:
        """What the witness heard of a type."""
        return [
            envelope
            for envelope in self.heard
            if isinstance(envelope.message, message_type) and source in (None, envelope.source)
        ]

    async def leave(self) -> None:
        for host in self.hosts:
            host.stop()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


@pytest.fixture
def in_virtual_time() -> Callable[[Callable[[Troupe], Awaitable[None]]], None]:
    """Play a scene with a troupe in virtual time."""

    def play(scene: Callable[[Troupe], Awaitable[None]]) -> None:
        async def main() -> None:
            troupe = Troupe()
            await troupe.open()
            await scene(troupe)
            await troupe.leave()

        run(main(), clock="virtual")

    return play


class ChaosBroker:
    """A broker that can die, and a network that takes its time."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.up = True
        self.epoch = 0
        self.retained: dict[str, Envelope] = {}
        self.buses: list[ChaosBus] = []

    def route(self, topic: str, content: Envelope | bytes, *, retain: bool) -> None:
        if not self.up:
            return
        if retain and isinstance(content, bytes):
            self.retained.pop(topic, None)
        elif retain and isinstance(content, Envelope):
            self.retained[topic] = content
        for bus in self.buses:
            if bus.online and bus.hears(topic):
                bus.deliver_later(topic, content)

    def die(self) -> None:
        self.up = False
        self.epoch += 1
        self.retained.clear()
        for bus in list(self.buses):
            bus.cut(will=False)


class ChaosBus(Bus):
    """A connection to a `ChaosBroker`, with the habits of `MqttBus`."""

    def __init__(self, identity: Identity, broker: ChaosBroker, **options: Any) -> None:
        super().__init__(identity, **options)
        self.broker = broker
        self.online = False
        self.dead = False
        self.epoch = 0
        self._in_at_s = self._out_at_s = 0.0
        self._backlog: list[tuple[str, Envelope]] = []

    @property
    def connected(self) -> bool:
        return self.online

    def hears(self, topic: str) -> bool:
        return any(matches(pattern, topic) for pattern in self._all_filters())

    async def connect(self) -> None:
        while not self._try_to_join():
            await asyncio.sleep(0.1)

    async def close(self) -> None:
        said, self._retained = self._retained, {}
        for topic in said:
            self._clear(topic)
        if self.online:
            await asyncio.sleep(0.05)
        self.dead, self.online = True, False

    def kill(self) -> None:
        """As kill -9 of the process: nothing goes out any more but the last will."""
        self.cut(will=True, forever=True)

    def cut(self, *, will: bool, forever: bool = False) -> None:
        """Lose the connection and what is under way on it."""
        self.dead |= forever
        if not self.online:
            return
        self.online = False
        self.epoch += 1
        loop = asyncio.get_running_loop()
        if will:
            self._execute_will_later()
        for callback in self.on_disconnected:
            callback()
        if not forever:
            self._in_at_s = self._out_at_s = 0.0
            loop.call_later(self.broker.rng.uniform(0.05, 1.5), self._try_to_join)

    def _execute_will_later(self) -> None:
        envelope = self._current_will
        assert envelope is not None
        topic = f"sera/run/{envelope.character}/{envelope.type}/{self._source}"
        epoch = self.broker.epoch

        def execute() -> None:
            if self.broker.epoch == epoch:
                self.broker.route(topic, envelope, retain=True)

        # A broker notices a dead connection late; a client that is back by then was quicker.
        asyncio.get_running_loop().call_later(self.broker.rng.uniform(0.0, 0.6), execute)

    def _try_to_join(self) -> bool:
        if self.dead or self.online:
            return True
        if not self.broker.up:
            asyncio.get_running_loop().call_later(
                self.broker.rng.uniform(0.05, 1.0), self._try_to_join
            )
            return False
        self.online = True
        self.counters.connections += 1
        self._current_will = self._will_envelope()
        if self not in self.broker.buses:
            self.broker.buses.append(self)
        self._bring_retained(self._all_filters())
        for topic, envelope in self._retained.items():
            self._carry(topic, envelope)
        backlog, self._backlog = self._backlog, []
        for topic, envelope in backlog:
            self._carry(topic, envelope)
        for callback in self.on_connected:
            callback()
        return True

    def _carry(self, topic: str, envelope: Envelope) -> None:
        if self.dead:
            return
        if not self.online:
            if envelope.message.kind is Kind.EVENT:
                self._backlog.append((topic, envelope))
            return
        self._send_later(topic, envelope, retain=envelope.message.kind is Kind.STATE)

    def _clear(self, topic: str) -> None:
        if self.online:
            self._send_later(topic, b"", retain=True)

    def _send_later(self, topic: str, content: Envelope | bytes, *, retain: bool) -> None:
        loop = asyncio.get_running_loop()
        self._out_at_s = max(self._out_at_s, loop.time() + self.broker.rng.uniform(0.0005, 0.02))
        epochs = (self.epoch, self.broker.epoch)

        def arrive() -> None:
            if (self.epoch, self.broker.epoch) == epochs:
                self.broker.route(topic, content, retain=retain)

        loop.call_at(self._out_at_s, arrive)

    def deliver_later(self, topic: str, content: Envelope | bytes) -> None:
        loop = asyncio.get_running_loop()
        self._in_at_s = max(self._in_at_s, loop.time() + self.broker.rng.uniform(0.0005, 0.02))
        epoch = self.epoch

        def arrive() -> None:
            if self.epoch == epoch and self.online:
                self._arrived(topic, content)

        loop.call_at(self._in_at_s, arrive)

    def _bring_retained(self, filters: list[str]) -> None:
        for topic, content in self.broker.retained.items():
            if any(matches(pattern, topic) for pattern in filters):
                self.deliver_later(topic, content)

    async def _start_hearing(self, wanted: list[str]) -> None:
        if self.online:
            self._bring_retained(wanted)
            await asyncio.sleep(0.01)

    def _stop_hearing(self, unwanted: list[str]) -> None: ...


@pytest.fixture(scope="session")
def hard_times() -> SimpleNamespace:
    """`Broker` and `Bus` that behave as MQTT does when everything goes wrong."""
    return SimpleNamespace(Broker=ChaosBroker, Bus=ChaosBus)
