"""A perception module: from where a face points to whether somebody attends to the robot.

It also shows how a laboratory adds a message of its own: subclass one of the four kinds.
"""

from __future__ import annotations

from sera import Module, on
from sera.messages import HeadDirection, Perception, PersonLost
from sera.runtime import Role


class AttentionChanged(Perception):
    """Somebody began to attend to the robot, or ceased to."""

    belongs_to_world = True

    person: str
    """Id of the tracker for this person."""
    attentive: bool
    """True when attention began, False when it ended."""

    def __str__(self) -> str:
        return f"{self.person} looks {'at the robot' if self.attentive else 'away'}"


class Attention(Module):
    """Reports a change of attention when it has lasted long enough to be one."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """How patient it is."""

        settles_after_s: float = 0.8
        """How long a person must look at or away from the robot before it counts."""

    async def start(self) -> None:
        self._attentive: dict[str, bool] = {}
        self._since: dict[str, tuple[bool, float]] = {}

    @on(HeadDirection)
    async def weigh(self, message: HeadDirection) -> None:
        now_s = self.clock.now()
        looks_here = bool(message.eye_contact)
        seen, since_s = self._since.get(message.person, (not looks_here, now_s))
        if seen != looks_here:
            since_s = now_s
        self._since[message.person] = (looks_here, since_s)
        settled = now_s - since_s >= self.settings.settles_after_s
        if settled and self._attentive.get(message.person) != looks_here:
            self._attentive[message.person] = looks_here
            await self.publish(AttentionChanged(person=message.person, attentive=looks_here))

    @on(PersonLost)
    async def forget(self, message: PersonLost) -> None:
        self._attentive.pop(message.person, None)
        self._since.pop(message.person, None)
