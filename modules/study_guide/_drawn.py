"""A session that `sera study run` has drawn: the guide begins it, and the run ends with it.

Threading: `keep_consent`, `Reserve.set_aside` and `Reserve.give_back` block and are called in a
thread.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sera.messages import ConditionAssigned, PreflightCheck, QuestionnaireAnswered
from sera.study import StudyPlan
from sera.study.sessions import MEGABYTE, SessionError, free_bytes, write_json_once

LITTLE_SPACE_BYTES = 50 * MEGABYTE
"""Below that the disk counts as full: what waits to be written still fits."""
RESERVE_BYTES = 16 * MEGABYTE
YES = (True, "yes", "sim", "agree")


class DrawnSession(BaseModel):
    """What was drawn for the session."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    session: str
    """Its id."""
    participant: str
    """Pseudonym."""
    kind: Literal["simulated", "rehearsal", "pilot", "study"]
    condition: str
    """Name of the condition in the study file."""
    factors: dict[str, str] = Field(default_factory=dict)
    method: str = "by_hand"
    language: str | None = None
    period: int = Field(default=1, ge=1)
    """Which of the participant's conditions it is."""
    periods: int = Field(default=1, ge=1)
    """How many conditions the participant meets."""
    folder: Path | None = None
    """Folder of the session; None: nothing but the journal is kept."""
    done_before: int = Field(default=0, ge=0)
    """How many sessions of the study are complete."""
    planned: int | None = Field(default=None, ge=1)
    """How many the design plans; None: it does not say."""
    preflight: list[PreflightCheck] = Field(default_factory=list)
    override: str | None = None
    """Why it begins although a check was red."""

    def plan(self, plan: StudyPlan) -> StudyPlan:
        """What of a plan belongs to this one of the participant's conditions."""
        return plan.for_period(self.period, self.periods)

    def record(self) -> ConditionAssigned:
        return ConditionAssigned(
            session=self.session,
            participant=self.participant,
            condition=self.condition,
            factors=self.factors,
            method=self.method,
        )


def keep_consent(drawn: DrawnSession, plan: StudyPlan, answered: QuestionnaireAnswered) -> None:
    """Write down what the participant has agreed to, where the form is the one that asks for it.

    A second answer stands beside the first one; the last one counts.

    Raises:
        SessionError, OSError: it could not be written.
    """
    form, _, item = plan.media.consent_item.partition(".")
    if drawn.folder is None or answered.questionnaire != form:
        return
    told = {
        "form": form,
        "language": answered.language,
        "answers": dict(answered.answers),
        "recording_allowed": answered.answers.get(item) in YES,
    }
    path, number = drawn.folder / "consent.json", 1
    while path.exists():
        with contextlib.suppress(OSError, ValueError):
            if json.loads(path.read_bytes()) == told:
                return  # told again after a crash
        number += 1
        path = drawn.folder / f"consent_{number}.json"
    write_json_once(path, told)


class Reserve:
    """Space that is set aside when a session begins, so that its last words fit on a full disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "reserve"

    def set_aside(self) -> None:
        """Take the space; where that is not possible the session goes on without."""
        with contextlib.suppress(OSError), self._path.open("wb") as file:
            for _ in range(RESERVE_BYTES // MEGABYTE):
                file.write(bytes(MEGABYTE))
            file.flush()
            os.fsync(file.fileno())

    def give_back(self) -> bool:
        """Free the space; False where there was none."""
        try:
            self._path.unlink()
        except OSError:
            return False
        return True

    def is_needed(self) -> bool:
        """Whether the disk is about to be full."""
        try:
            return free_bytes(self._folder) < LITTLE_SPACE_BYTES
        except OSError:
            return False


__all__ = ["DrawnSession", "Reserve", "SessionError", "keep_consent"]
