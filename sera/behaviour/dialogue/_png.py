"""A drawing as PNG, by matplotlib, which is an optional dependency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sera.behaviour.dialogue._layout import (
    LABEL_FONT_PX,
    LINE_PX,
    STATE_FONT_PX,
    Box,
    Drawing,
    Label,
)
from sera.behaviour.dialogue._svg import BACK, END_FILL, FILLS, INK, QUIET, SAID, STROKES

DOTS_PER_INCH = 160
_PIXELS_PER_INCH = 96.0
_POINTS_PER_PIXEL = 72.0 / _PIXELS_PER_INCH


def write_png(drawing: Drawing, out: Path) -> None:
    """Draw it.

    Raises:
        ImportError: matplotlib is missing.
        OSError: the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.patches import FancyArrowPatch
        from matplotlib.path import Path as Way
    except ImportError as error:
        raise ImportError(
            "a .png needs matplotlib: install it with pip install 'sera-hri[figures]', or write "
            "a .svg, which needs nothing"
        ) from error
    inches = (drawing.width / _PIXELS_PER_INCH, drawing.height / _PIXELS_PER_INCH)
    figure = Figure(figsize=inches, dpi=DOTS_PER_INCH)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.axis("off")
    for curve in drawing.curves:
        codes = [Way.MOVETO] + [Way.CURVE4] * (len(curve.points) - 1)
        colour = BACK if curve.back else QUIET
        arrow = FancyArrowPatch(
            path=Way(curve.points, codes),
            arrowstyle="-|>",
            mutation_scale=9,
            color=colour,
            linewidth=1.0,
            linestyle=(0, (5, 2)) if curve.back else "-",
        )
        axes.add_patch(arrow)
    for label in drawing.labels:
        _label(axes, label)
    for box in drawing.boxes:
        _box(axes, box)
    figure.savefig(out, format="png")


def _label(axes: Any, label: Label) -> None:
    from matplotlib.patches import Rectangle

    corner = (label.x - label.width / 2, label.y - label.height / 2)
    paper = Rectangle(corner, label.width, label.height, facecolor="white", alpha=0.92, zorder=2)
    axes.add_patch(paper)
    first = label.y - LINE_PX * (len(label.lines) - 1) / 2
    for number, (text, is_said) in enumerate(label.lines):
        place = (label.x, first + number * LINE_PX)
        _text(axes, text, place, LABEL_FONT_PX, is_said=is_said)


def _box(axes: Any, box: Box) -> None:
    from matplotlib.patches import FancyBboxPatch

    node = box.node
    radius = box.height / 2 if node.is_end else 7
    shape = FancyBboxPatch(
        (box.x - box.width / 2, box.y - box.height / 2),
        box.width,
        box.height,
        boxstyle=f"round,pad=0,rounding_size={radius:g}",
        facecolor=END_FILL if node.is_end and node.worst is None else FILLS[node.worst],
        edgecolor=STROKES[node.worst],
        linewidth=2.2 if node.is_start else 1.2,
        zorder=3,
    )
    axes.add_patch(shape)
    _text(axes, node.name, (box.x, box.y), STATE_FONT_PX)


def _text(
    axes: Any, text: str, place: tuple[float, float], size_px: float, *, is_said: bool = False
) -> None:
    axes.text(
        *place,
        text,
        fontsize=size_px * _POINTS_PER_PIXEL * 0.94,
        color=SAID if is_said else INK,
        style="italic" if is_said else "normal",
        ha="center",
        va="center",
        parse_math=False,  # a dollar sign is a dollar sign
        zorder=4,
    )
