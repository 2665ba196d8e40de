"""One gmqtt client for one connection: opened with clear errors, ended in any state it is in.

gmqtt (0.8) waits for the broker's answer for ever when the connection breaks before it came, and
reports what breaks through the log; here every way to fail becomes an error with what to do.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import Any

from gmqtt import Client as MqttClient
from gmqtt import Message as MqttMessage
from gmqtt.mqtt.constants import MQTTv311
from gmqtt.mqtt.handler import MQTTConnectError
from gmqtt.storage import PersistentStorage

from sera.bus._address import BrokerAddress
from sera.bus._errors import BrokerRefused, BrokerUnreachable
from sera.messages import Envelope

KEEP_ALIVE_S = 10
CONNECT_TIMEOUT_S = 5.0
HANG_UP_TIMEOUT_S = 0.3
LAST_WORDS_S = 0.1
NEVER_RECONNECT_BY_ITSELF = -2  # -1 would mean "without end", 0 still tries once

_quiet = logging.getLogger("sera.bus.gmqtt")
# What gmqtt warns of, through our logger and through its own, is handled and said here.
for _logger in (_quiet, logging.getLogger("gmqtt")):
    _logger.setLevel(logging.CRITICAL)


class Unacknowledged(PersistentStorage):  # type: ignore[misc]  # gmqtt has no types
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


async def open_client(
    name: str,
    address: BrokerAddress,
    *,
    will: MqttMessage | None,
    on_message: Callable[..., int],
    on_subscribe: Callable[..., None],
    on_disconnect: Callable[..., None],
) -> Any:
    """A client that the broker has accepted. `on_disconnect` is told only of what comes later.

    Raises:
        BrokerUnreachable, BrokerRefused: with what to do.
    """
    client = MqttClient(name, will_message=will, persistent_storage=Unacknowledged(), logger=_quiet)
    client.set_config({"reconnect_retries": NEVER_RECONNECT_BY_ITSELF})
    client.on_message = on_message
    client.on_subscribe = on_subscribe
    if address.username:
        client.set_auth_credentials(address.username, address.password)
    where = str(address)
    try:
        await _shake_hands(client, address)
    except MQTTConnectError as error:
        why = error.message.removeprefix("Connection Refused: ")
        raise BrokerRefused(where, why, has_user=bool(address.username)) from None
    except TimeoutError:
        why = f"no MQTT answer within {CONNECT_TIMEOUT_S:g} s; {_about_tls(address)}"
        raise BrokerUnreachable(where, why) from None
    except ssl.SSLCertVerificationError as error:
        raise BrokerUnreachable(
            where,
            f"TLS: {error.verify_message}; name the authority's certificate with ?ca=FILE",
        ) from None
    except ssl.SSLError as error:
        raise BrokerUnreachable(where, f"TLS: {error.reason or error}") from None
    except ConnectionRefusedError:
        raise BrokerUnreachable(where, "connection refused: nothing listens there") from None
    except ConnectionError:
        why = f"it closed the connection without an MQTT answer; {_about_tls(address)}"
        raise BrokerUnreachable(where, why) from None
    except OSError as error:
        raise BrokerUnreachable(where, error.strerror or str(error)) from None
    client.on_disconnect = on_disconnect
    return client


async def _shake_hands(client: Any, address: BrokerAddress) -> None:
    lost = asyncio.Event()
    client.on_disconnect = lambda *_: lost.set()
    connecting = asyncio.ensure_future(
        client.connect(
            address.host,
            address.port,
            ssl=_tls(address),
            keepalive=KEEP_ALIVE_S,
            version=MQTTv311,
        )
    )
    losing = asyncio.ensure_future(lost.wait())
    accepted = False
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            await asyncio.wait([connecting, losing], return_when=asyncio.FIRST_COMPLETED)
            if not connecting.done():  # a refusal comes just before the hanging up
                await asyncio.wait([connecting], timeout=LAST_WORDS_S)
        if connecting.done():
            connecting.result()
        accepted = not lost.is_set()
    finally:
        losing.cancel()
        if not accepted:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)
            await close_client(client)
    if not accepted:
        raise ConnectionResetError


def _tls(address: BrokerAddress) -> ssl.SSLContext | bool:
    try:
        return address.ssl_context() or False
    except OSError as error:  # an SSLError too: the file is no certificate
        raise BrokerUnreachable(
            str(address),
            f"the certificate file {address.ca_file} cannot be used: {error.strerror or error}",
        ) from None


def _about_tls(address: BrokerAddress) -> str:
    return "does it speak TLS there?" if address.tls else "does it want TLS there (mqtts://)?"


async def close_client(client: Any) -> None:
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
