"""Which hulls of a body come near each other or the ground, and how joints change that; compiled.

Design overview: `near_contacts` looks at a pose. A pair is looked at only if joints between its two
hulls may have brought them near since it was last looked at: each joint adds the way of what it
carries farthest out to a running sum, and a pair is due when the sums of its two sides have used up
what was between them. Then come the balls around the hulls, then the hulls themselves. A contact
gives its distance and the row of its gradient. Hulls that lie along each other would touch now at
one end, now at the other: a near pair gives a row for each ball at a corner, too.

Units and frames: metres, radians, base frame, Y up. Threading: no state; arrays come from the
caller. Safety: the way of a joint is a bound from above, so that no pair is late.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import cross, rotate, row3, row4
from sera.kinematics._tree_kernels import FIXED, tree_frames
from sera.kinematics.contacts._distance_kernels import hull_distance

NOTHING_M = 1e-9
"""A joint that moves a contact by less has nothing to do with it."""
GROUND = -1
"""What stands in place of a pair's second hull."""


class Scene(NamedTuple):
    """What does not change: the tree, its hulls, and which of them may meet."""

    parents: IntArray
    kinds: IntArray
    columns: IntArray
    multipliers: FloatArray
    shifts: FloatArray
    axes: FloatArray
    offsets_m: FloatArray
    zero_wxyz: FloatArray
    carriers: IntArray  # (h,) joint that carries a hull, -1 for the base
    firsts: IntArray  # (h + 1,) first point of each hull
    points_m: FloatArray  # (p, 3) seen from the carrier, zero pose, base frame
    radii_m: FloatArray  # (p,)
    bounds: FloatArray  # (h, 4) centre and radius of a ball around each hull, as the points
    reaches_m: FloatArray  # (n,) the farthest that a joint carries anything from its axis
    sides: IntArray  # (k, 3) the joints of a pair's sides and the one that carries both, base: 0
    pairs: IntArray  # (k, 3) two hulls, or one and GROUND, and the joint that carries both or -1
    keeps_m: FloatArray  # (k,) the distance that a pair keeps
    ground_m: float
    near_m: float
    """How much more than `keeps_m` is still worth a row."""


class Seen(NamedTuple):
    """What is remembered from look to look, and where a look writes to."""

    angles: FloatArray  # (columns,) of the last look
    between: FloatArray  # (columns,) a pose between two others
    ways_m: FloatArray  # (n + 1,) ways of all joints up to each, summed up; the base first
    steps_m: FloatArray  # (n + 1,) the same of one look
    used_m: FloatArray  # (k,) the ways of both sides of each pair
    due_m: FloatArray  # (k,) how long these may be before a pair must be looked at again
    waiting: IntArray  # (k,) pairs to be looked at
    weights: FloatArray  # (k, w) where each pair was nearest
    positions_m: FloatArray  # (n, 3)
    turns_wxyz: FloatArray  # (n, 4)
    directions: FloatArray  # (n, 3)
    placed_m: FloatArray  # (p, 3)
    corner: FloatArray  # (w,) weights while a corner is looked at
    witness: FloatArray  # (9,)
    distances_m: FloatArray  # (c,) of the contacts found
    rows: FloatArray  # (c, columns) their gradients
    levers: FloatArray  # (c, columns) how far a joint moves what is near, in whatever direction
    found: IntArray  # (c,) their pairs


@kernel
def _add_ways(scene: Scene, seen: Seen, angles: FloatArray) -> None:
    """Add up how far joints have moved what they carry since the last look."""
    steps = seen.steps_m
    for index in range(len(scene.parents)):
        way = 0.0
        if scene.kinds[index] != FIXED:
            column = scene.columns[index]
            way = abs(scene.multipliers[index] * (angles[column] - seen.angles[column]))
            if scene.kinds[index] != PRISMATIC:
                way *= scene.reaches_m[index]
        steps[index + 1] = steps[scene.parents[index] + 1] + way
        seen.ways_m[index + 1] += steps[index + 1]
    for column in range(len(angles)):
        seen.angles[column] = angles[column]


@kernel
def _find_due(
    sides: IntArray, ways_m: FloatArray, due_m: FloatArray, used_m: FloatArray, waiting: IntArray
) -> int:
    """Which pairs have used up what was between them, in `waiting`; and how far they have gone."""
    # Whole tables are not handed down pair by pair: counting references would take longer than
    # this.
    count = 0
    for pair in range(len(sides)):
        way = ways_m[sides[pair, 0]] + ways_m[sides[pair, 1]] - 2.0 * ways_m[sides[pair, 2]]
        used_m[pair] = way
        if way >= due_m[pair]:
            waiting[count] = pair
            count += 1
    return count


@kernel
def place_points(scene: Scene, seen: Seen) -> None:
    """All points where the pose has them."""
    tree_frames(
        scene.parents, scene.kinds, scene.columns, scene.multipliers, scene.shifts, scene.axes,
        scene.offsets_m, scene.zero_wxyz, seen.angles, seen.positions_m, seen.turns_wxyz,
        seen.directions,
    )  # fmt: skip
    for hull in range(len(scene.carriers)):
        joint = scene.carriers[hull]
        for point in range(scene.firsts[hull], scene.firsts[hull + 1]):
            if joint < 0:
                for k in range(3):
                    seen.placed_m[point, k] = scene.points_m[point, k]
                continue
            turned = rotate(row4(seen.turns_wxyz, joint), row3(scene.points_m, point))
            for k in range(3):
                seen.placed_m[point, k] = seen.positions_m[joint, k] + turned[k]


@kernel
def centre_of(scene: Scene, seen: Seen, hull: int) -> tuple[float, float, float]:
    joint = scene.carriers[hull]
    offset = (scene.bounds[hull, 0], scene.bounds[hull, 1], scene.bounds[hull, 2])
    if joint < 0:
        return offset
    x, y, z = rotate(row4(seen.turns_wxyz, joint), offset)
    return (
        seen.positions_m[joint, 0] + x,
        seen.positions_m[joint, 1] + y,
        seen.positions_m[joint, 2] + z,
    )


@kernel
def _add_motion(
    scene: Scene, seen: Seen, row: int, joint: int, common: int, at: int, sign: float
) -> None:
    """What the joints between two add to a gradient: `at` says where the witness is."""
    witness = seen.witness
    normal = (witness[6], witness[7], witness[8])
    while joint != common:
        if scene.kinds[joint] != FIXED:
            direction = row3(seen.directions, joint)
            if scene.kinds[joint] != PRISMATIC:
                place = row3(seen.positions_m, joint)
                arm = (
                    witness[at] - place[0],
                    witness[at + 1] - place[1],
                    witness[at + 2] - place[2],
                )
                direction = cross(direction, arm)
            share = normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2]
            if abs(share) < NOTHING_M:
                share = 0.0
            column, factor = scene.columns[joint], scene.multipliers[joint]
            seen.rows[row, column] += sign * factor * share
            seen.levers[row, column] += abs(factor) * math.sqrt(
                direction[0] ** 2 + direction[1] ** 2 + direction[2] ** 2
            )
        joint = scene.parents[joint]


@kernel
def _write(scene: Scene, seen: Seen, row: int, pair: int, distance: float) -> None:
    """A contact: its distance and how joints change it."""
    first, second, common = scene.pairs[pair, 0], scene.pairs[pair, 1], scene.pairs[pair, 2]
    seen.distances_m[row] = distance
    seen.found[row] = pair
    seen.rows[row, :] = 0.0
    seen.levers[row, :] = 0.0
    _add_motion(scene, seen, row, scene.carriers[first], common, 0, 1.0)
    if second != GROUND:
        _add_motion(scene, seen, row, scene.carriers[second], common, 3, -1.0)


@kernel
def _over_ground(
    scene: Scene, seen: Seen, pair: int, reach_m: float, row: int
) -> tuple[float, int]:
    """The distance of a hull from the ground, with a row for each ball that is near."""
    hull = scene.pairs[pair, 0]
    least = math.inf
    for point in range(scene.firsts[hull], scene.firsts[hull + 1]):
        distance = seen.placed_m[point, 1] - scene.radii_m[point] - scene.ground_m
        least = min(least, distance)
        if distance < reach_m and row < len(seen.found):
            for k in range(3):
                seen.witness[k] = seen.placed_m[point, k]
                seen.witness[6 + k] = 1.0 if k == 1 else 0.0
            _write(scene, seen, row, pair, distance)
            row += 1
    return least, row


@kernel
def _corners(scene: Scene, seen: Seen, pair: int, reach_m: float, row: int) -> int:
    """Rows for the balls at the corners of either hull that are near the other."""
    first, second = scene.pairs[pair, 0], scene.pairs[pair, 1]
    count = scene.firsts[first + 1] - scene.firsts[first]
    for side in range(2):
        own = second if side else first
        other = first if side else second
        weights_at = count if side else 0
        begin, end = scene.firsts[own], scene.firsts[own + 1]
        for point in range(begin, end):
            # The place where the pair is nearest has its row.
            if seen.weights[pair, weights_at + point - begin] > 0.99 or row >= len(seen.found):
                continue
            ball, hull = (point, point + 1), (scene.firsts[other], scene.firsts[other + 1])
            size = hull[1] - hull[0] + 1
            seen.corner[:size] = 1.0 / (size - 1)
            if side:
                seen.corner[size - 1] = 1.0
                distance = hull_distance(
                    seen.placed_m, scene.radii_m, seen.corner, hull, ball, reach_m, seen.witness
                )
            else:
                seen.corner[0] = 1.0
                distance = hull_distance(
                    seen.placed_m, scene.radii_m, seen.corner, ball, hull, reach_m, seen.witness
                )
            if distance < reach_m:
                _write(scene, seen, row, pair, distance)
                row += 1
    return row


@kernel
def near_contacts(scene: Scene, seen: Seen, angles: FloatArray, corners: bool, row: int = 0) -> int:
    """Look at a pose; contacts are written from `row` on, the row after the last is returned."""
    _add_ways(scene, seen, angles)
    count = _find_due(scene.sides, seen.ways_m, seen.due_m, seen.used_m, seen.waiting)
    if count == 0:
        return row
    place_points(scene, seen)
    for number in range(count):
        pair = seen.waiting[number]
        first, second = scene.pairs[pair, 0], scene.pairs[pair, 1]
        reach_m = scene.keeps_m[pair] + scene.near_m
        if second == GROUND:
            distance, row = _over_ground(scene, seen, pair, reach_m, row)
        else:
            a, b = centre_of(scene, seen, first), centre_of(scene, seen, second)
            apart = math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
            distance = apart - scene.bounds[first, 3] - scene.bounds[second, 3]
            if distance < reach_m:
                distance = hull_distance(
                    seen.placed_m,
                    scene.radii_m,
                    seen.weights[pair],
                    (scene.firsts[first], scene.firsts[first + 1]),
                    (scene.firsts[second], scene.firsts[second + 1]),
                    reach_m,
                    seen.witness,
                )
                if distance < reach_m and row < len(seen.found):
                    _write(scene, seen, row, pair, distance)
                    row += 1
                    if corners:
                        row = _corners(scene, seen, pair, reach_m, row)
        seen.due_m[pair] = seen.used_m[pair] + max(0.0, distance - reach_m)
    return row


@kernel
def contacts_on_way(scene: Scene, seen: Seen, here: FloatArray, there: FloatArray) -> int:
    """The same for two poses and the one between them."""
    row = near_contacts(scene, seen, here, False)
    for column in range(len(here)):
        seen.between[column] = 0.5 * (here[column] + there[column])
    row = near_contacts(scene, seen, seen.between, False, row)
    return near_contacts(scene, seen, there, False, row)
