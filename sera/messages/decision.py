"""Who decides: the autonomy dial, and what an automatic mind proposes to the operator.

No decision module knows the mode. One gate in the runtime lets its Actions pass, turns them
into Suggestions, or withholds them, by the Autonomy State of the character.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, JsonValue

from sera.messages._base import Action, Channel, Event, State, find_message_type
from sera.messages._parts import Name, Part, PositiveSeconds, Seconds


class AutonomyMode(StrEnum):
    """How free an automatic mind is on a channel, from most to least."""

    AUTONOMOUS = "autonomous"
    SUGGEST = "suggest"
    WIZARD = "wizard"


_STRICTNESS = {mode: rank for rank, mode in enumerate(AutonomyMode)}


class Autonomy(State):
    """The autonomy dial of a character."""

    modes: dict[Channel, AutonomyMode] = Field(default_factory=dict)
    """Setting of each channel; a channel that is missing is autonomous."""
    owners: dict[Channel, Name] = Field(default_factory=dict)
    """Which operator has which channel in hand; a channel that is missing belongs to all."""

    def mode_for(self, channel: Channel | None) -> AutonomyMode:
        """Return what holds for Actions of a channel.

        The stricter of the channel's own setting and that of `decision`, because a mind whose
        decisions are withheld must not act through another channel. An Action without a channel
        (None) is never held: no setting of the dial may delay an emergency stop.
        """
        if channel is None:
            return AutonomyMode.AUTONOMOUS
        own = self.modes.get(channel, AutonomyMode.AUTONOMOUS)
        deciding = self.modes.get(Channel.DECISION, AutonomyMode.AUTONOMOUS)
        return max(own, deciding, key=_STRICTNESS.__getitem__)


class AutonomyChanged(Event):
    """Somebody turned the autonomy dial, or handed a channel over."""

    channel: Channel
    """Which channel."""
    mode: AutonomyMode
    """Its new setting."""
    by: Name
    """Operator or module that changed it, by role and not by name."""
    previous: AutonomyMode | None = None
    """Its former setting."""
    owner: Name | None = None
    """Operator who has the channel in hand from now on; None: nobody in particular."""


class Suggestion(Event):
    """An automatic mind would do this; the operator accepts or rejects it, or lets it lapse."""

    action_type: Name
    """Message type of the Action."""
    action: dict[str, JsonValue]
    """The Action's own fields; those that its type marks personal are personal here too."""
    channel: Channel | None = None
    """Channel of the Action."""
    reason: str | None = None
    """Why, in words for the operator."""
    lapses_after_s: PositiveSeconds
    """How long the operator has; then it is not performed."""

    def proposed(self) -> Action:
        """Build the Action that is proposed, checked like any other that arrives over the wire.

        Raises:
            UnknownMessageType: this installation does not know `action_type`.
            TypeError: `action_type` is not an Action.
            pydantic.ValidationError: `action` does not fit it.
        """
        action_type = find_message_type(self.action_type)
        if not issubclass(action_type, Action):
            raise TypeError(
                f"a Suggestion proposes an Action, but {self.action_type} is of kind "
                f"{action_type.kind}"
            )
        return action_type.model_validate(self.action, extra="ignore")


class SuggestionOutcome(StrEnum):
    """What became of a suggestion."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    LAPSED = "lapsed"


class SuggestionResolved(Event):
    """A suggestion was accepted or rejected by the operator, or it lapsed."""

    suggestion: Name
    """Id of the Suggestion."""
    outcome: SuggestionOutcome
    """What became of it."""
    by: Name | None = None
    """Operator who resolved it, by role and not by name; None where it lapsed."""
    edited: bool = False
    """True where the operator changed the Action before accepting it."""


class OperatorDecided(Event):
    """An operator gave an order, and this is what was before the operator's eyes."""

    action: Name
    """Id of the message that the operator sent."""
    action_type: Name
    """Its type."""
    by: Name
    """Operator, by desk and not by name."""
    restricted: bool = False
    """True where the operator sees only what the robot perceives, no picture and no sound."""
    seen: list[Name] = Field(default_factory=list, max_length=200)
    """Ids of what stood on the page: States of people, and the perceptions of the last seconds."""
    feeds: list[Name] = Field(default_factory=list)
    """Pictures and sounds of the room that the page was given."""
    suggestion: Name | None = None
    """Id of the Suggestion that it answers; None: the operator's own idea."""
    reaction_s: Seconds | None = None
    """From the Suggestion, or else from the newest perception on the page, to the order."""


class OperatorSeat(Part):
    """An operator who is there."""

    operator: Name
    """What the operator is called: the desk, with a number where several share it."""
    desk: Name
    """Which desk, as the console's layout names it."""
    role: Name
    """`wizard` or `observer`."""
    character: Name | None = None
    """Whose page it is; None: everybody's."""
    restricted: bool = False
    """Whether the operator sees only what the robot perceives."""


class OperatorsPresent(State):
    """Who sits at the consoles of this run."""

    belongs_to_world = True

    operators: list[OperatorSeat] = Field(default_factory=list)
    """In the order in which they came."""
