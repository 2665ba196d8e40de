"""A bridge that writes frames to a CSV file, one row a frame.

Design overview: the columns are `time_s`, `sequence` and the channels, fixed from the beginning,
so that every table program opens the file; a row holds the whole pose even where the frame was
partial.
Units and frames: the channels' own units; seconds as the frames carry them.
Threading: one event loop; rows are buffered by the operating system, nothing waits.
Safety: moves nothing. A full disk is `BridgeLost`, like any other body that is gone.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from sera.animation.channels import ChannelSpec
from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    Clock,
    OutputFrame,
    StopMeans,
)


class CsvBridge(Bridge):
    """Records frames to a file; an existing file is continued after a reconnect, else replaced."""

    def __init__(self, path: Path, specs: Iterable[ChannelSpec], clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._pose = {spec.name: spec.neutral for spec in specs}
        self._file: TextIO | None = None
        self._begun = False
        self._still = False

    def describe(self) -> BridgeDescription:
        return BridgeDescription(
            kind="csv",
            where=str(self._path),
            channels=tuple(self._pose),
            measures=False,
            virtual=True,
        )

    async def connect(self) -> None:
        if self._file is not None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open(
                "a" if self._begun else "w", encoding="utf-8", newline="", buffering=1
            )
            if not self._begun:
                self._write(["time_s", "sequence", *self._pose])
                self._begun = True
        except OSError as error:
            self._drop()
            raise self._lost(error) from None

    async def animate(self, frame: OutputFrame) -> None:
        if self._file is None:
            raise BridgeLost(f"{self._path} is not open")
        if self._still:
            return
        for name, value in frame.values.items():
            if name in self._pose:
                self._pose[name] = value
        try:
            self._write([repr(frame.time_s), frame.sequence, *map(repr, self._pose.values())])
        except OSError as error:
            self._drop()
            raise self._lost(error) from None

    async def heartbeat(self) -> BodyReading:
        if self._file is None:
            raise BridgeLost(f"{self._path} is not open")
        return BodyReading(time_s=self._clock(), joints=dict(self._pose))

    async def stop(self, reason: str, means: StopMeans = StopMeans.HOLD) -> None:
        del reason, means  # a file has nothing to hold
        self._still = True

    async def release(self) -> None:
        self._still = False

    async def rest(self) -> None:
        self._still = True

    async def close(self) -> None:
        self._drop()

    def _write(self, row: list[Any]) -> None:
        assert self._file is not None
        csv.writer(self._file).writerow(row)

    def _drop(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            # What could not be written has been reported where it failed.
            with contextlib.suppress(OSError):
                file.close()

    def _lost(self, error: OSError) -> BridgeLost:
        return BridgeLost(f"{self._path} cannot be written: {error.strerror or error}")
