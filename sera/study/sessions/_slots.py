"""What the sessions on the disk say about the slots of the assignment.

Ledger and heads both remember a draw. Where they differ, nothing is given to somebody else that a
session may still hold: a slot comes back only when its session says so, was erased, or never began.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sera.study.data import Kind
from sera.study.design import LedgerEntry, LedgerError, standings
from sera.study.design.ledger import Standing, What
from sera.study.sessions.kept import KeptSession

_NAMELESS = re.compile(r"erased_\d+")
"""What erasure puts in the place of a session's id."""


def nameless(number: int) -> str:
    """What the ledger calls an erased session."""
    return f"erased_{number}"


def missing_draws(
    ledger: Sequence[LedgerEntry], sessions: Sequence[KeptSession], kind: Kind
) -> list[KeptSession]:
    """Sessions that hold a slot of which the ledger knows nothing, oldest first.

    Args:
        ledger: of that kind of session.
        sessions: of all kinds.
        kind: of the sessions.

    Raises:
        LedgerError: the ledger has given such a slot to somebody else.
    """
    drawn = {(entry.slot, entry.session) for entry in ledger if entry.what == "drawn"}
    held = {slot: one.session for slot, one in standings(ledger).items() if one.taken}
    missing = []
    for session in sessions:
        slot = session.head.slot
        if session.head.kind != kind or slot is None or (slot, session.session) in drawn:
            continue
        if slot not in held:
            missing.append(session)
            if session.takes_its_slot:
                held[slot] = session.session
        elif session.takes_its_slot:
            raise LedgerError(
                f"slot {slot} belongs to {held[slot]}, but the head of session {session.session} "
                "holds it as well: lines of the assignment are lost; put its file back from a "
                "copy, or exclude or replace one of the two sessions"
            )
    return missing


def what_became(
    standing: Standing, session: KeptSession | None, begun: Collection[str], gone: Collection[str]
) -> What:
    """How a slot stands, by what its session says.

    Args:
        standing: by the ledger.
        session: that it was drawn for; None: there is none that can be read.
        begun: ids of all sessions whose folders are there.
        gone: ids of sessions that are about to be erased.
    """
    if session is None:
        erased = standing.session in gone or _NAMELESS.fullmatch(standing.session) is not None
        never_began = standing.what == "drawn" and standing.session not in begun
        return "released" if erased or never_began else standing.what
    if session.fate_problem is not None:
        return standing.what
    if session.fate == "completed":
        return "filled"
    return standing.what if session.takes_its_slot else "released"
