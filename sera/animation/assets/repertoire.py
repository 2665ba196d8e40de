"""A body's repertoire: every animation, posture and face that it can do, by name.

Design overview: animations, postures and faces in generic body sets stand in `robots/shared`, what
is made for one body in `robots/<name>`, and what belongs to a scenario in its own folder. They are
laid over each other in this order, so that the more particular one of a name wins. Each is cut
down to the channels that the body has, in the units of these.

    robots/shared/animations/nod.toml      one nod for all bodies
    robots/emys/animations/wave.toml       how EMYS waves, which has no arms
    robots/shared/faces/joy.toml           `joy`, also called `happy` and `smile`
    scenarios/tea/postures/pouring.toml    wanted there alone

An animation that says which side it is made for, such as a wave of the right arm, is there for
both: `wave_right` is the same, `wave_left` its mirror image.

Units and frames: as in animations and postures; values are not clamped, the engine does that.
Threading: immutable once loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from sera.animation.assets.animation import Animation
from sera.animation.assets.face import Face, load_faces, with_words
from sera.animation.assets.load import load_animations
from sera.animation.assets.posture import Posture, PostureError, load_postures
from sera.animation.assets.sides import on_both_sides, without_side
from sera.animation.body import Body
from sera.animation.channels import ChannelSpec
from sera.runtime.located import FileProblem, FileProblems, nearest_name

Asset = TypeVar("Asset")

SHARED = "shared"
"""The folder beside the robots' own that holds what all of them can do."""
ANIMATIONS, POSTURES, FACES = "animations", "postures", "faces"
KINDS = (ANIMATIONS, POSTURES, FACES)
"""The folders of a repertoire."""


class RepertoireError(FileProblems):
    """Files of a repertoire that cannot be used, with everything that is wrong in them."""

    what = "animation, posture and face files"


@dataclass(frozen=True)
class Repertoire:
    """What one body can do."""

    animations: dict[str, Animation]
    postures: dict[str, Posture]
    faces: dict[str, Face] = field(default_factory=dict)
    """By every word for them; `Face.name` is the first one."""

    def animation(self, name: str) -> Animation:
        """The animation of that name; LookupError with the nearest name."""
        return _found(self.animations, without_side(name, self.animations), "animation")

    def posture(self, name: str) -> Posture:
        """The posture of that name; LookupError with the nearest name."""
        return _found(self.postures, name, "posture")

    def face(self, name: str) -> Face:
        """The face of that name or word; LookupError with the nearest one."""
        return _found(self.faces, name.lower(), "face")


def load_repertoire(
    body: Body, shared: Path | Iterable[Path] | None = None, *, also: tuple[Path, ...] = ()
) -> Repertoire:
    """All that a body can do, cut down to its channels.

    Args:
        body: whose channels count.
        shared: a folder with `animations/`, `postures/` and `faces/` for all bodies; None: none.
        also: folders of the same shape, such as a scenario's; later ones win.

    Raises:
        RepertoireError: with every problem of every file, by line.
    """
    animations: dict[str, Animation] = {}
    postures: dict[str, Posture] = {}
    faces: dict[str, Face] = {}
    words: dict[str, str] = {}
    problems: list[FileProblem] = []
    common = [shared] if isinstance(shared, Path) else list(shared or ())
    folders = [*common, body.folder, *also]
    for folder in folders:
        found, wrong = load_animations(folder / ANIMATIONS, body.channels)
        animations |= found
        problems += wrong
        if (folder / POSTURES).is_dir():
            try:
                postures |= load_postures(folder / POSTURES, body.channels)
            except PostureError as error:
                problems += error.problems
        faces_here, wrong = load_faces(folder / FACES, body.channels)
        faces |= faces_here
        # A body's own joy is called happy too, whether its file says so or not.
        words |= {word: face.name for face in faces_here.values() for word in face.also}
        problems += wrong
    if problems:
        raise RepertoireError(problems)
    return Repertoire(
        {n: each.for_channels(body.channels) for n, each in on_both_sides(animations).items()},
        {name: _adapted(each, body.channels) for name, each in postures.items()},
        with_words({n: each.for_channels(body.channels) for n, each in faces.items()}, words),
    )


def shared_folders(roots: Iterable[Path]) -> tuple[Path, ...]:
    """The folders `robots/shared` of a workspace's roots, the user's own last: it wins."""
    folders = [root / "robots" / SHARED for root in roots]
    return tuple(folder for folder in reversed(folders) if folder.is_dir())


def _adapted(posture: Posture, specs: Mapping[str, ChannelSpec]) -> Posture:
    values = posture.for_channels(specs)
    return Posture(posture.name, values, {name: specs[name].unit for name in values}, posture.title)


def _found(assets: Mapping[str, Asset], name: str, what: str) -> Asset:
    if name in assets:
        return assets[name]
    near = nearest_name(name, assets)
    hint = f"; did you mean '{near}'?" if near else f"; there are {', '.join(sorted(assets))}"
    raise LookupError(f"there is no {what} '{name}'{hint}")
