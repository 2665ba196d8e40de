"""A drawing as SVG text, with nothing but the standard library."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from sera.behaviour.dialogue._layout import (
    LABEL_FONT_PX,
    LINE_PX,
    STATE_FONT_PX,
    Box,
    Curve,
    Drawing,
    Label,
)
from sera.behaviour.findings import Severity

INK = "#243040"
QUIET = "#5b6b7d"
BACK = "#8a5a9e"
SAID = "#2f6f8f"
FILLS = {None: "#eef3f8", Severity.WARNING: "#fdebc8", Severity.ERROR: "#f8d0cc"}
STROKES = {None: "#4a6fa5", Severity.WARNING: "#c98a12", Severity.ERROR: "#b8332a"}
END_FILL = "#e3e6ea"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def as_svg(drawing: Drawing) -> str:
    """The whole picture."""
    width, height = round(drawing.width), round(drawing.height)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
        ),
        "<defs>",
        *(_arrow(name, colour) for name, colour in (("on", QUIET), ("back", BACK))),
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    parts += [_curve(curve) for curve in drawing.curves]
    parts += [_label(label) for label in drawing.labels]
    parts += [_box(box) for box in drawing.boxes]
    return "\n".join([*parts, "</svg>", ""])


def _arrow(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" '
        f'markerHeight="8" orient="auto"><path d="M0,1 L10,5 L0,9 z" fill="{colour}"/></marker>'
    )


def _curve(curve: Curve) -> str:
    (x, y), *rest = curve.points
    way = f"M{x:.1f},{y:.1f} C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
    colour, name = (BACK, "back") if curve.back else (QUIET, "on")
    dashes = ' stroke-dasharray="6 3"' if curve.back else ""
    return (
        f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="1.4"{dashes} '
        f'marker-end="url(#{name})"/>'
    )


def _label(label: Label) -> str:
    left, top = label.x - label.width / 2, label.y - label.height / 2
    parts = [
        (
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{label.width:.1f}" '
            f'height="{label.height:.1f}" fill="white" fill-opacity="0.92"/>'
        )
    ]
    first = label.y - LINE_PX * (len(label.lines) - 1) / 2
    for number, (text, is_said) in enumerate(label.lines):
        look = f'fill="{SAID}" font-style="italic"' if is_said else f'fill="{INK}"'
        y = first + number * LINE_PX
        parts.append(_text(text, label.x, y, LABEL_FONT_PX, look))
    return "\n".join(parts)


def _box(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    node = box.node
    fill = END_FILL if node.is_end and node.worst is None else FILLS[node.worst]
    thick = 2.8 if node.is_start else 1.5
    radius = box.height / 2 if node.is_end else 7
    shape = (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="{radius:g}" fill="{fill}" stroke="{STROKES[node.worst]}" stroke-width="{thick}"/>'
    )
    return shape + "\n" + _text(node.name, box.x, box.y, STATE_FONT_PX, f'fill="{INK}"')


def _text(text: str, x: float, y: float, size_px: float, look: str) -> str:
    written = escape(_FORBIDDEN.sub("\ufffd", text))
    baseline = y + size_px * 0.35
    return (
        f'<text x="{x:.1f}" y="{baseline:.1f}" font-size="{size_px:g}" text-anchor="middle" '
        f"{look}>{written}</text>"
    )
