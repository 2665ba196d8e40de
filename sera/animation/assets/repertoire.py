"""A body's repertoire: every animation and posture that it can do, by name.

Design overview: animations and postures in generic body sets stand in `robots/shared`, what is made
for one body in `robots/<name>`, and what belongs to a scenario in its own folder. They are laid
over each other in this order, so that the more particular one of a name wins. Each is cut down
to the channels that the body has, in the units of these.

    robots/shared/animations/nod.toml      one nod for all bodies
    robots/emys/animations/wave.toml       how EMYS waves, which has no arms
    scenarios/tea/postures/pouring.toml    wanted there alone

Units and frames: as in animations and postures; values are not clamped, the engine does that.
Threading: immutable once loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sera.animation.assets.animation import Animation
from sera.animation.assets.load import load_animations
from sera.animation.assets.posture import Posture, PostureError, load_postures
from sera.animation.body import Body
from sera.animation.channels import ChannelSpec
from sera.runtime.located import FileProblem, FileProblems, nearest_name

Asset = TypeVar("Asset")

SHARED = "shared"
"""The folder beside the robots' own that holds what all of them can do."""
ANIMATIONS, POSTURES = "animations", "postures"


class RepertoireError(FileProblems):
    """Animation and posture files that cannot be used, with everything that is wrong in them."""

    what = "animation and posture files"


@dataclass(frozen=True)
class Repertoire:
    """What one body can do."""

    animations: dict[str, Animation]
    postures: dict[str, Posture]

    def animation(self, name: str) -> Animation:
        """The animation of that name; LookupError with the nearest name."""
        return _found(self.animations, name, "animation")

    def posture(self, name: str) -> Posture:
        """The posture of that name; LookupError with the nearest name."""
        return _found(self.postures, name, "posture")


def load_repertoire(
    body: Body, shared: Path | Iterable[Path] | None = None, *, also: tuple[Path, ...] = ()
) -> Repertoire:
    """All that a body can do, cut down to its channels.

    Args:
        body: whose channels count.
        shared: a folder with `animations/` and `postures/` for all bodies; None: there is none.
        also: folders of the same shape, such as a scenario's; later ones win.

    Raises:
        RepertoireError: with every problem of every file, by line.
    """
    animations: dict[str, Animation] = {}
    postures: dict[str, Posture] = {}
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
    if problems:
        raise RepertoireError(problems)
    return Repertoire(
        {name: each.for_channels(body.channels) for name, each in animations.items()},
        {name: _adapted(each, body.channels) for name, each in postures.items()},
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
