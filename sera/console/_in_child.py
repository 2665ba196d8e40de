"""What the console's child processes share; light, since a child starts for every question."""

from __future__ import annotations

import os

NOT_THERE = 4
"""What a child returns where that which was asked for does not exist."""


def step_back() -> None:
    """Let the run go first."""
    if hasattr(os, "nice"):
        os.nice(5)
