"""A source that is opened again whenever it is lost, and says in a sentence how it is.

Design overview: an endless stream of `Listening`: a block of sound, or the news that there is
none and why. What cannot be opened is tried again, first soon and then every few seconds.
Units: seconds of the injected clock.
Threading: the event loop's thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from sera.hearing.source import Block, SoundClock, SoundMissing, SoundProblem, SoundSource

WAITS_S = (0.2, 0.5, 1.0, 2.0, 5.0)

Condition = Literal["ok", "degraded", "lost", "missing", "over"]


@dataclass(frozen=True, slots=True)
class Listening:
    """A block, or none."""

    condition: Condition
    block: Block | None = None
    problem: str | None = None
    """One sentence where it is not ok."""


class SteadySound:
    """Keeps a source open.

    Args:
        source: where sound comes from.
        clock: the run's.
    """

    def __init__(self, source: SoundSource, clock: SoundClock) -> None:
        self._source = source
        self._clock = clock
        self.losses = 0
        """How often it was lost."""

    async def listen(self) -> AsyncIterator[Listening]:
        """Blocks and troubles, for ever; a file that is over ends it."""
        from sera.hearing.level import MuteWatch

        failures, was_heard = 0, False
        while True:
            try:
                await self._source.open()
                watch = MuteWatch()
                while (block := await self._source.read()) is not None:
                    failures, was_heard = 0, True
                    problem = watch.feed(block)
                    yield Listening("ok" if problem is None else "degraded", block, problem)
                self._source.close()
                over = f"{self._source.describe()} is over: set repeat = true to hear it again"
                yield Listening("over", problem=over)
                return  # noqa: TRY300  # nothing else of the body may be left out
            except SoundProblem as error:
                self._source.close()
                if failures == 0 and was_heard:
                    self.losses += 1
                is_missing = isinstance(error, SoundMissing) and not was_heard
                yield Listening("missing" if is_missing else "lost", problem=str(error))
            wait_s = WAITS_S[min(failures, len(WAITS_S) - 1)]
            failures += 1
            await self._clock.sleep_until(self._clock.now() + wait_s)

    def close(self) -> None:
        """Let go of the source."""
        self._source.close()


__all__ = ["Listening", "SteadySound"]
