"""Changes of voices as messages.

Somebody unknown has no id by which others could tell two voices apart: where one of several ends,
the others are said again, so that whoever only counts "somebody" does not count nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.messages import SpeechActivity

from ._placing import Placing, side_of

if TYPE_CHECKING:
    from sera.hearing.detector import VoiceChange


class Telling:
    """Makes messages of changes.

    Args:
        placing: who wears which channel, and where they are.
        swapped: whether the first channel of two is the right one.
        distance_m: how far away people usually are.
    """

    def __init__(self, placing: Placing, *, swapped: bool, distance_m: float) -> None:
        self._placing = placing
        self._swapped = swapped
        self._distance_m = distance_m
        self._speaking: dict[int | None, SpeechActivity] = {}

    def told(self, change: VoiceChange, channels: int) -> list[SpeechActivity]:
        """The messages about a change.

        Args:
            change: what the detector found.
            channels: of the microphone.
        """
        direction = None
        if change.angle_rad is not None:
            direction = self._placing.direction(change.angle_rad, self._distance_m)
        message = SpeechActivity(
            speaking=change.speaking,
            person=self._placing.person(change.channel),
            side=side_of(change.channel, channels, swapped=self._swapped),
            direction=direction,
            loudness_dbfs=round(change.loudness_dbfs, 1),
        )
        if change.speaking:
            self._speaking[change.channel] = message
            return [message]
        self._speaking.pop(change.channel, None)
        if message.person is not None:
            return [message]
        again = [one for one in self._speaking.values() if one.person is None]
        return [message, *again]
