"""Links for other devices, where pages are served to them: as text, and as a picture to scan."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sera.runtime.module import Module

_TABLET = "/console/tablet.html"


def links_for_others(gateway: Module) -> list[str]:
    """One sentence a role, and the tablet's link as a picture; none on this machine alone."""
    server: Any = getattr(gateway, "server", None)
    if server is None or server.gateway.tokens is None:
        return []
    from sera.web import PageRole

    tablet = server.url_for(PageRole.PARTICIPANT, _TABLET)
    sentences = [
        f"to look on: {server.url_for(PageRole.OBSERVER, '/console/?role=observer')}",
        f"forms on a tablet: {tablet}",
        f"games and other pages: {server.url_for(PageRole.ACTIVITY)}",
    ]
    return [*sentences, _picture(tablet)] if sys.stdout.isatty() else sentences


def pages_of_scenario(gateway: Module) -> list[str]:
    """Addresses of the scenario's own pages, by name; its first one is what people look at."""
    server: Any = getattr(gateway, "server", None)
    folder = None if gateway.context.folder is None else gateway.context.folder / "pages"
    if server is None or folder is None or not folder.is_dir():
        return []
    from sera.web import PageRole

    names = sorted(page.name for page in folder.glob("*.html"))
    return [server.url_for(PageRole.ACTIVITY, f"/pages/{name}") for name in names]


def _picture(url: str) -> str:
    import segno

    drawn = io.StringIO()
    segno.make(url, error="l").terminal(out=drawn, border=2, compact=True)
    return f"forms on a tablet, to scan:\n{drawn.getvalue().rstrip()}"
