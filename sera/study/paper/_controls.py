"""Boxes to tick, lines to mark and pictures, drawn on a PDF's page.

Units and frames
    Points (1/72 inch), x to the right, y up, the origin at the control's lower left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable

from sera.study._questionnaire_tables import Item
from sera.study.drawings import Circle, Drawing, Label, Path, drawing
from sera.study.paper._fonts import PLAIN, font_for

BOX = 12.0
SMALL = 8.0
_LINE_HEIGHT = 1.2
_COLUMN, _LEAST_COLUMN = 34.0, 16.0
_LEAST_SCALE, _MOST_SCALE = 0.5, 0.9
"""Points a unit of a drawing: what it can be made small or large to."""


def wrapped(text: str, size: float, width: float) -> list[str]:
    """The lines of a text that has to fit into a column."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and stringWidth(longer, font_for(longer, PLAIN), size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def fits_beside_points(text: str, points: int, width: float) -> bool:
    """Whether a text can stand at the left of a scale's boxes, in one line."""
    room = (width - _COLUMN * points) / 2 - 8
    return len(wrapped(text, SMALL + 1, room)) <= 1 and len(text) < 40 and points <= 11


class Points(Flowable):  # type: ignore[misc]
    """The points of a scale between its two ends, or with a word for each."""

    def __init__(self, points: int, anchors: Sequence[str]) -> None:
        super().__init__()
        self.points = points
        self.every = len(anchors) == points and points > 2
        self.anchors = list(anchors)

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        self.width = available_width
        most = (available_width - _LEAST_COLUMN * self.points) / 2
        self.side = 0.0 if self.every else max(0.0, min(135.0, most))
        column = (available_width - 2 * self.side) / self.points
        self.column = column if self.every else min(column, _COLUMN)
        self.left = (available_width - self.column * self.points) / 2
        room = self.column - 4 if self.every else self.left - 8
        self.lines = [wrapped(anchor, SMALL + 1, room) for anchor in self.anchors]
        tallest = max((len(lines) for lines in self.lines), default=0) * (SMALL + 1) * _LINE_HEIGHT
        boxes = BOX + SMALL + 4
        self.height = boxes + tallest + 4 if self.every else max(boxes, tallest + 2)
        return self.width, self.height

    def draw(self) -> None:
        top = self.height if self.every else (self.height + BOX + SMALL + 4) / 2
        for number in range(self.points):
            middle = self.left + (number + 0.5) * self.column
            self.canv.setFont(PLAIN, SMALL)
            self.canv.drawCentredString(middle, top - SMALL, str(number + 1))
            self.canv.rect(middle - BOX / 2, top - SMALL - 4 - BOX, BOX, BOX)
            if self.every:
                self._column(self.lines[number], middle, top - SMALL - 6 - BOX)
        if not self.every and self.anchors:
            self._end(self.lines[0], self.left - 8, right=True)
            self._end(self.lines[-1], self.width - self.left + 8, right=False)

    def _column(self, lines: list[str], middle: float, top: float) -> None:
        for number, line in enumerate(lines):
            self._write(line, middle, top - (number + 1) * (SMALL + 1) * _LINE_HEIGHT + 2, 0.5)

    def _end(self, lines: list[str], x: float, *, right: bool) -> None:
        step = (SMALL + 1) * _LINE_HEIGHT
        top = self.height / 2 + len(lines) * step / 2
        for number, line in enumerate(lines):
            self._write(line, x, top - (number + 1) * step + 2.5, 1.0 if right else 0.0)

    def _write(self, line: str, x: float, y: float, share_before: float) -> None:
        font = font_for(line, PLAIN)
        self.canv.setFont(font, SMALL + 1)
        self.canv.drawString(x - share_before * stringWidth(line, font, SMALL + 1), y, line)


class Line(Flowable):  # type: ignore[misc]
    """A line with ticks between two ends, for a cross."""

    def __init__(self, ticks: int, anchors: Sequence[str]) -> None:
        super().__init__()
        self.ticks = ticks
        self.anchors = list(anchors)

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        self.width, self.height = available_width, 34.0
        return self.width, self.height

    def draw(self) -> None:
        inset, base = 12.0, 16.0
        length = self.width - 2 * inset
        self.canv.line(inset, base, inset + length, base)
        for number in range(self.ticks):
            x = inset + length * number / (self.ticks - 1)
            tall = 12.0 if number % 10 == 0 else 6.0
            self.canv.line(x, base, x, base + tall)
        for anchor, x, before in zip(
            [self.anchors[0], self.anchors[-1]] if self.anchors else [],
            (inset, inset + length),
            (0.0, 1.0),
            strict=False,
        ):
            font = font_for(anchor, PLAIN)
            self.canv.setFont(font, SMALL + 1)
            self.canv.drawString(x - before * stringWidth(anchor, font, SMALL + 1), 3, anchor)


class Pictures(Flowable):  # type: ignore[misc]
    """The pictures of a scale, each with its number and a box."""

    def __init__(self, item: Item, tag: str) -> None:
        super().__init__()
        assert item.drawing is not None  # the file was checked
        self.drawings = [
            drawing(item.drawing, point, item.points, item.labels.get(tag, []))
            for point in range(1, item.points + 1)
        ]
        self.anchors = item.anchors.get(tag, [])

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        self.width = available_width
        first = self.drawings[0]
        most = max(1, int(available_width / (_LEAST_SCALE * first.width)))
        self.rows = -(-len(self.drawings) // most)
        self.per_row = -(-len(self.drawings) // self.rows)
        self.column = min(available_width / self.per_row, _MOST_SCALE * first.width)
        self.scale = (self.column - 6) / first.width
        self.row = first.height * self.scale + BOX + SMALL + 14
        self.below = SMALL + 6 if self.anchors else 0.0
        self.height = self.rows * self.row + self.below
        return self.width, self.height

    def draw(self) -> None:
        for number, one in enumerate(self.drawings):
            row, place = divmod(number, self.per_row)
            left = place * self.column
            bottom = self.below + (self.rows - 1 - row) * self.row
            self._picture(one, left + 3, bottom + BOX + SMALL + 10)
            middle = left + self.column / 2
            self.canv.setFont(PLAIN, SMALL)
            self.canv.drawCentredString(middle, bottom + BOX + 4, str(number + 1))
            self.canv.rect(middle - BOX / 2, bottom, BOX, BOX)
        if self.anchors:
            ends = (self.anchors[0], self.anchors[-1])
            right = self.column * self.per_row - 3
            for text, x, before in zip(ends, (3.0, right), (0.0, 1.0), strict=True):
                font = font_for(text, PLAIN)
                self.canv.setFont(font, SMALL + 1)
                self.canv.drawString(x - before * stringWidth(text, font, SMALL + 1), 2, text)

    def _picture(self, one: Drawing, left: float, bottom: float) -> None:
        self.canv.saveState()
        self.canv.translate(left, bottom + one.height * self.scale)
        self.canv.scale(self.scale, -self.scale)
        for shape in one.shapes:
            draw_shape(self.canv, shape)
        self.canv.restoreState()
        self.canv.setLineWidth(0.5)
        self.canv.rect(left, bottom, one.width * self.scale, one.height * self.scale)
        self.canv.setLineWidth(1)


def draw_shape(canvas: Any, shape: Circle | Path | Label) -> None:
    """Draw a part of a picture, on a canvas whose y goes down."""
    if isinstance(shape, Label):
        canvas.saveState()
        canvas.translate(shape.x, shape.y)
        canvas.scale(1, -1)
        canvas.setFont(font_for(shape.text, PLAIN), shape.size)
        canvas.setFillGray(0)
        canvas.drawCentredString(0, 0, shape.text)
        canvas.restoreState()
        return
    canvas.setLineWidth(shape.width)
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    canvas.setFillGray(1 if shape.fill == "paper" else 0)
    filled = int(shape.fill != "none")
    if isinstance(shape, Circle):
        canvas.circle(shape.x, shape.y, shape.radius, stroke=1, fill=filled)
        return
    path = canvas.beginPath()
    moves = {"M": path.moveTo, "L": path.lineTo, "C": path.curveTo, "Z": path.close}
    for letter, numbers in shape.commands:
        moves[letter](*numbers)
    canvas.drawPath(path, stroke=1, fill=filled)


class Tick(Flowable):  # type: ignore[misc]
    """A box with words beside it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        self.lines = wrapped(self.text, 10, available_width - BOX - 10)
        self.width, self.height = available_width, max(18.0, 13.0 * len(self.lines) + 5)
        return self.width, self.height

    def draw(self) -> None:
        top = self.height - 3
        self.canv.rect(0, top - BOX, BOX, BOX)
        for number, line in enumerate(self.lines):
            self.canv.setFont(font_for(line, PLAIN), 10)
            self.canv.drawString(BOX + 8, top - BOX + 2.5 - 13 * number, line)


class Rules(Flowable):  # type: ignore[misc]
    """Empty lines to write on."""

    def __init__(self, count: int, width: float | None = None) -> None:
        super().__init__()
        self.count = count
        self.wanted = width

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        self.width = available_width if self.wanted is None else self.wanted
        self.height = 24.0 * self.count
        return self.width, self.height

    def draw(self) -> None:
        self.canv.setLineWidth(0.5)
        for number in range(self.count):
            y = 4.0 + 24.0 * number
            self.canv.line(0, y, self.width, y)
        self.canv.setLineWidth(1)
