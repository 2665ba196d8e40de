"""One page a body: its postures from two sides, its faces, and a row of frames for each animation.

Design overview: every picture shows the pose that the engine really reaches, with filter and
inverse kinematics. Lights and lids are shown as dots above the body: the colour of a dot is the
brightness of the light or how far an eye is open. Animations are seen from the side that shows more
of them. matplotlib is an optional dependency and is loaded when a sheet is drawn.

Units and frames: times below the frames are seconds from the animation's beginning.
Threading: pure, apart from the file that is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sera.animation.assets.posture import Posture
from sera.animation.assets.repertoire import Repertoire
from sera.animation.assets.sides import authored
from sera.animation.body import Body
from sera.animation.body.drawing import View
from sera.animation.sheets._frames import best_view, moments
from sera.animation.sheets._page import Page
from sera.animation.sheets.performance import perform

FRAMES = 8
"""Frames of an animation on a sheet."""
NEUTRAL = "neutral"


def contact_sheet(
    body: Body,
    repertoire: Repertoire,
    path: Path,
    *,
    postures: Sequence[str] | None = None,
    animations: Sequence[str] | None = None,
    faces: Sequence[str] | None = None,
    frames: int = FRAMES,
) -> Path:
    """Write the sheet as a PNG file; needs matplotlib.

    Args:
        body: who is shown.
        repertoire: its own.
        path: the file.
        postures: which ones; None: all, those of the same values once.
        animations: which ones, in this order; None: all that somebody made.
        faces: which ones; None: all that the body can show, unless other things are chosen.
        frames: pictures a row.

    Raises:
        LookupError: an unknown posture, animation or face, with the nearest name.
        ImportError: matplotlib is not installed.
    """
    if faces is None and not (postures is None and animations is None):
        faces = ()
    rows = _posture_rows(body, repertoire, postures, frames)
    rows += _face_rows(body, repertoire, faces, frames)
    rows += _animation_rows(body, repertoire, animations, frames)
    page = Page(body, [(title, view, len(pictures)) for title, view, pictures in rows], frames)
    for number, (_, view, pictures) in enumerate(rows):
        for place, (label, own) in enumerate(pictures):
            page.picture(number, place, view, label, own)
    page.save(path)
    return path


_Pictures = list[tuple[str, dict[str, float]]]
_RowOf = tuple[str, View, _Pictures]


def _posture_rows(
    body: Body, repertoire: Repertoire, wanted: Sequence[str] | None, frames: int
) -> list[_RowOf]:
    names = _once_each(repertoire) if wanted is None else list(wanted)
    pictures = [(name, perform(body, None, repertoire.posture(name)).pose(0.0)) for name in names]
    views: tuple[View, ...] = ("front", "side")
    return [
        ("postures", view, pictures[first : first + frames])
        for first in range(0, len(pictures), frames)
        for view in views
    ]


def _once_each(repertoire: Repertoire) -> list[str]:
    """The names of the postures, those that mean the same together."""
    first: dict[tuple[tuple[str, float], ...], str] = {}
    order = sorted(repertoire.postures, key=lambda name: (_rank(name), name))
    for name in order:
        values = tuple(sorted(repertoire.postures[name].values.items()))
        first.setdefault(values, name)
    return list(first.values())


def _rank(name: str) -> int:
    known = (NEUTRAL, "hot", "cold", "proud", "sad", "thinking")
    return known.index(name) if name in known else len(known)


def _face_rows(
    body: Body, repertoire: Repertoire, wanted: Sequence[str] | None, frames: int
) -> list[_RowOf]:
    """Faces over the neutral posture, from the front."""
    shown = {face.name: face for face in repertoire.faces.values() if face.values}
    chosen = sorted(shown.values(), key=lambda face: face.name)
    if wanted is not None:
        chosen = [repertoire.face(name) for name in wanted]
    neutral = repertoire.postures.get(NEUTRAL)
    below = {} if neutral is None else neutral.values
    pictures = [
        (face.name, perform(body, None, Posture(face.name, {**below, **face.values})).pose(0.0))
        for face in chosen
    ]
    return [
        ("faces", "front", pictures[first : first + frames])
        for first in range(0, len(pictures), frames)
    ]


def _animation_rows(
    body: Body, repertoire: Repertoire, wanted: Sequence[str] | None, frames: int
) -> list[_RowOf]:
    names = sorted(authored(repertoire.animations)) if wanted is None else list(wanted)
    neutral = repertoire.postures.get(NEUTRAL)
    rows: list[_RowOf] = []
    for name in names:
        animation = repertoire.animation(name)
        played = perform(body, animation, neutral)
        times_s = moments(animation, frames)
        view = best_view(body, played, times_s)
        pictures = [(_at(animation.anchors, t), played.pose(t)) for t in times_s]
        rows.append((name, view, pictures))
    return rows


def _at(anchors: Mapping[str, float], time_s: float) -> str:
    named = [name for name, at_s in anchors.items() if abs(at_s - time_s) < 1e-9]
    return f"{time_s:.2f} s" + (f" {named[0].replace('_', ' ')}" if named else "")
