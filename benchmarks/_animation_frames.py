"""How long a frame takes: NAO with a full program, Adelino, twenty robots, and with buffers.

The NAO program is made harder than anybody would: every chain aims in every frame, and more than
twenty controllers are at work in eight layers.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.bus import ROOT
from sera.animation.animator import Animator
from sera.animation.engine import Engine
from sera.animation.frame import BlendMode, FrameBuffer, add, override
from sera.animation.program import load_program
from sera.animation.stage_set import StageSet
from sera.messages import Direction, Gaze, PlayAnimation, SpeechWord

NAO_PROGRAM = Path(__file__).with_name("_animation_nao.toml")
WARM_UP = 200


@dataclass(frozen=True)
class Timing:
    """Microseconds a frame."""

    name: str
    p50_us: float
    p99_us: float
    bar_us: float | None

    @property
    def met(self) -> bool:
        return self.bar_us is None or self.p50_us <= self.bar_us


def stage_set(robot: str) -> StageSet:
    return StageSet.find(Path(ROOT) / "robots" / robot, (Path(ROOT),))


def nao_animator(*, with_ik: bool) -> Animator:
    """NAO at full work."""
    found = stage_set("nao")
    repertoire = found.repertoire()
    program = load_program(
        NAO_PROGRAM,
        found.body,
        animations=repertoire.animations,
        postures={name: dict(each.values) for name, each in repertoire.postures.items()},
    )
    animator = Animator(program)
    if not with_ik:
        animator.engine = Engine(found.body, program.layers, signals=program.signals, stages=())
    busy(animator)
    return animator


def busy(animator: Animator) -> None:
    """Give it something to do: look, speak, wave."""
    animator.handle(Gaze(direction=Direction(horizontal_deg=20.0, vertical_deg=5.0)))
    animator.handle(SpeechWord(speech="x", index=0, text="wonderful", start_s=0.0))
    animator.handle(PlayAnimation(animation="breathe", repeats=None))


def frame_times(animator: Animator, frames: int) -> np.ndarray:
    """Microseconds of each frame, with a new gaze now and then."""
    step = animator.engine.step
    for _ in range(WARM_UP):
        step()
    times = np.empty(frames)
    gc.collect()
    for number in range(frames):
        if number % 25 == 0:
            to_deg = float((number // 25 * 17) % 60 - 30)
            animator.handle(Gaze(direction=Direction(horizontal_deg=to_deg, vertical_deg=5.0)))
            animator.handle(SpeechWord(speech="x", index=0, text="wonderful", start_s=0.0))
        began_s = time.perf_counter()
        step()
        times[number] = time.perf_counter() - began_s
    return times * 1e6


def measure_frames(frames: int) -> list[Timing]:
    """All programs, each as it is in use."""

    def timed(name: str, animator: Animator, bar_us: float | None) -> Timing:
        times = frame_times(animator, frames)
        return Timing(name, float(np.median(times)), float(np.percentile(times, 99)), bar_us)

    return [
        timed("NAO, three aiming chains", nao_animator(with_ik=True), 250.0),
        timed("NAO, without inverse kinematics", nao_animator(with_ik=False), 100.0),
        timed("Adelino, the shared program", Animator(stage_set("adelino").program()), None),
        timed("Pepper, the shared program", Animator(stage_set("pepper").program()), None),
    ]


def measure_buffers(frames: int) -> tuple[float, float]:
    """Blending of NAO's layers: kernels over rows, and copied buffers, microseconds a frame."""
    animator = nao_animator(with_ik=False)
    for _ in range(WARM_UP):
        animator.engine.step()
    block, blend = animator.engine.blend.block, animator.engine.blend
    rows = [FrameBuffer.on_row(block, row) for row in blend.order]
    modes = [BlendMode(int(blend.modes[row])) for row in blend.order]

    def with_buffers() -> None:
        result = rows[0].clone()
        for buffer, mode in zip(rows[1:], modes[1:], strict=True):
            result = (add if mode is BlendMode.ADD else override)(result, buffer)

    return _least_us(blend.run, frames), _least_us(with_buffers, frames)


def _least_us(call: Callable[[], object], times: int) -> float:
    """The median of many calls."""
    taken = []
    for _ in range(times):
        began_s = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began_s)
    return float(np.median(taken)) * 1e6


def measure_many(robots: int, seconds: float) -> float:
    """Share of a core that so many Adelinos at 50 Hz use in one process, kept in time."""
    animators = [Animator(stage_set("adelino").program()) for _ in range(robots)]
    for animator in animators:
        busy(animator)
        for _ in range(20):
            animator.engine.step()
    began_s, used_s = time.perf_counter(), time.process_time()
    due_s = began_s
    while (due_s := due_s + 0.02) < began_s + seconds:
        for animator in animators:
            animator.step()
        time.sleep(max(0.0, due_s - time.perf_counter()))
    return (time.process_time() - used_s) / (time.perf_counter() - began_s)
