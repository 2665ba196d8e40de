"""Which requests are let in at all: the Host and Origin of a request, and the headers of answers.

A page of another site that is open in the operator's browser can reach a server on this machine.
Two checks keep it out: its Origin is not ours (WebSockets are not bound by the same-origin
policy, so the server has to look), and a name that its owner points at this machine (DNS
rebinding) is not in the Host header that we answer to.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")

_HOST = re.compile(
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?P<port>:\d{1,5})?",
    re.ASCII,
)


def is_loopback(address: str) -> bool:
    """Whether an address is reachable from this machine only."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def is_wildcard(address: str) -> bool:
    """Whether an address stands for every network interface."""
    try:
        return ipaddress.ip_address(address).is_unspecified
    except ValueError:
        return address == ""


class Guard:
    """The checks of one server."""

    def __init__(
        self, host: str, *, allowed_origins: Iterable[str] = (), names: Iterable[str] = ()
    ) -> None:
        """Prepare the checks.

        Args:
            host: the address that the server listens on, as the settings give it.
            allowed_origins: other sites whose pages may connect, such as `http://tablet.lab:8080`.
            names: further names under which this machine is known.
        """
        self._any_address = is_wildcard(host)
        self._names = {*LOOPBACK_NAMES, host.lower(), *(name.lower() for name in names)}
        self._origins = {_checked_origin(origin) for origin in allowed_origins}

    def problem(self, headers: Headers, *, websocket: bool) -> str | None:
        """Why a request is not answered; None where it is."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or len(origins) > 1:
            return "the request must name one Host and at most one Origin"
        host = hosts[0].lower()
        match = _HOST.fullmatch(host)
        if match is None or not self._is_ours(match["name"].strip("[]")):
            return (
                f"this server is not known as {hosts[0][:80]!r}: use the address that the run "
                "printed, or add the name to the gateway's setting `names`"
            )
        if not websocket or not origins:
            return None  # without an Origin it is no browser: a program may connect
        origin = origins[0].lower()
        if origin in self._origins or _is_site(origin, host):
            return None
        return (
            f"pages of {origins[0][:80]!r} may not connect: open the page from this server, or "
            "add its address to the gateway's setting `allowed_origins`"
        )

    def _is_ours(self, name: str) -> bool:
        if name in self._names:
            return True
        if not self._any_address:
            return False
        try:  # an address, unlike a name, cannot be pointed here by somebody else
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _is_site(origin: str, host: str) -> bool:
    return origin in (f"http://{host}", f"https://{host}")


def _checked_origin(origin: str) -> str:
    parts = urlsplit(origin.lower())
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/"):
        raise ValueError(
            f"allowed_origins: {origin!r} is no origin; write scheme, name and port, for example "
            "'http://tablet.lab:8080'"
        )
    return f"{parts.scheme}://{parts.netloc}"


def security_headers(host: str) -> dict[str, str]:
    """What every answer says to browsers.

    Args:
        host: the request's Host header, after `Guard.problem` found nothing wrong with it.
    """
    # Older browsers do not count ws: as 'self', hence the addresses beside it.
    policy = (
        "default-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host}; "
        "img-src 'self' data: blob:; "
        "media-src 'self' blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    return {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        # The token of a role stands in the address of a page until its script has put it away.
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        # A page that its author has just changed is loaded anew.
        "cache-control": "no-cache",
    }
