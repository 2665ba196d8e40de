"""A connection that only listens, to what really travels: payloads, valid or not, of any run."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any

from gmqtt import Message as MqttMessage
from gmqtt import Subscription as MqttSubscription

from sera.bus._address import BrokerAddress
from sera.bus._errors import BusError
from sera.bus._mqtt_client import close_client, open_client
from sera.bus._topics import Topic

CONFIRM_TIMEOUT_S = 5.0
RETRY_AFTER_S = (0.1, 0.2, 0.5, 1.0, 2.0)


class Listener:
    """Hears payloads on an MQTT broker; it has no presence and says nothing.

    Args:
        address: the broker.
        wanted: which topics, with `+` and `#`.
        heard: called for every payload that travels under a topic of SERA.
    """

    def __init__(
        self, address: BrokerAddress, wanted: str, heard: Callable[[Topic, bytes], None]
    ) -> None:
        self._address = address
        self._wanted = wanted
        self._heard = heard
        self._client: Any = None
        self._confirmed: asyncio.Future[tuple[int, ...]] | None = None
        self._reconnecting: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Listen; what the broker has kept arrives at once.

        Raises:
            BusError: the broker cannot be reached, or does not let us listen.
        """
        name = f"sera-listener-{os.getpid()}-{time.time_ns()}"
        self._client = await open_client(
            name,
            self._address,
            will=None,
            on_message=self._on_message,
            on_subscribe=self._on_subscribe,
            on_disconnect=self._on_disconnect,
        )
        self._confirmed = asyncio.get_running_loop().create_future()
        self._client.subscribe([MqttSubscription(self._wanted, qos=1)])
        try:
            async with asyncio.timeout(CONFIRM_TIMEOUT_S):
                granted = await self._confirmed
        except TimeoutError:
            granted = ()
        if not granted or any(qos >= 128 for qos in granted):
            await self.close()
            raise BusError(
                f"the broker at {self._address} does not let us hear {self._wanted}: check its "
                "access rules"
            )

    async def close(self) -> None:
        """Stop listening."""
        reconnecting, self._reconnecting = self._reconnecting, None
        if reconnecting is not None:
            reconnecting.cancel()
        client, self._client = self._client, None
        if client is not None:
            await close_client(client)

    def clear(self, topic: str) -> None:
        """Clear what the broker has kept for a topic."""
        if self._client is not None and self._client.is_connected:
            self._client.publish(MqttMessage(topic, b"", qos=1, retain=True))

    def _on_message(
        self, _client: Any, topic: str, payload: bytes, _qos: int, _properties: Any
    ) -> int:
        parsed = Topic.parse(topic)
        if parsed is not None:
            self._heard(parsed, payload)
        return 0

    def _on_subscribe(self, _client: Any, _mid: int, qos: Any, _properties: Any) -> None:
        if self._confirmed is not None and not self._confirmed.done():
            self._confirmed.set_result(tuple(qos))

    def _on_disconnect(self, client: Any, *_details: Any) -> None:
        if client is self._client and self._reconnecting is None:
            self._reconnecting = asyncio.create_task(self._reconnect(), name="listener")

    async def _reconnect(self) -> None:
        attempt = 0
        while True:
            await asyncio.sleep(RETRY_AFTER_S[min(attempt, len(RETRY_AFTER_S) - 1)])
            attempt += 1
            try:
                await self.connect()
            except BusError:
                continue
            self._reconnecting = None
            return
