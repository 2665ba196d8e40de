"""What people print: the board to calibrate with, and sheets of markers to cut out.

Units and frames: millimetres from the upper left corner of the paper.
Threading: no state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sera.vision.board import MARKER_SHARE, Board, BoardError
from sera.vision.board_paper import A4_MM, MARGIN_MM, PAPERS_MM, Sheet
from sera.vision.markers import MarkerId, pattern_of

_FOOT_MM = 14.0
_LABEL_MM = 6.0
MOST_PAGES = 200


def paper_named(name: str) -> tuple[float, float]:
    """Width and height of a paper, upright.

    Raises:
        BoardError: there is none of that name.
    """
    from sera.runtime.located import nearest_name

    size = PAPERS_MM.get(name.strip().lower())
    if size is None:
        near = nearest_name(name, PAPERS_MM)
        hint = f"; did you mean '{near}'?" if near else ""
        raise BoardError(f"unknown paper '{name[:20]}'{hint} (there are {', '.join(PAPERS_MM)})")
    return size


def board_sheet(board: Board, paper_mm: tuple[float, float] = A4_MM) -> Sheet:
    """The board on a sheet, turned to whichever way it fits.

    Raises:
        BoardError: it does not fit.
    """
    field_mm = board.square_m * 1000.0
    wide, high = board.columns * field_mm, board.rows * field_mm
    for width, height in (paper_mm, paper_mm[::-1]):
        room = (width - 2 * MARGIN_MM, height - 2 * MARGIN_MM - _FOOT_MM)
        if wide <= room[0] + 1e-6 and high <= room[1] + 1e-6:
            break
    else:
        width, height = max(paper_mm), min(paper_mm)
        room = (width - 2 * MARGIN_MM, height - 2 * MARGIN_MM - _FOOT_MM)
        best_mm = math.floor(2.0 * min(room[0] / board.columns, room[1] / board.rows)) / 2.0
        raise BoardError(
            f"a board of {board} is {wide:.0f}x{high:.0f} mm and does not fit on paper of "
            f"{width:.0f}x{height:.0f} mm: take fields of at most {best_mm:g} mm, fewer of them, "
            "or --paper a3"
        )
    sheet = Sheet(width, height)
    left, top = (width - wide) / 2.0, MARGIN_MM + (room[1] - high) / 2.0
    edge = field_mm * (1.0 - MARKER_SHARE) / 2.0
    number = 0
    for row in range(board.rows):
        for column in range(board.columns):
            x, y = left + column * field_mm, top + row * field_mm
            if (row + column) % 2 == 0:
                sheet.boxes.append((x, y, field_mm, field_mm))
                continue
            marker = MarkerId(board.family, number)
            _draw_marker(sheet, marker, x + edge, y + edge, field_mm * MARKER_SHARE)
            number += 1
    told = f"sera camera calibrate SOURCE --squares {board.columns}x{board.rows} "
    sheet.add_ruler(MARGIN_MM, height - MARGIN_MM - 5.0)
    sheet.texts.append(
        (MARGIN_MM + 112.0, height - MARGIN_MM - 4.0, 2.6, f"{told}--square-mm {field_mm:g}")
        if width > 250
        else (MARGIN_MM, height - MARGIN_MM - 9.5, 2.6, f"{told}--square-mm {field_mm:g}")
    )
    return sheet


def marker_sheets(
    markers: Sequence[MarkerId], size_mm: float, paper_mm: tuple[float, float] = A4_MM
) -> list[Sheet]:
    """Sheets of markers, each with its white border to cut along and its id beneath.

    Raises:
        BoardError: the size fits no page, or the pages would be too many.
    """
    if not (math.isfinite(size_mm) and 5.0 <= size_mm <= 1000.0):
        raise BoardError(f"a marker is 5 to 1000 mm wide, not {size_mm:g}")
    if not markers:
        raise BoardError("there is no marker to print; name some with --ids 0-9")
    cells = max(pattern_of(marker).shape[0] for marker in markers)
    border = max(0.75 * size_mm / cells, 3.0)  # on a black table it needs a white edge
    wide, high = size_mm + 2 * border, size_mm + 2 * border + _LABEL_MM
    width, height = paper_mm
    columns = int((width - 2 * MARGIN_MM + 1e-6) // wide)
    rows = int((height - 2 * MARGIN_MM - _FOOT_MM + 1e-6) // high)
    if columns < 1 or rows < 1:
        raise BoardError(
            f"a marker of {size_mm:g} mm and its white edge do not fit on paper of "
            f"{width:.0f}x{height:.0f} mm; take a smaller one, or --paper a3"
        )
    page = columns * rows
    if len(markers) > page * MOST_PAGES:
        raise BoardError(f"{len(markers)} markers are more than {MOST_PAGES} pages; print fewer")
    sheets = []
    for start in range(0, len(markers), page):
        sheet = Sheet(width, height)
        for index, marker in enumerate(markers[start : start + page]):
            x = MARGIN_MM + (index % columns) * wide
            y = MARGIN_MM + (index // columns) * high
            sheet.hairlines.append((x, y, wide, high))
            _draw_marker(sheet, marker, x + border, y + border, size_mm)
            letters = min(2.6, wide / 16.0)
            told = f"{marker}  {size_mm:g} mm"
            sheet.texts.append((x + border, y + high - 2.5, letters, told))
        sheet.add_ruler(MARGIN_MM, height - MARGIN_MM - 5.0, min(100.0, width - 2 * MARGIN_MM))
        sheets.append(sheet)
    return sheets


def _draw_marker(sheet: Sheet, marker: MarkerId, x_mm: float, y_mm: float, size_mm: float) -> None:
    cells = pattern_of(marker)
    cell_mm = size_mm / cells.shape[0]
    for row, line in enumerate(cells):
        start: int | None = None
        # Neighbours in a row become one rectangle: no hairs of white between them in viewers.
        for column, black in enumerate([*line.tolist(), False]):
            if black and start is None:
                start = column
            elif not black and start is not None:
                sheet.boxes.append(
                    (x_mm + start * cell_mm, y_mm + row * cell_mm,
                     (column - start) * cell_mm, cell_mm)
                )  # fmt: skip
                start = None


__all__ = ["board_sheet", "marker_sheets", "paper_named"]
