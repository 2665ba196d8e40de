"""When characters speak, so that what they say is not taken for an answer."""

from __future__ import annotations

LONGEST_S = 60.0
OVERDUE_S = 2.0


class OwnSpeech:
    """The speeches of all characters.

    Args:
        echo_s: how long the room sounds after the last one.
    """

    def __init__(self, echo_s: float) -> None:
        self._echo_s = echo_s
        self._until_s: dict[str, float] = {}
        self._silent_from_s = float("-inf")

    def began(self, speech: str, now_s: float, expected_s: float | None) -> None:
        """A speech is heard; one whose end is never told is forgotten some time later."""
        lasts_s = LONGEST_S if expected_s is None else expected_s + OVERDUE_S
        self._until_s[speech] = now_s + lasts_s

    def ended(self, speech: str, now_s: float) -> None:
        """A speech is over; one that never began makes no echo."""
        if self._until_s.pop(speech, None) is not None:
            self._silent_from_s = now_s + self._echo_s

    def sounds(self, time_s: float) -> bool:
        """Whether a character, or the echo, is to be heard in sound that was captured then."""
        self._until_s = {one: until for one, until in self._until_s.items() if until > time_s}
        return bool(self._until_s) or time_s < self._silent_from_s


__all__ = ["OwnSpeech"]
