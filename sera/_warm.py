"""Compiles every kernel beforehand, by one small call of every public function.

A kernel is compiled at its first call and kept on disk (`sera.kinematics._compile`); calling
everything once moves that wait from the first run of a robot to the set-up. Compiling holds the
interpreter lock, so that the calls are shared among processes. Whether it was done is remembered by
a mark (`sera._kernel_cache`). Each room with kernels knows its own calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from sera._kernel_cache import MARK, cache_folder, keep_newest, mark_in


def steps() -> dict[str, Callable[[], None]]:
    """What is called, by what it is for; what takes longest comes first."""
    from sera.animation._warm_steps import steps as of_animation
    from sera.kinematics._warm_steps import steps as of_kinematics

    return {**of_kinematics(), **of_animation()}


@dataclass(frozen=True)
class Warmed:
    """What warming did."""

    folder: Path | None
    """Where the compiled kernels lie; None where no folder can be written."""
    seconds: float


def warm(
    watch: Callable[[str, float], None] = lambda _what, _seconds: None, processes: int = 1
) -> Warmed:
    """Compile everything; `watch` hears what is done and how long it took.

    Where no folder can be written nothing would be kept, and nothing is done.
    """
    folder = cache_folder()
    if folder is None:
        return Warmed(None, 0.0)
    began_s = time.perf_counter()
    if processes > 1:
        # Fresh interpreters on every system: forking a process with threads is asking for trouble.
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            calls = {pool.submit(_take_step, what): what for what in steps()}
            for call in as_completed(calls):
                watch(calls[call], call.result())
    else:
        for what in steps():
            watch(what, _take_step(what))
    mark_in(folder).touch()
    keep_newest(folder, f"{MARK}*")
    return Warmed(folder, time.perf_counter() - began_s)


def _take_step(what: str) -> float:
    started_s = time.perf_counter()
    steps()[what]()
    return time.perf_counter() - started_s
