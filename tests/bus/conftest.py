"""What the tests of the bus share: one way to join a run, whatever carries the messages.

`carrier` stands for the in-memory twin, MQTT on mosquitto and MQTT on amqtt in turn, so that a
test written once holds for all three. The two brokers are started once for all tests; each test
has a run of its own, as two runs on a lab's broker have.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import paho.mqtt.client as paho
import pytest

from sera.bus import (
    BrokerAddress,
    Bus,
    EmbeddedBroker,
    Identity,
    MemoryBroker,
    MemoryBus,
    MqttBus,
)
from sera.messages import Envelope, Message, State

_run_numbers = itertools.count(1)


class Heard(list[Envelope]):
    """What a subscriber heard, in order."""

    def __call__(self, envelope: Envelope) -> None:
        self.append(envelope)

    @property
    def messages(self) -> list[Message]:
        return [envelope.message for envelope in self]

    async def reaches(self, count: int, *, within_s: float = 5.0) -> None:
        """Wait until so many were heard."""
        deadline_s = time.monotonic() + within_s
        while len(self) < count:
            assert time.monotonic() < deadline_s, f"heard {len(self)} of {count} in {within_s} s"
            await asyncio.sleep(0.002)


async def _until(condition: Callable[[], bool], *, within_s: float = 5.0) -> float:
    begin_s = time.monotonic()
    while not condition():
        assert time.monotonic() - begin_s < within_s, f"not within {within_s} s"
        await asyncio.sleep(0.002)
    return time.monotonic() - begin_s


@pytest.fixture
def until() -> Callable[..., Awaitable[float]]:
    """Poll until a condition holds; gives how long it took, in seconds."""
    return _until


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
            self._stranger = await asyncio.to_thread(self._connect_stranger)
        info = self._stranger.publish(topic, payload, qos=1, retain=retain)
        await asyncio.to_thread(info.wait_for_publish, 5.0)
        assert info.is_published()

    async def retained_topics(self, run: str | None = None) -> list[str]:
        return await asyncio.to_thread(self._ask_for_retained, run or self.run)

    async def leave_nothing(self) -> None:
        await super().leave_nothing()
        if self._stranger is not None:
            self._stranger.disconnect()
            self._stranger.loop_stop()

    def _connect_stranger(self) -> paho.Client:
        client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        client.connect(self.address.host, self.address.port)
        client.loop_start()
        return client

    def _ask_for_retained(self, run: str) -> list[str]:
        """What a subscriber gets that comes last: all that is retained, then its own marker."""
        found: list[str] = []
        complete = threading.Event()
        client = self._connect_stranger()
        marker = f"marker/{run}"

        def take(_client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
            if message.topic == marker:
                complete.set()
            elif message.payload:
                found.append(message.topic)

        def ask(*_: object) -> None:
            client.publish(marker, b"1", qos=1)

        client.on_message = take
        client.on_subscribe = ask
        client.subscribe([(f"sera/{run}/#", 1), (marker, 1)])
        assert complete.wait(5.0)
        client.disconnect()
        client.loop_stop()
        return found


class _BrokerThread:
    """A broker in a thread of its own, so that it outlives the event loops of single tests."""

    def __init__(self, kind: str) -> None:
        self._broker = EmbeddedBroker(prefer=kind)  # type: ignore[arg-type]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._broker.start(), self._loop).result(20.0)
        self.address = BrokerAddress(self._broker.host, self._broker.port)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._broker.stop(), self._loop).result(10.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5.0)
        self._loop.close()


@pytest.fixture(scope="session")
def shared_brokers() -> Iterator[Callable[[str], BrokerAddress]]:
    """Give the address of the broker of a kind, started when it is first asked for."""
    running: dict[str, _BrokerThread] = {}

    def address_of(kind: str) -> BrokerAddress:
        if kind not in running:
            running[kind] = _BrokerThread(kind)
        return running[kind].address

    yield address_of
    for broker in running.values():
        broker.stop()


@pytest.fixture(
    params=[
        "memory",
        pytest.param("mosquitto", marks=pytest.mark.needs_program("mosquitto")),
        "amqtt",
    ]
)
async def carrier(
    request: pytest.FixtureRequest, shared_brokers: Callable[[str], BrokerAddress]
) -> AsyncIterator[Carrier]:
    """Each way to carry messages in turn, with a run of its own."""
    carried: Carrier
    if request.param == "memory":
        carried = MemoryCarrier()
    else:
        carried = MqttCarrier(shared_brokers(request.param))
    yield carried
    await carried.leave_nothing()
