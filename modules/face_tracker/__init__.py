"""The face tracker: people in front of a camera, where they are and where their faces point.

Design overview
    `sera.vision` has the engine and the sources; this module has the camera's place in the room and
    carries what is seen to the bus: PersonDetected, PersonMoved, PersonLost, HeadDirection, and how
    the camera is as SensorState. The newest picture counts: what came while one was worked on is
    left out and counted.

Units and frames
    Metres in the scenario's space, by the pose of `[space.cameras.NAME]`; without one the camera is
    taken to sit at the first robot's eyes and to look where the robot faces. The time of every
    message is that at which its picture was taken.

Threading
    Pictures are worked on in a thread, one at a time; everything else in the event loop.

Safety
    No camera, a black picture or missing models are a SensorState with a sentence, never the end of
    the module. Pictures leave the process only by the preview page and the console's live picture:
    on this machine, by token, and never to a disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from sera import Module, on
from sera.messages import Envelope, GazeState, PersonLost, SensorState, SensorStatus
from sera.runtime import Role

from ._sensor import SensorBook
from ._view import Placed, placed_camera

if TYPE_CHECKING:
    from sera.feeds.picture import PictureFeed
    from sera.vision.face_engine import FaceEngine, View
    from sera.vision.preview import PreviewServer
    from sera.vision.source import Frame
    from sera.vision.steady import Sight, SteadySource

    from ._telling import Teller


class FaceTracker(Module):
    """Follows people by their faces."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Which camera, and how patient."""

        source: str | int = 0
        """Webcam by number, network camera by address, or a video file beside the scenario."""
        camera: str | None = None
        """Which of `[space.cameras]` it is; left out, the only one."""
        fov_deg: float | None = Field(default=None, gt=5, lt=175)
        """Width of the picture as an angle, in place of the scenario's."""
        largest_people: int = Field(default=4, ge=1, le=12)
        """How many people are followed at most, the nearest first."""
        lost_after_s: float = Field(default=2.0, gt=0, le=60)
        """How long somebody may be unseen before being lost."""
        contact_deg: float = Field(default=14.0, gt=0, le=60)
        """Eye contact: the face points at the robot within so many degrees."""
        repeat: bool = False
        """Whether a video file begins again at its end."""
        ends_run: bool = False
        """Whether the run ends with a video file."""
        preview_port: int | None = Field(default=None, ge=0, le=65535)
        """Port of a page on this machine that shows the picture; 0: a free one; none: no page."""

    _engine: FaceEngine | None = None
    _steady: SteadySource | None = None
    _preview: PreviewServer | None = None
    _feed: PictureFeed | None = None
    _missing: str | None = None

    async def start(self) -> None:
        self._placed: Placed = placed_camera(
            self.context.scenario, self.settings.camera, self.settings.fov_deg, self.context.folder
        )
        if self._placed.problem is not None:
            self.fault(self._placed.problem, warning=True)
        self._book = SensorBook(doubt=self._placed.problem)
        try:
            await self.blocking(self._load)
        except ImportError:
            from sera.vision.source import NO_OPENCV

            self._missing = NO_OPENCV
            return
        from sera.vision.for_modules import open_preview

        self._preview = await open_preview(self, "people", self.settings.preview_port)

    def _load(self) -> None:
        from sera.vision.faces import best_face_engine
        from sera.vision.people_tracker import PeopleTracker

        from ._telling import Teller

        settings = self.settings
        tracker = PeopleTracker(
            largest_people=settings.largest_people, lost_after_s=settings.lost_after_s
        )
        self._engine, missing = best_face_engine(self._placed.model, tracker)
        self._book.doubt = missing or self._book.doubt
        self._teller: Teller = Teller(self._placed, settings.contact_deg)

    @on(GazeState)
    async def see_robot(self, message: GazeState, envelope: Envelope) -> None:
        """Eyes are met where the robot's face is, wherever its body has taken it."""
        place = message.position
        self._placed.move_face(envelope.character, (place.x_m, place.y_m, place.z_m))

    async def run(self) -> None:
        if self._missing is not None:
            state = SensorState(sense="camera", status=SensorStatus.MISSING, problem=self._missing)
            await self.publish(state)
            return
        from sera.feeds.for_modules import offer_picture
        from sera.vision.for_modules import steady_source

        settings = self.settings
        self._steady = steady_source(self, settings.source, repeat=settings.repeat)
        self._feed = await offer_picture(self, self._steady.device, settings.source)
        async for sight in self._steady.sights():
            await self._take(sight)
            if self._steady.ended and self.settings.ends_run and not self._people_known():
                await self.end_run("the video has ended")
                return

    async def stop(self) -> None:
        if self._steady is not None:
            self._steady.close()
        if self._preview is not None:
            await self._preview.stop()
        if self._feed is not None:
            await self._feed.stop()

    async def _take(self, sight: Sight) -> None:
        assert self._engine is not None
        assert self._steady is not None
        if sight.frame is None:
            view = self._engine.wait(sight.time_s)
        else:
            if self._feed is not None:  # before it is worked on: people wait for it
                self._feed.show(sight.frame.picture, sight.frame.time_s)
            view = await self.blocking(self._look, sight.frame)
        await self._tell(view)
        now_s = self.clock.now()
        if sight.frame is not None:
            self._book.worked_on(now_s - sight.time_s, len(view.people))
            await self._show(sight.frame, view)
        state = self._book.state(sight, now_s, self._steady.device, self._steady.dropped)
        if state is not None:
            await self.publish(state)

    def _look(self, frame: Frame) -> View:
        """In a thread: the only part that takes long."""
        assert self._engine is not None
        try:
            view = self._engine.look(frame)
        except Exception as error:  # one odd picture must not end the tracker
            self._book.failed(f"{type(error).__name__}: {error}")
            return self._engine.wait(frame.time_s)
        self._book.failed(None)
        return view

    async def _tell(self, view: View) -> None:
        for person, unseen_s in view.lost:
            self._teller.forget(person)
            lost = PersonLost(person=person, unseen_for_s=round(unseen_s, 3))
            await self.publish(lost, time_s=view.time_s)
        for seen in view.people:
            for message in self._teller.messages(seen):
                await self.publish(message, time_s=view.time_s)

    def _people_known(self) -> bool:
        return bool(self._teller.told)

    async def _show(self, frame: Frame, view: View) -> None:
        preview = self._preview
        if preview is None:
            return
        picture: Any = frame.picture
        if preview.wants(frame.time_s):
            from sera.vision.overlay import draw_overlay

            picture = await self.blocking(
                draw_overlay, frame.picture, view, self._placed.model, self._teller.looking
            )
        preview.show(picture, frame.time_s)


__all__ = ["FaceTracker"]
