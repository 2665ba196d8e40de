"""`sera camera show`: a page with what a camera sees, markers and boards drawn in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sera.cli._camera_needs import need_opencv, pictures_of, sentences

_SIZE_MM = 50.0


def show(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Camera number, address, or video file.")
    ] = "0",
    *,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="N", help="0: a free one.")
    ] = 0,
    family: Annotated[
        str, typer.Option("--family", metavar="NAME", help="Which markers are drawn in.")
    ] = "aruco_4x4",
    size_mm: Annotated[
        float, typer.Option("--size-mm", metavar="MM", min=2, help="Side of the black square.")
    ] = _SIZE_MM,
    fov_deg: Annotated[
        float,
        typer.Option("--fov-deg", metavar="DEG", min=5, max=170, help="Without a calibration."),
    ] = 60.0,
    calibration: Annotated[
        Path | None,
        typer.Option("--calibration", metavar="FILE", help="What `sera camera calibrate` wrote."),
    ] = None,
    frames: Annotated[
        int, typer.Option("--frames", min=0, metavar="N", help="End after so many; 0: Ctrl-C.")
    ] = 0,
) -> None:
    """Show what a camera sees on a page of this machine, with markers and how far they are."""
    need_opencv()
    from sera.runtime.clock import run as run_in_loop
    from sera.vision.camera import CameraModel
    from sera.vision.camera_file import load_camera_file
    from sera.vision.markers import MarkerDetector

    with sentences():
        detector = MarkerDetector([family])
        camera = (
            CameraModel(640, 480, fov_deg) if calibration is None else load_camera_file(calibration)
        )
        run_in_loop(_show(source, detector, camera, port=port, size_mm=size_mm, frames=frames))


async def _show(
    source: str, detector: object, camera: object, *, port: int, size_mm: float, frames: int
) -> None:
    import asyncio

    from sera.behaviour.space import Frame
    from sera.cli._errors import CommandError
    from sera.cli._text import note
    from sera.vision.camera import CameraModel
    from sera.vision.marker_overlay import draw_markers
    from sera.vision.marker_tracks import MarkerTracks, TrackSettings
    from sera.vision.markers import MarkerDetector
    from sera.vision.preview import PreviewError, PreviewServer

    assert isinstance(detector, MarkerDetector)
    assert isinstance(camera, CameraModel)
    page = PreviewServer(f"camera {source}", port=port)
    try:
        await page.start()
    except PreviewError as error:
        raise CommandError(str(error).replace("preview_port", "--port")) from None
    note(f"what the camera sees: {page.url} (Ctrl-C ends it)", "green")
    tracks = MarkerTracks(camera, Frame(), TrackSettings(size_m=size_mm / 1000.0))
    shown = 0
    last: dict[str, None] = {}
    try:
        async for _, picture, time_s in pictures_of(source):
            height, width = picture.shape[:2]
            tracks.eye = camera.for_picture(width, height)
            found = await asyncio.to_thread(detector.find, picture)
            for change in tracks.update(found, time_s):
                x, y, z = change.frame.position_m
                if str(change.marker) not in last or change.change == "lost":
                    place = f"{-x:+.2f} m right, {y:+.2f} m up, {z:.2f} m ahead"
                    print(f"{change.marker} {change.change}: {place}", flush=True)
                    last[str(change.marker)] = None
                if change.change == "lost":
                    last.pop(str(change.marker), None)
            page.show(
                draw_markers(picture, found, tracks.present, camera=Frame(), names={}), time_s
            )
            shown += 1
            if shown == frames:
                return
    finally:
        await page.stop()
