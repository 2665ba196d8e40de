"""A step of the gaze arrives in time, and the gaze stays while the body lives and speaks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.animator import Animator
from sera.animation.stage_set import StageSet
from sera.evaluation.motion._face import Face
from sera.messages import Direction, Gaze, SpeechWord

STEP_DEG = 60.0
NEAR_DEG = 2.0
LONGEST_S = 1.0
OWN_TIME_MARGIN = 1.2
HOLD_DEG = 3.0
_SETTLE_S = 4.0
_WORDS = ("wonderful", "a", "robot", "EVERYBODY", "listens", "to", "what", "it", "says!")


@dataclass(frozen=True)
class GazeResult:
    """What was measured on one body."""

    robot: str
    step_deg: float
    """How far the gaze was sent; less than asked for where the body cannot turn as far."""
    arrives_s: float
    allowed_s: float
    """A second, or the body's own least time and a fifth."""
    held_within_deg: float
    """The most that the face was off its target while idle, breathing and speech ran."""

    @property
    def met(self) -> bool:
        return self.arrives_s <= self.allowed_s and self.held_within_deg <= HOLD_DEG


def measure_gaze(stage_set: StageSet, *, hold_s: float = 30.0) -> GazeResult:
    """Send the gaze across, then let the body live and speak while it looks."""
    animator = Animator(stage_set.program())
    face = Face(stage_set.body)
    spec = stage_set.body.channel("Gazing.Horizontal")
    reach_deg = math.degrees(min(-spec.lower, spec.upper))
    to_deg = min(0.5 * STEP_DEG, reach_deg)
    _look(animator, -to_deg)
    _pass(animator, _SETTLE_S)
    _look(animator, to_deg)
    arrives_s = _time_until_near(animator, face, to_deg)
    return GazeResult(
        robot=stage_set.body.name,
        step_deg=2.0 * to_deg,
        arrives_s=arrives_s,
        allowed_s=max(LONGEST_S, OWN_TIME_MARGIN * least_time_s(stage_set, 2.0 * to_deg)),
        held_within_deg=_worst_while_speaking(animator, face, to_deg, hold_s),
    )


def least_time_s(stage_set: StageSet, step_deg: float) -> float:
    """The least time in which the fastest way across could be made, by the joints' limits."""
    spec = stage_set.body.channel("Gazing.Horizontal")
    velocity = min(spec.max_velocity, 1e6)
    return math.radians(step_deg) / velocity


def _look(animator: Animator, to_deg: float) -> None:
    animator.handle(Gaze(direction=Direction(horizontal_deg=to_deg, vertical_deg=0.0)))


def _pass(animator: Animator, duration_s: float) -> None:
    for _ in range(round(duration_s / animator.engine.step_s)):
        animator.step()


def _time_until_near(animator: Animator, face: Face, to_deg: float) -> float:
    """When the face is near its target for good."""
    step_s = animator.engine.step_s
    arrived = 0
    frames = round(_SETTLE_S / step_s)
    for frame in range(1, frames + 1):
        if _off_deg(animator, face, to_deg) > NEAR_DEG:
            arrived = frame
    return math.inf if arrived == frames else (arrived + 1) * step_s


def _worst_while_speaking(
    animator: Animator, face: Face, to_deg: float, duration_s: float
) -> float:
    worst_deg = 0.0
    for frame in range(round(duration_s / animator.engine.step_s)):
        if frame % 18 == 0:
            text = _WORDS[frame // 18 % len(_WORDS)]
            animator.handle(SpeechWord(speech="x", index=0, text=text, start_s=0.0))
        worst_deg = max(worst_deg, _off_deg(animator, face, to_deg))
    return worst_deg


def _off_deg(animator: Animator, face: Face, to_deg: float) -> float:
    horizontal_deg, vertical_deg = face.looks_at_deg(animator.step())
    return math.hypot(horizontal_deg - to_deg, vertical_deg)
