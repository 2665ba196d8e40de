"""All that the console serves: its pages, and what they ask of the server."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from sera.console._console import Console
from sera.web._app import Files

PAGES_FOLDER = Path(__file__).parent / "pages"
VENDOR_FOLDER = Path(__file__).parent / "vendor"

_PARTS: tuple[str, ...] = (
    "_facts",
    "_history",
    "_links",
    "repertoire",
    "library",
    "bodies",
    "workbooks",
    "recordings",
    "vocabulary",
    "room",
    "forms",
)
"""Modules of this room with a function `routes(console)`; each serves one page's questions."""


def console_routes(console: Console) -> list[BaseRoute]:
    """The routes of the console, all below `/console/`."""

    async def index(_request: Request) -> Response:
        return FileResponse(PAGES_FOLDER / "index.html")

    asked: list[BaseRoute] = []
    for part in _PARTS:
        asked.extend(import_module(f"sera.console.{part}").routes(console))
    return [
        Route("/console", index),
        Route("/console/", index),
        *asked,
        Mount("/console/vendor", Files(directory=VENDOR_FOLDER)),
        Mount("/console", Files(directory=PAGES_FOLDER, html=True)),
    ]
