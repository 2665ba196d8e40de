"""The web gateway: pages in a browser send and receive messages under a role.

`Gateway` is the engine, `PageServer` puts it on a port, `modules/gateway` wires both to a run.
Pages use `static/sera.js`, one file without a build step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sera.web._admission import PageRequest, Tokens
from sera.web._certificate import Certificate, CertificateError, own_certificate
from sera.web._gateway import Gateway
from sera.web._limits import Limits
from sera.web._page import Page
from sera.web._ports import Closeable, Hear, Link, Publish
from sera.web._refused import Refused
from sera.web._roles import (
    PERFORMED_BY_PAGES,
    RIGHTS,
    PageRole,
    Rights,
    may_receive,
    may_send,
    receivable,
    sendable,
)
from sera.web._typedefs import SERA_JS, TYPES_JS, typedefs, write_typedefs

if TYPE_CHECKING:
    from sera.web._server import PagePortInUse, PageServer, PageServerError

__all__ = [
    "PERFORMED_BY_PAGES",
    "RIGHTS",
    "SERA_JS",
    "TYPES_JS",
    "Certificate",
    "CertificateError",
    "Closeable",
    "Gateway",
    "Hear",
    "Limits",
    "Link",
    "Page",
    "PagePortInUse",
    "PageRequest",
    "PageRole",
    "PageServer",
    "PageServerError",
    "Publish",
    "Refused",
    "Rights",
    "Tokens",
    "may_receive",
    "may_send",
    "own_certificate",
    "receivable",
    "sendable",
    "typedefs",
    "write_typedefs",
]

_NEED_A_WEB_SERVER = ("PageServer", "PageServerError", "PagePortInUse")


def __getattr__(name: str) -> Any:
    """Import the web server only when pages are served: checking a scenario does not need it."""
    if name in _NEED_A_WEB_SERVER:
        from sera.web import _server

        return getattr(_server, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
