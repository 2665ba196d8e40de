"""Notes in a stream of MIDI bytes, as a device of the system gives them.

Such a stream may leave out a status byte that is the same as the one before (running status), may
have bytes of the clock in the middle of a message, and may begin anywhere.
"""

from __future__ import annotations

NOTE_OFF, NOTE_ON = 0x80, 0x90
SYSTEM, REAL_TIME = 0xF0, 0xF8
ONE_BYTE = (0xC0, 0xD0)
"""Programme and pressure: the only messages of a channel with one byte of data."""


class NoteReader:
    """Finds the notes that go down."""

    def __init__(self) -> None:
        self._status = 0
        self._data: list[int] = []

    def feed(self, read: bytes) -> list[tuple[int, int]]:
        """Note and velocity of each `note on` that is complete; velocity 0 means off, too."""
        notes = []
        for byte in read:
            if byte >= REAL_TIME:
                continue  # may stand anywhere, and ends nothing
            if byte >= NOTE_OFF:
                # A message of the system ends a running status: its data belongs to nobody here.
                self._status = 0 if byte >= SYSTEM else byte & 0xF0
                self._data = []
            elif self._status:
                self._data.append(byte)
                if len(self._data) == (1 if self._status in ONE_BYTE else 2):
                    if self._status == NOTE_ON and self._data[1] > 0:
                        notes.append((self._data[0], self._data[1]))
                    self._data = []
        return notes
