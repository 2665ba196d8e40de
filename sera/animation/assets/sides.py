"""Animations for both sides: what is made for one arm is there for the other one too.

`wave` with `side = "right"` gives `wave_right`, which is the same, and `wave_left`, its mirror
image. A file of such a name counts before what is made from another one.

Units and frames: as in animations; a body's own channels (`Body.…`) have no mirror image and stay
as they are. Threading: pure.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from sera.animation.assets.animation import SIDES, Animation, Side


def for_side(name: str, side: Side) -> str:
    """What an animation is called on one side."""
    return f"{name}_{side}"


def without_side(name: str, known: Container[str]) -> str:
    """The known animation that is meant: one that has no sides is the same on both."""
    if name in known:
        return name
    for side in SIDES:
        stem = name.removesuffix(f"_{side}")
        if stem != name and stem in known:
            return stem
    return name


def on_both_sides(animations: Mapping[str, Animation]) -> dict[str, Animation]:
    """All of them, with those for left and right of each that is made for one side."""
    both: dict[str, Animation] = {}
    for name, animation in animations.items():
        if animation.side is None:
            continue
        for side in SIDES:
            shape = animation if side == animation.side else animation.mirrored()
            sided = for_side(name, side)
            both[sided] = replace(shape, name=sided, side=side)
    return {**both, **animations}


def authored(animations: Mapping[str, Animation]) -> list[str]:
    """The names of those that somebody made, without what `on_both_sides` added."""
    made = {for_side(name, side) for name in animations for side in SIDES}
    return [n for n, each in animations.items() if each.side is None or n not in made]
