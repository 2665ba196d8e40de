"""The camera of the scenario: where it stands, and what its lens does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sera.behaviour.space import Frame
from sera.runtime.located import FileProblem, nearest_name
from sera.vision.camera import CameraModel

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

_ANY_SIZE = (640, 480)


@dataclass(frozen=True, slots=True)
class View:
    """A camera in the room."""

    model: CameraModel
    pose: Frame
    problem: str | None = None
    """Why it is less exact than it could be, or may be wrong."""


def view_of(scenario: Scenario | None, name: str | None, folder: Path | None) -> View:
    """The camera by its name, or the only one that the scenario has.

    Raises:
        LookupError: the scenario has no camera of that name; with the nearest.
    """
    cameras = {} if scenario is None else scenario.space.cameras
    if name is not None and name not in cameras:
        near = nearest_name(name, cameras)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the scenario has no [space.cameras.{name}]{hint}")
    if name is None and len(cameras) > 1:
        known = ", ".join(cameras)
        raise LookupError(f"which camera is it? Write camera = … with one of {known}")
    if name is None and not cameras:
        unplaced = (
            "The scenario does not say where the camera is, so places are given as if it stood at "
            "the origin and looked forward: add [space.cameras.NAME]."
        )
        return View(CameraModel(*_ANY_SIZE), Frame(), unplaced)
    table = cameras[name] if name is not None else next(iter(cameras.values()))
    model = CameraModel(*_ANY_SIZE, fov_deg=table.fov_deg)
    problem: str | None = None
    if table.calibration is not None:
        from sera.vision.camera_file import load_camera_file

        try:
            model = load_camera_file((folder or Path()) / table.calibration)
        except FileProblem as error:
            problem = f"The camera's calibration is not used: {error}"
    return View(model, Frame.of(table), problem)
