"""The marker tracker: printed cards, things and seats of a scenario, seen by a camera.

Design overview
    `sera.vision` finds markers, fits their poses and follows them; this module has the camera and
    carries what changed to the bus: MarkerSeen, MarkerMoved, MarkerLost. A thing of the scenario
    with `marker = "aruco_4x4:17"` becomes a target that moves: TargetUpdated under its name, so
    that the robot looks at and points to a card that is moved by hand.

Units and frames
    Metres in the scenario's space, by the pose of `[space.cameras.NAME]`. Times are those at which
    the pictures were taken.

Threading
    Pictures are worked on in a thread, one at a time; everything else in the event loop.

Safety
    No camera, a black picture or a missing package is a SensorState with a sentence, never the end
    of the module. Pictures leave the process only by the preview page and the console's live
    picture: on this machine, by token, and never to a disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from sera import Module
from sera.messages import (
    MarkerLost,
    MarkerMoved,
    MarkerSeen,
    Orientation,
    Position,
    SensorState,
    SensorStatus,
    TargetUpdated,
)
from sera.runtime import Role
from sera.vision.markers import DEFAULT_FAMILY, MarkerId, check_family

from ._things import marked_things
from ._view import View, view_of

if TYPE_CHECKING:
    from sera.feeds.picture import PictureFeed
    from sera.vision.marker_tracks import MarkerChange, MarkerTracks
    from sera.vision.markers import MarkerDetector, MarkerInPicture
    from sera.vision.preview import PreviewServer
    from sera.vision.source import Frame as Shot
    from sera.vision.steady import Sight, SteadySource

STATE_EVERY_S = 2.0


class MarkerTracker(Module):
    """Follows printed markers."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Which camera, which markers."""

        source: str | int = 0
        """Webcam by number, network camera by address, or a video file beside the scenario."""
        camera: str | None = None
        """Which of `[space.cameras]` it is; left out, the only one."""
        families: list[str] = Field(default=[DEFAULT_FAMILY], min_length=1, max_length=4)
        """Families of markers that are looked for; those of the scenario's things are added."""
        size_m: float = Field(default=0.05, gt=0.002, le=2.0)
        """Length of the sides of the black square."""
        sizes_m: dict[str, float] = Field(default_factory=dict)
        """The same for markers of another size, by id: `"aruco_4x4:17" = 0.1`."""
        patience_s: float = Field(default=1.0, gt=0, le=60)
        """How long a marker may be hidden before it is lost."""
        deadband_m: float = Field(default=0.005, ge=0, le=1)
        """Smaller motion is not told."""
        deadband_deg: float = Field(default=4.0, ge=0, le=180)
        """Smaller turns are not told."""
        targets: bool = True
        """Whether the scenario's things move with their markers."""
        repeat: bool = False
        """Whether a video file begins again at its end."""
        preview_port: int | None = Field(default=None, ge=0, le=65535)
        """Port of a page on this machine that shows the picture; 0: a free one; none: no page."""

        @field_validator("families")
        @classmethod
        def _exist(cls, families: list[str]) -> list[str]:
            return [check_family(name) for name in families]

        @field_validator("sizes_m")
        @classmethod
        def _are_sizes_of_markers(cls, sizes: dict[str, float]) -> dict[str, float]:
            for text, size_m in sizes.items():
                MarkerId.parse(text)
                if not 0.002 < size_m <= 2.0:
                    raise ValueError(f"{text} = {size_m:g}: a marker is 0.002 to 2 m wide")
            return sizes

    _missing: str | None = None
    _preview: PreviewServer | None = None
    _feed: PictureFeed | None = None
    _steady: SteadySource | None = None

    async def start(self) -> None:
        settings, scenario = self.settings, self.context.scenario
        self._things, complaints = marked_things(None if scenario is None else scenario.space)
        for complaint in complaints:
            self.fault(complaint, warning=True)
        self._counts = {"frames": 0, "dropped": 0, "markers": 0}
        self._told: SensorState | None = None
        self._told_s = 0.0
        self._delays_s: list[float] = []
        self._view: View | None = None
        try:
            await self.blocking(self._load)
        except ImportError:
            from sera.vision.source import NO_OPENCV

            self._missing = NO_OPENCV
            return
        self._view = view_of(scenario, settings.camera, self.context.folder)
        if self._view.problem is not None:
            self.fault(self._view.problem, warning=True)
        from sera.vision.for_modules import open_preview

        self._preview = await open_preview(self, "markers", self.settings.preview_port)

    def _load(self) -> None:
        from sera.vision.markers import MarkerDetector

        families = [*self.settings.families, *(marker.family for marker in self._things)]
        self._detector: MarkerDetector = MarkerDetector(families)
        self._tracks: MarkerTracks | None = None

    async def run(self) -> None:
        if self._missing is not None:
            state = SensorState(sense="markers", status=SensorStatus.MISSING, problem=self._missing)
            await self.publish(state)
            return
        from sera.feeds.for_modules import offer_picture
        from sera.vision.for_modules import steady_source

        settings = self.settings
        self._steady = steady_source(self, settings.source, repeat=settings.repeat)
        self._feed = await offer_picture(self, self._steady.device, settings.source)
        async for sight in self._steady.sights():
            await self._take(sight)

    async def stop(self) -> None:
        if self._steady is not None:
            self._steady.close()
        if self._preview is not None:
            await self._preview.stop()
        if self._feed is not None:
            await self._feed.stop()

    async def _take(self, sight: Sight) -> None:
        found: list[MarkerInPicture] = []
        if sight.frame is not None:
            self._counts["frames"] += 1
            if self._feed is not None:  # before it is worked on: people wait for it
                self._feed.show(sight.frame.picture, sight.frame.time_s)
            found = await self.blocking(self._look, sight.frame)
        if self._tracks is not None:
            for change in self._tracks.update(found, sight.time_s):
                await self._tell(change)
        if sight.frame is not None:
            self._delays_s = [*self._delays_s[-49:], self.clock.now() - sight.time_s]
            await self._show(sight.frame, found)
        await self._tell_state(sight)

    def _look(self, shot: Shot) -> list[MarkerInPicture]:
        """In a thread: the only part that takes long."""
        from sera.vision.marker_tracks import MarkerTracks, TrackSettings

        height, width = shot.picture.shape[:2]
        settings, view = self.settings, self._view
        assert view is not None
        model = view.model.for_picture(width, height)
        if self._tracks is None:
            wanted = TrackSettings(
                size_m=settings.size_m,
                sizes_m={MarkerId.parse(text): m for text, m in settings.sizes_m.items()},
                patience_s=settings.patience_s,
                deadband_m=settings.deadband_m,
                deadband_deg=settings.deadband_deg,
            )
            self._tracks = MarkerTracks(model, view.pose, wanted)
        self._tracks.eye = model
        return self._detector.find(shot.picture)

    async def _tell(self, change: MarkerChange) -> None:
        from sera.vision.marker_tracks import Change

        marker, time_s = str(change.marker), change.time_s
        if change.change is Change.LOST:
            await self.publish(MarkerLost(marker=marker), time_s=time_s)
            return
        x, y, z = (round(value, 4) for value in change.frame.position_m)
        place = Position(x_m=x, y_m=y, z_m=z)
        w, i, j, k = change.quaternion
        turned = Orientation(w=w, x=i, y=j, z=k)
        if change.change is Change.SEEN:
            self._counts["markers"] += 1
            seen = MarkerSeen(
                marker=marker, position=place, orientation=turned, confidence=change.confidence
            )
            await self.publish(seen, time_s=time_s)
        else:
            moved = MarkerMoved(marker=marker, position=place, orientation=turned)
            await self.publish(moved, time_s=time_s)
        if self.settings.targets and change.marker in self._things:
            target = TargetUpdated(target=self._things[change.marker], position=place)
            await self.publish(target, time_s=time_s)

    async def _show(self, shot: Shot, found: list[MarkerInPicture]) -> None:
        preview, tracks = self._preview, self._tracks
        if preview is None or tracks is None:
            return
        picture: Any = shot.picture
        if preview.wants(shot.time_s):
            from sera.vision.marker_overlay import draw_markers

            picture = await self.blocking(
                draw_markers,
                shot.picture,
                found,
                tracks.present,
                camera=tracks.camera,
                names=self._things,
            )
        preview.show(picture, shot.time_s)

    async def _tell_state(self, sight: Sight) -> None:
        assert self._steady is not None
        assert self._view is not None
        now_s = self.clock.now()
        status, problem = sight.status, sight.problem
        if status is SensorStatus.OK and (problem := self._doubt()) is not None:
            status = SensorStatus.DEGRADED
        told = self._told
        changed = told is None or (told.status, told.problem) != (status, problem)
        if not changed and now_s - self._told_s < STATE_EVERY_S:
            return
        before = 0 if told is None else told.counts["frames"]
        passed_s = now_s - self._told_s
        rate_hz = 0.0 if told is None or passed_s <= 0 else (
            (self._counts["frames"] - before) / passed_s
        )  # fmt: skip
        delays_s = sorted(self._delays_s)
        state = SensorState(
            sense="markers",
            status=status,
            problem=problem,
            device=self._steady.device,
            rate_hz=round(rate_hz, 2),
            delay_s=round(max(0.0, delays_s[len(delays_s) // 2]), 4) if delays_s else None,
            counts={**self._counts, "dropped": self._steady.dropped},
        )
        self._told, self._told_s = state, now_s
        await self.publish(state)

    def _doubt(self) -> str | None:
        """What else is wrong although pictures come."""
        assert self._view is not None
        if self._tracks is not None and self._tracks.doubled:
            names = ", ".join(str(marker) for marker in self._tracks.doubled)
            return f"{names} is in view more than once: print every card with a number of its own."
        return self._view.problem


__all__ = ["MarkerTracker"]
