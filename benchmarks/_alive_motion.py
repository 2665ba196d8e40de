"""Rest, seams, nods, strokes, and a target that crosses behind: single bodies under single orders.

All of it is read off the frames that leave the engine. Units and frames: metres, radians where
degrees are not in the name, seconds. Threading: none.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._alive_actor import Actor, axes_of, hands_of, places_m
from sera.animation.assets.animation import Animation
from sera.animation.assets.sides import authored
from sera.animation.sheets import perform, without_limits
from sera.evaluation.emotion.document_pepper import document_pepper
from sera.evaluation.motion.traces import (
    nodding,
    peak_speed,
    residual_swing,
    rest_s,
    travel_deg,
)
from sera.kinematics.priority import PoseTask, PositionTask, PostureTask, PriorityController
from sera.messages import (
    Direction,
    EmergencyStop,
    Gaze,
    HoldJoints,
    Message,
    Pad,
    PlayAnimation,
    SetEmotion,
    SetMood,
    SetPosture,
    StopAnimation,
)

FloatArray = NDArray[np.float64]

CORNERS = tuple(itertools.product((1.0, -1.0), repeat=3))
REST_RAD = 0.001
FREE_M_S = 1.0
"""A hand may be as fast at any seam …"""
OVER_OWN = 1.2
"""… or this much faster than the gestures involved."""
COMMON = ("wave", "greet", "affirm", "point", "shrug")
IDLE = ("blink", "breathe", "idle_look")


def looking(horizontal_deg: float, vertical_deg: float = 0.0) -> Gaze:
    wrapped = (horizontal_deg + 180.0) % 360.0 - 180.0
    return Gaze(direction=Direction(horizontal_deg=wrapped, vertical_deg=vertical_deg))


def gestures_of(actor: Actor) -> dict[str, Animation]:
    animations = actor.stage_set.repertoire().animations
    return {name: animations[name] for name in sorted(authored(animations)) if name not in IDLE}


# -- rest ---------------------------------------------------------------------------------------


def measure_rest(folder: Path, corner: tuple[float, ...], seed: int) -> tuple[float, float]:
    """When all joints stand after a last constant input, seconds; their swing at the end, degrees.

    Joints held by hand are wanted where they are held, whatever life and layers do.
    """
    actor, chance = Actor(folder, seed=seed), random.Random(seed)
    pad = Pad(**dict(zip(("pleasure", "arousal", "dominance"), corner, strict=True)))
    actor.do(SetMood(pad=pad), SetEmotion(pad=pad, blend_s=0.5))
    actor.run(2.0)
    for lasts_s in (1.5, 6.0):
        held = {}
        for name in actor.body.joints:
            spec = actor.body.own[name]
            held[name] = spec.clamp(spec.neutral + chance.uniform(-0.25, 0.25))
        frames = actor.do_and_run(lasts_s, HoldJoints(joints_rad=held, blend_s=0.0))
    joints = frames[:, actor.joint_columns]
    swing_deg = math.degrees(residual_swing(joints[len(joints) // 2 :]))
    return rest_s(joints, actor.step_s, REST_RAD), swing_deg


# -- seams --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seam:
    """Where one motion gives way to another."""

    kind: str
    gesture: str
    peak_m_s: float
    allowed_m_s: float


def measure_seams(folder: Path) -> list[Seam]:
    """Every gesture stopped, ordered again, exchanged, ended, and a start and a release within."""
    probe = Actor(folder)
    gestures = gestures_of(probe)
    own = {name: _gesture_m_s(folder, gesture) for name, gesture in gestures.items()}
    found = []
    for name, gesture in gestures.items():
        other = "wave" if name != "wave" else "celebrate"
        at_s = min(gesture.anchors.get("stroke", 0.5) + 0.3, 0.8 * gesture.duration_s)
        seams: dict[str, tuple[tuple[Message, ...], float]] = {
            "stopped": ((StopAnimation(),), own[name]),
            "ordered again": ((PlayAnimation(animation=name),), own[name]),
            f"{other} instead": (
                (PlayAnimation(animation=other),),
                max(own[name], own.get(other, 0.0)),
            ),
            "a release": ((EmergencyStop(),), own[name]),
            "its end": ((), own[name]),
            "a start": ((), own[name]),
        }
        for kind, (orders, own_m_s) in seams.items():
            actor = Actor(folder)
            actor.run(1.0)
            until_s = gesture.duration_s - 0.2 if kind == "its end" else at_s
            before = actor.do_and_run(until_s, PlayAnimation(animation=name))[-1:]
            if kind == "a start":
                actor = Actor(folder, start=actor.pose(before[0]))
            actor.do(*orders)
            if kind == "a release":
                actor.animator.engine.start_from(actor.pose(before[0]))
            lasts_s = gesture.duration_s + 0.5 if orders and "Play" in kind else 2.5
            frames = np.vstack([before, actor.run(lasts_s)])
            peak_m_s = _hands_m_s(actor, frames)
            found.append(Seam(kind, name, peak_m_s, max(FREE_M_S, OVER_OWN * own_m_s)))
    return found


def _gesture_m_s(folder: Path, gesture: Animation) -> float:
    actor = Actor(folder)
    actor.run(1.0)
    return _hands_m_s(
        actor, actor.do_and_run(gesture.duration_s - 0.2, PlayAnimation(animation=gesture.name))
    )


def _hands_m_s(actor: Actor, frames: FloatArray) -> float:
    return max(
        peak_speed(places_m(actor, frames, hand), actor.step_s) for hand in hands_of(actor.body)
    )


# -- nods and strokes -----------------------------------------------------------------------------


def _face_deg(actor: Actor, frames: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The face's way to the left and upwards."""
    x, y, z = axes_of(actor.body, [actor.pose(frame) for frame in frames]).T
    return np.degrees(np.arctan2(x, z)), np.degrees(np.arcsin(np.clip(y, -1.0, 1.0)))


def measure_nods(folder: Path) -> dict[str, float]:
    """The least share of its swing that a nod and a shake keep while the gaze shifts."""
    kept = {}
    for name, upwards in (("nod", 1), ("affirm", 1), ("shake", 0)):
        probe = Actor(folder)
        repertoire = probe.stage_set.repertoire()
        if name not in repertoire.animations:
            continue
        neutral = repertoire.postures.get("neutral")
        played = perform(without_limits(probe.body), repertoire.animation(name), neutral)
        swing_deg = nodding(_face_deg(probe, played.frames)[upwards], 0.5)
        if swing_deg < 2.0:
            continue
        shares = []
        for late_s, early_s in ((0.0, 0.0), (0.0, 0.2), (0.2, 0.0), (0.5, 0.0)):
            actor = Actor(folder)
            actor.do_and_run(1.5, looking(-15.0, 6.0))
            shift, gesture = looking(20.0, -8.0), PlayAnimation(animation=name)
            first, then = (shift, gesture) if early_s else (gesture, shift)
            parts = [actor.do_and_run(late_s + early_s, first), actor.do_and_run(3.0, then)]
            trace = _face_deg(actor, np.vstack(parts))[upwards]
            shares.append(nodding(trace, 0.5) / swing_deg)
        kept[name] = min(shares)
    return kept


def stroke_direction(actor: Actor, gesture: Animation) -> FloatArray | None:
    """From a gesture's beginning to its stroke as the animator meant it, over own channels."""
    if "stroke" not in gesture.anchors:
        return None
    neutral = actor.stage_set.repertoire().postures.get("neutral")
    played = perform(without_limits(actor.body), gesture, neutral)
    at = played.pose(gesture.anchors["stroke"])
    way = np.array(list(at.values())) - played.frames[0]
    columns = np.zeros(len(way))
    columns[actor.joint_columns] = 1.0
    way = way * columns
    size = float(np.linalg.norm(way))
    return None if size < 0.02 else way / size


def measure_strokes(folder: Path) -> dict[str, float]:
    """When each gesture's stroke comes on this body, seconds from its order."""
    found = {}
    probe = Actor(folder)
    for name, gesture in gestures_of(probe).items():
        way = stroke_direction(probe, gesture)
        if way is None:
            continue
        played = perform(probe.body, gesture, probe.stage_set.repertoire().postures.get("neutral"))
        at_s = gesture.anchors["stroke"]
        near = np.abs(played.times_s - at_s) <= 0.5
        found[name] = float(played.times_s[near][np.argmax((played.frames @ way)[near])])
    return found


# -- behind, and fading tasks ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Behind:
    """What a target did that crosses behind a body."""

    travels_deg: list[float]
    """Of the face, each time that the target goes by 60°."""
    to_and_fro_deg: float
    """The most of the face a second while the target goes to and fro by 20°."""
    unreported: int
    """Frames in which a joint is wanted elsewhere at once, and no change of branch is counted."""


def measure_behind(folder: Path) -> Behind:
    travels, to_and_fro, unreported = [], [], 0
    for posture, up_deg, sign in itertools.product(("neutral", "hot", "cold"), (0, 25), (1, -1)):
        actor = Actor(folder)
        actor.do(SetPosture(posture=posture, blend_s=0.5))
        actor.do_and_run(4.0, looking(sign * 150.0, up_deg))
        crossing = [sign * angle for angle in np.arange(150.0, 210.0, 3.0)]
        frames, jumps = _follow(actor, crossing, up_deg)
        frames += [actor.pose(frame) for frame in actor.run(4.0)]
        travels.append(travel_deg(axes_of(actor.body, frames)))
        swing = [sign * (180.0 + 10.0 * math.sin(0.15 * step)) for step in range(150)]
        _follow(actor, [sign * (210.0 - step) for step in range(31)], up_deg)
        actor.run(4.0)
        frames, more = _follow(actor, swing, up_deg)
        to_and_fro.append(travel_deg(axes_of(actor.body, frames)) / (0.1 * len(swing)))
        unreported += jumps + more
    return Behind(travels, max(to_and_fro), unreported)


def _follow(
    actor: Actor, angles_deg: list[float], up_deg: float
) -> tuple[list[dict[str, float]], int]:
    """A walking target, ten looks a second; and how often what is wanted jumps untold."""
    engine, frames, jumps = actor.animator.engine, [], 0
    for angle_deg in angles_deg:
        actor.do(looking(angle_deg, up_deg))
        for _ in range(round(0.1 / actor.step_s)):
            before, told = engine.wanted, actor.animator.branch_changes
            frames.append(actor.pose(actor.run(actor.step_s)[0]))
            after = engine.wanted
            jump = max(abs(after[name] - before[name]) for name in actor.body.joints)
            jumps += math.degrees(jump) > 20.0 and actor.animator.branch_changes == told
    return frames, jumps


def measure_fading(steps: int, seeds: int) -> float:
    """The greatest change of a joint's speed between two activations that are 1/steps apart."""
    tree, worst = document_pepper(), 0.0
    ends = list(tree.end_points)
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        levels = [
            [PoseTask(name="first", end_point=ends[0])],
            [PositionTask(name="second", end_point=ends[-1])],
        ]
        controller = PriorityController(tree, levels, posture=PostureTask(name="posture"))
        start = tree.clamp(tree.neutral + rng.uniform(-0.4, 0.4, tree.dof))
        goal = tree.clamp(start + rng.uniform(-0.2, 0.2, tree.dof))
        fading = ("first", "second")[seed % 2]
        place, turn = tree.pose(goal, ends[0])
        controller["first"].set(place, turn)
        controller["second"].set(tree.pose(goal, ends[-1]).position_m)
        controller["first"].activation = controller["second"].activation = 1.0
        controller.wish(start)
        before: FloatArray | None = None
        for share in np.linspace(0.0, 1.0, steps + 1).tolist():
            controller.start_from(start)
            controller[fading].activation = share
            controller.step(0.01)
            speed = controller.velocity_rad_s
            if before is not None:
                worst = max(worst, float(np.abs(speed - before).max()))
            before = speed
    return worst
