"""`sera camera calibrate`: from pictures of the printed board to a file about the camera."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._camera_needs import is_live, need_opencv, pictures_of, sentences
from sera.cli._camera_print import SquareMm, Squares
from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.vision.board import Board, BoardShot
    from sera.vision.board_calibration import Calibration, ShotCollector
    from sera.vision.source import Picture

_QUIET_S = 2.0


def calibrate(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="Camera number, address, video, folder of pictures."),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the camera.")
    ] = Path("camera.toml"),
    squares: Squares = "9x6",
    square_mm: SquareMm = 28.0,
    shots: Annotated[
        int, typer.Option("--shots", metavar="N", min=5, max=200, help="How many are enough.")
    ] = 20,
    preview: Annotated[
        bool, typer.Option("--preview/--no-preview", help="A page with the live picture.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Find focal length and distortion of a camera from pictures of the printed board.

    Make the board with `sera camera board`. Hold it near and far, in all corners of the picture,
    tilted to all sides; with a live camera the next wish is told after every shot.
    """
    need_opencv()
    from sera.cli._text import note
    from sera.runtime.clock import run as run_in_loop
    from sera.vision.board import Board
    from sera.vision.board_calibration import ShotCollector
    from sera.vision.board_calibration import calibrate as fit

    if not output.parent.is_dir() or output.is_dir():
        raise CommandError(f"--output {output}: there is no such folder, or it is one itself")
    path = Path(source).expanduser()
    with sentences():
        board = Board.parse(squares, square_mm)
        moving = not (path.is_dir() or _is_picture(path))
        collector = ShotCollector(board, shots, must_be_still=moving)
        live = is_live(source)
        run_in_loop(_collect(source, collector, show=preview and live, tell=not as_json))
        if collector.size_px is None:
            raise CommandError(f"{source} gave no picture")
        if not as_json:
            note(f"{len(collector.shots)} pictures of the board; computing …")
        found = fit(board, collector.shots, collector.size_px)
    _report(found, collector, board, output, as_json=as_json)


def _is_picture(path: Path) -> bool:
    from sera.cli._camera_needs import PICTURES

    return path.suffix.lower() in PICTURES


async def _collect(source: str, collector: ShotCollector, *, show: bool, tell: bool) -> None:
    import asyncio

    from sera.cli._text import note
    from sera.vision.preview import PreviewServer

    page: PreviewServer | None = None
    if show:
        page = PreviewServer("calibration: hold the board in view")
        await page.start()
        note(f"what the camera sees: {page.url}", "green")
    told, told_s = "", -1e9
    try:
        async for name, picture, time_s in pictures_of(source):
            offer = await asyncio.to_thread(collector.offer, picture)
            if page is not None:
                page.show(_drawn(picture, offer.shot, offer.sentence), time_s)
            if offer.taken and tell:
                corners = 0 if offer.shot is None else len(offer.shot.numbers)
                count = f"{len(collector.shots)} of {collector.wanted}"
                note(f"{name}: shot {count}, {corners} corners; {offer.sentence}", "green")
            elif tell and show and offer.sentence != told and time_s - told_s > _QUIET_S:
                note(offer.sentence)
                told, told_s = offer.sentence, time_s
            if collector.enough:
                return
    finally:
        if page is not None:
            await page.stop()


def _drawn(picture: Picture, shot: BoardShot | None, sentence: str) -> Picture:
    import cv2

    drawn = picture.copy()
    if shot is not None:
        for x, y in shot.places_px:
            cv2.circle(drawn, (round(float(x)), round(float(y))), 4, (90, 220, 90), -1)
    text = sentence.encode("ascii", "replace").decode()
    for colour, thick in (((0, 0, 0), 4), ((255, 255, 255), 1)):
        cv2.putText(drawn, text, (10, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.7, colour, thick)
    return drawn


def _report(
    found: Calibration, collector: ShotCollector, board: Board, output: Path, *, as_json: bool
) -> None:
    from sera.cli._text import note, print_json
    from sera.vision.board_calibration import advice_for
    from sera.vision.camera_file import camera_file_text, load_camera_file

    assert collector.size_px is not None
    advice = advice_for(found, collector.shots, collector.size_px)
    across_deg, up_deg = found.fov_deg
    used = len(found.errors_px)
    facts: dict[str, float | int | str] = {
        "rms_px": round(found.rms_px, 4),
        "pictures": used,
        "fov_deg": round(across_deg, 2),
        "fov_up_deg": round(up_deg, 2),
        "focal_doubt": round(found.focal_doubt, 5),
        "board": str(board),
    }
    output.write_text(camera_file_text(found.model, facts), encoding="utf-8")
    load_camera_file(output)  # what was written can be read
    if as_json:
        print_json({**facts, "output": str(output), "left_out": len(found.left_out),
                    "focal_px": found.model.focal_x_px, "advice": advice})  # fmt: skip
        return
    size = f"{found.model.width_px}x{found.model.height_px}"
    print(
        f"reprojection error: {found.rms_px:.2f} px (root mean square, {used} pictures of {size})"
    )
    doubt = 100 * found.focal_doubt
    print(f"field of view: {across_deg:.1f}° across, {up_deg:.1f}° up and down")
    print(f"focal length: {found.model.focal_x_px:.1f} px, known to ±{doubt:.2f} %")
    if found.left_out:
        note(f"{len(found.left_out)} pictures fitted badly and were left out")
    for sentence in advice:
        note(sentence)
    print(f'written to {output}; in scenario.toml:\n  [space.cameras.NAME]\n  calibration = "'
          f'{output.name}"')  # fmt: skip
