"""Whether the robot itself is to be heard, so that its voice is not taken for a person's."""

from __future__ import annotations

LONGEST_S = 60.0
"""A speech that never ended is forgotten after this long, or some time after it should have."""
OVERDUE_S = 2.0


class OwnVoice:
    """The robot's own speeches.

    Args:
        echo_s: how long the room sounds after the last one.
    """

    def __init__(self, echo_s: float) -> None:
        self._echo_s = echo_s
        self._until_s: dict[str, float] = {}
        self._ended_s = float("-inf")

    def began(self, speech: str, now_s: float, expected_s: float | None) -> None:
        """A speech is heard; a speaker that dies will never report its end."""
        lasts_s = LONGEST_S if expected_s is None else expected_s + OVERDUE_S
        self._until_s[speech] = now_s + lasts_s

    def ended(self, speech: str, now_s: float) -> None:
        """A speech is over; one that was never heard makes no echo."""
        if self._until_s.pop(speech, None) is not None:
            self._ended_s = now_s

    def sounds(self, now_s: float) -> bool:
        """Whether the robot, or its echo, is to be heard."""
        for speech in [one for one, until_s in self._until_s.items() if until_s <= now_s]:
            self._ended_s = max(self._ended_s, self._until_s.pop(speech))
        return bool(self._until_s) or now_s - self._ended_s < self._echo_s
