"""What the scenario has, for pages: characters with their robots, the room, modules, the layout.

Safety: the condition of the run is not among it, since operators must not learn it from the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.console._console import Console
from sera.console._visitor import Visitor, answering

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/facts`."""

    @answering(console)
    async def facts(_request: Request, visitor: Visitor) -> Response:
        return JSONResponse(facts_of(console) | {"restricted": visitor.restricted})

    return [Route("/console/api/facts", facts)]


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
