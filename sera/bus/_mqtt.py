"""The MQTT adapter, on gmqtt (MQTT 3.1.1).

Design overview
    gmqtt was chosen by measurement (docs/benchmarks.md). Its own reconnecting loses what was
    queued and waits six seconds, so every connection here is a new client: after the connection
    stand, in this order, the subscriptions, the retained State of this source, whatever the
    runtime re-sends in `on_connected`, and the Events that no broker has acknowledged. These wait
    a moment, because others may need one attempt more to be back and would not hear them.
    Streams travel at QoS 0; all else at QoS 1. While disconnected streams are dropped, State is
    remembered, Events wait in a bounded backlog; Actions are the runtime's outbox's concern.

Threading
    The event loop's thread only. gmqtt reads and writes in callbacks of that loop.

Safety
    Reconnecting never gives up (back-off from 50 ms to 2 s); only the first connection raises.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from gmqtt import Message as MqttMessage
from gmqtt import Subscription as MqttSubscription

from sera.bus import _mqtt_client
from sera.bus._address import BrokerAddress
from sera.bus._codec import encode
from sera.bus._errors import BrokerUnreachable, BusError
from sera.bus._identity import Identity
from sera.bus._mqtt_client import Unacknowledged, close_client, open_client
from sera.bus._port import Bus
from sera.bus._topics import Topic
from sera.messages import Envelope, Kind, State

BACKOFF_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0)
SETTLE_S = 0.2
BACKLOG_LIMIT = 2000
STREAM_BACKLOG_LIMIT = 256
STREAM_BUFFER_LIMIT_BYTES = 1024 * 1024

_log = logging.getLogger("sera.bus")


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
        self._unacknowledged = Unacknowledged()
        self._backlog: deque[tuple[str, Envelope]] = deque()
        self._stream_backlog: deque[tuple[str, Envelope]] = deque()
        self._flush_timer: asyncio.TimerHandle | None = None
        self._settle_timer: asyncio.TimerHandle | None = None
        self._online = False
        self._closing = False
        self._subscribing: dict[int, asyncio.Future[tuple[int, ...]]] = {}
        self._reconnecting: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        return self._online

    # -- connecting -------------------------------------------------------------------------

    async def connect(self) -> None:
        stands = False
        try:
            await self._open()
            stands = self._resume()
        finally:
            if not stands:
                await self._hang_up()
        if not stands:
            raise BrokerUnreachable(str(self.address), "it closed the connection again")

    async def close(self) -> None:
        self._closing = True
        said, self._retained = self._retained, {}
        if self._online:
            self._settled()
            for topic in said:
                self._clear(topic)
            await self._flushed()
        await self._hang_up()
        if self._backlog:
            self.counters.lost += len(self._backlog)
            _log.warning("%s left without a broker for its last Events", self._source)
            self._backlog.clear()

    async def _hang_up(self) -> None:
        """Be disconnected, whatever was under way."""
        self._online = False
        reconnecting, self._reconnecting = self._reconnecting, None
        if reconnecting is not None:
            reconnecting.cancel()
            await asyncio.wait([reconnecting])
        client, self._client = self._client, None
        if client is not None:
            await close_client(client)

    async def _flushed(self, timeout_s: float = 0.5) -> None:
        """Wait until the broker has everything: a socket closed too early would lose it."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while self._unacknowledged.waiting or self._backlog or self._buffered_bytes():
            if not self._online or asyncio.get_running_loop().time() > deadline:
                return
            await asyncio.sleep(0.002)

    async def _open(self) -> None:
        will = self._will_envelope()
        self._client = client = await open_client(
            f"{self.identity.run}.{self.identity.source}.{self.identity.boot}",
            self.address,
            will=None if will is None else self._mqtt_message(will, retain=True),
            on_message=self._on_message,
            on_subscribe=self._on_subscribe,
            on_disconnect=self._on_disconnect,
        )
        self._transport = client._connection._transport
        self.counters.connections += 1
        await self._subscribe_filters(self._all_filters())

    def _resume(self, settle_s: float = 0.0) -> bool:
        """Publish again what the broker may have lost; False if it is gone again."""
        if not self._client.is_connected:
            return False
        self._backlog.extendleft(reversed(self._unacknowledged.events()))
        self._unacknowledged = self._client._persistent_storage
        self._online = True
        for topic, envelope in self._retained.items():
            self._write(topic, envelope)
        if settle_s:
            loop = asyncio.get_running_loop()
            self._settle_timer = loop.call_later(settle_s, self._settled)
        for callback in self.on_connected:
            callback()
        return True

    def _settled(self) -> None:
        """Whoever lost the connection with us has had time to be back: Events may go."""
        if self._settle_timer is not None:
            self._settle_timer.cancel()
            self._settle_timer = None
        self._flush()

    def _on_disconnect(self, client: Any, _packet: bytes, _error: Any = None) -> None:
        if client is not self._client:
            return
        self._online = False
        if self._settle_timer is not None:
            self._settle_timer.cancel()
            self._settle_timer = None
        for future in self._subscribing.values():
            if not future.done():
                future.set_exception(ConnectionError("connection lost"))
        self._subscribing.clear()
        if self._closing:
            return
        self.trouble = "it closed the connection"
        for callback in self.on_disconnected:
            callback()
        if self._reconnecting is None or self._reconnecting.done():
            self._reconnecting = asyncio.get_running_loop().create_task(
                self._reconnect(), name=f"{self.identity.source} reconnecting"
            )

    async def _reconnect(self) -> None:
        attempt = 0
        while not self._closing:
            await asyncio.sleep(_pause_s(attempt))
            attempt += 1
            try:
                await self._open()
            except (BusError, OSError) as error:
                self.trouble = getattr(error, "why", "") or str(error)
                _log.debug("%s: attempt %d to reconnect: %s", self._source, attempt, error)
                continue
            # Others have the same pauses: who failed a moment before us is back after one more.
            if self._resume(settle_s=_pause_s(attempt) + SETTLE_S):
                return

    # -- speaking ---------------------------------------------------------------------------

    def _carry(self, topic: str, envelope: Envelope) -> None:
        if self._online:
            self._write(topic, envelope)
            return
        encode(envelope)  # what is too large is refused now, not when the connection is back
        if self._closing:
            self.counters.lost += 1
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
        payload = encode(envelope)
        if kept and (self._backlog or self._settle_timer is not None):
            self._keep(topic, envelope)
            return
        self._unacknowledged.sending = (topic, envelope) if kept else None
        try:
            self._client.publish(MqttMessage(topic, payload, qos=1, retain=kind is Kind.STATE))
        except OverflowError:  # 65,535 messages wait for the broker's acknowledgement
            if kind is not Kind.ACTION:  # which the runtime sends again
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
        if self._settle_timer is None:
            waiting, self._backlog = self._backlog, deque()
            for topic, envelope in waiting:
                self._write(topic, envelope)
        while self._stream_backlog and self._buffered_bytes() <= STREAM_BUFFER_LIMIT_BYTES:
            topic, envelope = self._stream_backlog.popleft()
            self._client.publish(MqttMessage(topic, encode(envelope)))
        if self._stream_backlog or (self._backlog and self._settle_timer is None):
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
        self, _client: Any, topic: str | bytes, payload: bytes, _qos: int, _properties: Any
    ) -> int:
        # gmqtt hands over as bytes what is not UTF-8.
        self._arrived(topic if isinstance(topic, str) else topic.decode(errors="replace"), payload)
        return 0

    async def _start_hearing(self, wanted: list[str]) -> None:
        if not self._online:  # the filters are put in force when the connection stands
            return
        with contextlib.suppress(ConnectionError):  # the reconnect subscribes to all of them
            await self._subscribe_filters(wanted)

    async def _subscribe_filters(self, wanted: list[str]) -> None:
        if not wanted:
            return
        mid = self._client.subscribe([MqttSubscription(item, qos=1) for item in wanted])
        future = asyncio.get_running_loop().create_future()
        self._subscribing[mid] = future
        try:
            async with asyncio.timeout(_mqtt_client.CONNECT_TIMEOUT_S):
                granted = await future
        except TimeoutError:
            raise BusError(
                f"the broker at {self.address} did not confirm what {self._source} wants to hear"
            ) from None
        finally:
            self._subscribing.pop(mid, None)
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


def _pause_s(attempt: int) -> float:
    return BACKOFF_S[min(attempt, len(BACKOFF_S) - 1)]
