"""The vocabulary for the Bus page: what a role may send, with the schema that forms are made of."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sera.console._child import Children
from sera.console._console import Console
from sera.console._visitor import Visitor, answering
from sera.web._roles import sendable


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/messages`."""
    children = Children("sera.console._vocabulary_process", at_once=1)
    told: dict[tuple[str, ...], bytes] = {}
    making = asyncio.Lock()

    @answering(console)
    async def messages(_request: Request, visitor: Visitor) -> Response:
        types = {name: kind.__module__ for name, kind in sendable(visitor.role).items()}
        names = tuple(types)  # a module that is loaded later brings its own messages
        async with making:
            if names not in told:
                root = console.folder
                question = {"types": types, "root": None if root is None else str(root)}
                answer = b"".join([piece async for piece in children.pieces(question)])
                told.clear()
                told[names] = answer
        return Response(told.get(names, b"{}"), media_type="application/json")

    return [Route("/console/api/messages", messages)]
