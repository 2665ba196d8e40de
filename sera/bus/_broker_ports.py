"""Addresses of the embedded broker: who may come in, which port is free, does it answer.

The probe writes its CONNECT packet by hand: the question "is a broker there?" must not depend
on the client whose broker this is.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import socket
from dataclasses import dataclass

from sera.bus._broker_errors import PortInUse

_ANY_ADDRESS = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # compared
_CONNACK = 0x20


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the broker listens and with which credentials one comes in."""

    host: str
    port: int
    username: str | None = None
    password: str | None = None

    @property
    def local_host(self) -> str:
        """The host under which this machine reaches the broker."""
        return _ANY_ADDRESS.get(self.host, self.host)

    @property
    def url(self) -> str:
        host = self.local_host
        return f"mqtt://[{host}]:{self.port}" if ":" in host else f"mqtt://{host}:{self.port}"


def needs_credentials(host: str) -> bool:
    """Tell whether anonymous clients must be refused: everywhere but on loopback."""
    if host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        # A host name may stand for any interface: the careful answer.
        return True


def free_port(host: str) -> int:
    """Let the operating system pick a port that nobody listens on."""
    return _bind(host, 0)


def require_free(host: str, port: int) -> None:
    """Raise when somebody else listens on the port.

    Raises:
        PortInUse: with who uses it, where that is known, and what to do.
    """
    try:
        _bind(host, port)
    except PermissionError as error:
        raise PortInUse(port, None, f"may not be used by you ({error.strerror})") from None
    except OSError:
        raise PortInUse(port, user_of_port(port)) from None


def _bind(host: str, port: int) -> int:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        if os.name == "posix":
            # A port whose last connections are still fading out is free all the same. On Windows
            # the option would let two programs share the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        if os.name == "posix":
            probe.listen(1)
        return int(probe.getsockname()[1])


def user_of_port(port: int) -> str | None:
    """Name the program that listens on the port, where the operating system tells us."""
    try:
        import psutil

        for connection in psutil.net_connections(kind="tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
                process = psutil.Process(connection.pid)
                return f"{process.name()}, process {connection.pid}"
    except Exception:
        # Not installed, not allowed, or gone meanwhile: it is an extra, never a reason to fail.
        return None
    return None


async def answers(endpoint: Endpoint, *, timeout_s: float = 1.0) -> int | None:
    """Knock as an MQTT client; give the CONNACK's return code (0: welcome), None without one."""
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_connection(endpoint.local_host, endpoint.port)
            writer.write(connect_packet(endpoint.username, endpoint.password))
            reply = await reader.readexactly(4)
            if reply[0] != _CONNACK:
                return None
            with contextlib.suppress(ConnectionError):
                writer.write(b"\xe0\x00")  # DISCONNECT
                await writer.drain()
            return reply[3]
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return None
    finally:
        if writer is not None:
            writer.close()


def connect_packet(username: str | None, password: str | None) -> bytes:
    """Build the CONNECT packet of an MQTT 3.1.1 client with a clean session and no name."""
    flags = 0x02
    payload = _text("")
    if username is not None:
        flags |= 0x80
        payload += _text(username)
        if password is not None:
            flags |= 0x40
            payload += _text(password)
    body = _text("MQTT") + bytes((4, flags)) + (30).to_bytes(2, "big") + payload
    return b"\x10" + _length(len(body)) + body


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8")
    return len(encoded).to_bytes(2, "big") + encoded


def _length(length: int) -> bytes:
    encoded = bytearray()
    while True:
        length, digit = divmod(length, 128)
        encoded.append(digit | 0x80 if length else digit)
        if not length:
            return bytes(encoded)
