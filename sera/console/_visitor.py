"""Who asks: the role of a request to the console, checked as at the WebSocket's door.

A page says its role and token in headers, which no other site's page can put on a request without
asking first, and asking is refused. Safety: a role that is not named may do nothing; participants
and games are given nothing of the operator's.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from sera.console._console import Console
from sera.web import PageRequest, PageRole
from sera.web._admission import NotAdmitted, admit
from sera.web._limits import Allowance
from sera.web._roles import OPERATORS

ROLE_HEADER, TOKEN_HEADER, DESK_HEADER = "sera-role", "sera-token", "sera-desk"
PER_S, BURST = 100.0, 400
"""What all pages of one machine may ask, in the long run and at once."""
_MACHINES = 256


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody whose role was checked."""

    role: PageRole
    restricted: bool = False
    """Sees only what the robot perceives: no picture and no sound."""


class Denied(Exception):  # named after what happened
    """A request is not answered; the message says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


Answer = Callable[[Request, Visitor], Awaitable[Response]]


def visitor_of(
    console: Console, connection: HTTPConnection, roles: tuple[PageRole, ...] = OPERATORS
) -> Visitor:
    """The checked role of a request.

    Raises:
        Denied: the role is missing, wrong or not allowed here.
    """
    # A WebSocket of a browser cannot carry headers: there the address says it.
    asked = connection.query_params if connection.scope["type"] == "websocket" else None
    role = asked.get("role") if asked is not None else connection.headers.get(ROLE_HEADER)
    token = asked.get("token") if asked is not None else connection.headers.get(TOKEN_HEADER)
    try:
        found, _ = admit(PageRequest(role=role, token=token), (), console.gateway.tokens)
    except NotAdmitted as refusal:
        raise Denied(403, refusal.why) from None
    if found not in roles:
        allowed = " or ".join(roles)
        raise Denied(403, f"this is for {allowed} pages, not for {found}")
    return Visitor(found, restricted=console.restricted and found is PageRole.WIZARD)


def _count_question(console: Console, request: Request) -> None:
    """Let a machine ask so much and no more; those that ask no longer are forgotten."""
    host = request.client.host if request.client is not None else ""
    known = console.allowances
    allowance = known.pop(host, None) or Allowance(PER_S, BURST, console.now())
    known[host] = allowance
    while len(known) > _MACHINES:
        del known[next(iter(known))]
    if not allowance.take(console.now()):
        raise Denied(429, f"more than {PER_S:g} questions a second: ask less often")


def answering(
    console: Console, *roles: PageRole
) -> Callable[[Answer], Callable[[Request], Awaitable[Response]]]:
    """Make an endpoint that is called only for visitors of these roles (by default operators).

    What it raises as `Denied` becomes an answer with one sentence: `{"why": "…"}`.
    """

    def wrap(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        @functools.wraps(answer)
        async def endpoint(request: Request) -> Response:
            try:
                visitor = visitor_of(console, request, roles or OPERATORS)
                _count_question(console, request)
                return await answer(request, visitor)
            except Denied as denial:
                return JSONResponse({"why": str(denial)}, status_code=denial.status)

        return endpoint

    return wrap
