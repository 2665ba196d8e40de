"""Pictures that keep coming: a lost source is opened again, and what is wrong is said.

Design overview
    `SteadySource.sights()` never ends and never fails: every sight is a frame, or the moment at
    which there was none, with the state of the sensor. Trackers take both, since people are lost
    by time passing without pictures.

Units and frames
    Seconds on the clock that was handed in.

Threading
    One event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sera.messages import SensorStatus
from sera.vision.picture_watch import PictureWatch
from sera.vision.source import Frame, FrameSource, SourceClock, SourceProblem

RETRY_S = 1.0
LASTING_RETRY_S = 5.0
_TICK_S = 0.25


@dataclass(frozen=True, slots=True)
class Sight:
    """A frame, or a moment without one."""

    time_s: float
    frame: Frame | None
    status: SensorStatus
    problem: str | None = None


class SteadySource:
    """Opens, reads, watches and opens again."""

    def __init__(
        self,
        source: FrameSource,
        clock: SourceClock,
        *,
        watch: PictureWatch | None = None,
        retry_s: float = RETRY_S,
    ) -> None:
        self._source = source
        self._clock = clock
        self._watch = watch or PictureWatch()
        self._retry_s = retry_s
        self.openings = 0
        """How often the source was opened."""
        self.ended = False
        """A file was seen to its end."""

    @property
    def device(self) -> str:
        return self._source.describe()

    @property
    def dropped(self) -> int:
        """Pictures that were left out because newer ones came."""
        return int(getattr(self._source, "dropped", 0))

    def close(self) -> None:
        self._source.close()

    async def sights(self) -> AsyncIterator[Sight]:
        """Every frame that comes, and the moments without; it goes on until nobody asks."""
        lost = SensorStatus.MISSING
        try:
            while True:
                try:
                    await self._source.open()
                    self.openings += 1
                    self._watch.reset()
                    lost = SensorStatus.LOST
                    async for sight in self._while_open():
                        yield sight
                    self.ended = True
                    break
                except SourceProblem as problem:
                    sentence, lasting = str(problem), problem.lasting
                except Exception as error:  # a driver may raise anything, which ends no tracker
                    sentence = f"The {self.device} failed: {type(error).__name__}: {error}"
                    lasting = False
                self._source.close()
                pause_s = LASTING_RETRY_S if lasting else self._retry_s
                async for sight in self._moments(pause_s, lost, sentence):
                    yield sight
            ended = f"The {self.device} has ended."
            while True:
                async for sight in self._moments(self._retry_s, SensorStatus.LOST, ended):
                    yield sight
        finally:
            self._source.close()

    async def _while_open(self) -> AsyncIterator[Sight]:
        while (frame := await self._source.read()) is not None:
            problem = self._watch.judge(frame)
            status = SensorStatus.OK if problem is None else SensorStatus.DEGRADED
            yield Sight(frame.time_s, frame, status, problem)

    async def _moments(
        self, duration_s: float, status: SensorStatus, problem: str
    ) -> AsyncIterator[Sight]:
        end_s = self._clock.now() + duration_s
        while True:
            now_s = self._clock.now()
            yield Sight(now_s, None, status, problem)
            if now_s >= end_s - 1e-9:
                return
            await self._clock.sleep_until(min(end_s, now_s + _TICK_S))
