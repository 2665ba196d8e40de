"""The in-memory twin of the MQTT bus: same semantics, no broker, no serialising.

Design overview
    `MemoryBroker` keeps retained State and knows who listens; a `MemoryBus` hands frozen
    envelopes over as they are. Delivery happens in a later turn of the loop, in order of
    publication, as it would over a wire. For virtual time, tests and simulated studies.

Threading
    One event loop, one thread.

Safety
    `vanish` is the twin of a killed process: the last will is executed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context

from sera.bus._codec import encode
from sera.bus._identity import Identity
from sera.bus._port import Bus
from sera.bus._topics import matches
from sera.messages import Envelope, Kind, State

_Content = bytes | Envelope


class MemoryBroker:
    """Where the buses of one process meet."""

    def __init__(self) -> None:
        self.retained: dict[str, _Content] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._buses: list[MemoryBus] = []
        self._hearers: dict[str, list[MemoryBus]] = {}  # by topic, until somebody's ears change

    def join(self, bus: MemoryBus) -> None:
        self._buses.append(bus)
        self.ears_changed()

    def leave(self, bus: MemoryBus) -> None:
        if bus in self._buses:
            self._buses.remove(bus)
        self.ears_changed()

    def ears_changed(self) -> None:
        """Somebody hears more or less than before."""
        self._hearers.clear()

    def publish(self, topic: str, content: _Content, *, retain: bool = False) -> None:
        """Hand a message to everybody who hears the topic; bytes are parsed as from a wire."""
        if retain:
            if content == b"":
                self.retained.pop(topic, None)
            else:
                self.retained[topic] = content
        hearers = self._hearers.get(topic)
        if hearers is None:
            hearers = self._hearers[topic] = [bus for bus in self._buses if bus.hears(topic)]
        for bus in hearers:
            self.hand_over(bus, topic, content)

    def hand_over(self, bus: MemoryBus, topic: str, content: _Content) -> None:
        """Let a bus take a message in a later turn, and not in the context of its publisher."""
        loop = self._loop
        if loop is None:  # asked for once: that takes a call of the system
            loop = self._loop = asyncio.get_running_loop()
        loop.call_soon(bus.take, topic, content, context=Context())


class MemoryBus(Bus):
    """One source's connection to a `MemoryBroker`."""

    def __init__(
        self,
        identity: Identity,
        broker: MemoryBroker,
        *,
        now: Callable[[], float],
        will: State | None = None,
        hears_everyone: bool | None = None,
    ) -> None:
        super().__init__(identity, now=now, will=will, hears_everyone=hears_everyone)
        self._broker = broker
        self._connected = False
        self._filters: list[str] = []
        self._tried: set[str] = set()
        """Topics of which a message was found fit for a wire."""

    @property
    def connected(self) -> bool:
        return self._connected

    async def connect(self) -> None:
        self._connected = True
        self.counters.connections += 1
        self._broker.join(self)
        for callback in self.on_connected:
            callback()

    async def close(self) -> None:
        if not self._connected:
            return
        for topic in self._retained:
            self._clear(topic)
        self._retained.clear()
        self._leave()

    def vanish(self) -> None:
        """Be gone without a farewell, as after kill -9: the last will is executed."""
        will = self._will_envelope()
        self._leave()
        for callback in self.on_disconnected:
            callback()
        if will is not None:
            topic = f"sera/{self.identity.run}/{will.character}/{will.type}/{will.source}"
            self._broker.publish(topic, will, retain=True)

    def hears(self, topic: str) -> bool:
        return any(matches(pattern, topic) for pattern in self._filters)

    def _leave(self) -> None:
        self._connected = False
        self._filters = []
        self._broker.leave(self)

    def take(self, topic: str, content: _Content) -> None:
        """Handle a message, in a later turn than that of its publication."""
        if self._connected:
            self._arrived(topic, content)

    def _carry(self, topic: str, envelope: Envelope) -> None:
        if not self._connected:  # gone: nobody will ever hear it
            self.counters.lost += 1
            return
        # What no broker would carry is refused here too. Of a stream the first one is tried: the
        # others are as large, and serialising frames for nobody takes longer than handing them on.
        if not envelope.message.stream or topic not in self._tried:
            encode(envelope)
            self._tried.add(topic)
        self._broker.publish(topic, envelope, retain=envelope.message.kind is Kind.STATE)

    def _clear(self, topic: str) -> None:
        self._broker.publish(topic, b"", retain=True)

    async def _start_hearing(self, wanted: list[str]) -> None:
        self._filters += wanted
        self._broker.ears_changed()
        for topic, content in self._broker.retained.items():
            if any(matches(pattern, topic) for pattern in wanted):
                self._broker.hand_over(self, topic, content)

    def _stop_hearing(self, unwanted: list[str]) -> None:
        self._filters = [item for item in self._filters if item not in unwanted]
        self._broker.ears_changed()
