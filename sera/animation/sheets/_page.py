"""The page of a contact sheet: a grid of pictures to one scale, with titles, times and lights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sera.animation.body import Body
from sera.animation.body.drawing import View, draw_pose
from sera.animation.channels import ChannelSpec, Kind, Unit

Vector = tuple[float, float, float]

_DPI = 90
_CELL_HEIGHT_IN = 1.9
_CELL_WIDTH_IN = 1.5
_LEFT_IN, _TOP_IN, _GAP_IN = 1.2, 0.55, 0.04
_LABEL_IN, _LIGHTS_IN = 0.22, 0.36
"""Room below a picture for its time, and above it for its lights."""
_ARROW_SHARE = 0.17
"""How far the arrow of the gaze reaches beyond a body, of its height."""
_SEEN: dict[View, str] = {
    "front": "from the front",
    "side": "from its right",
    "corner": "from a corner",
}
_DARK, _BRIGHT = (0.18, 0.18, 0.22), (1.0, 0.82, 0.2)


class Page:
    """Rows of pictures; all of them get one scale, so that poses can be compared."""

    def __init__(self, body: Body, rows: Sequence[tuple[str, View, int]], columns: int) -> None:
        """Lay out rows: title, view, how many pictures."""
        from matplotlib.figure import Figure

        self._body = body
        self._width_in = _LEFT_IN + columns * _CELL_WIDTH_IN
        self._height_in = _TOP_IN + len(rows) * _CELL_HEIGHT_IN
        self._figure = Figure(figsize=(self._width_in, self._height_in), facecolor="white")
        self._axes: list[tuple[View, Any]] = []
        self._text(0.1, self._height_in - 0.36, body.title, fontsize=16, weight="bold")
        for number, (title, view, _) in enumerate(rows):
            middle_in = self._bottom_in(number) + 0.5 * _CELL_HEIGHT_IN
            self._text(0.1, middle_in, title, fontsize=12, weight="bold")
            self._text(0.1, middle_in - 0.2, _SEEN[view], fontsize=9)

    def picture(
        self,
        row: int,
        column: int,
        view: View,
        label: str,
        own: Mapping[str, float],
        *,
        place_m: Vector | None = None,
    ) -> None:
        """Draw a pose with its label below and its lights above, and a place as a cross."""
        left_in, bottom_in = _LEFT_IN + column * _CELL_WIDTH_IN, self._bottom_in(row)
        tall_in = _CELL_HEIGHT_IN - _LABEL_IN - _LIGHTS_IN
        axes = self._figure.add_axes(
            (
                left_in / self._width_in,
                (bottom_in + _LABEL_IN) / self._height_in,
                (_CELL_WIDTH_IN - _GAP_IN) / self._width_in,
                tall_in / self._height_in,
            )
        )
        draw_pose(axes, self._body, own, view=view, place_m=place_m)
        self._axes.append((view, axes))
        middle_in = left_in + 0.5 * _CELL_WIDTH_IN
        self._text(middle_in, bottom_in + 0.06, label, fontsize=9, ha="center")
        self._lights(middle_in, bottom_in + _LABEL_IN + tall_in, own)

    def save(self, path: Path) -> None:
        """Bring all pictures to one scale and write the file."""
        limits = [axes.dataLim for _, axes in self._axes]
        lowest = min(each.y0 for each in limits)
        highest = max(each.y1 for each in limits)
        beyond = _ARROW_SHARE * (highest - lowest)
        spans = {
            view: (
                min(axes.dataLim.x0 for seen, axes in self._axes if seen == view) - beyond,
                max(axes.dataLim.x1 for seen, axes in self._axes if seen == view) + beyond,
            )
            for view, _ in self._axes
        }
        wide_in, tall_in = _CELL_WIDTH_IN - _GAP_IN, _CELL_HEIGHT_IN - _LABEL_IN - _LIGHTS_IN
        metres_an_inch = max(
            (highest - lowest + 0.7 * beyond) / tall_in,
            *((right - left) / wide_in for left, right in spans.values()),
        )
        for view, axes in self._axes:
            middle = 0.5 * sum(spans[view])
            axes.set_aspect("auto")
            half = 0.5 * metres_an_inch * wide_in
            axes.set_xlim(middle - half, middle + half)
            bottom = lowest - 0.2 * beyond
            axes.set_ylim(bottom, bottom + metres_an_inch * tall_in)
        self._figure.savefig(path, dpi=_DPI, pil_kwargs={"optimize": True})

    def _bottom_in(self, row: int) -> float:
        return self._height_in - _TOP_IN - (row + 1) * _CELL_HEIGHT_IN

    def _text(self, x_in: float, y_in: float, text: str, **style: Any) -> None:
        self._figure.text(x_in / self._width_in, y_in / self._height_in, text, **style)

    def _lights(self, middle_in: float, bottom_in: float, own: Mapping[str, float]) -> None:
        """A dot for every light and lid; the robot's left on the right, as seen from the front."""
        from matplotlib.lines import Line2D

        shown = [spec for spec in self._body.own.values() if _is_display(spec)]
        for place, spec in enumerate(sorted(shown, key=_from_right_to_left)):
            share = spec.to_percent(own[spec.own_name])
            bright = share if spec.kind is Kind.DISPLAY else 1.0 - share
            at_in = middle_in + 0.27 * (place - 0.5 * (len(shown) - 1))
            dot = Line2D(
                [at_in / self._width_in],
                [(bottom_in + 0.2) / self._height_in],
                marker="o",
                markersize=8,
                color=_mixed(bright),
                markeredgecolor="0.35",
                transform=self._figure.transFigure,
            )
            self._figure.add_artist(dot)
            self._text(
                at_in, bottom_in + 0.03, f"{100 * bright:.0f}", fontsize=7, ha="center", color="0.3"
            )
        if not shown:
            said = [
                f"{spec.own_name} {100 * spec.to_percent(own[spec.own_name]):.0f} %"
                for spec in self._body.own.values()
                if spec.unit is Unit.PERCENT and "hand" not in spec.own_name.lower()
            ]
            self._text(middle_in, bottom_in + 0.1, ", ".join(said), fontsize=8, ha="center")


def _mixed(bright: float) -> tuple[float, float, float]:
    red, green, blue = (d + bright * (b - d) for d, b in zip(_DARK, _BRIGHT, strict=True))
    return red, green, blue


def _from_right_to_left(spec: ChannelSpec) -> int:
    name = spec.own_name.lower()
    return 0 if "right" in name else 2 if "left" in name else 1


def _is_display(spec: ChannelSpec) -> bool:
    if spec.unit is not Unit.PERCENT:
        return False
    return spec.kind is Kind.DISPLAY or "lid" in spec.own_name.lower()
