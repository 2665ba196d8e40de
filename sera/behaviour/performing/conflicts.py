"""The same order of two modules: which one stands, by a rule that can be seen.

The higher priority stands; of equal ones the newest. What has begun goes on, since beginning the
same again would only be heard as a stutter.
"""

from __future__ import annotations

from dataclasses import dataclass

from sera.behaviour.performing.events import Perform
from sera.behaviour.performing.orders import Conflict, ConflictRule, Refused
from sera.messages.behaviour import CancelReason

_WHY = {
    ConflictRule.PRIORITY: "with a higher priority",
    ConflictRule.NEWEST: "more recently",
    ConflictRule.UNDER_WAY: "and it is being performed",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of two orders stands, and why."""

    kept: Perform
    dropped: Perform
    rule: ConflictRule

    @property
    def conflict(self) -> Conflict:
        """The report."""
        kept, dropped = self.kept, self.dropped
        return Conflict(
            kept.same_order,
            kept.utterance,
            kept.source,
            dropped.utterance,
            dropped.source,
            self.rule,
        )

    @property
    def refused(self) -> Refused:
        """What becomes of the other one."""
        kept = self.kept
        detail = f"'{kept.source}' gave the same order ({kept.same_order}) {_WHY[self.rule]}"
        return Refused(self.dropped.utterance, CancelReason.SUPERSEDED, detail)


def are_rivals(one: Perform, other: Perform) -> bool:
    """Whether two modules gave the same order."""
    same = bool(one.same_order) and one.same_order == other.same_order
    return same and one.source != other.source and not (one.is_backchannel or other.is_backchannel)


def judge(new: Perform, waiting: Perform) -> Verdict:
    """Settle between a new order and one that waits."""
    if waiting.priority == new.priority:
        return Verdict(new, waiting, ConflictRule.NEWEST)
    kept, dropped = (waiting, new) if waiting.priority > new.priority else (new, waiting)
    return Verdict(kept, dropped, ConflictRule.PRIORITY)
