"""Bodies for pages: what a robot looks like and how it moves, as URDF with shapes.

`GET /console/api/bodies/<robot>` describes any robot of the workspace (see `_description`);
`GET /console/api/bodies/<robot>/urdf` is its URDF as a file. Computed in a child process and kept
in memory until a file of the body changes.
"""

from __future__ import annotations

import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering
from sera.console.bodies._describing import Descriptions

__all__ = ["routes"]


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/bodies/<robot>` and its URDF."""
    descriptions = Descriptions()

    @answering(console)
    async def body(request: Request, _visitor: Visitor) -> Response:
        folder = _folder_of(console, request.path_params["robot"])
        return Response(await descriptions.of(folder), media_type="application/json")

    @answering(console)
    async def urdf(request: Request, _visitor: Visitor) -> Response:
        folder = _folder_of(console, request.path_params["robot"])
        text = json.loads(await descriptions.of(folder))["urdf"]
        named = f'attachment; filename="{folder.name}.urdf"'
        return Response(text, media_type="application/xml", headers={"content-disposition": named})

    return [
        Route("/console/api/bodies/{robot}", body),
        Route("/console/api/bodies/{robot}/urdf", urdf),
    ]


def _folder_of(console: Console, robot: str) -> Path:
    """The folder of a robot of this run, or of its workspace."""
    from sera.runtime.workspace import UnknownName, Workspace

    if console.scenario is not None:
        for card in console.scenario.robots.values():
            if card is not None and card.name == robot:
                return card.folder
    workspace = console.workspace or Workspace.discover(console.folder)
    try:
        return workspace.find_robot(robot)
    except UnknownName as unknown:
        raise Denied(404, str(unknown)) from None
