"""What a participant has heard: in this session, and ever."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

_FORMAT = 1


@dataclass(slots=True)
class Memory:
    """How often each line was said to one participant.

    All lines are counted, whatever their rule, so that a rule which an author adds later holds
    for what was said before. The session has a name, so that a module which is restarted in the
    middle of it goes on where it was.
    """

    participant: str
    session: str = ""
    this_session: dict[str, int] = field(default_factory=dict)
    ever: dict[str, int] = field(default_factory=dict)

    def begin_session(self, session: str) -> None:
        """Forget what was said in the last session, unless this is the same one."""
        if session != self.session:
            self.session = session
            self.this_session.clear()

    def said(self, line: str) -> None:
        """The line was said to the participant."""
        for counts in (self.this_session, self.ever):
            counts[line] = counts.get(line, 0) + 1

    def unsaid(self, line: str) -> None:
        """The line was not said after all: takes back one `said`."""
        for counts in (self.this_session, self.ever):
            if counts.get(line, 0) > 1:
                counts[line] -= 1
            else:
                counts.pop(line, None)

    def to_json(self) -> str:
        """The memory as text; the same memory gives the same text."""
        data = {
            "format": _FORMAT,
            "participant": self.participant,
            "session": self.session,
            "this_session": self.this_session,
            "ever": self.ever,
        }
        return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str, participant: str) -> tuple[Self, list[str]]:
        """What can be read of a memory, and what is wrong with the rest.

        Never fails: a participant whose file was cut must still be able to talk to the robot.
        """
        memory = cls(participant)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            return memory, [f"it is not valid JSON ({error})"]
        if not isinstance(data, dict):
            return memory, ["it must be a JSON object"]
        problems: list[str] = []
        found_format = data.get("format", _FORMAT)
        if found_format != _FORMAT:
            problems.append(f"format {found_format!r} is not {_FORMAT}; what is understood is kept")
        owner = data.get("participant", participant)
        if owner != participant:
            return memory, [*problems, f"it belongs to {owner!r}, not to {participant!r}"]
        session = data.get("session", "")
        if isinstance(session, str):
            memory.session = session
        else:
            problems.append(f"session must be text, not {session!r}")
        memory.this_session = _counts(data, "this_session", problems)
        memory.ever = _counts(data, "ever", problems)
        # A file that was mended by hand may lack one of them: said today is said ever.
        for line, count in memory.this_session.items():
            memory.ever[line] = max(count, memory.ever.get(line, 0))
        return memory, problems


def _counts(data: Mapping[str, Any], key: str, problems: list[str]) -> dict[str, int]:
    """The counts under a key, without those that are none."""
    table = data.get(key, {})
    if not isinstance(table, dict):
        problems.append(f"{key} must be a table of counts, not {type(table).__name__}")
        return {}
    counts: dict[str, int] = {}
    for line, count in table.items():
        if isinstance(count, int) and not isinstance(count, bool) and count > 0:
            counts[line] = count
        else:
            problems.append(f"{key}: the count of '{line}' must be 1 or more, not {count!r}")
            # It was written down, so it was said; once is the least that can be true.
            counts[line] = 1
    return counts
