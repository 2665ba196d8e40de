"""Emotion through the whole animation engine: hand paths kept, limits and balance never left.

Design overview: `wave_path` plays a gesture with an emotion and gives the path of the hand in what
leaves the motion filter; compared with the path without any emotion it says what emotion costs the
hand. `random_life` lets a body live through random emotions, gestures, looks and orders to its
hands, and counts every frame in which a joint, its speed or the balance is beyond its limit.

Units and frames: metres, radians, seconds; base frame of the body.
Threading: none. The same seed gives the same run.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sera.animation.animator import Animator
from sera.animation.stage_set import StageSet
from sera.emotion import PAD
from sera.emotion.profile import NullSpaceProfile
from sera.kinematics._arrays import FloatArray
from sera.messages import (
    Direction,
    Gaze,
    MoveHand,
    Pad,
    PlayAnimation,
    Point,
    Position,
    SetEmotion,
    SetPosture,
)
from sera.runtime.workspace import built_in_root

GESTURES = ("wave", "greet", "shrug", "nod", "celebrate", "think", "bow", "surprise")
JOINED_S = (1.5, 2.7)
"""Of a wave: from when on an arm that was expressing has joined its path, until it leaves it."""
SETTLE_S = 2.0
"""How long an emotion is there before the gesture."""


class PathRun(NamedTuple):
    """A gesture under an emotion."""

    hand_m: FloatArray
    """(frames, 3) where the working hand was while the gesture played."""
    wanted_m: FloatArray
    """(frames, 3) where it should have been, before the motion filter."""
    joints_rad: FloatArray
    """(frames, joints) the body's angles."""
    step_us: float
    """Median time of a frame."""


@dataclass
class Life:
    """What a random life came to."""

    frames: int = 0
    beyond_range: int = 0
    too_fast: int = 0
    out_of_balance: int = 0
    least_inside_m: float = float("inf")
    orders: int = 0
    faults: list[str] = field(default_factory=list)
    frame_us: float = 0.0

    @property
    def violations(self) -> int:
        return self.beyond_range + self.too_fast + self.out_of_balance


def animator_of(robot: str, rate_hz: float = 50.0, faults: list[str] | None = None) -> Animator:
    """A body at its program, offline."""
    told: list[str] = [] if faults is None else faults
    return Animator(
        stage_set_of(robot).program(),
        rate_hz=rate_hz,
        on_fault=lambda *said: told.append(" ".join(said)),
    )


def stage_set_of(robot: str) -> StageSet:
    """Everything that one of our bodies needs."""
    root = built_in_root() or Path()
    return StageSet.find(root / "robots" / robot, (root,))


def wave_path(
    robot: str,
    pad: PAD | None,
    *,
    gesture: str = "wave",
    hand: str = "right",
    rate_hz: float = 50.0,
) -> PathRun:
    """Play a gesture with an emotion, or without any; what is measured begins when it does."""
    animator = animator_of(robot, rate_hz)
    # Idle life is left out: it is another one in every run, and belongs to no gesture.
    for layer in ("life", "speech"):
        if layer in animator.engine.layers:
            animator.engine.layers[layer].set(active=False, fade_s=0.0)
    profile = animator.program.profile
    assert isinstance(profile, NullSpaceProfile)
    tree, end = animator.program.body.tree, profile.hand(hand).end_point
    animator.handle(Gaze(direction=Direction(horizontal_deg=0.0, vertical_deg=0.0)), "gaze")
    if pad is not None:
        values = dict(zip(("pleasure", "arousal", "dominance"), pad.values, strict=True))
        animator.handle(SetEmotion(pad=Pad(**values), blend_s=1.0), "feel")
    for _ in range(round(SETTLE_S * rate_hz)):
        animator.step()
    animator.handle(PlayAnimation(animation=gesture), "gesture")
    hands: list[FloatArray] = []
    wishes: list[FloatArray] = []
    poses: list[list[float]] = []
    took: list[float] = []
    while animator.playing or not poses:
        began_s = time.perf_counter()
        values = animator.step()
        took.append(time.perf_counter() - began_s)
        angles = [values[name] for name in tree.joint_names]
        poses.append(angles)
        hands.append(tree.pose(angles, end).position_m)
        wanted = animator.engine.wanted
        wishes.append(tree.pose([wanted[name] for name in tree.joint_names], end).position_m)
    return PathRun(np.array(hands), np.array(wishes), np.array(poses), float(np.median(took)) * 1e6)


def strays_m(path_m: FloatArray, other_m: FloatArray, rate_hz: float = 50.0) -> float:
    """How far two paths of a hand are apart at most, while it has joined its gesture's path."""
    first, last = (round(at_s * rate_hz) for at_s in JOINED_S)
    return float(np.linalg.norm(path_m[first:last] - other_m[first:last], axis=1).max())


def random_life(robot: str, minutes: float, seed: int, rate_hz: float = 50.0) -> Life:
    """Let a body live through random orders and count what is beyond its limits."""
    life = Life()
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    animator = animator_of(robot, rate_hz, life.faults)
    body, profile = animator.program.body, animator.program.profile
    assert isinstance(profile, NullSpaceProfile)
    tree, specs = body.tree, [body.own[name] for name in body.tree.joint_names]
    lower = np.array([spec.lower for spec in specs]) - 1e-9
    upper = np.array([spec.upper for spec in specs]) + 1e-9
    speed = np.array([spec.max_velocity for spec in specs]) * (1.0 + 1e-9)
    support = profile.support if tree.mass_kg > 0.0 else None
    before, next_s, began_s = None, 0.0, time.perf_counter()
    for number in range(round(minutes * 60.0 * rate_hz)):
        if number / rate_hz >= next_s:
            next_s += chance.uniform(0.3, 2.5)
            _order(animator, profile, chance, life)
        values = animator.step()
        angles = np.array([values[name] for name in tree.joint_names])
        life.frames += 1
        life.beyond_range += bool((angles < lower).any() or (angles > upper).any())
        if before is not None:
            life.too_fast += bool((np.abs(angles - before) * rate_hz > speed).any())
        before = angles
        if support is not None and number % 5 == 0:
            x, _, z = tree.centre_of_mass(angles).tolist()
            inside = support.inside_m(x, z)
            life.least_inside_m = min(life.least_inside_m, inside)
            life.out_of_balance += inside < 0.0
    life.frame_us = (time.perf_counter() - began_s) / life.frames * 1e6
    return life


def _order(
    animator: Animator, profile: NullSpaceProfile, chance: random.Random, life: Life
) -> None:
    """One random order; what a body cannot follow it refuses, and that is no fault."""
    life.orders += 1
    kind = chance.random()
    try:
        if kind < 0.35:
            pad = Pad(
                **{axis: chance.uniform(-1, 1) for axis in ("pleasure", "arousal", "dominance")}
            )
            animator.handle(SetEmotion(pad=pad, blend_s=chance.uniform(0.0, 2.0)), "feel")
        elif kind < 0.6:
            animator.handle(PlayAnimation(animation=chance.choice(GESTURES)), "play")
        elif kind < 0.75:
            look = Direction(
                horizontal_deg=chance.uniform(-80, 80), vertical_deg=chance.uniform(-30, 40)
            )
            animator.handle(Gaze(direction=look), "look")
        elif kind < 0.9 and profile.hands:
            place = Position(
                x_m=chance.uniform(-0.6, 0.6),
                y_m=chance.uniform(0.2, 1.4),
                z_m=chance.uniform(-0.2, 0.6),
            )
            hand = chance.choice(profile.hands).name
            order = MoveHand(hand=hand, place=place, hold_s=chance.uniform(0.2, 1.0))
            animator.handle(order, "hand")
        elif kind < 0.95:
            way = Direction(horizontal_deg=chance.uniform(-90, 90), vertical_deg=0.0)
            animator.handle(Point(direction=way, hold_s=1.0), "point")
        else:
            animator.handle(
                SetPosture(posture=chance.choice(("neutral", "proud", "sad"))), "posture"
            )
    except LookupError:
        life.orders -= 1
