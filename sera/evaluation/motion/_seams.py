"""Seams: how fast hands and heads go where one motion ends and another one begins.

Design overview: gestures are stopped, ordered again and taken over at moments drawn from a seed;
arms are let go from where a gesture, a hand or a layer had them. What counts is the speed of the
end points of the body in the frames that leave the engine, compared with that of the gestures
themselves, alone.

Units and frames: metres and seconds, base frame of the body. Threading: one owner.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sera.animation.animator import Animator
from sera.animation.stage_set import StageSet
from sera.messages import (
    Direction,
    EmergencyStop,
    HoldJoints,
    Message,
    MoveHand,
    PlayAnimation,
    Point,
    Position,
    SetLayer,
    SetPosture,
    StopAnimation,
)

FloatArray = NDArray[np.float64]
GESTURES = ("wave", "celebrate", "shrug", "greet", "affirm", "bow")
SLOW_M_S = 1.0
"""So fast may a seam be whatever the gestures are."""
GESTURE_SHARE = 1.2
_SETTLE_S, _AFTER_S = 0.6, 3.5


@dataclass(frozen=True, slots=True)
class SeamResult:
    """One seam of a body."""

    robot: str
    situation: str
    """Such as `wave stopped at 1.20 s`."""
    end_point: str
    """The one that was fastest."""
    peak_m_s: float
    allowed_m_s: float
    """1.2 times what the gestures do by themselves, and at least 1 m/s."""

    @property
    def kept(self) -> bool:
        return self.peak_m_s <= self.allowed_m_s


class MovingBody:
    """A body under orders, and the places of its end points frame by frame."""

    def __init__(self, stage_set: StageSet, start: dict[str, float] | None = None) -> None:
        program = stage_set.program()
        self.animator = Animator(program, start=start)
        self.tree = program.body.tree
        self.ends = tuple(self.tree.end_points)
        self.step_s = self.animator.engine.step_s
        self.poses: list[dict[str, float]] = []

    def order(self, *messages: Message) -> None:
        for message in messages:
            self.animator.handle(message, type(message).__name__)

    def run(self, seconds: float) -> int:
        """Make frames; the number of the first one."""
        first = len(self.poses)
        for _ in range(round(seconds / self.step_s)):
            self.poses.append(self.animator.step())
        return first

    def places_m(self, first: int = 0) -> FloatArray:
        """(frames, end points, 3)."""
        names, tree = self.tree.joint_names, self.tree
        return np.array(
            [
                [
                    end.position_m
                    for end in tree.poses(np.array([pose[name] for name in names]), self.ends)
                ]
                for pose in self.poses[first:]
            ]
        )

    def speeds_m_s(self, first: int = 0) -> FloatArray:
        """(frames - 1, end points)."""
        moved = np.diff(self.places_m(first), axis=0)
        return np.asarray(np.linalg.norm(moved, axis=2) / self.step_s)


def measure_seams(
    stage_set: StageSet, seed: int = 0, gestures: Sequence[str] = GESTURES
) -> list[SeamResult]:
    """Peak speeds at every kind of seam that the body can come to."""
    return _Seams(stage_set, seed, gestures).measure()


class _Seams:
    def __init__(self, stage_set: StageSet, seed: int, gestures: Sequence[str]) -> None:
        self._stage_set = stage_set
        self._chance = random.Random(seed)  # noqa: S311 - a measurement's chance
        known = stage_set.repertoire().animations
        self._gestures = [name for name in gestures if name in known]
        self._lasts_s = {name: known[name].duration_s for name in self._gestures}

        self._found: list[SeamResult] = []
        self._own_m_s = cache(self._gesture_m_s)

    def measure(self) -> list[SeamResult]:
        for name in self._gestures:
            at_s = self._moment(name)
            self._seam(f"{name} stopped at {at_s:.2f} s", [name], at_s, StopAnimation())
            at_s = self._moment(name)
            again = PlayAnimation(animation=name)
            self._seam(f"{name} ordered again at {at_s:.2f} s", [name], at_s, again)
            other, at_s = self._chance.choice(self._gestures), self._moment(name)
            newer = PlayAnimation(animation=other)
            self._seam(f"{other} over {name} at {at_s:.2f} s", [name, other], at_s, newer)
            at_s = self._moment(name)
            off = SetLayer(layer="gestures", active=False, fade_s=self._chance.choice((0.0, 0.3)))
            self._seam(f"layer off in {name} at {at_s:.2f} s", [name], at_s, off)
            at_s = self._moment(name)
            self._seam(f"{name} layer off, on at {at_s:.2f} s", [name], at_s, off, switch_on=True)
            self._after(f"released from {name}", name, self._release)
            self._after(f"started in {name}", name, self._start)
            self._after(f"let go from {name}", name, self._let_go)
        self._other_seams()
        return self._found

    def _moment(self, name: str) -> float:
        return self._chance.uniform(0.2, 0.85) * self._lasts_s[name]

    def _other_seams(self) -> None:
        body = MovingBody(self._stage_set)
        body.run(_SETTLE_S)
        postures = sorted(self._stage_set.repertoire().postures)
        self._chance.shuffle(postures)
        for name in ("neutral", *postures[:3], "neutral"):
            body.order(SetPosture(posture=name, blend_s=self._chance.choice((0.1, 0.5))))
            self._judge(f"posture {name}", body, body.run(2.5))
        self._try("pointed, then down", body, self._point)
        self._try("hand let go", body, self._move_hand)

    def _try(self, what: str, body: MovingBody, do: Callable[[MovingBody], None]) -> None:
        try:
            do(body)
        except LookupError:
            return  # the body has no arms for it
        self._judge(what, body, body.run(_AFTER_S))

    def _point(self, body: MovingBody) -> None:
        side = self._chance.choice((-1.0, 1.0))
        ahead = Direction(horizontal_deg=40.0 * side, vertical_deg=self._chance.uniform(0, 40))
        body.order(Point(direction=ahead, hold_s=20.0))
        body.run(2.0)
        body.order(Point(direction=ahead, hold_s=0.0))

    def _move_hand(self, body: MovingBody) -> None:
        now = body.places_m(len(body.poses) - 1)[0]
        at = now[body.ends.index("right_hand")] if "right_hand" in body.ends else now[0]
        up_m = self._chance.uniform(0.15, 0.3)
        place = Position(x_m=at[0], y_m=at[1] + up_m, z_m=at[2] + up_m)
        body.order(MoveHand(hand="right", place=place, hold_s=20.0))
        body.run(3.0)
        body.order(MoveHand(hand="right", place=None))

    def _seam(
        self, what: str, names: list[str], at_s: float, order: Message, *, switch_on: bool = False
    ) -> None:
        body = MovingBody(self._stage_set)
        body.run(_SETTLE_S)
        body.order(PlayAnimation(animation=names[0]))
        body.run(at_s)
        body.order(order)
        if switch_on:
            body.run(1.6)
            body.order(SetLayer(layer="gestures", active=True, fade_s=0.0))
        self._judge(what, body, body.run(_AFTER_S), names)

    def _after(
        self, what: str, name: str, do: Callable[[MovingBody, dict[str, float]], MovingBody]
    ) -> None:
        """From where the gesture had the body."""
        body = MovingBody(self._stage_set)
        body.run(_SETTLE_S)
        body.order(PlayAnimation(animation=name))
        body.run(self._stroke_s(name))
        after = do(body, body.poses[-1])
        self._judge(what, after, after.run(_AFTER_S))

    def _stroke_s(self, name: str) -> float:
        anchors = self._stage_set.repertoire().animations[name].anchors
        return anchors.get("stroke", 0.4 * self._lasts_s[name])

    def _release(self, body: MovingBody, pose: dict[str, float]) -> MovingBody:
        body.order(EmergencyStop())
        body.animator.engine.start_from(pose)
        return body

    def _start(self, body: MovingBody, pose: dict[str, float]) -> MovingBody:  # noqa: ARG002
        return MovingBody(self._stage_set, start=pose)

    def _let_go(self, body: MovingBody, pose: dict[str, float]) -> MovingBody:
        held = {name: pose[name] for name in body.animator.program.body.joints}
        body.order(HoldJoints(joints_rad=held, blend_s=0.0), StopAnimation(fade_s=0.0))
        body.run(1.8)
        body.order(HoldJoints(joints_rad={}, blend_s=0.3))
        return body

    def _judge(self, what: str, body: MovingBody, first: int, names: Sequence[str] = ()) -> None:
        speeds = body.speeds_m_s(max(first - 1, 0))
        fastest = int(speeds.max(axis=0).argmax())
        own = max((self._own_m_s(name)[fastest] for name in names), default=0.0)
        self._found.append(
            SeamResult(
                body.animator.program.body.name,
                what,
                body.ends[fastest],
                float(speeds[:, fastest].max()),
                max(SLOW_M_S, GESTURE_SHARE * own),
            )
        )

    def _gesture_m_s(self, name: str) -> list[float]:
        """Peak speed of every end point in the gesture alone."""
        body = MovingBody(self._stage_set)
        body.run(_SETTLE_S)
        body.order(PlayAnimation(animation=name))
        first = body.run(self._lasts_s[name])
        peaks: list[float] = body.speeds_m_s(first).max(axis=0).tolist()
        return peaks
