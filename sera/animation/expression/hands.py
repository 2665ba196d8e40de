"""Hands at work: where each has to be, whatever the body expresses meanwhile.

Design overview: a hand works while a gesture moves its arm, and while it follows an order to be
brought somewhere (`MoveHand`). In a gesture its path is that of the pose the layers want; an order
makes a path of its own, straight and with minimum jerk, from where the hand is. How much a hand is
at work fades in and out, so that an arm goes over from expressing to working without a jump: first
in a gesture the arm leaves its expression, joint by joint; then the hand is held to a path beside
its own, from where it is, which approaches its own smoothly. The other way round it would be pulled
straight there, through whatever stretched pose lies between. An ordered path begins where the hand
is: there the hand is held first.

    gesture     place and orientation as the layers have them
    reach       place alone, or with the orientation that was ordered
    carry       place, and the orientation that the hand had when it was ordered

A place that cannot be reached is given up for the nearest one once the way there is over and the
hand comes no nearer: it stays where it is, and who ordered it is told how far away that is.

Units and frames: metres, radians, seconds, base frame of the body, quaternions (w, x, y, z).
Threading: one owner, the stage.
Safety: this only says what is wanted; limits, balance and speed are the controller's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sera.kinematics._inverse_step import rotation_vector
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import from_rotation_vector, multiply, slerp

FloatArray = NDArray[np.float64]
ARM_S = 0.2
"""How long an arm takes to leave its expression for a gesture."""
ARM_ORDERED_S = 0.8
"""The same for an order: the hand is held meanwhile, and nothing hurries."""
HAND_AFTER, HAND_WHOLLY = 0.5, 1.0
"""How far the arm has left its expression when a gesture's hand begins to be held, and when it is
held wholly."""
HOLD_S = 0.1
"""How long that takes at least."""
JOIN_S = 0.35
"""How long a hand that is held takes to join its path: where the trunk has bent, it is away."""
LET_GO_S = 0.6
"""How long an arm takes at least to go back to expressing."""
REACHED_M = 0.015
SETTLE_S = 0.5
NEARER_M = 0.002
"""After its way a hand that comes no nearer than this in so long counts as out of reach."""
COMFORTABLE_M_S = 0.45
QUICKEST_S = 0.4


class HandWish(NamedTuple):
    """Where a hand should be now, and how it should go on: the controller begins where it is."""

    place_m: FloatArray
    velocity_m_s: FloatArray
    orientation_wxyz: FloatArray
    spin_rad_s: FloatArray
    arm_share: float
    """How much the arm has left its expression for its work, 0-1."""
    place_share: float
    """How much the place counts, 0-1."""
    turn_share: float
    """How much the orientation counts, 0-1."""


class HandEnd(NamedTuple):
    """An order to a hand that has ended, or arrived."""

    hand: str
    token: str
    outcome: str
    distance_m: float


@dataclass(frozen=True, slots=True)
class HandOrder:
    """Where a hand shall go."""

    place_m: tuple[float, float, float]
    orientation_wxyz: tuple[float, float, float, float] | None = None
    carries: bool = False
    duration_s: float | None = None
    hold_s: float | None = None
    token: str = ""


@dataclass(slots=True)
class _Way:
    """An order under way."""

    order: HandOrder
    start_m: FloatArray
    start_wxyz: FloatArray
    goal_m: FloatArray
    goal_wxyz: FloatArray | None
    duration_s: float
    since_s: float = 0.0
    nearest_m: float = math.inf
    nearest_s: float = 0.0
    """When it was last as near as that."""
    told: bool = False


class WorkingHand:
    """One hand of a body."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ended: list[HandEnd] = []
        self.left = False
        """Whether an order has ended, so that the arm is to be let go from where it is."""
        self._let_go_s = LET_GO_S
        self._arm = self._hold = self._turn = 0.0
        """How far the arm has left its expression, the place is held, and the orientation is."""
        self._way: _Way | None = None
        self._last: HandWish | None = None
        self._before: Pose | None = None
        self._joined = 1.0
        self._away_m, self._away_rad = np.zeros(3), np.zeros(3)
        """How far from its path a hand was, and how turned, when it began to be held to it."""

    @property
    def share(self) -> float:
        """How much the hand is held to its path, 0-1."""
        return _eased(self._hold)

    @property
    def idle(self) -> bool:
        return self._arm <= 0.0 and self._hold <= 0.0 and self._way is None

    def rest(self) -> None:
        """Nothing moves the arm: the next gesture begins anew."""
        self._before = self._last = None

    def join(self, gesture: float, now: Pose) -> None:
        """The arm takes part in a gesture already, and the hand is on its path."""
        if self.idle:
            self._arm = self._hold = self._turn = gesture
            self._before, self._joined = now, 1.0

    def order(self, order: HandOrder, now: Pose) -> float:
        """Go to a place from where the hand is now; how long its way takes."""
        self.drop()
        place = np.array(order.place_m)
        distance_m = float(np.linalg.norm(place - now.position_m))
        shortest_s = QUICKEST_S + distance_m / COMFORTABLE_M_S
        goal = None
        if order.orientation_wxyz is not None:
            goal = np.array(order.orientation_wxyz)
        elif order.carries:
            goal = now.orientation_wxyz.copy()
        self.left = False
        self._way = _Way(
            order, now.position_m.copy(), now.orientation_wxyz.copy(), place, goal,
            shortest_s if order.duration_s is None else max(order.duration_s, 1e-3),
        )  # fmt: skip
        return self._way.duration_s

    def wait(self, for_s: float) -> None:
        """Set out later on the way that was ordered."""
        if self._way is not None:
            self._way.since_s = -for_s

    def drop(self) -> None:
        """Give up the order under way, and tell so."""
        way, self._way = self._way, None
        self.left = self.left or way is not None
        if way is not None and not way.told:
            away = (
                0.0
                if self._last is None
                else float(np.linalg.norm(way.goal_m - self._last.place_m))
            )
            self.ended.append(HandEnd(self.name, way.order.token, "interrupted", away))

    def let_go(self, lasts_s: float) -> None:
        """Nothing holds the hand any more: whoever leads the arm takes it over where it is."""
        self.left, self._let_go_s = False, lasts_s
        self._hold = self._turn = 0.0

    def step(self, dt_s: float, gesture: float, wanted: Pose, now: Pose) -> HandWish:
        """Where the hand shall be.

        Args:
            dt_s: since the last frame.
            gesture: how much a gesture moves the arm, 0-1.
            wanted: the hand in the pose that the layers want at the end of the step.
            now: the hand as it is at its beginning.
        """
        before, self._before = self._before or wanted, wanted
        if self._way is not None:
            wish = self._on_its_way(self._way, dt_s, now)
        else:
            self._fade(dt_s, gesture, before, now)
            wish = self._on_its_path(before, wanted, dt_s)
            if gesture <= 0.0 and self._last is not None and not self.idle:
                # Nobody moves the arm any more: it is let go where it is, not pulled elsewhere.
                wish = wish._replace(
                    place_m=now.position_m, velocity_m_s=np.zeros(3),
                    orientation_wxyz=now.orientation_wxyz, spin_rad_s=np.zeros(3),
                )  # fmt: skip
        self._last = wish
        return wish

    def _on_its_path(self, before: Pose, wanted: Pose, dt_s: float) -> HandWish:
        """Along what the layers want, or beside it while the hand joins."""
        part = _course(self._joined)
        self._joined = min(1.0, self._joined + dt_s / JOIN_S)
        rate = (_course(self._joined) - part) / dt_s
        turned = rotation_vector(wanted.orientation_wxyz, before.orientation_wxyz)
        beside = from_rotation_vector((1.0 - part) * self._away_rad)
        return HandWish(
            before.position_m + (1.0 - part) * self._away_m,
            (wanted.position_m - before.position_m) / dt_s - rate * self._away_m,
            multiply(beside, before.orientation_wxyz),
            np.array(turned) / dt_s - rate * self._away_rad,
            *self._shares(),
        )

    def _on_its_way(self, way: _Way, dt_s: float, now: Pose) -> HandWish:
        part = _course(way.since_s / way.duration_s)
        way.since_s += dt_s
        after = _course(way.since_s / way.duration_s)
        self._arm = _towards(self._arm, 1.0, dt_s / ARM_ORDERED_S)
        self._hold = _towards(self._hold, 1.0, dt_s / HOLD_S)
        self._turn = _towards(self._turn, 0.0 if way.goal_wxyz is None else 1.0, dt_s / HOLD_S)
        velocity = (way.goal_m - way.start_m) * (after - part) / dt_s
        turn, spin = now.orientation_wxyz, np.zeros(3)
        if way.goal_wxyz is not None:
            turn = slerp(way.start_wxyz, way.goal_wxyz, part)
            whole = rotation_vector(way.goal_wxyz, way.start_wxyz)
            spin = np.array(whole) * (after - part) / dt_s
        wish = HandWish(
            way.start_m + part * (way.goal_m - way.start_m), velocity, turn, spin,
            *self._shares(),
        )  # fmt: skip
        away_m = float(np.linalg.norm(way.goal_m - now.position_m))
        if away_m < way.nearest_m - NEARER_M or way.since_s <= way.duration_s:
            way.nearest_m, way.nearest_s = away_m, way.since_s
        arrived = way.since_s >= way.duration_s and away_m <= REACHED_M
        if not way.told and (arrived or way.since_s >= way.nearest_s + SETTLE_S):
            way.told = True
            outcome = "reached" if away_m <= REACHED_M else "closest"
            self.ended.append(HandEnd(self.name, way.order.token, outcome, away_m))
            if outcome == "closest":  # what cannot be had is no longer pulled at
                way.start_m = way.goal_m = now.position_m.copy()
        hold_s = way.order.hold_s
        if hold_s is not None and way.since_s >= way.duration_s + hold_s and way.told:
            self._way, self.left = None, True
        return wish

    def _fade(self, dt_s: float, gesture: float, before: Pose, now: Pose) -> None:
        if gesture <= 0.0:
            reach = dt_s / self._let_go_s
            self._arm, self._hold, self._turn = (
                _towards(each, 0.0, reach) for each in (self._arm, self._hold, self._turn)
            )
            return
        self._let_go_s = LET_GO_S
        self._arm = _towards(self._arm, gesture, dt_s / ARM_S)
        if self._hold <= 0.0:
            self._joined = 0.0
            self._away_m = now.position_m - before.position_m
            turned = rotation_vector(now.orientation_wxyz, before.orientation_wxyz)
            self._away_rad = np.array(turned)
        ready = min(max((self._arm - HAND_AFTER) / (HAND_WHOLLY - HAND_AFTER), 0.0), gesture)
        self._hold = _towards(self._hold, ready, dt_s / HOLD_S)
        self._turn = _towards(self._turn, ready, dt_s / HOLD_S)

    def _shares(self) -> tuple[float, float, float]:
        return _eased(self._arm), _eased(self._hold), _eased(self._turn)


def _towards(value: float, goal: float, reach: float) -> float:
    return min(goal, value + reach) if goal > value else max(goal, value - reach)


def _eased(share: float) -> float:
    return share * share * (3.0 - 2.0 * share)


def _course(part: float) -> float:
    """Minimum jerk from 0 to 1; 1 from the end on."""
    s = min(max(part, 0.0), 1.0)
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
