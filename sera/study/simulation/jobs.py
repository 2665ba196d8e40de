"""Who is simulated in which condition: drawn as for a real study, from one seed."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sera.runtime.located import nearest_name
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


def jobs_in(jobs: Sequence[Job], conditions: Collection[str], plan: StudyPlan) -> list[Job]:
    """Those of the participants who are drawn into one of some conditions.

    Raises:
        SimulationError: there is no such condition, or nobody is drawn into them.
    """
    known = [] if plan.design is None else [one.name for one in plan.design.conditions]
    if not conditions:
        raise SimulationError(
            f"no condition is named: leave them out for all, or name some of {', '.join(known)}"
        )
    for name in conditions:
        if name not in known:
            near = nearest_name(name, known)
            hint = f"did you mean '{near}'?" if near else f"it has {', '.join(known)}"
            raise SimulationError(f"the study has no condition '{name[:60]}'; {hint}")
    chosen = [job for job in jobs if not set(conditions).isdisjoint(job.conditions)]
    if not chosen:
        raise SimulationError(
            f"none of {len(jobs)} participants is drawn into {' or '.join(conditions)}: simulate "
            f"at least {len(known)} participants, one a condition"
        )
    return chosen


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
