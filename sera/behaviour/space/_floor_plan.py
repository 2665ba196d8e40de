"""The room from above as a picture: who stands where, and faces which way.

Design overview: the page has the room's +Z upwards and its +X to the left, as somebody at the
origin who faces forward would draw it. Names of things at one place share one label. matplotlib
draws without a window and is loaded on the first call only.

Units and frames: metres.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sera.behaviour.space._frame import Frame, Vector
from sera.behaviour.space._room import Observer
from sera.behaviour.space._screen import ScreenPlane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROBOT, _SCREEN, _SEAT, _OBJECT, _PERSON = "#1f4e79", "#0b8a8f", "#6b7785", "#bf9000", "#c55a11"
_LONGEST_INCHES, _SHORTEST_INCHES = 11.0, 4.0
_SAME_PLACE_M = 0.06
_Page = tuple[float, float]


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """What is drawn, by name."""

    characters: Mapping[str, Observer] = field(default_factory=dict)
    screens: Mapping[str, ScreenPlane] = field(default_factory=dict)
    seats: Mapping[str, Frame] = field(default_factory=dict)
    objects: Mapping[str, Frame] = field(default_factory=dict)
    people_m: Mapping[str, Vector] = field(default_factory=dict)

    def draw(self, *, picture: Literal["svg", "png"] = "svg", title: str = "Room") -> bytes:
        """The picture.

        Raises:
            ValueError: there is nothing in the room.
        """
        places = [
            *(_page(observer.eye_in_room_m) for observer in self.characters.values()),
            *(point for screen in self.screens.values() for point in _outline(screen)),
            *(_page(frame.position_m) for frame in (*self.seats.values(), *self.objects.values())),
            *(_page(place) for place in self.people_m.values()),
        ]
        if not places:
            raise ValueError("there is nothing in the room to draw")
        left, right = min(p[0] for p in places) - 0.5, max(p[0] for p in places) + 0.5
        low, high = min(p[1] for p in places) - 0.5, max(p[1] for p in places) + 0.5
        arrow_m = 0.07 * max(right - left, high - low)

        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        scale = (_LONGEST_INCHES - 2.0) / max(right - left, high - low)
        size = [max(_SHORTEST_INCHES, scale * span + 1.5) for span in (right - left, high - low)]
        figure = Figure(figsize=(size[0], size[1]), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        self._draw(axes, arrow_m)
        axes.set_xlim(left, right)
        axes.set_ylim(low, high)
        _dress(axes, title)
        buffer = io.BytesIO()
        # The same room gives the same bytes, so that a picture in a repository does not change.
        metadata = {"Date": None} if picture == "svg" else {"Software": None}
        with mpl.rc_context({"svg.hashsalt": "sera", "svg.fonttype": "none"}):
            figure.savefig(buffer, format=picture, dpi=110, metadata=metadata)
        return buffer.getvalue()

    def _draw(self, axes: Axes, arrow_m: float) -> None:
        labels: list[tuple[_Page, str, str]] = []
        for name, screen in self.screens.items():
            outline = _outline(screen)
            axes.fill(*zip(*outline, strict=True), facecolor=_SCREEN, alpha=0.25, zorder=2)
            axes.plot(*zip(*outline, outline[0], strict=True), color=_SCREEN, linewidth=2, zorder=3)
            _arrow(axes, screen.frame, arrow_m, _SCREEN)
            labels.append((_page(screen.frame.position_m), f"{name} (screen)", _SCREEN))
        for name, frame in self.seats.items():
            _dot(axes, frame.position_m, "o", _SEAT, hollow=True)
            _arrow(axes, frame, arrow_m, _SEAT)
            labels.append((_page(frame.position_m), f"{name} (seat)", _SEAT))
        for name, frame in self.objects.items():
            _dot(axes, frame.position_m, "s", _OBJECT)
            labels.append((_page(frame.position_m), name, _OBJECT))
        for name, place in self.people_m.items():
            _dot(axes, place, "o", _PERSON)
            labels.append((_page(place), name, _PERSON))
        for name, observer in self.characters.items():
            eye_m = observer.eye_in_room_m
            _dot(axes, eye_m, "D", _ROBOT)
            _arrow(axes, Frame(eye_m, observer.frame.axes), 1.5 * arrow_m, _ROBOT)
            labels.append((_page(eye_m), name, _ROBOT))
        _write(axes, labels)


def _page(place_m: Vector) -> _Page:
    return (place_m[0], place_m[2])


def _outline(screen: ScreenPlane) -> list[_Page]:
    corners = screen.corners_px()
    return [_page(screen.place_m(*corners[name])) for name in corners if name != "centre"]


def _dot(axes: Axes, place_m: Vector, marker: str, colour: str, *, hollow: bool = False) -> None:
    x, z = _page(place_m)
    size, face = (11.0, "white") if hollow else (7.0, colour)
    axes.plot(
        [x], [z], marker=marker, markersize=size, markerfacecolor=face, markeredgecolor=colour,
        markeredgewidth=1.6, zorder=4 if hollow else 5,
    )  # fmt: skip


def _arrow(axes: Axes, frame: Frame, length_m: float, colour: str) -> None:
    """Which way it faces; nothing where that is straight up or down."""
    x, z = _page(frame.position_m)
    to_x, _, to_z = frame.turn_to_room((0.0, 0.0, 1.0))
    if math.hypot(to_x, to_z) < 0.2:
        return
    axes.annotate(
        "",
        xy=(x + length_m * to_x, z + length_m * to_z),
        xytext=(x, z),
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.4},
        zorder=4,
    )


def _write(axes: Axes, labels: list[tuple[_Page, str, str]]) -> None:
    """One label a place, beside it."""
    groups: list[tuple[_Page, list[str], str]] = []
    for place, name, colour in labels:
        for at, names, _ in groups:
            if math.dist(at, place) < _SAME_PLACE_M:
                names.append(name)
                break
        else:
            groups.append((place, [name], colour))
    for place, names, colour in groups:
        axes.annotate(
            ", ".join(names), xy=place, xytext=(9, -13), textcoords="offset points",
            color=colour, fontsize=9, zorder=6,
            bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none",
                  "alpha": 0.75},
        )  # fmt: skip


def _dress(axes: Axes, title: str) -> None:
    axes.set_aspect("equal", adjustable="box")
    axes.invert_xaxis()
    axes.set_title(title.replace("$", r"\$"), loc="left")  # no formula
    axes.set_xlabel("x (m), the left of somebody who faces forward")
    axes.set_ylabel("z (m), forward")
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
