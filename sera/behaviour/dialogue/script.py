"""The script: rows of a dialogue sheet by state, each with its When read.

States are compared without regard to case and blanks. `*` in Current State stands for every
state; in Next State it stands for the state one is in. The dialogue ends where Next State is
empty, or names a state that has no rows (`end` by custom).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sera.behaviour.dialogue.conditions import When
from sera.behaviour.dialogue.when import parse_when
from sera.behaviour.findings import Finding
from sera.behaviour.library import DialogueRow
from sera.messages import Message, find_message_type

ANY_STATE = "*"
END = "end"
START = "start"
_ANY_WORDS = frozenset({"*", "any state", "every state"})
_END_WORDS = frozenset({"", "-", "end", "fim", "fin"})


@dataclass(frozen=True, slots=True)
class ScriptRow:
    """A row that can be used."""

    number: int
    """Its place among all rows, from 0."""
    state: str
    """Key of the state it belongs to; `*` for all."""
    next_state: str
    """Key of the state it leads to; `*`: stay."""
    when: When
    row: DialogueRow

    @property
    def place(self) -> str:
        """File, sheet and row."""
        return str(self.row.origin)


def state_key(written: str) -> str:
    """What two ways to write the name of one state have in common."""
    key = " ".join(written.split()).casefold()
    return ANY_STATE if key in _ANY_WORDS else key


class Script:
    """A dialogue that can be played.

    Args:
        rows: of the sheets, in order.
        vocabulary: message types by name; None: all that are known.
    """

    def __init__(
        self, rows: Iterable[DialogueRow], vocabulary: Mapping[str, type[Message]] | None = None
    ) -> None:
        self.all_rows = tuple(rows)
        self.rows: tuple[ScriptRow, ...] = ()
        """Those that can be used."""
        self.findings: tuple[Finding, ...] = ()
        """What is wrong in When cells."""
        self.names: dict[str, str] = {}
        """The states as first written, by key, in the order of the sheet."""
        self._by_state: dict[str, list[ScriptRow]] = {}
        self._read(vocabulary)

    def _read(self, vocabulary: Mapping[str, type[Message]] | None) -> None:
        usable: list[ScriptRow] = []
        findings: list[Finding] = []
        for row in self.all_rows:
            for written in (row.current_state, row.next_state):
                if state_key(written) not in _END_WORDS:
                    self.names.setdefault(state_key(written), " ".join(written.split()))
        for number, row in enumerate(self.all_rows):
            reading = parse_when(row.when, vocabulary)
            findings += [at_row(finding, row, "when") for finding in reading.findings]
            state = state_key(row.current_state)
            if reading.when is None or not state:
                continue
            if state == ANY_STATE and reading.when.at_once:
                finding = Finding(
                    code="any-state-at-once",
                    message="a row for every state must wait for something; it is left out",
                    fix="write under When what must happen",
                )
                findings.append(at_row(finding, row, "when"))
                continue
            following = state_key(row.next_state)
            script_row = ScriptRow(number, state, following, reading.when, row)
            usable.append(script_row)
            self._by_state.setdefault(state, []).append(script_row)
        self.rows, self.findings = tuple(usable), tuple(findings)

    @property
    def start(self) -> str:
        """Key of the first state: `start` where there is one, else that of the first row."""
        states = [state for state in self._by_state if state != ANY_STATE]
        return START if START in states else next(iter(states), "")

    def own_rows(self, state: str) -> tuple[ScriptRow, ...]:
        """The rows written for that state."""
        return tuple(self._by_state.get(state, ()))

    def rows_in(self, state: str) -> tuple[ScriptRow, ...]:
        """The rows that count in a state: its own, then those for every state."""
        return (*self._by_state.get(state, ()), *self._by_state.get(ANY_STATE, ()))

    def is_end(self, state: str) -> bool:
        """Whether the dialogue is over there: nothing leads on."""
        return state not in self._by_state

    def is_named_end(self, state: str) -> bool:
        """Whether the author says that the dialogue ends there."""
        return state in _END_WORDS and self.is_end(state)

    def name(self, state: str) -> str:
        """The state as written."""
        return self.names.get(state, state if state not in ("", "-") else END)

    @property
    def hears(self) -> tuple[type[Message], ...]:
        """The messages that some row waits for."""
        named = dict.fromkeys(name for row in self.rows for name in row.when.messages)
        return tuple(find_message_type(name) for name in named)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that occur, in the order of the sheet."""
        found = dict.fromkeys(tag for row in self.all_rows for tag in row.texts if tag)
        return tuple(found)


def at_row(finding: Finding, row: DialogueRow, meaning: str) -> Finding:
    """The finding with its place."""
    origin = row.origin
    column = origin.headings.get(meaning) or _HEADINGS.get(meaning) or origin.heading(meaning)
    return replace(finding, sheet=origin.sheet, row=origin.row, column=column)


_HEADINGS = {
    "current_state": "Current State",
    "next_state": "Next State",
    "when": "When",
    "style": "Style",
}
