"""What pages do wrong: counted always, reported at a rate that people can read."""

from __future__ import annotations

from collections.abc import Callable

from sera.bus import Counters


class Complaints:
    """Counts and reports for one gateway."""

    def __init__(
        self,
        report: Callable[[str], None],
        counters: Counters,
        *,
        now: Callable[[], float],
        pause_s: float,
    ) -> None:
        """Begin with nothing to complain about.

        Args:
            report: told one sentence at a time.
            counters: `malformed` counts what was refused.
            now: the clock, seconds.
            pause_s: shortest pause between two reports; those between are counted.
        """
        self._report = report
        self._counters = counters
        self._now = now
        self._pause_s = pause_s
        self._silent_until_s = float("-inf")
        self._unreported = 0

    def refused(self, who: str, why: str) -> None:
        """Somebody sent what is no message, or what it may not send."""
        self._counters.malformed += 1
        self.note(f"{who} was refused: {why}")

    def note(self, sentence: str) -> None:
        """Report a sentence, unless there was a report a moment ago."""
        now_s = self._now()
        if now_s < self._silent_until_s:
            self._unreported += 1
            return
        more = f" (and {self._unreported} more since the last report)" if self._unreported else ""
        self._unreported = 0
        self._silent_until_s = now_s + self._pause_s
        self._report(sentence + more)
