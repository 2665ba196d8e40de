"""What the console has heard since it was there: lines said, and targets that came and went.

Design overview: one subscription each, made when the routes are made, so that nothing that
happened before the first page opened is missing.
Threading: the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sera.console._console import Console
from sera.messages import (
    WORLD,
    Envelope,
    Message,
    TargetRemoved,
    TargetUpdated,
    UtteranceStarted,
)

MOST_TARGETS = 1000
"""Names that a run may add; further ones are not offered to pages."""
MOST_LINES = 20_000
"""Different lines that are counted for a character."""


@dataclass
class Heard:
    """Counts lines and knows targets, by character."""

    uses: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """How often each line was begun, by character and id."""
    targets: defaultdict[str, dict[str, TargetUpdated]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """What was placed and not taken away since, by character (`world`: for all) and name."""

    subscription: object = None
    """Kept, since one that nobody holds may be dropped."""

    def take(self, envelope: Envelope) -> None:
        """Hear one message."""
        message, character = envelope.message, envelope.character
        if isinstance(message, UtteranceStarted):
            counts = self.uses[character]
            if message.line is not None and (message.line in counts or len(counts) < MOST_LINES):
                counts[message.line] += 1
        elif isinstance(message, TargetUpdated):
            placed = self.targets[character]
            if message.target in placed or len(placed) < MOST_TARGETS:
                placed[message.target] = message
        elif isinstance(message, TargetRemoved):
            self.targets[character].pop(message.target, None)

    def placed_for(self, character: str) -> list[TargetUpdated]:
        """What was placed for a character or for everybody."""
        return list({**self.targets[WORLD], **self.targets[character]}.values())


def listen(console: Console, heard: Heard, types: Sequence[type[Message]]) -> None:
    """Begin to hear; a gateway that is only made, and not run, has no loop to hear in."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    task = loop.create_task(_subscribe(console, heard, types), name="console-hears")
    console.tasks.add(task)


async def _subscribe(console: Console, heard: Heard, types: Sequence[type[Message]]) -> None:
    heard.subscription = await console.hear(types, heard.take, characters=None)
