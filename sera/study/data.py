"""What is left of a study when its sessions are over: one row a participant and condition.

`sera study simulate` and the sessions of a study both come to these rows; analysis, report and
export start from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["simulated", "rehearsal", "pilot", "study"]
Fate = Literal["under_way", "completed", "aborted", "excluded", "replaced"]
Answer = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Participation:
    """One participant in one condition; in a within-design there are several of these each."""

    participant: str
    """Pseudonym."""
    session: str
    kind: Kind
    fate: Fate
    condition: str
    factors: Mapping[str, str] = field(default_factory=dict)
    """Level of each factor."""
    period: int = 1
    """Which of the participant's conditions it is, from 1, in a within-design."""
    seed: int | None = None
    language: str | None = None
    measures: Mapping[str, float | int | None] = field(default_factory=dict)
    """By name; None where a measure could not be taken."""
    answers: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    """By questionnaire and item, as given (not reversed)."""
    exclusion: str | None = None
    """Why it does not count."""
    problems: tuple[str, ...] = ()
    """What went wrong with measures, one sentence each."""

    @property
    def simulated(self) -> bool:
        return self.kind == "simulated"

    def as_json(self) -> dict[str, Any]:
        """One JSON object; `simulated` is always in it."""
        return {
            "id": self.participant,
            "simulated": self.simulated,
            "session": self.session,
            "kind": self.kind,
            "fate": self.fate,
            "condition": self.condition,
            "factors": dict(self.factors),
            "period": self.period,
            "seed": self.seed,
            "language": self.language,
            "measures": dict(self.measures),
            "answers": {form: dict(given) for form, given in self.answers.items()},
            "exclusion": self.exclusion,
            "problems": list(self.problems),
        }


def as_one(rows: Sequence[Participation]) -> dict[str, Any]:
    """All rows of one participant as one JSON object.

    Who met one condition has it in `condition`, and the measures in `measures`. Who met several has
    their order there, and `measures`, `answers` and `factors` by condition. `simulated` is always
    in it.

    Args:
        rows: of the participant, in the order of their periods.

    Raises:
        ValueError: there are none, or they are of several participants.
    """
    if len({row.participant for row in rows}) != 1:
        raise ValueError("one object is about the rows of one participant")
    first, *more = (row.as_json() for row in rows)
    if not more:
        return first
    together: dict[str, Any] = {"id": first["id"], "simulated": all(row.simulated for row in rows)}
    together["condition"] = [row.condition for row in rows]
    for key in ("measures", "answers", "factors"):
        together[key] = {row.condition: row.as_json()[key] for row in rows}
    together |= {key: first[key] for key in ("kind", "fate", "seed", "language", "exclusion")}
    told = [f"{row.condition}: {problem}" for row in rows for problem in row.problems]
    return together | {"problems": told}
