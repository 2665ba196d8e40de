"""`sera run --camera`: a real camera, or a video, in place of the simulated people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sera.cli._errors import CommandError
from sera.messages import WORLD

if TYPE_CHECKING:
    from sera.runtime.scenario import ModulePlan, Scenario
    from sera.runtime.workspace import Workspace

TRACKER = "face_tracker"
STAND_INS = ("simulated_visitor", "simulated_learners", "simulated_people")
"""Modules that play people: with a camera there are real ones."""


def with_camera(
    scenario: Scenario, workspace: Workspace, camera: str, *, virtual: bool = False
) -> Scenario:
    """The scenario with its people seen by this camera.

    Raises:
        CommandError: there is no such file, or virtual time with a live camera.
    """
    source, is_file = _source(camera)
    if virtual and not is_file:
        raise CommandError(
            f"--camera {camera} needs real time: leave --virtual out, or give a video file"
        )
    others = [plan for plan in scenario.plans if plan.implementation not in STAND_INS]
    if any(plan.implementation == TRACKER for plan in others):
        plans = [
            replace(plan, settings=_told(plan.settings, source, ends_run=is_file))
            if plan.implementation == TRACKER
            else plan
            for plan in others
        ]
    else:
        settings: dict[str, Any] = {"source": source, "ends_run": is_file}
        if len(scenario.space.cameras) > 1:  # which one is meant is not said: the first
            settings["camera"] = next(iter(scenario.space.cameras))
        plans = [_plan(workspace, settings), *others]
    return replace(scenario, plans=tuple(plans))


def _source(camera: str) -> tuple[str, bool]:
    from sera.vision.source import ADDRESS_SCHEMES

    text = camera.strip()
    is_live = text.isdecimal() or text.startswith("/dev/video")
    if is_live or text.lower().startswith(ADDRESS_SCHEMES):
        return text, False
    path = Path(text)
    if not path.is_file():
        raise CommandError(
            f"--camera {camera}: there is no such video file. Give the number of a webcam (0 is "
            "the first), a file, or the address of a network camera (rtsp://…, http://…)"
        )
    # A module in a process of its own may have another working folder.
    return str(path.absolute()), True


def _told(settings: Any, source: str, *, ends_run: bool) -> Any:
    return settings.model_copy(update={"source": source, "ends_run": ends_run})


def _plan(workspace: Workspace, settings: dict[str, Any]) -> ModulePlan:
    from sera.runtime.scenario import ModulePlan

    module_class = workspace.load_module_class(TRACKER)
    # Its own process: pictures never make voice and motion wait.
    return ModulePlan(
        WORLD, TRACKER, TRACKER, "own", module_class, module_class.Settings(**settings)
    )
