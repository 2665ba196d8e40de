"""How a guarded body is told to everybody: guard and reading become a BodyState.

Threading: pure functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sera.animation.channels import OWN_SET
from sera.animation.output import BodyReading, GuardState, HealthLevel
from sera.messages import BodyHealth, BodyState

_HEALTH = {
    GuardState.CLOSED: BodyHealth.UNREACHABLE,
    GuardState.UNREACHABLE: BodyHealth.UNREACHABLE,
    GuardState.STOPPED: BodyHealth.STOPPED,
    GuardState.RESTING: BodyHealth.RESTING,
    # Nobody moves the body: it is well, and yet somebody should know.
    GuardState.SAFE: BodyHealth.WARNING,
    GuardState.FOLLOWING: BodyHealth.OK,
}


def health_of(state: GuardState, level: HealthLevel, *, waiting: bool = False) -> BodyHealth:
    """One word for how the body is; what keeps it from moving counts before what troubles it.

    A body that waits for its first frame while the engine loads is well.
    """
    health = _HEALTH[state]
    if waiting and state is GuardState.SAFE:
        health = BodyHealth.OK
    if health is BodyHealth.OK and level is not HealthLevel.OK:
        return BodyHealth.WARNING
    return health


def body_state(
    health: BodyHealth,
    problem: str | None,
    reading: BodyReading | None,
    joints: tuple[str, ...],
    counts: Mapping[str, int],
) -> BodyState:
    """The heartbeat of a body; what it does not measure, or measures as no number, is left out."""
    measured: dict[str, Any] = {}
    if reading is not None:
        found = _by_own_name(reading.joints)
        measured = {
            "joints_rad": {name: found[name] for name in joints if name in found},
            "temperature_c": _by_own_name(reading.temperature_c),
            "load": _fractions(reading.load),
            "stiffness": _fractions(reading.stiffness),
            "battery": _fractions({"battery": reading.battery}).get("battery"),
        }
    return BodyState(
        health=health,
        problem=None if health is BodyHealth.OK else problem,
        counts={name: count for name, count in counts.items() if count},
        **measured,
    )


def _by_own_name(values: Mapping[str, float]) -> dict[str, float]:
    return {
        name.removeprefix(f"{OWN_SET}."): value
        for name, value in values.items()
        if math.isfinite(value)
    }


def _fractions(values: Mapping[str, float | None]) -> dict[str, float]:
    known = {name: value for name, value in values.items() if value is not None}
    return {name: min(max(value, 0.0), 1.0) for name, value in _by_own_name(known).items()}
