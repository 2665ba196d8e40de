"""The web gateway: pages in a browser send and receive messages under a role.

`Gateway` is the engine, `PageServer` puts it on a port, `modules/gateway` wires both to a run.
Pages use `static/sera.js`, one file without a build step.
"""

from sera.web._admission import PageRequest, Tokens
from sera.web._app import SERA_JS
from sera.web._explain import Refused
from sera.web._gateway import Gateway
from sera.web._limits import Limits
from sera.web._page import Page
from sera.web._ports import Closeable, Hear, Link, Publish
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
from sera.web._server import PageServer, PageServerError, PortInUse
from sera.web._typedefs import with_typedefs, write_typedefs

__all__ = [
    "PERFORMED_BY_PAGES",
    "RIGHTS",
    "SERA_JS",
    "Closeable",
    "Gateway",
    "Hear",
    "Limits",
    "Link",
    "Page",
    "PageRequest",
    "PageRole",
    "PageServer",
    "PageServerError",
    "PortInUse",
    "Publish",
    "Refused",
    "Rights",
    "Tokens",
    "may_receive",
    "may_send",
    "receivable",
    "sendable",
    "with_typedefs",
    "write_typedefs",
]
