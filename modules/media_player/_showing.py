"""What is played or shown now, and when a page that shows it has fallen silent.

Threading: the event loop's thread.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ._files import Medium


@dataclass(slots=True)
class Showing:
    """One PlayMedia under way."""

    action: str
    """Id of its PlayMedia."""
    media: str
    """Name as it was ordered."""
    medium: Medium
    screen: str | None
    began_s: float
    started: bool = False
    """Whether a page has said that it is to be seen."""
    heard_s: float = 0.0
    """When the page was last heard of."""
    sound: asyncio.Task[None] | None = None
    """Plays it, where this machine does."""

    def overdue(self, now_s: float, starts_s: float, silent_s: float) -> str | None:
        """Why a page is not waited for any longer; None where it is."""
        if self.sound is not None:
            return None
        if not self.started and now_s - self.began_s > starts_s:
            return (
                f"no page shows '{self.media}': open /static/media.html of the gateway "
                "on the screen, and touch it once"
            )
        if self.started and now_s - self.heard_s > silent_s:
            return f"the page that shows '{self.media}' is gone"
        return None
