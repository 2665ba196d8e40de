"""`sera camera board` and `sera camera markers`: what people print, at true scale."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._camera_needs import need_opencv, sentences
from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.vision.board_paper import Sheet

Squares = Annotated[
    str, typer.Option("--squares", metavar="CxR", help="Fields across and down, such as 9x6.")
]
SquareMm = Annotated[
    float,
    typer.Option("--square-mm", metavar="MM", help="Side of a field, as measured on paper."),
]
Paper = Annotated[
    str, typer.Option("--paper", metavar="NAME", help="a4, a3, a2, a1, a0 or letter.")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Ends with .pdf or .png.")
]


def board(
    *,
    output: Output = Path("board.pdf"),
    squares: Squares = "9x6",
    square_mm: SquareMm = 28.0,
    paper: Paper = "a4",
) -> None:
    """Make the board that cameras are calibrated with: print it, glue it to something flat."""
    need_opencv()
    from sera.vision.board import Board
    from sera.vision.board_sheets import board_sheet, paper_named

    with sentences():
        chosen = Board.parse(squares, square_mm)
        sheet = board_sheet(chosen, paper_named(paper))
    _write(output, [sheet], "SERA calibration board")
    print(
        f"{output}: {chosen}. Print it at 100 %, glue it to something flat, measure a field, then:"
    )
    print(f"  sera camera calibrate 0 --squares {squares} --square-mm {square_mm:g}")


def markers(
    *,
    output: Output = Path("markers.pdf"),
    ids: Annotated[
        str, typer.Option("--ids", metavar="LIST", help="Which numbers, such as 0-9,12.")
    ] = "0-9",
    size_mm: Annotated[
        float, typer.Option("--size-mm", metavar="MM", help="Side of the black square.")
    ] = 50.0,
    family: Annotated[
        str, typer.Option("--family", metavar="NAME", help="aruco_4x4, apriltag_36h11 and others.")
    ] = "aruco_4x4",
    paper: Paper = "a4",
) -> None:
    """Make sheets of markers to cut out: cards, things and seats that the robot can find."""
    need_opencv()
    from sera.vision.board_sheets import marker_sheets, paper_named
    from sera.vision.markers import check_family, parse_numbers

    with sentences():
        chosen = parse_numbers(ids, check_family(family))
        sheets = marker_sheets(chosen, size_mm, paper_named(paper))
    _write(output, sheets, "SERA markers")
    pages = f"{len(sheets)} page{'' if len(sheets) == 1 else 's'}"
    print(f"{output}: {len(chosen)} markers on {pages}. Print at 100 %; keep the white edge.")
    print(f"  [modules.marker_tracker]\n  size_m = {size_mm / 1000:g}")
    print(f'  [space.objects.NAME]\n  marker = "{chosen[0]}"')


def _write(output: Path, sheets: list[Sheet], title: str) -> None:
    from sera.vision.board_paper import as_pdf, as_png

    kind = output.suffix.lower()
    if kind not in (".pdf", ".png"):
        raise CommandError(f"--output {output}: the name ends with .pdf or .png")
    if output.is_dir():
        raise CommandError(f"--output {output} is a folder: give the name of a file")
    if not output.parent.is_dir():
        raise CommandError(f"--output {output}: there is no folder {output.parent}")
    if kind == ".pdf":
        output.write_bytes(as_pdf(sheets, title))
        return
    if len(sheets) > 1:
        raise CommandError(f"{len(sheets)} pages do not fit into one picture: write a .pdf")
    try:
        content = as_png(sheets[0])
    except ValueError as error:
        raise CommandError(str(error)) from None
    output.write_bytes(content)
