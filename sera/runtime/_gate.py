"""The autonomy gate: what a decision module's Actions become by the dial's setting.

Design overview
    Every Action type names the channel it takes hold of. The character's `Autonomy` State says,
    channel by channel, whether the machine acts by itself, proposes, or is silent. The gate sits
    between a decision module and the bus, so that no decision module knows the mode.
    A turn of the dial (`AutonomyChanged`) counts at once; the `Autonomy` State that answers an
    earlier turn does not take it back.
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
from dataclasses import dataclass, field

from sera.bus import Bus
from sera.messages import (
    WORLD,
    Action,
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Channel,
    Envelope,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.runtime._handled import reason_now

SUGGESTION_LAPSES_AFTER_S = 8.0


@dataclass(slots=True)
class _Proposal:
    action: Action
    character: str | None
    timer: asyncio.TimerHandle


@dataclass(slots=True)
class Dial:
    """One character's dial: its State, and the turns that the State does not show yet."""

    state: Autonomy = field(default_factory=Autonomy)
    turns: dict[str, AutonomyChanged] = field(default_factory=dict)

    def mode_for(self, action: Action) -> AutonomyMode:
        """What holds for an Action: the stricter of its channel's setting and of `decision`'s."""
        state = self.state.model_copy(update={"modes": self._modes}) if self.turns else self.state
        return state.mode_for(action.channel)

    def setting_of(self, channel: Channel) -> AutonomyMode:
        """The channel's own setting, for behaviour that decides nothing, such as a free gaze."""
        return self._modes.get(channel, AutonomyMode.AUTONOMOUS)

    def hear(self, envelope: Envelope) -> None:
        """Follow the dial; other messages change nothing."""
        if isinstance(envelope.message, Autonomy):
            self.set(envelope.message, envelope.cause)
        elif isinstance(envelope.message, AutonomyChanged):
            self.turn(envelope.id, envelope.message)

    @property
    def _modes(self) -> dict[Channel, AutonomyMode]:
        return {**self.state.modes, **{turn.channel: turn.mode for turn in self.turns.values()}}

    def turn(self, identity: str, change: AutonomyChanged) -> None:
        earlier = [key for key, turn in self.turns.items() if turn.channel is change.channel]
        for key in earlier:
            del self.turns[key]
        self.turns[identity] = change

    def set(self, state: Autonomy, answers: str | None) -> None:
        """Take over a State; it answers a turn, and so all turns before that one too."""
        self.state = state
        if answers in self.turns:
            for key in list(self.turns):
                del self.turns[key]
                if key == answers:
                    break


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
        self._own = bus.identity.character
        self._dials: dict[str, Dial] = {self._own: Dial()}
        self._proposals: dict[str, _Proposal] = {}

    def mode_of(self, action: Action, character: str | None = None) -> AutonomyMode:
        """What holds for an Action under a character's name (by default one's own).

        A module of `world` acts for several characters and obeys the dial of each.
        """
        dial = self._dials.get(character or self._own) or self._dials[self._own]
        return dial.mode_for(action)

    def hear(self, envelope: Envelope) -> None:
        """Follow the dial and the answers to suggestions."""
        message = envelope.message
        if isinstance(message, SuggestionResolved):
            self._resolve(message, envelope.id)
            return
        if self._own not in (envelope.character, WORLD):
            return
        self._dials.setdefault(envelope.character, Dial()).hear(envelope)

    def suggest(
        self,
        action: Action,
        *,
        character: str | None,
        cause: str | None,
        reason: str | None = None,
    ) -> str:
        """Propose an Action; returns the id of the Suggestion.

        Args:
            action: what would be done.
            character: under whose name.
            cause: id of what led to it.
            reason: why, in words; by default what is being handled.
        """
        envelope = self._bus.publish(
            Suggestion(
                action_type=type(action).__name__,
                action=action.model_dump(mode="json"),
                channel=action.channel,
                reason=reason or reason_now(cause),
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
        """Let everything lapse that nobody has resolved: nobody is left to do it."""
        for suggestion in list(self._proposals):
            self._lapse(suggestion)

    def _resolve(self, resolved: SuggestionResolved, cause: str) -> None:
        proposal = self._proposals.pop(resolved.suggestion, None)
        if proposal is None:
            return
        proposal.timer.cancel()
        # What the operator has edited the operator has sent.
        if resolved.outcome is SuggestionOutcome.ACCEPTED and not resolved.edited:
            self._release(proposal.action, proposal.character, cause)

    def _lapse(self, suggestion: str) -> None:
        proposal = self._proposals.pop(suggestion, None)
        if proposal is not None:
            proposal.timer.cancel()
            self._bus.publish(
                SuggestionResolved(suggestion=suggestion, outcome=SuggestionOutcome.LAPSED),
                character=proposal.character,
                cause=suggestion,
            )
