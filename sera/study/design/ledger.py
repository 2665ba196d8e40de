"""What became of the slots of a study: a list that only grows.

A slot is drawn for a session; it is filled when the session counts, and released when it does not
(aborted, excluded, replaced), so that somebody else may get it. The list is all that a draw needs
to know of the past. Whoever keeps it on the disk adds a `drawn` entry before the session begins,
and refuses the second of two draws that were made from the same list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

What = Literal["drawn", "filled", "released"]


class LedgerError(Exception):
    """The list contradicts itself or the study file; the message says where."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One thing that happened to a slot."""

    what: What
    slot: int
    """Number of the slot, from 0."""
    session: str
    conditions: tuple[str, ...] = ()
    """What was drawn, in the order of the periods; in `drawn` entries."""

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        told: dict[str, Any] = {"what": self.what, "slot": self.slot, "session": self.session}
        return told | ({"conditions": list(self.conditions)} if self.conditions else {})

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> LedgerEntry:
        """The entry in a JSON object; further keys are left alone.

        Raises:
            LedgerError: it is none.
        """
        what, slot, session = told.get("what"), told.get("slot"), told.get("session")
        conditions = told.get("conditions", [])
        sound = (
            what in get_args(What)
            and isinstance(slot, int)
            and not isinstance(slot, bool)
            and slot >= 0
            and isinstance(session, str)
            and isinstance(conditions, list)
            and all(isinstance(name, str) for name in conditions)
        )
        if not sound:
            raise LedgerError(f"this is no entry of an assignment: {str(dict(told))[:120]}")
        return cls(what, slot, session, tuple(conditions))  # type: ignore[arg-type]  # seen above


@dataclass(slots=True)
class Standing:
    """How a slot stands."""

    session: str
    conditions: tuple[str, ...]
    what: What

    @property
    def taken(self) -> bool:
        """Whether nobody else may have it."""
        return self.what != "released"


def standings(ledger: Sequence[LedgerEntry]) -> dict[int, Standing]:
    """How every slot stands that was ever drawn, by number.

    An entry that repeats the one before it (written again after a crash) changes nothing.

    Raises:
        LedgerError: an entry cannot follow on those before it.
    """
    slots: dict[int, Standing] = {}
    for number, entry in enumerate(ledger, start=1):
        slot = slots.get(entry.slot)
        where = f"entry {number} of the assignment: slot {entry.slot}"
        if entry.what == "drawn":
            again = (entry.session, entry.conditions, "drawn")
            if slot is not None and slot.taken:
                if (slot.session, slot.conditions, slot.what) == again:
                    continue
                raise LedgerError(
                    f"{where} was drawn for {entry.session}, but {slot.session} has it already"
                )
            slots[entry.slot] = Standing(entry.session, entry.conditions, "drawn")
            continue
        if slot is None:
            raise LedgerError(f"{where} is {entry.what}, but was never drawn")
        if slot.session != entry.session:
            raise LedgerError(
                f"{where} is {entry.what} by {entry.session}, but belongs to {slot.session}"
            )
        if slot.what == "released" and entry.what == "filled":
            raise LedgerError(
                f"{where} is filled by {entry.session}, which had given it back before"
            )
        slot.what = entry.what
    return slots
