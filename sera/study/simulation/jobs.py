"""Who is simulated in which condition: drawn as for a real study, from one seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sera.study.design import LedgerEntry, draw
from sera.study.plan import StudyPlan


class SimulationError(Exception):
    """A study that cannot be simulated; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Job:
    """One participant."""

    number: int
    """Of the population, from 0."""
    participant: str
    conditions: tuple[str, ...]
    """In the order in which they are met; one, unless a factor is within."""
    factors: tuple[Mapping[str, str], ...]
    population: str
    seed: int
    """Of the run."""


def jobs_for(plan: StudyPlan, participants: int, seed: int) -> list[Job]:
    """All participants of a simulated study; the same for the same seed.

    Raises:
        SimulationError: the study has no design.
    """
    if plan.design is None:
        raise SimulationError(
            "study.toml has no [design]: say which conditions there are, see docs/study-file.md"
        )
    ledger: list[LedgerEntry] = []
    jobs = []
    digits = max(2, len(str(participants)))
    for number in range(participants):
        slot = draw(plan.design, seed, ledger)
        session = f"s{number + 1:0{digits}d}"
        ledger.append(slot.drawn_for(session))
        ledger.append(LedgerEntry("filled", slot.number, session, slot.conditions))
        chance = random.Random(f"{seed}/{number}")  # noqa: S311  # not for secrets
        jobs.append(
            Job(
                number=number,
                participant=session,
                conditions=slot.conditions,
                factors=slot.factors,
                population=str(seed),
                seed=chance.getrandbits(31),
            )
        )
    return jobs


def parsed_settings(assignments: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Settings by module from `character.module.key`; a key of a world module may lack `world`.

    Raises:
        SimulationError: a key does not name a module and a setting.
    """
    settings: dict[str, dict[str, Any]] = {}
    for key, value in assignments.items():
        parts = key.split(".")
        if len(parts) == 2:
            parts = ["world", *parts]
        if len(parts) != 3:
            raise SimulationError(
                f"{key}: write character.module.setting, such as adelino.decision.hints"
            )
        settings.setdefault(f"{parts[0]}.{parts[1]}", {})[parts[2]] = value
    return settings
