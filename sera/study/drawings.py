"""The pictures of pictorial scales, drawn by us: once, for pages and for paper.

A drawing is a list of circles, paths and words on a small sheet, which a page turns into SVG and
the paper export into PDF. `ios`: two circles that overlap more from point to point (after Aron,
Aron & Smollan, 1992). `sam_*`: a figure whose mouth, inner unrest or size grows from point to
point (what Bradley & Lang, 1994, ask; the figure is not theirs).

Units and frames
    Units of the drawing's own sheet, x to the right, y down, the origin at the top left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sera.study._questionnaire_tables import DrawingName

MOST_PICTURES = 9
"""More pictures could not be told apart."""

Fill = Literal["none", "ink", "paper"]
Command = tuple[Literal["M", "L", "C", "Z"], tuple[float, ...]]
"""A step of a path: move, line, cubic curve (two controls and the end), close."""

_LINE = 2.5


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: Fill = "none"
    width: float = _LINE

    def as_json(self) -> dict[str, Any]:
        return {
            "shape": "circle",
            "x": round(self.x, 2),
            "y": round(self.y, 2),
            "radius": round(self.radius, 2),
            "fill": self.fill,
            "width": self.width,
        }


@dataclass(frozen=True, slots=True)
class Path:
    """Lines and curves."""

    commands: tuple[Command, ...]
    fill: Fill = "none"
    width: float = _LINE

    def as_json(self) -> dict[str, Any]:
        data = " ".join(
            letter + " ".join(f"{number:.2f}" for number in numbers)
            for letter, numbers in self.commands
        )
        return {"shape": "path", "d": data, "fill": self.fill, "width": self.width}


@dataclass(frozen=True, slots=True)
class Label:
    """A word, centred at x, standing on y."""

    x: float
    y: float
    text: str
    size: float

    def as_json(self) -> dict[str, Any]:
        return {"shape": "text", "x": self.x, "y": self.y, "text": self.text, "size": self.size}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture."""

    width: float
    height: float
    shapes: tuple[Circle | Path | Label, ...]

    def as_json(self) -> dict[str, Any]:
        """For pages."""
        return {
            "width": self.width,
            "height": self.height,
            "shapes": [shape.as_json() for shape in self.shapes],
        }


def drawing(name: DrawingName, point: int, points: int, labels: Sequence[str] = ()) -> Drawing:
    """The picture at one point of a scale.

    Args:
        name: which scale.
        point: from 1 to `points`.
        points: how many there are.
        labels: words in it, of the two circles of `ios`.
    """
    share = (point - 1) / (points - 1)
    if name == "ios":
        return _circles(share, labels)
    return Drawing(100.0, 100.0, _FIGURES[name](share))


def _circles(share: float, labels: Sequence[str]) -> Drawing:
    radius = 33.0
    # From touching circles to nearly one; the last pair can still be seen to be two.
    apart = 2 * radius * (1 - 0.9 * share)
    shapes: list[Circle | Path | Label] = [
        Circle(80 + side * apart / 2, 64.0, radius) for side in (-1, 1)
    ]
    for side, text in zip((-1, 1), labels, strict=False):
        shapes.append(Label(80.0 + side * 38.0, 19.0, text, 18.0))
    return Drawing(160.0, 104.0, tuple(shapes))


def _face(share: float) -> tuple[Circle | Path, ...]:
    """A head that goes from sad to glad."""
    mood = 2 * share - 1
    mouth = 66 - 7 * mood
    brow = 3 * min(mood, 0)  # sad brows rise towards the middle
    return (
        Circle(50, 50, 42, "paper"),
        Circle(36, 43, 4, "ink"),
        Circle(64, 43, 4, "ink"),
        _line(28, 31 - brow, 42, 31 + brow),
        _line(58, 31 + brow, 72, 31 - brow),
        Path(
            (("M", (30, mouth)), ("C", (40, mouth + 18 * mood, 60, mouth + 18 * mood, 70, mouth))),
            width=3.5,
        ),
    )


def _unrest(share: float) -> tuple[Circle | Path, ...]:
    """A figure that goes from drowsy to excited: a spark in it grows, its eyes open."""
    eyes: tuple[Circle | Path, ...]
    if share < 0.25:
        eyes = (_line(41, 26, 47, 26), _line(53, 26, 59, 26))
    else:
        eyes = tuple(Circle(x, 25, 1.5 + 2.5 * share, "ink") for x in (44, 56))
    return (*_body(), *eyes, _spark(50, 72, 2 + 15 * share))


def _spark(x: float, y: float, radius: float, spikes: int = 9) -> Path:
    corners = []
    for number in range(2 * spikes):
        angle_rad = math.pi * number / spikes - math.pi / 2
        length = radius if number % 2 == 0 else radius * 0.45
        corners.append((x + length * math.cos(angle_rad), y + length * math.sin(angle_rad)))
    first, *others = corners
    return Path((("M", first), *(("L", corner) for corner in others), ("Z", ())), "ink", 1.0)


def _size(share: float) -> tuple[Circle | Path, ...]:
    """A figure that goes from small to as large as its sheet, on the same ground."""
    eyes = tuple(Circle(x, 25, 2.2, "ink") for x in (44, 56))
    scale = 0.25 + 0.75 * share
    figure = [_scaled(shape, scale) for shape in (*_body(), *eyes)]
    return (*figure, _line(4, 97, 96, 97))


def _body() -> tuple[Circle | Path, ...]:
    body: tuple[Command, ...] = (
        ("M", (32, 96)),
        ("L", (28, 64)),
        ("C", (28, 42, 72, 42, 72, 64)),
        ("L", (68, 96)),
        ("Z", ()),
    )
    arms = (_line(28, 62, 16, 82), _line(72, 62, 84, 82))
    return (*arms, Path(body, "paper"), Circle(50, 26, 20, "paper"))


def _line(x: float, y: float, to_x: float, to_y: float) -> Path:
    return Path((("M", (x, y)), ("L", (to_x, to_y))))


def _scaled(shape: Circle | Path, scale: float) -> Circle | Path:
    """Smaller, standing on the same place of the ground."""

    def moved(x: float, y: float) -> tuple[float, float]:
        return 50 + (x - 50) * scale, 96 + (y - 96) * scale

    if isinstance(shape, Circle):
        x, y = moved(shape.x, shape.y)
        return Circle(x, y, shape.radius * scale, shape.fill, shape.width)
    commands: list[Command] = []
    for letter, numbers in shape.commands:
        pairs = [moved(*numbers[place : place + 2]) for place in range(0, len(numbers), 2)]
        commands.append((letter, tuple(number for pair in pairs for number in pair)))
    return Path(tuple(commands), shape.fill, shape.width)


_FIGURES = {"sam_pleasure": _face, "sam_arousal": _unrest, "sam_dominance": _size}

_SPOKEN = {
    "en": {
        "ios": "Two circles that overlap by {percent} percent of their width",
        "sam_pleasure": "A face: {level} of {points} from sad to glad",
        "sam_arousal": "A figure: {level} of {points} from drowsy to excited",
        "sam_dominance": "A figure: {level} of {points} from small to large",
    },
    "pt": {
        "ios": "Dois círculos que se sobrepõem em {percent} por cento da largura",
        "sam_pleasure": "Uma cara: {level} de {points}, de triste a contente",
        "sam_arousal": "Uma figura: {level} de {points}, de sonolenta a agitada",
        "sam_dominance": "Uma figura: {level} de {points}, de pequena a grande",
    },
}


def spoken_drawing(name: DrawingName, point: int, points: int, language: str) -> str:
    """What a screen reader says of a picture; in English where we have no words."""
    words = _SPOKEN.get(language.split("-", maxsplit=1)[0], _SPOKEN["en"])
    percent = round(90 * (point - 1) / (points - 1))
    return words[name].format(level=point, points=points, percent=percent)
