"""Before a robot moves in real time: its inner loops are compiled, once, and that is said.

Compiling them as they are first called would hold the engine up for a minute, in which orders
expire and the robot stands still.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sera._kernel_cache import cache_folder, is_warm
from sera.cli._text import note

if TYPE_CHECKING:
    from sera.runtime.scenario import ModulePlan

ENGINE = "animation_engine"
STDERR = 2
"""As the system counts: standard output is for results."""


def compile_kernels_once(plans: Iterable[ModulePlan]) -> None:
    """Compile what the animation engine needs, where there is one and that was never done.

    In a process of its own: this one has no use for the compiler.
    """
    if not any(plan.implementation == ENGINE for plan in plans):
        return
    if cache_folder() is None or is_warm():  # what can be kept nowhere is compiled by each process
        return
    command = [sys.executable, "-P", "-m", "sera", "doctor", "--warm"]
    done = subprocess.run(command, stdout=STDERR, check=False)
    if done.returncode != 0:
        note("sera: the robot may stand still at first, while its inner loops are compiled")
