"""Two joints that aim, in closed form: a head that pans and tilts needs no search.

Design overview: a turn about a first and then a second axis is, in half angles, bilinear: its
agreement with the wanted turn is u M v with the unit vectors u = (cos, sin) of the first half
angle and v of the second. Where that is largest is known: the singular vectors of M. A joint that
would leave its limits stays at the nearer one, and the other does the best with that. At an end it
stays until the other end is nearer by far: a target right behind does not swing it to and fro.

Units and frames: radians; quaternions as (w, x, y, z), unit ones, in the frame below the joints.
Threading: one owner; it knows at which ends it stood.
Safety: angles are within the joints' limits.
"""

from __future__ import annotations

import math

from sera.animation.engine._turns import Quaternion, Vector, conjugated, product, turned
from sera.kinematics.chain import Chain
from sera.kinematics.joints import JointKind

LOYALTY_RAD = math.radians(30.0)
"""By how much the other end must be nearer: 15° beyond the middle of what is out of reach."""


class TwoJoints:
    """A chain of two turning joints and its end point."""

    def __init__(self, chain: Chain) -> None:
        """Fold what does not move into two axes and two fixed turns."""
        first, second = chain.joints
        before, between = first.origin_wxyz, second.origin_wxyz
        self._axes: tuple[Vector, Vector] = (first.axis, turned(between, second.axis))
        self._before = conjugated(before)
        end = chain.tip.origin_wxyz
        self._after = product(conjugated(end), conjugated(between))
        self._lower = tuple(chain.lower_rad.tolist())
        self._upper = tuple(chain.upper_rad.tolist())
        self._at: list[float | None] = [None, None]
        """The end at which each joint stands, if it does."""
        self.changed = False
        """Whether a joint went over to its other end the last time."""
        (ax, ay, az), (bx, by, bz) = self._axes
        self._dot = ax * bx + ay * by + az * bz
        self._cross = (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)

    def solve(self, target: Quaternion) -> tuple[float, float]:
        """The angles whose end point is turned the most like the target."""
        angles = self._best(target)
        self.changed = False
        for joint, angle in enumerate(angles):
            lower, upper = self._lower[joint], self._upper[joint]
            end = angle if angle in (lower, upper) else None
            self.changed |= None not in (end, self._at[joint]) and end != self._at[joint]
            self._at[joint] = end
        return angles

    def _best(self, target: Quaternion) -> tuple[float, float]:
        w, x, y, z = product(product(self._before, target), self._after)
        (ax, ay, az), (bx, by, bz) = self._axes
        cx, cy, cz = self._cross
        m00 = w
        m01 = x * bx + y * by + z * bz
        m10 = x * ax + y * ay + z * az
        m11 = x * cx + y * cy + z * cz - w * self._dot
        apart = math.atan2(m10 - m01, m00 + m11)
        together = math.atan2(m10 + m01, m00 - m11)
        first = math.remainder(together + apart, math.tau)
        second = math.remainder(together - apart, math.tau)
        kept_first, kept_second = self._kept(0, first), self._kept(1, second)
        if kept_first == first and kept_second == second:
            return first, second
        # One of them gives way; the better of the two ways counts.
        best, most = (kept_first, kept_second), -1.0
        for fixed, angle in ((0, kept_first), (1, kept_second)):
            cos, sin = math.cos(0.5 * angle), math.sin(0.5 * angle)
            if fixed == 0:
                other = 2.0 * math.atan2(cos * m01 + sin * m11, cos * m00 + sin * m10)
                pair = angle, self._kept(1, math.remainder(other, math.tau))
            else:
                other = 2.0 * math.atan2(cos * m10 + sin * m11, cos * m00 + sin * m01)
                pair = self._kept(0, math.remainder(other, math.tau)), angle
            u, v = 0.5 * pair[0], 0.5 * pair[1]
            agreement = abs(
                math.cos(u) * (m00 * math.cos(v) + m01 * math.sin(v))
                + math.sin(u) * (m10 * math.cos(v) + m11 * math.sin(v))
            )
            if agreement > most:
                best, most = pair, agreement
        return best

    def _kept(self, joint: int, angle_rad: float) -> float:
        lower, upper = self._lower[joint], self._upper[joint]
        if lower <= angle_rad <= upper:
            return angle_rad
        # The nearer end, going round: beyond half a turn the other end is nearer.
        below = abs(math.remainder(angle_rad - lower, math.tau))
        above = abs(math.remainder(angle_rad - upper, math.tau))
        if self._at[joint] == lower:
            below -= LOYALTY_RAD
        elif self._at[joint] == upper:
            above -= LOYALTY_RAD
        return lower if below < above else upper


def are_two(chain: Chain) -> bool:
    """Whether a chain is of the simple kind: two joints that turn, and nothing else."""
    return len(chain.joints) == 2 and all(
        joint.kind is JointKind.REVOLUTE and joint.mimic is None for joint in chain.joints
    )
