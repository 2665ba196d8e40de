"""Whether picture and sound of a session may be recorded.

Yes is the answer to one item of one questionnaire in this session, and nothing else: as long as
nobody has answered, the answer is no. The last answer counts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

YES = ("yes", "sim", "agree")


def is_yes(answer: object) -> bool:
    """Whether an answer agrees."""
    if isinstance(answer, bool):
        return answer
    return isinstance(answer, str) and answer.strip().lower() in YES


@dataclass(slots=True)
class ConsentWatch:
    """Watches the answers of a session."""

    item: str
    """`questionnaire.item` that must be answered with yes."""
    session: str | None = None
    """Only answers of this session, or of none; None: of whatever session."""
    allowed: bool = False

    def answered(
        self, questionnaire: str, answers: dict[str, Any], session: str | None
    ) -> bool | None:
        """Take note of a filled form; whether recording is allowed now, None where it says nothing.

        Of the form that asks, an item without an answer is a no.
        """
        form, _, item = self.item.partition(".")
        if questionnaire != form:
            return None
        if self.session is not None and session is not None and session != self.session:
            return None
        self.allowed = is_yes(answers.get(item))
        return self.allowed


def kept_consent(folder: Path) -> bool:
    """What the records of a session say that goes on: the last `consent*.json` in its folder."""
    allowed = False
    number = 1
    while True:
        name = "consent.json" if number == 1 else f"consent_{number}.json"
        try:
            told = json.loads((folder / name).read_bytes())
        except FileNotFoundError:
            return allowed
        except (OSError, ValueError):
            return False  # what cannot be read allows nothing
        allowed = isinstance(told, dict) and told.get("recording_allowed") is True
        number += 1
