"""What the tests of the bus share: one way to join a run, whatever carries the messages.

`carrier` stands for the in-memory twin, MQTT on mosquitto and MQTT on amqtt in turn, so that a
test written once holds for all three. The two brokers are started once for all tests; each test
has a run of its own, as two runs on a lab's broker have.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable

import paho.mqtt.client as paho
import pytest

from sera.bus import (
    BrokerAddress,
    Bus,
    Identity,
    MemoryBroker,
    MemoryBus,
    MqttBus,
)
from sera.messages import Envelope, Message, State
from tests.bus.brokers import connected_stranger, retained_topics, shared_brokers  # noqa: F401
from tests.helpers import PATIENCE_S, until

_run_numbers = itertools.count(1)


class Heard(list[Envelope]):
    """What a subscriber heard, in order."""

    def __call__(self, envelope: Envelope) -> None:
        self.append(envelope)

    @property
    def messages(self) -> list[Message]:
        return [envelope.message for envelope in self]

    async def reaches(self, count: int) -> None:
        """Wait until so many were heard."""
        await until(lambda: len(self) >= count, f"hearing {count}")


class Carrier(ABC):
    """One way to carry messages, with the means to do it harm."""

    def __init__(self) -> None:
        self.run = f"run_{next(_run_numbers)}"
        self._buses: list[Bus] = []

    async def join(
        self,
        source: str,
        *,
        run: str | None = None,
        boot: int = 0,
        will: State | None = None,
        hears_everyone: bool | None = None,
        connected: bool = True,
    ) -> Bus:
        """Connect as `<character>.<module>`."""
        character, _, module = source.partition(".")
        identity = Identity(run or self.run, character, module, boot)
        bus = self._make(identity, will, hears_everyone)
        self._buses.append(bus)
        if connected:
            await bus.connect()
        return bus

    async def hear(
        self, bus: Bus, *types: type[Message], characters: list[str] | None = None
    ) -> Heard:
        """Subscribe to these types (to all, where none is given); gives what will be heard."""
        heard = Heard()
        await bus.subscribe(types or None, heard, characters=characters)
        return heard

    async def leave_nothing(self) -> None:
        for bus in self._buses:
            await bus.close()

    @abstractmethod
    def _make(self, identity: Identity, will: State | None, hears_everyone: bool | None) -> Bus: ...

    @abstractmethod
    def kill(self, bus: Bus) -> None:
        """Let a bus die as its process would under kill -9."""

    @abstractmethod
    async def inject(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish raw bytes as a stranger would."""

    @abstractmethod
    async def retained_topics(self, run: str | None = None) -> list[str]:
        """Where the broker keeps something for late-comers of that run."""


class MemoryCarrier(Carrier):
    def __init__(self) -> None:
        super().__init__()
        self.broker = MemoryBroker()

    def _make(self, identity: Identity, will: State | None, hears_everyone: bool | None) -> Bus:
        return MemoryBus(
            identity, self.broker, now=time.time, will=will, hears_everyone=hears_everyone
        )

    def kill(self, bus: Bus) -> None:
        assert isinstance(bus, MemoryBus)
        bus.vanish()

    async def inject(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.broker.publish(topic, payload, retain=retain)

    async def retained_topics(self, run: str | None = None) -> list[str]:
        return [t for t in self.broker.retained if t.startswith(f"sera/{run or self.run}/")]


class MqttCarrier(Carrier):
    def __init__(self, address: BrokerAddress) -> None:
        super().__init__()
        self.address = address
        self._stranger: paho.Client | None = None

    def _make(self, identity: Identity, will: State | None, hears_everyone: bool | None) -> Bus:
        return MqttBus(
            identity, self.address, now=time.time, will=will, hears_everyone=hears_everyone
        )

    def kill(self, bus: Bus) -> None:
        assert isinstance(bus, MqttBus)
        transport = bus._transport
        bus._closing = True  # a dead process does not reconnect
        bus._online = False
        bus._client = None
        assert transport is not None
        transport.abort()

    async def inject(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        if self._stranger is None:
            self._stranger = await asyncio.to_thread(connected_stranger, self.address)
        info = self._stranger.publish(topic, payload, qos=1, retain=retain)
        await asyncio.to_thread(info.wait_for_publish, PATIENCE_S)
        assert info.is_published()

    async def retained_topics(self, run: str | None = None) -> list[str]:
        return await asyncio.to_thread(retained_topics, self.address, run or self.run)

    async def leave_nothing(self) -> None:
        await super().leave_nothing()
        if self._stranger is not None:
            self._stranger.disconnect()
            self._stranger.loop_stop()


@pytest.fixture(
    params=[
        "memory",
        pytest.param("mosquitto", marks=pytest.mark.needs_program("mosquitto")),
        "amqtt",
    ]
)
async def carrier(
    request: pytest.FixtureRequest,
    shared_brokers: Callable[[str], BrokerAddress],  # noqa: F811
) -> AsyncIterator[Carrier]:
    """Each way to carry messages in turn, with a run of its own."""
    carried: Carrier
    if request.param == "memory":
        carried = MemoryCarrier()
    else:
        carried = MqttCarrier(shared_brokers(request.param))
    yield carried
    await carried.leave_nothing()
