"""The autonomy gate: what a decision module's Actions become by the dial's setting.

Design overview
    Every Action type names the channel it takes hold of. The character's `Autonomy` State says,
    channel by channel, whether the machine acts by itself, proposes, or is silent. The gate sits
    between a decision module and the bus, so that no decision module knows the mode.
    A proposal is a `Suggestion`; accepted, the Action goes out as if it were given now, caused by
    the acceptance; otherwise it lapses.

Threading
    The event loop's thread.

Safety
    Actions without a channel (stop, study records) are never held back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from sera.bus import Bus
from sera.messages import (
    Action,
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Envelope,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)

SUGGESTION_LAPSES_AFTER_S = 8.0


@dataclass(slots=True)
class _Proposal:
    action: Action
    character: str | None
    timer: asyncio.TimerHandle


class Gate:
    """The gate of one decision module."""

    def __init__(self, bus: Bus, release: Callable[[Action, str | None, str], None]) -> None:
        """Make a gate that is open until it hears otherwise.

        Args:
            bus: where suggestions are published.
            release: sends an accepted Action: Action, character, cause.
        """
        self._bus = bus
        self._release = release
        self._autonomy = Autonomy()
        self._as_of_s = float("-inf")
        self._proposals: dict[str, _Proposal] = {}

    def mode_of(self, action: Action) -> AutonomyMode:
        if action.channel is None:
            return AutonomyMode.AUTONOMOUS
        return self._autonomy.mode_for(action.channel)

    def hear(self, envelope: Envelope) -> None:
        """Follow the dial and the answers to suggestions."""
        message = envelope.message
        if isinstance(message, SuggestionResolved):
            self._resolve(message, envelope.id)
        elif envelope.character != self._bus.identity.character or envelope.time < self._as_of_s:
            return
        elif isinstance(message, Autonomy):
            self._as_of_s = envelope.time
            self._autonomy = message
        elif isinstance(message, AutonomyChanged):
            self._as_of_s = envelope.time
            self._autonomy = self._autonomy.model_copy(
                update={"modes": {**self._autonomy.modes, message.channel: message.mode}}
            )

    def suggest(self, action: Action, *, character: str | None, cause: str | None) -> str:
        """Propose an Action; returns the id of the Suggestion."""
        envelope = self._bus.publish(
            Suggestion(
                action_type=type(action).__name__,
                action=action.model_dump(mode="json"),
                lapses_after_s=SUGGESTION_LAPSES_AFTER_S,
            ),
            character=character,
            cause=cause,
        )
        timer = asyncio.get_running_loop().call_later(
            SUGGESTION_LAPSES_AFTER_S, self._lapse, envelope.id
        )
        self._proposals[envelope.id] = _Proposal(action, character, timer)
        return envelope.id

    def close(self) -> None:
        for proposal in self._proposals.values():
            proposal.timer.cancel()
        self._proposals.clear()

    def _resolve(self, resolved: SuggestionResolved, cause: str) -> None:
        proposal = self._proposals.pop(resolved.suggestion, None)
        if proposal is None:
            return
        proposal.timer.cancel()
        if resolved.outcome is SuggestionOutcome.ACCEPTED:
            self._release(proposal.action, proposal.character, cause)

    def _lapse(self, suggestion: str) -> None:
        if self._proposals.pop(suggestion, None) is not None:
            self._bus.publish(
                SuggestionResolved(suggestion=suggestion, outcome=SuggestionOutcome.LAPSED),
                cause=suggestion,
            )
