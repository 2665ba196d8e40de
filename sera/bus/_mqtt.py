"""The MQTT adapter, on gmqtt (MQTT 3.1.1).

Design overview
    gmqtt was chosen by measurement (docs/benchmarks.md). Its own reconnecting loses what was
    queued and waits six seconds, so every connection here is a new client: after the connection
    stand, in this order, the subscriptions, the retained State of this source, the Events that no
    broker has acknowledged, and whatever the runtime re-sends in `on_connected`.
    Streams travel at QoS 0; all else at QoS 1. While disconnected streams are dropped, State is
    remembered, Events wait in a bounded backlog; Actions are the runtime's outbox's concern.

Threading
    The event loop's thread only. gmqtt reads and writes in callbacks of that loop.

Safety
    Reconnecting never gives up (back-off from 50 ms to 2 s); only the first connection raises.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import Callable
from typing import Any

from gmqtt import Client as MqttClient
from gmqtt import Message as MqttMessage
from gmqtt import Subscription as MqttSubscription
from gmqtt.mqtt.constants import MQTTv311
from gmqtt.mqtt.handler import MQTTConnectError
from gmqtt.storage import PersistentStorage

from sera.bus._address import BrokerAddress
from sera.bus._codec import encode
from sera.bus._errors import BrokerRefused, BrokerUnreachable, BusError
from sera.bus._port import Bus, Identity
from sera.bus._topics import Topic
from sera.messages import Envelope, Kind, State

KEEP_ALIVE_S = 10
CONNECT_TIMEOUT_S = 5.0
HANG_UP_TIMEOUT_S = 0.3
BACKOFF_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0)
BACKLOG_LIMIT = 2000
STREAM_BACKLOG_LIMIT = 256
STREAM_BUFFER_LIMIT_BYTES = 1024 * 1024
NEVER_RECONNECT_BY_ITSELF = -2  # -1 would mean "without end", 0 still tries once

_log = logging.getLogger("sera.bus")
_quiet = logging.getLogger("sera.bus.gmqtt")
_quiet.setLevel(logging.CRITICAL)  # what it warns of is handled and said here


class _Unacknowledged(PersistentStorage):  # type: ignore[misc]  # gmqtt has no types
    """What the broker has not yet acknowledged, in order; None for what is not sent again."""

    def __init__(self) -> None:
        super().__init__()
        self.sending: tuple[str, Envelope] | None = None
        self.waiting: dict[int, tuple[str, Envelope] | None] = {}

    def push_message(self, mid: int, _raw_package: bytes) -> None:
        self.waiting[mid] = self.sending
        self.sending = None

    def remove_message_by_mid(self, mid: int) -> None:
        self.waiting.pop(mid, None)

    def events(self) -> list[tuple[str, Envelope]]:
        return [item for item in self.waiting.values() if item is not None]


class MqttBus(Bus):
    """One source's connection to one run on an MQTT broker."""

    def __init__(
        self,
        identity: Identity,
        address: BrokerAddress,
        *,
        now: Callable[[], float],
        will: State | None = None,
        hears_everyone: bool | None = None,
    ) -> None:
        super().__init__(identity, now=now, will=will, hears_everyone=hears_everyone)
        self.address = address
        self._client: Any = None
        self._transport: asyncio.Transport | None = None
        self._unacknowledged = _Unacknowledged()
        self._backlog: deque[tuple[str, Envelope]] = deque()
        self._stream_backlog: deque[tuple[str, Envelope]] = deque()
        self._flush_timer: asyncio.TimerHandle | None = None
        self._online = False
        self._closing = False
        self._subscribing: dict[int, asyncio.Future[tuple[int, ...]]] = {}
        self._reconnecting: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        return self._online

    # -- connecting -------------------------------------------------------------------------

    async def connect(self) -> None:
        await self._open()
        if not self._resume():
            raise BrokerUnreachable(str(self.address), "it closed the connection again")

    async def close(self) -> None:
        self._closing = True
        if self._reconnecting is not None:
            self._reconnecting.cancel()
            self._reconnecting = None
        if self._online:
            for topic in self._retained:
                self._clear(topic)
            await self._flushed()
            self._online = False
        self._retained.clear()
        client, self._client = self._client, None
        if client is not None:
            await _disconnect(client)

    async def _flushed(self, timeout_s: float = 0.5) -> None:
        """Wait until the broker has everything: a socket closed too early would lose it."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while self._unacknowledged.waiting or self._buffered_bytes():
            if not self._online or asyncio.get_running_loop().time() > deadline:
                return
            await asyncio.sleep(0.002)

    async def _open(self) -> None:
        will = self._will_envelope()
        client = MqttClient(
            f"{self.identity.run}.{self.identity.source}.{self.identity.boot}",
            will_message=None if will is None else self._mqtt_message(will, retain=True),
            persistent_storage=_Unacknowledged(),
            logger=_quiet,
        )
        client.set_config({"reconnect_retries": NEVER_RECONNECT_BY_ITSELF})
        client.on_message = self._on_message
        client.on_subscribe = self._on_subscribe
        client.on_disconnect = self._on_disconnect
        address = self.address
        if address.username:
            client.set_auth_credentials(address.username, address.password)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await client.connect(
                    address.host,
                    address.port,
                    ssl=address.ssl_context() or False,
                    keepalive=KEEP_ALIVE_S,
                    version=MQTTv311,
                )
        except MQTTConnectError as error:
            await _disconnect(client)
            why = error.message.removeprefix("Connection Refused: ")
            raise BrokerRefused(str(address), why, has_user=bool(address.username)) from None
        except TimeoutError:
            await _disconnect(client)
            raise BrokerUnreachable(
                str(address), f"no MQTT answer within {CONNECT_TIMEOUT_S:g} s"
            ) from None
        except ssl.SSLError as error:
            raise BrokerUnreachable(str(address), f"TLS: {error.reason or error}") from None
        except OSError as error:
            raise BrokerUnreachable(str(address), error.strerror or str(error)) from None
        self._client = client
        self._transport = client._connection._transport
        self.counters.connections += 1
        wanted = list(
            dict.fromkeys(item for entry in self._subscriptions for item in entry.filters)
        )
        await self._subscribe_filters(wanted)

    def _resume(self) -> bool:
        """Publish again what the broker may have lost, oldest first; False if it is gone again."""
        if not self._client.is_connected:
            return False
        earlier = [*self._unacknowledged.events(), *self._backlog]
        self._backlog.clear()
        self._unacknowledged = self._client._persistent_storage
        self._online = True
        for topic, envelope in self._retained.items():
            self._write(topic, envelope)
        for topic, envelope in earlier:
            self._write(topic, envelope)
        for callback in self.on_connected:
            callback()
        return True

    def _on_disconnect(self, client: Any, _packet: bytes, _error: Any = None) -> None:
        if client is not self._client or self._closing:
            return
        self._online = False
        for future in self._subscribing.values():
            if not future.done():
                future.set_exception(ConnectionError("connection lost"))
        self._subscribing.clear()
        for callback in self.on_disconnected:
            callback()
        if self._reconnecting is None or self._reconnecting.done():
            self._reconnecting = asyncio.get_running_loop().create_task(
                self._reconnect(), name=f"{self.identity.source} reconnecting"
            )

    async def _reconnect(self) -> None:
        attempt = 0
        while not self._closing:
            await asyncio.sleep(BACKOFF_S[min(attempt, len(BACKOFF_S) - 1)])
            attempt += 1
            try:
                await self._open()
            except (BusError, ConnectionError, OSError) as error:
                _log.debug("%s: attempt %d to reconnect: %s", self._source, attempt, error)
                continue
            if self._resume():
                return

    # -- speaking ---------------------------------------------------------------------------

    def _carry(self, topic: str, envelope: Envelope) -> None:
        if self._online:
            self._write(topic, envelope)
        elif envelope.message.stream:
            self.counters.dropped += 1
        elif envelope.message.kind not in (Kind.ACTION, Kind.STATE):
            self._keep(topic, envelope)

    def _keep(self, topic: str, envelope: Envelope) -> None:
        if len(self._backlog) >= BACKLOG_LIMIT:
            self._backlog.popleft()
            self.counters.lost += 1
        self._backlog.append((topic, envelope))

    def _write(self, topic: str, envelope: Envelope) -> None:
        message = envelope.message
        if message.stream:
            if self._stream_backlog or self._buffered_bytes() > STREAM_BUFFER_LIMIT_BYTES:
                self._queue_stream(topic, envelope)
            else:
                self._client.publish(MqttMessage(topic, encode(envelope)))
            return
        kind = message.kind
        kept = kind in (Kind.EVENT, Kind.PERCEPTION)
        if kept and self._backlog:
            self._keep(topic, envelope)
            return
        self._unacknowledged.sending = (topic, envelope) if kept else None
        payload = encode(envelope)
        try:
            self._client.publish(MqttMessage(topic, payload, qos=1, retain=kind is Kind.STATE))
        except OverflowError:  # 65,535 messages wait for the broker's acknowledgement
            if kept:
                self._keep(topic, envelope)
                self._flush_soon()

    def _queue_stream(self, topic: str, envelope: Envelope) -> None:
        """The socket is slower than the stream: the newest values wait, the oldest give way."""
        if len(self._stream_backlog) >= STREAM_BACKLOG_LIMIT:
            self._stream_backlog.popleft()
            self.counters.dropped += 1
        self._stream_backlog.append((topic, envelope))
        self._flush_soon()

    def _flush_soon(self) -> None:
        if self._flush_timer is None:
            self._flush_timer = asyncio.get_running_loop().call_later(0.002, self._flush)

    def _flush(self) -> None:
        self._flush_timer = None
        if not self._online:
            self.counters.dropped += len(self._stream_backlog)
            self._stream_backlog.clear()
            return
        waiting, self._backlog = self._backlog, deque()
        for topic, envelope in waiting:
            self._write(topic, envelope)
        while self._stream_backlog and self._buffered_bytes() <= STREAM_BUFFER_LIMIT_BYTES:
            topic, envelope = self._stream_backlog.popleft()
            self._client.publish(MqttMessage(topic, encode(envelope)))
        if self._stream_backlog or self._backlog:
            self._flush_soon()

    def _buffered_bytes(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    async def drain(self, limit_bytes: int = 64 * 1024) -> None:
        """Wait until less than that is waiting for the socket: for those who publish in bulk."""
        while self._online and self._buffered_bytes() > limit_bytes:
            await asyncio.sleep(0.001)

    def _clear(self, topic: str) -> None:
        if self._online:
            self._client.publish(MqttMessage(topic, b"", qos=1, retain=True))

    def _mqtt_message(self, envelope: Envelope, *, retain: bool) -> MqttMessage:
        topic = Topic(self.identity.run, envelope.character, envelope.type, envelope.source)
        return MqttMessage(str(topic), encode(envelope), qos=1, retain=retain)

    # -- listening --------------------------------------------------------------------------

    def _on_message(
        self, _client: Any, topic: str, payload: bytes, _qos: int, _properties: Any
    ) -> int:
        self._arrived(topic, payload)
        return 0

    async def _start_hearing(self, wanted: list[str]) -> None:
        if not self._online:  # the filters are put in force when the connection stands
            return
        try:
            await self._subscribe_filters(wanted)
        except ConnectionError:
            return  # the reconnect subscribes to all of them

    async def _subscribe_filters(self, wanted: list[str]) -> None:
        if not wanted:
            return
        mid = self._client.subscribe([MqttSubscription(item, qos=1) for item in wanted])
        future = asyncio.get_running_loop().create_future()
        self._subscribing[mid] = future
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            granted = await future
        if any(qos >= 128 for qos in granted):
            raise BusError(
                f"the broker at {self.address} does not let {self._source} hear "
                f"{wanted[0]}: check its access rules"
            )

    def _on_subscribe(self, _client: Any, mid: int, qos: Any, _properties: Any) -> None:
        future = self._subscribing.pop(mid, None)
        if future is not None and not future.done():
            future.set_result(tuple(qos))

    def _stop_hearing(self, unwanted: list[str]) -> None:
        if self._online:
            for item in unwanted:
                self._client.unsubscribe(item)


async def _disconnect(client: Any) -> None:
    """Take leave and let the broker hang up.

    Whoever closes a socket with unread messages in it resets the connection, and the farewell may
    be lost on the way: the broker would then execute the last will.
    """
    connection = client._connection
    if connection is None:
        return
    client._is_active = False
    connection._keep_connection_callback.cancel()
    if not connection.is_closing():
        connection.send_disconnect()
        await asyncio.wait([connection._protocol.closed], timeout=HANG_UP_TIMEOUT_S)
    connection._transport.abort()
