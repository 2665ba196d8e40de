"""Suggestions: what became of each, and what operators did instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sera.recording._reader import Record
from sera.recording.wizard._orders import Order, channel_of
from sera.recording.wizard._report import Deviation, Spread, SuggestionFigures

_GRACE_S = 0.5
"""A suggestion counts as standing for so long after its time: clocks differ a little."""
_TOGETHER_S = 1.0
"""An order so shortly before an acceptance belongs to it: it is the edited proposal."""
_OPEN_AT_MOST = 500


@dataclass(slots=True)
class _Open:
    id: str
    at_s: float
    until_s: float
    channel: str
    character: str
    action_type: str
    instead: list[Deviation] = field(default_factory=list)


class Suggestions:
    """Follows suggestions through a recording."""

    def __init__(self) -> None:
        self.figures = SuggestionFigures()
        self.deviations: list[Deviation] = []
        self._open: dict[str, _Open] = {}
        self._channels: dict[str, str] = {}
        self._answers_s: list[float] = []

    def offered(self, record: Record, at_s: float) -> None:
        """An automatic mind proposes something."""
        data = record.data
        lapses_s = _number(data.get("lapses_after_s"))
        action_type = str(data.get("action_type") or "")
        channel = data.get("channel")
        known = channel if isinstance(channel, str) and channel else channel_of(action_type)
        until_s = at_s + (10.0 if lapses_s is None else lapses_s) + _GRACE_S
        self._settle(at_s)
        self.figures.offered += 1
        self._open[str(record.id)] = _Open(
            str(record.id), at_s, until_s, known, str(record.character), action_type
        )
        self._channels[str(record.id)] = known
        if len(self._open) > _OPEN_AT_MOST:
            self._close(next(iter(self._open)))
        if len(self._channels) > 2 * _OPEN_AT_MOST:
            del self._channels[next(iter(self._channels))]

    def channel(self, suggestion: str | None) -> str:
        """The channel that a suggestion was for; `other` where it is not remembered."""
        return self._channels.get(suggestion or "", "other")

    def resolved(self, record: Record, at_s: float) -> float | None:
        """A suggestion was answered or lapsed; returns how long the operator took."""
        data = record.data
        found = self._open.get(str(data.get("suggestion")))
        outcome = data.get("outcome")
        if found is None or outcome not in ("accepted", "rejected", "lapsed"):
            return None
        if outcome == "accepted":
            found.instead = [one for one in found.instead if at_s - one.at_s > _TOGETHER_S]
        self._close(found.id)
        figures = self.figures
        if outcome == "accepted" and data.get("edited") is True:
            figures.edited += 1
        elif outcome == "accepted":
            figures.accepted += 1
        elif outcome == "rejected":
            figures.rejected += 1
        else:
            figures.lapsed += 1
            return None
        took_s = max(0.0, at_s - found.at_s)
        self._answers_s.append(took_s)
        return took_s

    def ordered(self, order: Order, answers: str | None) -> None:
        """An operator gave an order, perhaps something else than what was proposed."""
        self._settle(order.at_s)
        if answers is not None:
            return
        channel = channel_of(order.type)
        for suggestion in self._open.values():
            together = "world" in (order.character, suggestion.character)
            if channel == "other" or suggestion.channel != channel:
                continue
            if not suggestion.at_s <= order.at_s <= suggestion.until_s:
                continue
            if (together or order.character == suggestion.character) and order.by:
                suggestion.instead.append(
                    Deviation(
                        order.at_s,
                        order.by,
                        channel,
                        order.character,
                        suggestion.id,
                        suggestion.action_type,
                        order.id,
                        order.type,
                    )
                )
                return

    def finish(self) -> SuggestionFigures:
        """The recording is over."""
        for left in list(self._open):
            self._close(left)
        figures = self.figures
        settled = figures.accepted + figures.edited + figures.rejected + figures.lapsed
        figures.open = figures.offered - settled
        figures.answer = Spread.of(self._answers_s)
        return figures

    def _settle(self, now_s: float) -> None:
        for one in [one for one in self._open.values() if one.until_s < now_s - 60.0]:
            self._close(one.id)
        # Those past their time stay known for a late word about them, but nothing deviates.

    def _close(self, suggestion: str) -> None:
        self.deviations.extend(self._open.pop(suggestion).instead)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e6 else None
