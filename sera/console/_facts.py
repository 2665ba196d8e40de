"""What the scenario has, for pages: characters with their robots, the room, modules, the layout.

Safety: the condition of the run is not among it, since operators must not learn it from the page.
In restricted perception a wizard is not told where people are expected, since the robot may see it
otherwise or not at all; their names stay, since orders may be about them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.console._console import Console
from sera.console._layout_file import Button
from sera.console._visitor import DESK_HEADER, Visitor, answering
from sera.console.layout import load_layout
from sera.messages import WORLD, Action
from sera.web import PERFORMED_BY_PAGES

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/facts` and `/console/api/layout_findings`."""

    @answering(console)
    async def facts(request: Request, visitor: Visitor) -> Response:
        told = await asyncio.to_thread(layout_of, console, desk_of(request, visitor))
        told |= facts_of(console) | {"restricted": visitor.restricted}
        if visitor.restricted:
            told["people"] = {name: {} for name in told["people"]}
        return JSONResponse(told)

    @answering(console)
    async def findings(_request: Request, _visitor: Visitor) -> Response:
        return JSONResponse({"problems": await asyncio.to_thread(late_findings, console)})

    return [
        Route("/console/api/facts", facts),
        Route("/console/api/layout_findings", findings),
    ]


def facts_of(console: Console) -> dict[str, Any]:
    """Everything that pages are told once, when they open."""
    scenario = console.scenario
    told: dict[str, Any] = {
        "run": console.run,
        "scenario": None,
        "title": "",
        "description": "",
        "characters": {},
        "space": {},
        "people": {},
        "modules": [],
    }
    return told if scenario is None else told | _of_scenario(scenario)


def desk_of(request: Request, visitor: Visitor) -> str:
    """The desk that a page sits at, by default the one named after its role."""
    asked = request.headers.get(DESK_HEADER) or request.query_params.get("desk") or ""
    return asked.strip().lower()[:40] or str(visitor.role)


def layout_of(console: Console, desk: str | None = None) -> dict[str, Any]:
    """The panels of the scenario's console, for a desk; blocks."""
    layout = load_layout(console.folder, desk)
    return {
        "layout": layout.told(lambda button: _why_not(console, button)),
        "desks": layout.told_desks(),
        "layout_problems": [problem.for_pages for problem in layout.problems],
    }


def late_findings(console: Console) -> list[str]:
    """Mistakes in the layout for which sheets must be read, so that no page waits for them."""
    problem = None if console.filler is None else console.filler.problem()
    return [] if problem is None else [problem.for_pages]


def _why_not(console: Console, button: Button) -> str | None:
    """Why a button does nothing in this run: it stays, so that hands find it in every condition."""
    scenario, message = console.scenario, button.message
    if scenario is None or message is None:
        return None
    who = button.character
    if who is not None and who not in scenario.characters:
        return f"there is no {who} in this run"
    if not isinstance(message, Action) or isinstance(message, PERFORMED_BY_PAGES):
        return None
    kind = type(message)
    for plan in scenario.plans:
        concerned = who is None or plan.character in (who, WORLD)
        if concerned and issubclass(kind, tuple(plan.module_class.handlers)):
            return None
    return f"no module of this run performs {kind.__name__}{f' for {who}' if who else ''}"


def _of_scenario(scenario: Scenario) -> dict[str, Any]:
    characters = {}
    for name, character in scenario.characters.items():
        card = scenario.robots.get(name)
        characters[name] = {
            "robot": None if card is None else card.name,
            "position_m": character.position_m,
            "yaw_deg": character.yaw_deg,
            "language": character.language,
        }
    return {
        "scenario": scenario.name,
        "title": scenario.title,
        "description": scenario.description,
        "characters": characters,
        "space": scenario.space.model_dump(mode="json"),
        "people": {name: one.model_dump(mode="json") for name, one in scenario.people.items()},
        "modules": [
            {"source": plan.source, "module": plan.implementation} for plan in scenario.plans
        ],
    }
