"""What of a body may touch what: hulls on a tree, the ground, and the pairs that can meet at all.

Design overview: hulls that touch by construction are no contacts: on one link or on links that
follow each other (joints in one place, such as a shoulder, count as one), in neutral already, or in
every pose. Of the others only those are kept that some pose of the joints' ranges brings near each
other, found once by poses drawn with a fixed seed.

Units and frames: metres, radians, base frame, Y up. Threading: a model is immutable; each owner
makes a `Look` of its own.
Safety: a pair that was apart in all drawn poses by less than a slack is kept all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics.contacts._contact_kernels import (
    GROUND,
    Scene,
    Seen,
    contacts_on_way,
    near_contacts,
    place_points,
)
from sera.kinematics.rotations import rotate
from sera.kinematics.tree import Tree

POSES = 1500
MOST_CONTACTS = 40
KEEPS_SHARE = 0.012
"""Distance that hulls keep from each other, as a share of the body's size …"""
KEEPS_M = (0.006, 0.014)
"""… within these bounds; hulls that are nearer in neutral keep half of that distance."""
_SLACK_SHARE = 0.06
_NEARLY = 1.25
_BENT_RAD, _STEP_RAD = 0.3, 1e-3
_LIGHTEST_SHARE = 0.02
_STANDS = 30.0
"""More, and contacts of the legs themselves would be too soft beside those of arms."""
_SURE_M = 9e-4
"""What is kept and what touches are as far apart at least."""
_ONE_PLACE_SHARE = 0.02


class Hull(NamedTuple):
    """Balls and all between them, carried by a joint; None: by the base."""

    joint: str | None
    points_m: FloatArray
    """(n, 3) in the joint's frame."""
    radii_m: FloatArray
    name: str = ""
    """What people call it, such as `the table`; of no use to the body's own."""


def box_points(size_m: FloatArray) -> tuple[FloatArray, float]:
    """A box about its middle as balls: as thick as it is, at the corners of its other sides."""
    radius_m = 0.5 * float(size_m.min())
    left = np.where(size_m > _NEARLY * size_m.min(), 0.5 * size_m - radius_m, 0.0)
    corners = [(-each, each) if each > 0.0 else (0.0,) for each in left.tolist()]
    return np.array(list(product(*corners))), radius_m


class ContactModel:
    """The hulls of one body and which of them may meet."""

    def __init__(
        self,
        tree: Tree,
        hulls: Sequence[Hull],
        neutral: FloatArray,
        ends: tuple[FloatArray, FloatArray],
        *,
        ground_m: float | None,
        ground: str = "the ground",
        meets_itself: bool = True,
    ) -> None:
        """Find the pairs that can meet.

        Args:
            tree: the joints.
            hulls: what they carry; those of the base with a name are things beside the body.
            neutral: angles in the tree's order.
            ends: lowest and highest angles.
            ground_m: height of the ground; None: there is none.
            ground: what people call it.
            meets_itself: whether its own hulls are kept from each other.
        """
        self.tree, self.hulls, self.ground = tree, tuple(hulls), ground
        self._meets_itself = meets_itself
        place = {name: number for number, name in enumerate(tree.frame_names)}
        self._carriers = np.array(
            [-1 if hull.joint is None else place[hull.joint] for hull in hulls], dtype=np.int64
        )
        firsts = np.cumsum([0, *(len(hull.points_m) for hull in hulls)])
        zero = tree.forward(np.zeros(tree.dof))
        points = [
            np.array(hull.points_m, dtype=np.float64)
            if carrier < 0
            else np.array([rotate(tree.kernel_arrays[7][carrier], p) for p in hull.points_m])
            for hull, carrier in zip(hulls, self._carriers, strict=True)
        ]
        self.height_m = max(0.05, float(np.ptp(zero.positions_m, axis=0).max()))
        self._scene = Scene(
            *tree.kernel_arrays,
            self._carriers,
            firsts.astype(np.int64),
            np.concatenate(points) if points else np.zeros((0, 3)),
            np.concatenate([np.asarray(h.radii_m, dtype=np.float64) for h in hulls])
            if hulls
            else np.zeros(0),
            np.array([_around(p, h.radii_m) for p, h in zip(points, hulls, strict=True)]).reshape(
                -1, 4
            ),
            self._reaches(points),
            np.zeros((0, 3), dtype=np.int64),
            np.zeros((0, 3), dtype=np.int64),
            np.zeros(0),
            -np.inf if ground_m is None else float(ground_m),
            0.0,
        )
        self._keep_those_that_can_meet(np.ascontiguousarray(neutral), ends, ground_m is not None)
        self.metric = self._metric(neutral)

    def look(self, *, near: bool = False, share: float = 1.0) -> Look:
        """Eyes of one's own on contacts: all that come near, or only those that are too near.

        `share` of the distances that pairs keep is what counts as too near.
        """
        if near:
            return Look(self.tree.dof, self._scene, corners=True)
        scene = self._scene._replace(near_m=0.0, keeps_m=self.shared_keeps_m(share))
        return Look(self.tree.dof, scene, corners=False)

    def shared_keeps_m(self, share: float) -> FloatArray:
        """(k,) a share of the distances that pairs keep, from 0 (they touch) to 1."""
        touch = np.minimum(np.minimum(self.resting_m, 0.0), self.keeps_m - _SURE_M)
        return touch + share * (self.keeps_m - touch)

    @property
    def pairs(self) -> IntArray:
        """(k, 3) hulls of each pair, or a hull and -1 for the ground, and what carries both."""
        return self._scene.pairs

    @property
    def keeps_m(self) -> FloatArray:
        return self._scene.keeps_m

    def words(self, pair: int) -> tuple[str, str]:
        """The names of a pair: joints, the ground, or what stands beside the body."""
        first, second = self._scene.pairs[pair, 0], self._scene.pairs[pair, 1]
        return self._word(first), self.ground if second == GROUND else self._word(second)

    def _word(self, hull: int) -> str:
        return self.hulls[hull].name or self.hulls[hull].joint or "base"

    # -- which pairs ------------------------------------------------------------------------

    def _keep_those_that_can_meet(
        self, neutral: FloatArray, ends: tuple[FloatArray, FloatArray], grounded: bool
    ) -> None:
        """Leave out pairs that touch in neutral, and those that no drawn pose brings near."""
        keeps_m = min(max(KEEPS_SHARE * self.height_m, KEEPS_M[0]), KEEPS_M[1])
        self._take(self._candidates(grounded), keeps_m, near_m=_SLACK_SHARE * self.height_m)
        is_ground = self.pairs[:, 1] == GROUND
        most = len(self.pairs) + len(self._scene.points_m)
        look = Look(self.tree.dof, self._scene, corners=False, most=most)
        look.at(neutral)
        self.resting_m = np.full(len(self.pairs), np.inf)
        np.minimum.at(self.resting_m, look.found, look.distances_m)
        kept = np.zeros(len(self.pairs), dtype=np.bool_)
        chance, (lower, upper) = np.random.default_rng(20), ends
        for pose in lower + (upper - lower) * chance.random((POSES, len(neutral))):
            look.at(pose)
            kept[look.found] = True
        kept &= is_ground | (self.resting_m > 0.0)
        self.resting_m, at_rest = self.resting_m[kept], self.resting_m[kept]
        # Feet, which stand on the ground, must come no deeper than they are.
        standing = np.where(is_ground[kept], at_rest - 1e-4, 0.0)
        own = np.where(at_rest > 0.0, 0.5 * at_rest, standing)
        self._take(self.pairs[kept], np.minimum(keeps_m, own), near_m=2.0 * keeps_m)

    def _take(self, pairs: IntArray, keeps_m: float | FloatArray, near_m: float) -> None:
        self._scene = self._scene._replace(
            sides=self._sides(pairs),
            pairs=np.ascontiguousarray(pairs),
            keeps_m=np.broadcast_to(keeps_m, len(pairs)).copy(),
            near_m=near_m,
        )

    def _sides(self, pairs: IntArray) -> IntArray:
        first, second, common = pairs.T + 1
        carriers = np.append(self._carriers, -1) + 1
        others = np.where(second == 0, common, carriers[second - 1])
        return np.ascontiguousarray(np.stack([carriers[first - 1], others, common], axis=1))

    def _candidates(self, grounded: bool) -> IntArray:
        found: list[tuple[int, int, int]] = []
        for first, joint in enumerate(self._carriers.tolist()):
            if grounded and self._path(joint, -1):
                found.append((first, GROUND, -1))
            for second in range(first):
                other = int(self._carriers[second])
                foreign = bool(self.hulls[first].name or self.hulls[second].name)
                if not (foreign or self._meets_itself):
                    continue
                common = self._common(joint, other)
                between = self._path(joint, common) + self._path(other, common)
                if between and (foreign or not self._in_one_place(between)):
                    found.append((first, second, common))
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def _path(self, joint: int, to: int) -> list[int]:
        """Joints that move, from one down to another that carries it."""
        parents, columns = self._scene.parents, self._scene.columns
        found = []
        while joint != to:
            if columns[joint] >= 0:
                found.append(joint)
            joint = int(parents[joint])
        return found

    def _common(self, first: int, second: int) -> int:
        parents = self._scene.parents
        above = {-1}
        while first >= 0:
            above.add(first)
            first = int(parents[first])
        while second not in above:
            second = int(parents[second])
        return second

    def _in_one_place(self, joints: list[int]) -> bool:
        """Whether joints lie together, like those of a shoulder."""
        places = self.tree.forward(np.zeros(self.tree.dof)).positions_m[joints]
        return float(np.ptp(places, axis=0).max()) <= _ONE_PLACE_SHARE * self.height_m

    # -- how far and how heavily joints move things --------------------------------------------

    def _reaches(self, points: Sequence[FloatArray]) -> FloatArray:
        """How far from a joint's axis anything may be that it carries, in any pose."""
        parents, offsets = self.tree.kernel_arrays[0], self.tree.kernel_arrays[6]
        slides = np.zeros(len(parents))
        for index, joint in enumerate(self.tree.joints):
            if joint.kind.value == "prismatic":
                slides[index] = max(abs(joint.lower), abs(joint.upper))
        reaches = np.zeros(len(parents))
        for carrier, hull, each in zip(self._carriers, self.hulls, points, strict=True):
            if carrier >= 0:
                far = float((np.linalg.norm(each, axis=1) + hull.radii_m).max())
                reaches[carrier] = max(reaches[carrier], far)
        for index in range(len(parents) - 1, -1, -1):
            parent = int(parents[index])
            if parent >= 0 and reaches[index] > 0.0:
                far = reaches[index] + float(np.linalg.norm(offsets[index])) + slides[index]
                reaches[parent] = max(reaches[parent], far)
        return reaches

    def _metric(self, neutral: FloatArray) -> FloatArray:
        """How firmly joints stay where they are wanted: by how far they move the body's points.

        A trunk, which carries several ends, does not turn away for an arm, and legs that stand do
        not step aside.
        """
        seen, columns = _seen(self._scene, len(neutral), 1), self._scene.columns
        seen.angles[:] = bent = neutral + _BENT_RAD  # straight joints would weigh nothing
        place_points(self._scene, seen)
        before = seen.placed_m.copy()
        metric, carried = np.zeros(len(neutral)), np.ones(len(neutral))
        for column in range(len(neutral)):
            seen.angles[:] = bent
            seen.angles[column] += _STEP_RAD
            place_points(self._scene, seen)
            metric[column] = np.square((seen.placed_m - before) / _STEP_RAD).sum()
        place = {name: number for number, name in enumerate(self.tree.frame_names)}
        for end in self.tree.end_points.values():
            for joint in self._path(-1 if end.joint is None else place[end.joint], -1):
                carried[columns[joint]] += 1.0
        for hull in self.pairs[(self.pairs[:, 1] == GROUND) & (self.resting_m < _SURE_M), 0]:
            for joint in self._path(int(self._carriers[hull]), -1):
                carried[columns[joint]] = _STANDS
        least = (_LIGHTEST_SHARE * self.height_m) ** 2
        return (metric / max(1, len(before)) + least) * np.square(carried)


class Look:
    """Looks at one pose after the other; far pairs are left out for as long as they stay far."""

    def __init__(
        self, columns: int, scene: Scene, *, corners: bool, most: int = MOST_CONTACTS
    ) -> None:
        self.scene, self.seen = scene, _seen(scene, columns, most)
        self._corners = corners
        self.count = 0

    def at(self, angles: FloatArray) -> int:
        """Look at a pose; how many contacts are near."""
        self.count = near_contacts(self.scene, self.seen, angles, self._corners)
        return self.count

    def on_way(self, here: FloatArray, there: FloatArray) -> int:
        """Look at two poses and at one between them; contacts of all are found."""
        self.count = contacts_on_way(self.scene, self.seen, here, there)
        return self.count

    @property
    def distances_m(self) -> FloatArray:
        return self.seen.distances_m[: self.count]

    @property
    def found(self) -> IntArray:
        """The pairs of the contacts."""
        return self.seen.found[: self.count]

    @property
    def rows(self) -> FloatArray:
        """(contacts, columns) how the distances change with the joints."""
        return self.seen.rows[: self.count]


def _seen(scene: Scene, columns: int, most: int) -> Seen:
    joints, counts = len(scene.parents), np.diff(scene.firsts)
    width = 2 * int(counts.max(initial=1))
    weights = np.zeros((len(scene.pairs), width))
    for pair, (first, second, _) in enumerate(scene.pairs.tolist()):
        count = int(counts[first])
        weights[pair, :count] = 1.0 / count
        if second != GROUND:
            weights[pair, count : count + int(counts[second])] = 1.0 / counts[second]
    points = len(scene.points_m)
    return Seen(
        angles=np.zeros(columns),
        between=np.zeros(columns),
        ways_m=np.zeros(joints + 1),
        steps_m=np.zeros(joints + 1),
        used_m=np.zeros(len(scene.pairs)),
        due_m=np.zeros(len(scene.pairs)),
        waiting=np.zeros(len(scene.pairs), dtype=np.int64),
        weights=weights,
        positions_m=np.zeros((joints, 3)),
        turns_wxyz=np.zeros((joints, 4)),
        directions=np.zeros((joints, 3)),
        placed_m=np.zeros((points, 3)),
        corner=np.zeros(width + 1),
        witness=np.zeros(9),
        distances_m=np.zeros(most),
        rows=np.zeros((most, columns)),
        levers=np.zeros((most, columns)),
        found=np.zeros(most, dtype=np.int64),
    )


def _around(points_m: FloatArray, radii_m: FloatArray) -> tuple[float, float, float, float]:
    """A ball around a hull."""
    x, y, z = points_m.mean(axis=0).tolist()
    return x, y, z, float((np.linalg.norm(points_m - (x, y, z), axis=1) + radii_m).max())
