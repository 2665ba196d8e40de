"""How long each channel of each character stood in which mode of autonomy.

A channel that nobody mentions is autonomous, as the dial has it. The setting of a channel counts
as it was set; that a stricter `decision` overrules it is left to the reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sera.messages import AutonomyMode, Channel

CHANNELS = tuple(channel.value for channel in Channel)
MODES = tuple(mode.value for mode in AutonomyMode)


class DialTime:
    """Adds up time by character, channel and mode."""

    def __init__(self) -> None:
        self._modes: dict[str, dict[str, str]] = {}
        self._since_s: dict[str, float] = {}
        self._spent_s: dict[str, dict[str, dict[str, float]]] = {}

    def state(self, character: str, data: Mapping[str, Any], at_s: float) -> None:
        """The dial was published as a whole."""
        given = data.get("modes")
        modes = dict.fromkeys(CHANNELS, MODES[0])
        for channel, mode in (given if isinstance(given, dict) else {}).items():
            if channel in modes and mode in MODES:
                modes[channel] = mode
        self._settle(character, at_s)
        self._modes[character] = modes

    def changed(self, character: str, data: Mapping[str, Any], at_s: float) -> None:
        """One channel was turned."""
        channel, mode = data.get("channel"), data.get("mode")
        if channel not in CHANNELS or mode not in MODES:
            return
        self._settle(character, at_s)
        self._modes[character][channel] = mode

    def shares(self, end_s: float) -> dict[str, dict[str, dict[str, float]]]:
        """Share of the time by character, channel and mode, up to the end."""
        found: dict[str, dict[str, dict[str, float]]] = {}
        for character in self._modes:
            self._settle(character, end_s)
            found[character] = {}
            for channel, spent in self._spent_s[character].items():
                whole_s = sum(spent.values())
                if whole_s > 0:
                    found[character][channel] = {
                        mode: round(time_s / whole_s, 4) for mode, time_s in spent.items() if time_s
                    }
        return {character: channels for character, channels in found.items() if channels}

    def _settle(self, character: str, at_s: float) -> None:
        """Book the time since the last change."""
        modes = self._modes.setdefault(character, dict.fromkeys(CHANNELS, MODES[0]))
        spent = self._spent_s.setdefault(character, {})
        passed_s = max(0.0, at_s - self._since_s.get(character, at_s))
        self._since_s[character] = max(at_s, self._since_s.get(character, at_s))
        for channel, mode in modes.items():
            by_mode = spent.setdefault(channel, {})
            by_mode[mode] = by_mode.get(mode, 0.0) + passed_s
