"""A page of blocks, each a row of pictures to one scale with a title above.

Units and frames: inches on the page; metres in the pictures, whose views share one scale.
Threading: pure, apart from the file that is written.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

# Apart from each other for colour-blind eyes as well (Okabe and Ito).
BLUE, ORANGE, GREEN, VERMILION, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"
GREY = "#b0b0b0"
_DPI = 100
_WIDTH_IN = 11.0
_TOP_IN, _TITLE_IN, _LABEL_IN, _GAP_IN = 0.62, 0.38, 0.17, 0.14
_TALLEST_IN = 1.7
_BESIDE_IN, _BELOW_IN = 0.36, 0.12
"""Room for the numbers at a curve."""
_COLOURS = 160
_BEYOND = 0.05
"""Room around what is drawn, of its size."""


class Cell(NamedTuple):
    """One picture."""

    kind: str
    """Pictures of one kind get the same window; those of none keep their own."""
    label: str
    draw: Callable[[Any], None]


class Block(NamedTuple):
    """Pictures that belong together."""

    title: str
    facts: str
    cells: Sequence[Cell]


class _Window(NamedTuple):
    left: float
    right: float
    bottom: float
    top: float


class Page:
    """Blocks side by side and below each other.

    Args:
        title: of the page.
        subtitle: what is seen.
        blocks: what is shown.
        columns: how many blocks stand side by side.
    """

    def __init__(self, title: str, subtitle: str, blocks: Sequence[Block], columns: int) -> None:
        from matplotlib.figure import Figure

        self._title, self._subtitle = title, subtitle
        self._blocks, self._columns = blocks, columns
        most = max(len(block.cells) for block in blocks)
        self._block_in = (_WIDTH_IN - _GAP_IN * (columns + 1)) / columns
        self._cell_in = self._block_in / most
        self._figure = Figure(dpi=_DPI, facecolor="white")
        self._axes: list[list[Any]] = []
        for block in blocks:
            self._axes.append([self._drawn(cell) for cell in block.cells])

    def _drawn(self, cell: Cell) -> Any:
        axes = self._figure.add_axes((0.0, 0.0, 1.0, 1.0))
        cell.draw(axes)
        return axes

    def save(self, path: Path) -> Path:
        """Lay everything out and write the file."""
        tall_in = self._to_one_scale()
        row_in = _TITLE_IN + tall_in + _LABEL_IN + _GAP_IN
        height_in = _TOP_IN + math.ceil(len(self._blocks) / self._columns) * row_in
        self._figure.set_size_inches(_WIDTH_IN, height_in)

        def text(x_in: float, y_in: float, said: str, **style: Any) -> None:
            self._figure.text(x_in / _WIDTH_IN, y_in / height_in, said, **style)

        text(_GAP_IN, height_in - 0.28, self._title, fontsize=15, weight="bold")
        text(_GAP_IN, height_in - 0.5, self._subtitle, fontsize=8.5, color="0.3")
        for number, block in enumerate(self._blocks):
            row, column = divmod(number, self._columns)
            left = _GAP_IN + column * (self._block_in + _GAP_IN)
            top = height_in - _TOP_IN - row * row_in
            bottom = top - _TITLE_IN - tall_in
            text(left, top - 0.17, block.title, fontsize=9.5, weight="bold")
            text(left, top - 0.32, block.facts, fontsize=7, color="0.3")
            for place, cell in enumerate(block.cells):
                at = left + place * self._cell_in
                beside, below = (0.0, 0.0) if cell.kind else (_BESIDE_IN, _BELOW_IN)
                self._axes[number][place].set_position(
                    (
                        (at + beside) / _WIDTH_IN,
                        (bottom + below) / height_in,
                        (self._cell_in - beside) / _WIDTH_IN,
                        (tall_in - below) / height_in,
                    )
                )
                middle = at + 0.5 * self._cell_in
                text(middle, bottom - 0.13, cell.label, fontsize=7, ha="center", color="0.3")
        return save_few_colours(self._figure, path)

    def _to_one_scale(self) -> float:
        """Give all pictures one scale, those of a kind one window; how tall they become."""
        kinds: dict[str, list[Any]] = {}
        for block, drawn in zip(self._blocks, self._axes, strict=True):
            for cell, axes in zip(block.cells, drawn, strict=True):
                if cell.kind:
                    kinds.setdefault(cell.kind, []).append(axes)
        windows = {kind: _window(shown) for kind, shown in kinds.items()}
        bottom = min(window.bottom for window in windows.values())
        top = max(window.top for window in windows.values())
        metres_an_inch = max(
            (top - bottom) / _TALLEST_IN,
            *((window.right - window.left) / self._cell_in for window in windows.values()),
        )
        half = 0.5 * metres_an_inch * self._cell_in
        for kind, shown in kinds.items():
            middle = 0.5 * (windows[kind].left + windows[kind].right)
            for axes in shown:
                axes.set_aspect("auto")
                axes.set_xlim(middle - half, middle + half)
                axes.set_ylim(bottom, top)
        return (top - bottom) / metres_an_inch


def _window(shown: Sequence[Any]) -> _Window:
    boxes = [axes.dataLim for axes in shown]
    beyond = _BEYOND * max(box.height for box in boxes)
    return _Window(
        min(box.x0 for box in boxes) - beyond,
        max(box.x1 for box in boxes) + beyond,
        min(box.y0 for box in boxes) - beyond,
        max(box.y1 for box in boxes) + beyond,
    )


def save_few_colours(figure: Any, path: Path) -> Path:
    """Write a figure as a PNG with a palette: a third of the size, and the eye misses nothing."""
    from PIL import Image

    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_DPI)
    content.seek(0)
    with Image.open(content) as picture:
        few = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
        few.save(path, format="PNG", optimize=True)
    return path
