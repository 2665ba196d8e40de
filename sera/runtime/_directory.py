"""Who is present and what they handle, as told by everybody's ModulePresence."""

from __future__ import annotations

from sera.messages import WORLD, Envelope, ModulePresence, PresenceStatus

_THERE = (PresenceStatus.STARTING, PresenceStatus.PRESENT)


class Directory:
    """The presence table of one module. Sources are kept in the order in which they were met."""

    def __init__(self) -> None:
        self._presence: dict[str, ModulePresence] = {}

    def update(self, envelope: Envelope) -> bool:
        """Take note of a ModulePresence; False where it says nothing about the present life.

        A farewell belongs to the life that it ends: the last will of an earlier one can arrive
        when the module has long been started again.
        """
        presence = envelope.message
        if not isinstance(presence, ModulePresence):
            return False
        known = self._presence.get(envelope.source)
        if (
            known is not None
            and known.status in _THERE
            and presence.status not in _THERE
            and presence.boot != known.boot
        ):
            return False
        self._presence[envelope.source] = presence
        return True

    def is_there(self, source: str) -> bool:
        presence = self._presence.get(source)
        return presence is not None and presence.status in _THERE

    def is_lost(self, source: str) -> bool:
        """Whether it went without a farewell, and so may come back."""
        presence = self._presence.get(source)
        return presence is not None and presence.status is PresenceStatus.LOST

    def receivers_of(self, action_type: str, character: str) -> list[str]:
        """Who is present and handles Actions of that type under that character."""
        return [
            source
            for source, presence in self._presence.items()
            if presence.status in _THERE and self.would_receive(source, action_type, character)
        ]

    def would_receive(self, source: str, action_type: str, character: str) -> bool:
        """Whether a source handles such Actions, be it present or not."""
        presence = self._presence[source]
        return action_type in presence.handles and (
            presence.hears_all or character == WORLD or source.partition(".")[0] == character
        )

    def with_role(self, role: str) -> list[str]:
        """Who of that role is present."""
        return [
            source
            for source, presence in self._presence.items()
            if presence.status in _THERE and presence.role == role
        ]

    def all(self) -> dict[str, ModulePresence]:
        return dict(self._presence)
