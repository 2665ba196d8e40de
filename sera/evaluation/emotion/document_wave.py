"""The wave of the null-space document: hand, head and posture on its Pepper, with any emotion.

Design overview: the right hand follows a wave that was made in joint space, so that it can always
be reached; the head looks at a person three metres away, as directly as the emotion has it; all
joints follow the emotional oscillation as far as these two leave them free. What comes out is
measured: how far the hand is from its path, what leaks upwards, where the head looks, how active
and how jerky the left arm is, which is free.

Units and frames: metres, radians, seconds; z up, x forwards (`document_pepper`).
Threading: none. Nothing is random.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sera.evaluation.emotion.document_pepper import (
    BODY_JOINTS,
    PLATFORM,
    document_pepper,
    in_tree,
    wave_rad,
)
from sera.kinematics._arrays import FloatArray
from sera.kinematics.priority import (
    Damping,
    OrientationTask,
    PoseTask,
    PostureTask,
    PriorityController,
)
from sera.kinematics.rotations import (
    angle_between,
    conjugate,
    from_axis_angle,
    from_matrix,
    multiply,
    slerp,
    to_rotation_vector,
)

PERSON_M = np.array([3.0, 0.0, 1.2])
THETA_0 = np.array([0.5, 0.5, 0, 0, 0.627, 0.9, -0.3, 0, 1.1, 1, 0.9, 0.3, 0, -1.1, -1])
THETA_V0 = np.array(
    [0, -0.05, 0, 0, -0.3, 1.57, -0.85, 1.5, 0.1, 1.15, 1.57, 0.85, -1.5, -0.1, -1.15]
)
AMPLITUDE = np.array([0, 0, 0, 0, 0, 0, -0.45, 0.576, 0.081, -0.2, 0, 0.45, -0.576, -0.081, 0.2])
"""Corrected: the right shoulder's sign, and shrunk where the printed ones leave the limits."""
OMEGA_RAD_S, JERK_RAD_S, JERK_RAD = 2.79, 12.57, 0.25
STEP_S = 0.01
_LEFT_ARM = slice(10, 15)
_SETTLED_S = 2.0
_AVERTED_DEG = (25.0, 15.0)

# The table's head frame has x forwards, y down, z to the left; this makes z point up.
_UPRIGHT = from_axis_angle((1.0, 0.0, 0.0), math.pi / 2)


@dataclass(frozen=True)
class Variant:
    """How it is done."""

    form: str = "strict"
    limits: str = "damped"
    """Of the controller; `none` takes them away from the joints as well."""
    feed_forward: bool = True
    aversion: bool = True
    """Averted gaze as an offset of its own; False: the document's, which depends on activity."""
    posture_gain: float = 3.0


class WaveRun(NamedTuple):
    """What was measured; the worst where nothing else is said."""

    hand_m: float
    hand_rad: float
    leak: float
    head_rad: float
    """From where the head should look, on average once settled."""
    to_person_deg: float
    """From the person, on average."""
    left_arm_rad: float
    """From the wanted posture, once settled."""
    energy: float
    """Mean of half the squared speeds of the left arm."""
    jerk: float
    """Root mean square of the left arm's jerk, rad/s³."""
    beyond_limits_rad: float
    left_arm: FloatArray
    """(steps, 5) its angles."""


def oscillation(t_s: float, jerkiness: float, activity: float) -> tuple[FloatArray, FloatArray]:
    """The emotional posture (15,) and its velocity, spelt out once more to be compared with."""
    sine, cosine = math.sin(JERK_RAD_S * t_s), math.cos(JERK_RAD_S * t_s)
    phase = OMEGA_RAD_S * t_s + jerkiness * JERK_RAD * (sine + cosine)
    speed = OMEGA_RAD_S + jerkiness * JERK_RAD * JERK_RAD_S * (cosine - sine)
    posture = (1 - activity) * THETA_0 + activity * (THETA_V0 + AMPLITUDE * math.sin(phase))
    return posture, activity * AMPLITUDE * speed * math.cos(phase)


def play_wave(
    features: tuple[float, float, float] | None, variant: Variant, seconds: float = 5.0
) -> WaveRun:
    """Wave with an emotion's jerkiness, activity and gaze; None: without any emotion."""
    return _Wave(features, variant).play(seconds)


class _HandTarget(NamedTuple):
    place_m: FloatArray
    turn_wxyz: FloatArray
    velocity_m_s: FloatArray
    spin_rad_s: FloatArray


class _RestTarget(NamedTuple):
    """Where the head should look, where the person is, and the posture with its velocity."""

    target: FloatArray
    person: FloatArray
    posture: FloatArray | None
    """(15,) None where nothing is felt."""
    head_wxyz: FloatArray | None
    angles_rad: FloatArray
    speeds_rad_s: FloatArray


def step_times_us(
    features: tuple[float, float, float], variant: Variant, seconds: float = 5.0
) -> FloatArray:
    """(steps,) how long the controller takes along the wave, with nothing else in between."""
    return _Wave(features, variant).time_steps(seconds)


class _Wave:
    def __init__(self, features: tuple[float, float, float] | None, variant: Variant) -> None:
        self.features, self.variant = features, variant
        truncated = variant.limits == "none"
        self.tree = document_pepper(limited=not truncated)
        self.controller = PriorityController(
            self.tree,
            [
                [PoseTask(name="hand", end_point="right_wrist", gain=10.0)],
                [OrientationTask(name="head", end_point="head", gain=5.0)],
            ],
            posture=PostureTask(name="posture", gain=variant.posture_gain, joints=BODY_JOINTS),
            form=variant.form,
            limits=variant.limits,
            damping=Damping.truncated() if truncated else Damping(),
            locked=PLATFORM,
        )
        self.controller.start_from(in_tree(self.tree, wave_rad(0.0)))

    def time_steps(self, seconds: float) -> FloatArray:
        """Go along the wave twice: once to know the targets, once to take the time."""
        controller, known, took = self.controller, [], []
        for number in range(round(seconds / STEP_S)):
            known.append((self._hand(number * STEP_S), self._rest(number * STEP_S)))
            self._aim(*known[-1])
            controller.step(STEP_S)
        controller.start_from(in_tree(self.tree, wave_rad(0.0)))
        for hand, rest in known:
            self._aim(hand, rest)
            began_s = time.perf_counter()
            controller.step(STEP_S)
            took.append(time.perf_counter() - began_s)
        return np.array(took) * 1e6

    def play(self, seconds: float) -> WaveRun:
        controller, tree = self.controller, self.tree
        worst = dict.fromkeys(("hand_m", "hand_rad", "leak", "left", "beyond"), 0.0)
        arms, away, off = [], [], []
        for number in range(round(seconds / STEP_S)):
            t_s = number * STEP_S
            rest = self._rest(t_s)
            target, person, posture = rest.target, rest.person, rest.posture
            self._aim(self._hand(t_s), rest)
            controller.step(STEP_S)
            angles, state = controller.angles_rad, controller["hand"].state
            head = multiply(tree.pose(angles, "head").orientation_wxyz, _UPRIGHT)
            arms.append(angles[13:])
            away.append(math.degrees(float(angle_between(head, person))))
            seen = {
                "hand_m": state.distance_m,
                "hand_rad": state.angle_rad,
                "leak": max(level.leak for level in controller.report.levels),
                "beyond": max(
                    float((angles - tree.upper_rad).max()), float((tree.lower_rad - angles).max())
                ),
            }
            if t_s >= _SETTLED_S and posture is not None:
                off.append(float(angle_between(head, target)))
                seen["left"] = float(np.abs(angles[13:] - posture[_LEFT_ARM]).max())
            for name, value in seen.items():
                worst[name] = max(worst[name], value)
        arm = np.array(arms)
        settled = arm[round(_SETTLED_S / STEP_S) :]
        speed = np.diff(settled, axis=0) / STEP_S
        jerk = np.diff(settled, n=3, axis=0) / STEP_S**3
        return WaveRun(
            hand_m=worst["hand_m"],
            hand_rad=worst["hand_rad"],
            leak=worst["leak"],
            head_rad=float(np.mean(off or [0.0])),
            to_person_deg=float(np.mean(away)),
            left_arm_rad=worst["left"],
            energy=float(np.mean(0.5 * np.sum(speed**2, axis=1))),
            jerk=float(np.sqrt(np.mean(np.sum(jerk**2, axis=1)))),
            beyond_limits_rad=worst["beyond"],
            left_arm=arm,
        )

    def _aim(self, hand: _HandTarget, rest: _RestTarget) -> None:
        controller = self.controller
        controller["hand"].set(
            hand.place_m, hand.turn_wxyz, velocity_m_s=hand.velocity_m_s, spin_rad_s=hand.spin_rad_s
        )
        if rest.head_wxyz is not None:
            controller["head"].set(orientation_wxyz=rest.head_wxyz)
        controller.wish(rest.angles_rad, rest.speeds_rad_s)

    def _hand(self, t_s: float) -> _HandTarget:
        now, ahead, behind = (
            self.tree.pose(in_tree(self.tree, wave_rad(t_s + shift)), "right_wrist")
            for shift in (0.0, 1e-4, -1e-4)
        )
        turned = multiply(ahead.orientation_wxyz, conjugate(behind.orientation_wxyz))
        return _HandTarget(
            now.position_m,
            now.orientation_wxyz,
            (ahead.position_m - behind.position_m) / 2e-4,
            to_rotation_vector(turned) / 2e-4,
        )

    def _rest(self, t_s: float) -> _RestTarget:
        tree = self.tree
        person = _looking_at(tree.pose(self.controller.angles_rad, "head").position_m)
        speeds = np.zeros(tree.dof)
        if self.features is None:
            return _RestTarget(person, person, None, None, in_tree(tree, wave_rad(t_s)), speeds)
        jerkiness, activity, gaze = self.features
        posture, speed = oscillation(t_s, jerkiness, activity)
        if self.variant.aversion:
            target = _averted(person, gaze)
        else:
            posed = tree.pose(in_tree(tree, posture), "head").orientation_wxyz
            target = slerp(multiply(posed, _UPRIGHT), person, gaze)
        if self.variant.feed_forward:
            speeds = in_tree(tree, speed)
        head_wxyz = multiply(target, conjugate(_UPRIGHT))
        return _RestTarget(target, person, posture, head_wxyz, in_tree(tree, posture), speeds)


def _looking_at(eyes_m: FloatArray) -> FloatArray:
    forward = (PERSON_M - eyes_m) / np.linalg.norm(PERSON_M - eyes_m)
    left = np.cross((0.0, 0.0, 1.0), forward)
    left /= np.linalg.norm(left)
    return from_matrix(np.stack([forward, left, np.cross(forward, left)], axis=1))


def _averted(person: FloatArray, gaze: float) -> FloatArray:
    """Turned away from the person, to the left and down, by an offset of its own."""
    yaw, pitch = (math.radians(each) * (1.0 - gaze) for each in _AVERTED_DEG)
    aside = from_axis_angle((0.0, 0.0, 1.0), yaw)
    down = from_axis_angle((0.0, 1.0, 0.0), pitch)
    return multiply(person, multiply(aside, down))
