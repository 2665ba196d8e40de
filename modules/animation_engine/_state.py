"""What the engine tells about itself."""

from __future__ import annotations

from sera.animation.animator import Animator
from sera.messages import EngineState


def state_of(
    animator: Animator, problem: str | None, late: int, slowest_frame_s: float
) -> EngineState:
    """What it plays and whether it keeps up; a problem of the files counts before a mute."""
    muted = animator.muted
    return EngineState(
        program=animator.program.title,
        problem=problem or (f"muted: {', '.join(muted)}" if muted else None),
        layers={name: round(weight, 4) for name, weight in animator.weights.items()},
        posture=animator.posture,
        playing=animator.playing,
        rate_hz=1.0 / animator.engine.step_s,
        counts={
            "frames": animator.engine.frame,
            "late": late,
            "branch_changes": animator.branch_changes,
            "refused": animator.refused,
            "kept_clear": animator.kept_clear,
        },
        branch_change=animator.branch_change,
        slowest_frame_ms=round(1000.0 * slowest_frame_s, 3),
    )
