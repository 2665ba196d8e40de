"""Memory of one engine process with NAO, over an hour of virtual time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

BAR_MB = 250.0
FLAT_MB = 5.0
"""How much the last three quarters of the hour may add."""

_PROGRAM = """
import sys
import psutil
from benchmarks._animation_frames import busy, stage_set
from sera.animation.animator import Animator
from sera.messages import Direction, Gaze, PlayAnimation, SetPosture, SpeechWord

frames = int(sys.argv[1])
animator = Animator(stage_set("nao").program())
busy(animator)
own = psutil.Process()
for number in range(frames):
    if number % 97 == 0:
        animator.handle(Gaze(direction=Direction(horizontal_deg=number % 60 - 30.0)))
        animator.handle(SpeechWord(speech="x", index=0, text="wonderful", start_s=0.0))
    if number % 401 == 0:
        animator.handle(PlayAnimation(animation="wave"), str(number))
        animator.handle(SetPosture(posture=("hot", "neutral", "cold")[number % 3]))
    animator.step()
    animator.ended()
    if number in (frames // 4, frames - 1):
        print(own.memory_info().rss / 1e6, flush=True)
"""


@dataclass(frozen=True)
class Memory:
    """Megabytes of the process after a quarter of the hour, and at its end."""

    early_mb: float
    late_mb: float

    @property
    def met(self) -> bool:
        return self.late_mb < BAR_MB and self.late_mb - self.early_mb < FLAT_MB


def measure_memory(seconds: float) -> Memory:
    told = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(round(seconds * 50.0))],
        check=True,
        capture_output=True,
        text=True,
    )
    early, late = (float(line) for line in told.stdout.split())
    return Memory(early, late)
