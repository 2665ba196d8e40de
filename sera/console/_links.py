"""Links to the run's pages for other devices, as text and as a picture to scan.

Safety: a link may carry the token of its role, so wizards alone are given links, and none for
another wizard: who may command the robot is decided where the run was started.
"""

from __future__ import annotations

import io
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering
from sera.web import PageRole
from sera.web._guard import is_loopback

GIVEN = (PageRole.PARTICIPANT, PageRole.OBSERVER, PageRole.ACTIVITY)


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/link` and `GET /console/api/qr`, with `path` and `role`."""

    @answering(console, PageRole.WIZARD)
    async def link(request: Request, _visitor: Visitor) -> Response:
        url = _asked(console, request)
        host = urlsplit(url).hostname or ""
        return JSONResponse({"url": url, "other_devices": not is_loopback(host)})

    @answering(console, PageRole.WIZARD)
    async def picture(request: Request, _visitor: Visitor) -> Response:
        return Response(qr_svg(_asked(console, request)), media_type="image/svg+xml")

    return [Route("/console/api/link", link), Route("/console/api/qr", picture)]


def qr_svg(url: str) -> str:
    """An address as a picture to scan: black on white, whatever the colours of the page."""
    import segno

    drawn = io.BytesIO()
    segno.make(url, error="m").save(drawn, kind="svg", scale=4, border=3, light="white")
    return drawn.getvalue().decode()


def _asked(console: Console, request: Request) -> str:
    role, path = request.query_params.get("role", ""), request.query_params.get("path", "/")
    if role not in GIVEN:
        raise Denied(400, f"links are given for {', '.join(GIVEN)}, not for {role[:40]!r}")
    if not path.startswith("/") or path.startswith("//") or "\\" in path or len(path) > 200:
        raise Denied(400, "`path` is no page of this server: begin it with one /")
    url = console.address(PageRole(role), path)
    if url is None:
        raise Denied(503, "the pages are not served yet")
    return url
