"""Limbs: which one a channel moves, and which gesture owns it.

Design overview: every limb has one owner, the newest gesture that moves it. The gesture before
gives the limb up and goes on with what it keeps; both cross-fade. What moves a limb by less than
can be seen neither takes it nor gives it up: it adds, as breathing does.

    Arms.Left… "left arm"   Arms.Right… "right arm"   Gazing… "head"   Torso… "trunk"
    own joints: the limb whose channels move them, by rules or by aiming, otherwise their branch
    of the tree; limbs that are made of the same joints are one, as in a body like a line

Units and frames: values in the channels' own units. Threading: one owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sera.animation.channels import OWN_SET, Unit

if TYPE_CHECKING:
    from sera.animation.assets import Animation
    from sera.animation.body import Body

HEAD = "head"
_SETS = {"Gazing": HEAD, "Torso": "trunk"}
_SIDES = ("Left", "Right")
SEEN = {Unit.RADIAN: 0.087, Unit.METRE: 0.01, Unit.PERCENT: 0.2, Unit.VALENCE: 0.2}
"""A channel that is moved by less does not make its limb one that a gesture moves."""


@dataclass(eq=False, slots=True)
class Grip:
    """The limbs of one gesture."""

    holder: str
    """Name of the gesture."""
    limbs: tuple[str, ...]
    """Those that it moves."""
    lost: dict[str, None] = field(default_factory=dict)
    """Those that newer gestures have taken over."""


class Limbs:
    """The limbs of a body and their owners, shared by everything that makes gestures."""

    def __init__(self, body: Body) -> None:
        self._own, self._jointed = _limbs_of(body)
        self._same = _same_limbs(body)
        self.owners: dict[str, Grip] = {}

    def limb(self, channel: str) -> str:
        """The limb that a channel moves."""
        found = self._own.get(channel) or _generic(channel)
        return self._same.get(found, found)

    def moved_by(self, animation: Animation) -> tuple[str, ...]:
        """The limbs that an animation moves; one that sets channels moves whatever it sets."""
        moved: dict[str, None] = {}
        for channel in animation.channels:
            most = float(abs(channel.curve.knots.values).max())
            if not animation.additive or most >= SEEN[channel.unit]:
                moved[self.limb(channel.name)] = None
        return tuple(moved)

    def take(self, holder: str, limbs: Iterable[str]) -> Grip:
        """Take limbs over from whoever has them."""
        grip = Grip(holder, tuple(limbs))
        for limb in grip.limbs:
            before = self.owners.get(limb)
            if before is not None:
                before.lost[limb] = None
            self.owners[limb] = grip
        return grip

    def let_go(self, grip: Grip) -> None:
        """A gesture is over."""
        for limb in grip.limbs:
            if self.owners.get(limb) is grip:
                del self.owners[limb]

    def adopt(self, grip: Grip) -> None:
        """A gesture goes on in another program."""
        for limb in grip.limbs:
            if limb not in grip.lost:
                self.owners[limb] = grip

    def is_over(self, grip: Grip) -> bool:
        """Whether all limbs with joints were taken over; lights and a face alone are no gesture."""
        counts = [limb for limb in grip.limbs if limb in self._jointed] or grip.limbs
        return bool(counts) and all(limb in grip.lost for limb in counts)


def _generic(channel: str) -> str:
    body_set, _, name = channel.partition(".")
    if body_set == "Arms":
        side = next((side for side in _SIDES if name.startswith(side)), "")
        return f"{side.lower()} arm".strip()
    return _SETS.get(body_set, body_set.lower())


def _limbs_of(body: Body) -> tuple[dict[str, str], frozenset[str]]:
    """The limb of every own channel, and the limbs that have joints."""
    owners = _joints_by_limb(body)
    own = {}
    for name in body.own:
        # A trunk that leans moves a head to keep its look: what also serves another limb is that.
        found = [limb for limb, joints in owners.items() if name in joints]
        found.sort(key=lambda limb: (limb == "trunk", len(owners[limb])))
        if found:
            own[f"{OWN_SET}.{name}"] = found[0]
    for name in body.joints:
        if f"{OWN_SET}.{name}" not in own:
            branch = _branch_of(body, name, own)
            own[f"{OWN_SET}.{name}"] = own.get(f"{OWN_SET}.{branch}", branch)
    same = _same_limbs(body)
    jointed = {own[channel] for channel in own if channel.partition(".")[2] in body.joints}
    jointed |= {limb for limb, joints in owners.items() if joints & set(body.joints)}
    return own, frozenset(same.get(limb, limb) for limb in jointed)


def _joints_by_limb(body: Body) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for channel, rule in body.rules.items():
        moved = rule.distribute(body.channels[channel].neutral, body.own)
        found.setdefault(_generic(channel), set()).update(moved)
    for chain in body.chains:
        row = body.tree.chain(chain.end_point).joint_names
        first = 0 if chain.begins is None else row.index(chain.begins)
        found.setdefault(_generic(chain.horizontal), set()).update(row[first:])
    return found


def _same_limbs(body: Body) -> dict[str, str]:
    """Limbs that are another one under another name: all their joints are also that one's."""
    joints = {
        limb: moved & set(body.joints)
        for limb, moved in _joints_by_limb(body).items()
        if moved & set(body.joints)
    }
    same: dict[str, str] = {}
    for limb, moved in joints.items():
        around = [o for o in joints if o != limb and moved <= joints[o] and o not in same]
        if around and limb not in same.values():
            same[limb] = around[0]
    return same


def _branch_of(body: Body, joint: str, known: Mapping[str, str]) -> str:
    """The first joint up the branch whose limb is known, or the one with which it begins."""
    parents = {each.name: each.parent for each in body.tree.joints}
    carried = list(parents.values())
    parent = parents.get(joint)
    while parent is not None and carried.count(parent) == 1:
        joint, parent = parent, parents[parent]
        if f"{OWN_SET}.{joint}" in known:
            break
    return joint
