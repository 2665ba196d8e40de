"""`sera doctor --warm`: compile the inner loops now, so that no first run waits for them."""

from __future__ import annotations

import os

import typer

from sera.cli._errors import FAILED
from sera.cli._text import note, print_json

MOST_PROCESSES = 4
"""Each needs a few hundred megabytes while it compiles."""


def warm_kernels(*, as_json: bool) -> None:
    """Compile, say what is done meanwhile, and where the result lies."""
    from sera._kernel_cache import is_warm
    from sera._warm import steps, warm

    took_s: dict[str, float] = {}
    was_warm = is_warm()
    count = len(steps())

    def tell(what: str, seconds: float) -> None:
        took_s[what] = seconds
        if not as_json:
            print(f"{len(took_s):>2} of {count}  {what} ({seconds:.1f} s)", flush=True)

    if not as_json and not was_warm:
        print("compiling the inner loops of the kinematics: a minute or so, once", flush=True)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    warmed = warm(tell, processes=1 if was_warm else min(cores or 1, MOST_PROCESSES))
    if as_json:
        folder = None if warmed.folder is None else str(warmed.folder)
        print_json({"folder": folder, "seconds": warmed.seconds, "steps": took_s})
    elif warmed.folder is not None:
        print(f"all kernels are compiled ({warmed.seconds:.1f} s) and kept in {warmed.folder}")
    if warmed.folder is None:
        note(
            "sera: compiled kernels can be kept nowhere: make a folder for caches writable, or "
            "name one in XDG_CACHE_HOME; until then every process compiles for itself"
        )
        raise typer.Exit(FAILED)
