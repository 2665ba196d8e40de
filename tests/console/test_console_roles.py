"""What each role may not do, tried with programs that obey no page: every door, every role."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import Route, WebSocketRoute
from websockets.exceptions import InvalidStatus

from sera.console import Console, console_routes
from sera.messages import message_types
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from sera.web import PageRole, sendable
from tests.browser import connect, on_one_loop
from tests.helpers import PATIENCE_S

pytestmark = pytest.mark.needs_program("chromium")

OPEN_TO_PARTICIPANTS = ("/console/api/forms",)


async def doors(kind: type) -> list[Any]:
    """Every route of the console of a kind, as a running gateway has them."""
    workspace = Workspace.discover(Path(__file__))
    scenario = load_scenario("hello", workspace)

    async def hear(*_about: Any, **_more: Any) -> Any:
        return None

    console = Console(
        gateway=None,  # type: ignore[arg-type]
        now=lambda: 0.0,
        tell=hear,
        hear=hear,
        scenario=scenario,
        workspace=workspace,
        folder=scenario.folder,
    )
    return [route for route in console_routes(console) if isinstance(route, kind)]


async def questions() -> list[tuple[str, str]]:
    found = []
    for route in await doors(Route):
        if route.path.startswith("/console/api/"):
            address = route.path.replace(":path", "")
            while "{" in address:
                address = address[: address.index("{")] + "x" + address[address.index("}") + 1 :]
            found += [(method, address) for method in sorted(route.methods - {"HEAD"})]
    return found


async def test_all_questions_of_the_pages_are_among_the_doors_that_are_tried() -> None:
    tried = {address.split("/")[3] for _, address in await questions()}
    assert {"facts", "history", "link", "qr", "library", "repertoire", "recordings"} <= tried
    assert {"bodies", "lines", "room", "forms", "messages"} <= tried
    assert await doors(WebSocketRoute)


@on_one_loop
async def stage(share_stage: Any, quiet_room: str) -> Any:
    return await share_stage(quiet_room, gateway={"token": "a long enough secret of a laboratory"})


def token(stage: Any, role: str) -> str:
    return str(stage.gateway.engine.tokens.for_role(PageRole(role)))


async def test_only_operators_with_their_own_token_are_answered(stage: Any) -> None:
    ticket = {"token": token(stage, "participant")}  # opens files, as any token does
    options: Any = {"base_url": stage.origin, "timeout": PATIENCE_S}
    async with httpx.AsyncClient(params=ticket, **options) as client:
        for method, address in await questions():
            for claimed in ("participant", "activity", "", "admin"):
                if claimed == "participant" and address.startswith(OPEN_TO_PARTICIPANTS):
                    continue
                headers = {"sera-role": claimed}
                if claimed in ("participant", "activity"):
                    headers["sera-token"] = token(stage, claimed)
                answer = await client.request(method, address, headers=headers, content=b"{}")
                assert answer.status_code == 403, (method, address, claimed)
                assert set(answer.json()) == {"why"}
            forged = {"sera-role": "wizard", "sera-token": token(stage, "participant")}
            answer = await client.request(method, address, headers=forged, content=b"{}")
            assert answer.status_code == 403, (method, address, "a participant's token")
        stranger = await httpx.AsyncClient(**options).get("/console/")
        assert stranger.status_code == 401


async def test_no_role_says_more_than_its_own_over_the_socket(stage: Any) -> None:
    for role in PageRole:
        query = f"role={role}&token={token(stage, role)}&character=ada"
        url = f"{stage.origin.replace('http', 'ws')}/ws?{query}"
        allowed = set(sendable(role))
        forbidden = sorted(set(message_types()) - allowed)
        for start in range(0, len(forbidden), 15):  # more at once, and the page is sent away
            async with connect(url) as page:
                await page.recv()
                for ref, name in enumerate(forbidden[start : start + 15]):
                    await page.send(json.dumps({"send": {"type": name, "data": {}, "ref": ref}}))
                refused = 0
                while refused < len(forbidden[start : start + 15]):
                    frame = json.loads(await page.recv())
                    assert "accepted" not in frame, (role, frame)
                    refused += "refused" in frame
    spoken = {one.type for one in stage.heard if one.source == "world.gateway"}
    assert not spoken & {"EmergencyStop", "Speak", "Autonomy", "RunEnding", "ConditionAssigned"}


async def test_the_rooms_pictures_and_other_sites_are_kept_apart(stage: Any) -> None:
    base = stage.origin.replace("http", "ws")
    for route in await doors(WebSocketRoute):
        address = route.path
        while "{" in address:
            address = address[: address.index("{")] + "x" + address[address.index("}") + 1 :]
        for role in ("participant", "activity", "wizard"):
            given = token(stage, "participant" if role == "wizard" else role)
            assert await outcome(f"{base}{address}?role={role}&token={given}") != "open"
        wizard = f"role=wizard&token={token(stage, 'wizard')}"
        assert await outcome(f"{base}{address}?{wizard}", origin="http://else.where") != "open"
    wizard = f"role=wizard&token={token(stage, 'wizard')}"
    assert await outcome(f"{base}/ws?{wizard}", origin="http://else.where") == "refused"
    assert await outcome(f"{base}/ws?{wizard}") == "open"


async def outcome(url: str, origin: str | None = None) -> str:
    """What becomes of a connection: `open` where something is sent to it."""
    try:
        async with connect(url, origin=origin, open_timeout=PATIENCE_S) as page:  # type: ignore[arg-type]
            first = await asyncio.wait_for(page.recv(), PATIENCE_S)
            refused = isinstance(first, str) and ("refused" in first or "why" in first)
            return "refused" if refused else "open"
    except InvalidStatus:
        return "refused"
    except Exception as error:
        return type(error).__name__
