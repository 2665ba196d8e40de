"""The books of a camera: rate, delay, what is counted, and when its state is told."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from sera.messages import SensorState, SensorStatus

if TYPE_CHECKING:
    from sera.vision.steady import Sight

EVERY_S = 1.0
_FAILURES = 5


class SensorBook:
    """Knows how the camera is.

    Args:
        doubt: what is wrong although pictures come.
    """

    def __init__(self, doubt: str | None = None) -> None:
        self.doubt = doubt
        self._counts = {"frames": 0, "faces": 0, "failed": 0}
        self._delays_s: deque[float] = deque(maxlen=50)
        self._told: SensorState | None = None
        self._told_s = 0.0
        self._failures = 0
        self._failure: str | None = None

    def worked_on(self, delay_s: float, faces: int) -> None:
        """A picture was worked on, so long after it was taken."""
        self._counts["frames"] += 1
        self._counts["faces"] += faces
        self._delays_s.append(max(0.0, delay_s))

    def failed(self, why: str | None) -> None:
        """A picture could not be worked on; None: it could."""
        self._failures = 0 if why is None else self._failures + 1
        self._failure = why
        self._counts["failed"] += why is not None

    def state(self, sight: Sight, now_s: float, device: str, dropped: int) -> SensorState | None:
        """What to tell now: at every change and once a second; None: nothing."""
        status, problem = sight.status, sight.problem
        if status is SensorStatus.OK and (problem := self._trouble()) is not None:
            status = SensorStatus.DEGRADED
        told, passed_s = self._told, now_s - self._told_s
        is_same = told is not None and (told.status, told.problem) == (status, problem)
        if is_same and passed_s < EVERY_S - 1e-9:
            return None
        rate_hz = 0.0
        if told is not None and passed_s > 0.0:
            rate_hz = (self._counts["frames"] - told.counts["frames"]) / passed_s
        delays_s = sorted(self._delays_s)
        state = SensorState(
            sense="camera",
            status=status,
            problem=problem,
            device=device,
            rate_hz=round(rate_hz, 2),
            delay_s=round(delays_s[len(delays_s) // 2], 4) if delays_s else None,
            counts={**self._counts, "dropped": dropped},
        )
        self._told, self._told_s = state, now_s
        return state

    def _trouble(self) -> str | None:
        if self._failures >= _FAILURES:
            return f"The pictures cannot be worked on ({self._failure})."
        return self.doubt
