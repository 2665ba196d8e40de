"""`sera camera place`: one marker on the robot tells camera and robot where the other is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._camera_needs import need_opencv, pictures_of, sentences
from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.behaviour.space import Frame
    from sera.runtime.scenario import Camera, Scenario
    from sera.vision.camera import CameraModel
    from sera.vision.markers import Corners, MarkerId

_MOST_PICTURES = 600


def place(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Its name or path.")],
    *,
    marker: Annotated[
        str, typer.Option("--marker", metavar="ID", help="Which one is on the robot.")
    ] = "aruco_4x4:0",
    camera: Annotated[
        str | None,
        typer.Option("--camera", metavar="NAME", help="Of [space.cameras]; else the only one."),
    ] = None,
    source: Annotated[
        str, typer.Option("--source", metavar="SOURCE", help="Camera number, address, video.")
    ] = "0",
    size_mm: Annotated[
        float, typer.Option("--size-mm", metavar="MM", min=2, max=2000, help="Side of the square.")
    ] = 50.0,
    at: Annotated[
        str,
        typer.Option("--at", metavar="X,Y,Z", help="Its centre from the robot's origin, in metres: "
                     "left, up, forward."),
    ] = "0,0,0",
    turned: Annotated[
        str,
        typer.Option("--turned", metavar="YAW,PITCH,ROLL", help="Degrees; 0,0,0 faces forward."),
    ] = "0,0,0",
    character: Annotated[
        str | None, typer.Option("--character", "-c", metavar="NAME", help="Whose robot.")
    ] = None,
    solve: Annotated[
        str, typer.Option("--solve", metavar="WHAT", help="camera or robot: which is moved.")
    ] = "camera",
    shots: Annotated[
        int, typer.Option("--shots", metavar="N", min=1, max=500, help="Pictures to average.")
    ] = 30,
    write: Annotated[
        bool, typer.Option("--write", help="Put the pose into the file; the old one is kept.")
    ] = False,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Find where the camera stands from one marker on the robot, both at rest.

    Fix the marker to a part of the robot that does not move, measure where its centre is (--at) and
    how it is turned (--turned). The residual says in pixels how well the corners fit.
    """
    need_opencv()
    from sera.behaviour.space import Frame
    from sera.cli._space_places import load_with_text, the_character
    from sera.cli._space_report import write_poses
    from sera.runtime.clock import run as run_in_loop
    from sera.vision.markers import DEFAULT_FAMILY, MarkerId
    from sera.vision.placing import PlacingProblem, place_camera, place_robot
    from sera.vision.pose_from_marker import compose

    if solve not in ("camera", "robot"):
        raise CommandError(f"--solve {solve}: write camera or robot")
    with sentences():
        wanted = MarkerId.parse(marker, DEFAULT_FAMILY)
    on_robot = Frame.from_degrees(_three(at, "--at"), *_three(turned, "--turned"))
    loaded, _, before = load_with_text(scenario)
    who = the_character(loaded, character)
    name, table = _camera_of(loaded, camera)
    model = _model_of(table, loaded.folder)
    with sentences():
        seen, model = run_in_loop(_look(source, wanted, shots, model))
    robot, there = Frame.of(loaded.characters[who]), Frame.of(table)
    try:
        if solve == "camera":
            marker_in_room = compose(robot, on_robot)
            found = place_camera(seen, size_mm / 1000, model, marker_in_room, there)
        else:
            found = place_robot(seen, size_mm / 1000, model, camera=there,
                                marker_on_robot=on_robot, written=robot)  # fmt: skip
    except PlacingProblem as error:
        raise CommandError(f"{wanted}: {error}") from None
    key = ("space", "cameras", name) if solve == "camera" else ("characters", who)
    tables: dict[tuple[str, ...], dict[str, Any]] = {key: _pose(found.frame)}
    _report(found, tables, len(seen), as_json=as_json)
    if write:
        write_poses(loaded.path, before, tables)


async def _look(
    source: str, wanted: MarkerId, shots: int, model: CameraModel
) -> tuple[list[Corners], CameraModel]:
    import asyncio

    from sera.vision.markers import MarkerDetector

    detector = MarkerDetector([wanted.family])
    seen: list[Corners] = []
    looked = 0
    async for _, picture, _ in pictures_of(source):
        looked += 1
        height, width = picture.shape[:2]
        model = model.for_picture(width, height)
        found = await asyncio.to_thread(detector.find, picture)
        mine = [each.corners_px for each in found if each.marker == wanted]
        if len(mine) > 1:
            raise CommandError(f"{wanted} is in view more than once: cover the others")
        seen += mine
        if len(seen) >= shots or looked >= _MOST_PICTURES:
            break
    return seen, model


def _camera_of(scenario: Scenario, name: str | None) -> tuple[str, Camera]:
    from sera.runtime.located import nearest_name

    cameras = scenario.space.cameras
    if name is None and len(cameras) == 1:
        return next(iter(cameras.items()))
    if not cameras:
        raise CommandError(
            f"scenario '{scenario.name}' has no camera: add [space.cameras.front] with its fov_deg"
        )
    if name is None:
        raise CommandError(f"which camera? Choose with --camera: {', '.join(cameras)}")
    if name not in cameras:
        near = nearest_name(name, cameras)
        hint = f"; did you mean '{near}'?" if near else f" (there are {', '.join(cameras)})"
        raise CommandError(f"scenario '{scenario.name}' has no camera '{name}'{hint}")
    return name, cameras[name]


def _model_of(table: Camera, folder: Path) -> CameraModel:
    from sera.cli._text import note
    from sera.vision.camera import CameraModel
    from sera.vision.camera_file import load_camera_file

    if table.calibration is not None:
        return load_camera_file(folder / table.calibration)
    note(
        f"the camera is not calibrated: its fov_deg = {table.fov_deg:g} is taken for true, and "
        "distances are as wrong as that is (`sera camera calibrate`)"
    )
    return CameraModel(640, 480, table.fov_deg)


def _three(text: str, option: str) -> tuple[float, float, float]:
    import math

    parts = text.split(",")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if len(values) != 3 or not all(math.isfinite(v) and abs(v) < 1000 for v in values):
        raise CommandError(
            f"{option} {text[:40]}: write three numbers with commas, such as 0,0.2,0"
        )
    return values[0], values[1], values[2]


def _pose(frame: Frame) -> dict[str, Any]:
    x, y, z = (round(value, 4) + 0.0 for value in frame.position_m)
    yaw, pitch, roll = (round(value, 3) + 0.0 for value in frame.yaw_pitch_roll_deg())
    return {"position_m": (x, y, z), "yaw_deg": yaw, "pitch_deg": pitch, "roll_deg": roll}


def _report(found: Any, tables: Any, pictures: int, *, as_json: bool) -> None:
    from sera.cli._space_write import tables_as_toml
    from sera.cli._text import note, print_json

    if as_json:
        print_json(
            {
                "error_px": found.error_px,
                "tremble_px": found.tremble_px,
                "side_px": found.side_px,
                "pictures": pictures,
                "remarks": list(found.remarks),
                "poses": {".".join(path): dict(values) for path, values in tables.items()},
            }
        )
        return
    x, y, z = found.marker_in_camera.position_m
    print(
        f"residual: {found.error_px:.2f} px over {pictures} pictures, in which the corners "
        f"trembled by {found.tremble_px:.2f} px"
    )
    print(f"the marker is {(x * x + y * y + z * z) ** 0.5:.3f} m from the camera")
    for remark in found.remarks:
        note(remark)
    print(f"\n{tables_as_toml(tables)}", flush=True)
