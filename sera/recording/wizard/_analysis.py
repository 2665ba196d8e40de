"""Reads a recording once and says how operators worked.

Design overview: everything follows from messages. OperatorDecided says who decided; the order
itself, known by its id, says for whom and what; Suggestion and SuggestionResolved, the autonomy
dial and SessionMark do the rest. Memory is bounded whatever the length of the recording.

Units and frames: times count in seconds from the beginning of the run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from sera.recording._reader import Record
from sera.recording.review._times import has_sound_time
from sera.recording.wizard._dial import DialTime
from sera.recording.wizard._orders import WITHIN_S, Order, OwnOrders, channel_of
from sera.recording.wizard._report import (
    LISTED,
    Correction,
    Decision,
    ErrorMark,
    Figures,
    Spread,
    WizardReport,
)
from sera.recording.wizard._suggestions import Suggestions

WIZARD_ERROR = "wizard_error"
_WAITING_AT_MOST = 2_000
_NOT_ORDERS = frozenset({"SuggestionResolved", "AutonomyChanged"})
"""What operators say about decisions rather than to the robot."""


def analyse(records: Iterable[Record], origin_s: float = 0.0) -> WizardReport:
    """How operators worked.

    Args:
        records: of one log, in its order; damaged fields are passed over.
        origin_s: the beginning of the run on their clock.
    """
    analysis = _Analysis(origin_s)
    for record in records:
        if has_sound_time(record):
            analysis.take(record)
    return analysis.finish()


class _Analysis:
    def __init__(self, origin_s: float) -> None:
        self._origin_s = origin_s
        self._report = WizardReport()
        self._dial = DialTime()
        self._suggestions = Suggestions()
        self._own = OwnOrders()
        self._messages: OrderedDict[str, Record] = OrderedDict()
        """Orders that no decision is known for yet."""
        self._decided: OrderedDict[str, Decision] = OrderedDict()
        """Decisions whose order has not come yet."""
        self._times_s: dict[tuple[str, str], list[float]] = {}
        self._answers: list[tuple[str, float]] = []
        """Who answered a suggestion after what time."""
        self._handlers: dict[str, Callable[[Record, float], None]] = {
            "OperatorDecided": self._on_decided,
            "Suggestion": self._suggestions.offered,
            "SuggestionResolved": self._on_resolved,
            "Autonomy": lambda r, at_s: self._dial.state(str(r.character), r.data, at_s),
            "AutonomyChanged": self._on_dial_turned,
            "SessionMark": self._on_mark,
        }

    def take(self, record: Record) -> None:
        at_s = round(record.received_s - self._origin_s, 4)
        self._report.duration_s = max(self._report.duration_s, at_s)
        type_name = str(record.type)
        handler = self._handlers.get(type_name)
        if handler is not None:
            handler(record, at_s)
        if channel_of(type_name) != "other":
            self._on_order(record)

    def finish(self) -> WizardReport:
        report = self._report
        # Older recordings know no OperatorDecided; the answers themselves tell who was how fast.
        for by, took_s in self._answers if not report.decided else ():
            self._reacted(by, "other", took_s)
            self._operator(by).answers += 1
        for decision in self._decided.values():  # their orders were never recorded
            self._suggestions.ordered(_order_of(decision, {}), decision.suggestion)
        report.suggestions = self._suggestions.finish()
        for deviation in self._suggestions.deviations:
            _keep(report.deviations, deviation)
            self._operator(deviation.by).deviations += 1
            self._channel(deviation.channel).deviations += 1
        report.deviations.sort(key=lambda one: one.at_s)
        report.reaction = Spread.of(report.reactions_s)
        for (kind, name), times_s in self._times_s.items():
            figures = self._operator(name) if kind == "by" else self._channel(name)
            figures.reaction = Spread.of(times_s)
        report.autonomy = self._dial.shares(report.duration_s)
        return report

    def _operator(self, by: str) -> Figures:
        return self._report.operators.setdefault(by, Figures())

    def _channel(self, channel: str) -> Figures:
        return self._report.channels.setdefault(channel, Figures())

    def _on_decided(self, record: Record, at_s: float) -> None:
        data = record.data
        action, action_type = _text(data.get("action")), _text(data.get("action_type"))
        suggestion = data.get("suggestion")
        seen = data.get("seen")
        answered = suggestion if isinstance(suggestion, str) and suggestion else None
        channel = channel_of(action_type)
        if channel == "other":  # an answer counts for what it answers
            channel = self._suggestions.channel(answered)
        message = self._messages.pop(action, None)
        decision = Decision(
            at_s=at_s,
            by=_text(data.get("by")) or "somebody",
            action=action,
            action_type=action_type,
            character=str((message or record).character),
            channel=channel,
            suggestion=answered,
            reaction_s=_seconds(data.get("reaction_s")),
            seen=len(seen) if isinstance(seen, list) else 0,
            restricted=data.get("restricted") is True,
        )
        self._count(decision)
        if action_type in _NOT_ORDERS:
            return
        if message is not None:
            self._match(decision, message)
        elif channel_of(action_type) == "other":
            self._take_in(_order_of(decision, {}), decision)
        else:
            self._decided[action] = decision
            if len(self._decided) > _WAITING_AT_MOST:
                self._decided.popitem(last=False)

    def _count(self, decision: Decision) -> None:
        report = self._report
        report.decided += 1
        _keep(report.decisions, decision)
        groups = (self._operator(decision.by), self._channel(decision.channel))
        for figures in groups:
            figures.decisions += 1
            figures.answers += decision.suggestion is not None
        if decision.reaction_s is not None:
            self._reacted(decision.by, decision.channel, decision.reaction_s)

    def _reacted(self, by: str, channel: str, reaction_s: float) -> None:
        _keep(self._report.reactions_s, reaction_s)
        for key in (("by", by), ("channel", channel)):
            _keep(self._times_s.setdefault(key, []), reaction_s)

    def _on_order(self, record: Record) -> None:
        decision = self._decided.pop(str(record.id), None)
        if decision is not None:
            self._match(decision, record)
            return
        self._messages[str(record.id)] = record
        if len(self._messages) > _WAITING_AT_MOST:
            self._messages.popitem(last=False)

    def _match(self, decision: Decision, message: Record) -> None:
        given_s = min(decision.at_s, round(message.received_s - self._origin_s, 4))
        order = _order_of(decision, message.data)
        order.at_s, order.character = given_s, str(message.character)
        self._take_in(order, decision)

    def _take_in(self, order: Order, decision: Decision) -> None:
        self._suggestions.ordered(order, decision.suggestion)
        taken_back = self._own.add(order)
        if taken_back is not None:
            old, kind = taken_back
            self._corrected(old, kind, order.id, order.type, order.at_s)

    def _corrected(self, old: Order, kind: str, by_id: str, by_type: str, at_s: float) -> None:
        after_s = round(at_s - old.at_s, 3)
        channel = channel_of(old.type)
        correction = Correction(
            at_s, old.by, kind, old.id, old.type, by_id, by_type, after_s, channel
        )
        _keep(self._report.corrections, correction)
        self._operator(old.by).corrections += 1
        self._channel(channel).corrections += 1

    def _on_resolved(self, record: Record, at_s: float) -> None:
        took_s = self._suggestions.resolved(record, at_s)
        by = _text(record.data.get("by"))
        if took_s is not None and by and not self._report.decided:
            _keep(self._answers, (by, round(took_s, 4)))

    def _on_dial_turned(self, record: Record, at_s: float) -> None:
        self._dial.changed(str(record.character), record.data, at_s)

    def _on_mark(self, record: Record, at_s: float) -> None:
        data = record.data
        if data.get("label") != WIZARD_ERROR:
            return
        by = _text(data.get("by")) or "somebody"
        about = _text(data.get("about")) or None
        note = _text(data.get("note")) or None
        _keep(self._report.errors, ErrorMark(at_s, by, about, note))
        self._operator(by).errors += 1
        order = None if about is None else self._own.find(by, about)
        if order is None:
            return
        self._channel(channel_of(order.type)).errors += 1
        if not order.corrected and 0 <= at_s - order.at_s <= WITHIN_S:
            order.corrected = True
            self._corrected(order, "marked", str(record.id), "SessionMark", at_s)


def _order_of(decision: Decision, data: dict[str, Any]) -> Order:
    return Order(
        id=decision.action,
        type=decision.action_type,
        at_s=decision.at_s,
        by=decision.by,
        character=decision.character,
        data=data,
    )


def _keep(listed: list[Any], one: Any) -> None:
    if len(listed) < LISTED:
        listed.append(one)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(float(value), 4) if 0 <= value < 1e6 else None
