"""Brokers that tests of all rooms share: one of each kind a session, and what they keep."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import paho.mqtt.client as paho
import pytest

from sera.bus import BrokerAddress, EmbeddedBroker
from tests.helpers import PATIENCE_S


class _BrokerThread:
    """A broker in a thread of its own, so that it outlives the event loops of single tests."""

    def __init__(self, kind: str) -> None:
        self.broker = EmbeddedBroker(prefer=kind)  # type: ignore[arg-type]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.broker.start(), self._loop).result(PATIENCE_S)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.broker.stop(), self._loop).result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()


_running: dict[str, _BrokerThread] = {}


def broker_of(kind: str) -> EmbeddedBroker:
    """The broker of a kind, started when it is first asked for."""
    if kind not in _running:
        _running[kind] = _BrokerThread(kind)
    return _running[kind].broker


def _address_of(kind: str) -> BrokerAddress:
    broker = broker_of(kind)
    return BrokerAddress(broker.host, broker.port)


@pytest.fixture(scope="session")
def shared_brokers() -> Iterator[Callable[[str], BrokerAddress]]:
    """Give the address of the broker of a kind.

    Every room that imports this has a fixture of its own, but the brokers are the same.
    """
    yield _address_of
    while _running:
        _running.popitem()[1].stop()


def connected_stranger(address: BrokerAddress) -> paho.Client:
    """A client that knows nothing of SERA."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect(address.host, address.port)
    client.loop_start()
    return client


def retained_topics(address: BrokerAddress, run: str | None = None) -> list[str]:
    """What a subscriber gets that comes last: all that is retained, then its own marker.

    Args:
        address: of the broker.
        run: whose; None: everything, not only of runs.
    """
    found: list[str] = []
    complete = threading.Event()
    client = connected_stranger(address)
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
    wanted = "#" if run is None else f"sera/{run}/#"
    client.subscribe([(wanted, 1), (marker, 1)])
    assert complete.wait(PATIENCE_S)
    client.disconnect()
    client.loop_stop()
    return found
