"""The camera of the scenario: where it stands, what its lens does, and whom people may look at."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sera.behaviour.space import Frame, Vector
from sera.runtime.located import FileProblem, nearest_name
from sera.vision.camera import CameraModel

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

_USUAL_PX = (640, 480)


@dataclass(frozen=True, slots=True)
class Placed:
    """A camera in the room, with the robots around it."""

    model: CameraModel
    pose: Frame
    robots: dict[str, Vector] = field(default_factory=dict)
    """Where the eyes of each character are: at rest, until its engine tells where its face is."""
    frames: dict[str, Frame] = field(default_factory=dict)
    """Where each character stands."""
    problem: str | None = None
    """Why it is less exact than it could be."""

    def move_face(self, character: str, along_its_axes_m: Vector) -> None:
        """The face of a character is there now."""
        frame = self.frames.get(character)
        if frame is not None:
            self.robots[character] = frame.to_room(along_its_axes_m)


def placed_camera(
    scenario: Scenario | None, name: str | None, fov_deg: float | None, folder: Path | None
) -> Placed:
    """The camera by its name, the only one of the scenario, or one at the first robot's eyes.

    Raises:
        LookupError: the scenario has no camera of that name, or several and none is named.
    """
    cameras = {} if scenario is None else scenario.space.cameras
    robots = _eyes(scenario)
    if name is not None and name not in cameras:
        near = nearest_name(name, cameras)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the scenario has no [space.cameras.{name}]{hint}")
    if name is None and len(cameras) > 1:
        known = ", ".join(cameras)
        raise LookupError(f"which camera is it? Write camera = … with one of {known}")
    if not cameras:
        model = CameraModel(*_USUAL_PX, fov_deg=fov_deg or 60.0)
        return Placed(model, _at_first_robot(scenario, robots), robots, _frames(scenario))
    table = cameras[name] if name is not None else next(iter(cameras.values()))
    model, problem = CameraModel(*_USUAL_PX, fov_deg=fov_deg or table.fov_deg), None
    if table.calibration is not None and fov_deg is None:
        from sera.vision.camera_file import load_camera_file

        try:
            model = load_camera_file((folder or Path()) / table.calibration)
        except FileProblem as error:
            problem = f"The camera's calibration is not used: {error}"
    return Placed(model, Frame.of(table), robots, _frames(scenario), problem)


def _eyes(scenario: Scenario | None) -> dict[str, Vector]:
    if scenario is None:
        return {}
    eyes = {}
    for name, character in scenario.characters.items():
        card = scenario.robots.get(name)
        eye_m = (0.0, 0.0, 0.0) if card is None or card.eyes_m is None else card.eyes_m
        eyes[name] = Frame.of(character).to_room(eye_m)
    return eyes


def _frames(scenario: Scenario | None) -> dict[str, Frame]:
    characters = {} if scenario is None else scenario.characters
    return {name: Frame.of(character) for name, character in characters.items()}


def _at_first_robot(scenario: Scenario | None, robots: dict[str, Vector]) -> Frame:
    for name, eyes_m in robots.items():
        assert scenario is not None
        return replace(Frame.of(scenario.characters[name]), position_m=eyes_m)
    return Frame()
