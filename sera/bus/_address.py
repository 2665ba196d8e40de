"""Broker addresses: `mqtt://[user:password@]host[:port]`, `mqtts://…` for TLS."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, quote, unquote, urlsplit

_PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the broker is and how to be let in. The password never shows in `repr` or `str`."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    ca_file: str | None = None

    @classmethod
    def parse(cls, url: str) -> BrokerAddress:
        """Read an address; `?ca=FILE` names the certificate authority of a TLS broker.

        Raises:
            ValueError: with an example of a right one.
        """
        text = url.strip()
        if "://" not in text:
            text = f"mqtt://{text}"
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as error:
            raise ValueError(
                f"broker address {url!r}: {error}; example: mqtt://host:1883"
            ) from None
        if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
            raise ValueError(
                f"broker address {url!r} is not of the form mqtt://[user:password@]host[:port] "
                "(mqtts:// for TLS)"
            )
        query = parse_qs(parts.query)
        return cls(
            host=parts.hostname,
            port=port or _PORTS[parts.scheme],
            username=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
            tls=parts.scheme == "mqtts",
            ca_file=query["ca"][0] if "ca" in query else None,
        )

    @classmethod
    def from_environment(cls) -> BrokerAddress | None:
        """SERA_BROKER, with SERA_BROKER_USER and SERA_BROKER_PASSWORD where it has none."""
        url = os.environ.get("SERA_BROKER")
        if not url:
            return None
        address = cls.parse(url)
        return replace(
            address,
            username=address.username or os.environ.get("SERA_BROKER_USER"),
            password=address.password or os.environ.get("SERA_BROKER_PASSWORD"),
        )

    @property
    def url(self) -> str:
        """The whole address, password included: for child processes, not for people."""
        who = ""
        if self.username:
            secret = f":{quote(self.password, safe='')}" if self.password else ""
            who = f"{quote(self.username, safe='')}{secret}@"
        ca = f"?ca={quote(self.ca_file)}" if self.ca_file else ""
        return f"{'mqtts' if self.tls else 'mqtt'}://{who}{self._where}{ca}"

    @property
    def _where(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self._where}"

    def ssl_context(self) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=self.ca_file) if self.tls else None
