"""The media player: sounds on this machine, pictures and films on a page.

Design overview
    WAV files of the scenario's folder `media` are played by the players of `sera.speech`.
    Everything else is shown by a page of the gateway (`/static/media.html`, or a scenario's own):
    it gets the ActivityCommand `show_media` and tells `media_started`, `media_shown` every few
    seconds, and `media_finished` as ActivityEvents. Every PlayMedia ends with one MediaFinished.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread; files are read in another one.

Safety
    Files are found by name among those of the folder, so that no name leads outside. An
    EmergencyStop ends everything at once, and nothing is played until an EmergencyRelease.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import Field, JsonValue

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    MediaFinished,
    PlayMedia,
    SpeechOutcome,
    StopMedia,
)
from sera.runtime import Role
from sera.speech import Player, SilentSink, Speech, WavError, best_sink, read_wav
from sera.speech.wav import louder

from ._files import MediaKind, MediaProblem, Medium, find_medium
from ._showing import Showing

STEP_S = 0.1
MOST_AT_ONCE = 16
FOLDER = "media"
"""Beside the scenario file; the gateway serves the same one."""


class MediaPlayer(Module):
    """Plays and shows what the scenario's media folder holds."""

    role = Role.ACTIVITY

    class Settings(Module.Settings):
        """How long pages are waited for."""

        page_starts_s: float = Field(default=5.0, gt=0)
        """How long a page may take to show something."""
        page_silent_s: float = Field(default=15.0, gt=0)
        """After how long without a sign a page counts as gone."""

    async def start(self) -> None:
        self._folder = (self.context.folder or Path()) / FOLDER
        self._showing: dict[str, Showing] = {}
        self._stopped_for_safety = False

    async def run(self) -> None:
        while True:
            await self.clock.sleep(STEP_S)
            settings, now_s = self.settings, self.clock.now()
            for showing in list(self._showing.values()):
                why = showing.overdue(now_s, settings.page_starts_s, settings.page_silent_s)
                if why is not None:
                    self.fault(why, warning=True)
                    await self._finish(showing, completed=False, problem=why)

    async def stop(self) -> None:
        for showing in self._showing.values():
            if showing.sound is not None:
                showing.sound.cancel()

    @on(PlayMedia)
    async def play(self, message: PlayMedia, envelope: Envelope) -> None:
        action = envelope.id
        try:
            medium = await self.blocking(find_medium, self._folder, message.media)
            self._check_room()
        except MediaProblem as problem:
            self.fault(str(problem), warning=True, about=envelope)
            ended = MediaFinished(
                media=message.media, action=action, completed=False, problem=str(problem)
            )
            await self.publish(ended, cause=action)
            return
        showing = Showing(action, message.media, medium, message.screen, self.clock.now())
        if medium.kind is MediaKind.SOUND_HERE:
            self._showing[action] = showing
            showing.sound = asyncio.create_task(self._sound(showing, message))
            return
        for other in list(self._showing.values()):
            if other.sound is None and other.screen == message.screen:
                # A picture has no end of its own: it was shown until the next one came.
                is_picture = other.medium.kind is MediaKind.PICTURE and other.started
                await self._finish(other, completed=is_picture)
        self._showing[action] = showing
        await self._show(showing, message)

    def _check_room(self) -> None:
        if self._stopped_for_safety:
            raise MediaProblem("nothing is played during an emergency stop")
        if len(self._showing) >= MOST_AT_ONCE:
            raise MediaProblem(f"{MOST_AT_ONCE} media are played already")

    @on(StopMedia)
    async def stop_media(self, message: StopMedia) -> None:
        for showing in list(self._showing.values()):
            named = message.media in (None, showing.media)
            here = showing.sound is not None or showing.screen == message.screen
            if named and here:
                await self._finish(showing, completed=False)

    @on(EmergencyStop)
    async def stop_for_safety(self, _message: EmergencyStop) -> None:
        self._stopped_for_safety = True
        for showing in list(self._showing.values()):
            if showing.sound is not None:
                showing.sound.cancel()
        for showing in list(self._showing.values()):
            await self._finish(showing, completed=False)

    @on(EmergencyRelease)
    async def release(self, _message: EmergencyRelease) -> None:
        self._stopped_for_safety = False

    @on(ActivityEvent)
    async def hear_page(self, message: ActivityEvent) -> None:
        showing = self._showing.get(str(message.data.get("action")))
        if showing is None or showing.sound is not None:
            return
        if message.event in ("media_started", "media_shown"):
            showing.started = showing.started or message.event == "media_started"
            showing.heard_s = self.clock.now()
        elif message.event == "media_finished":
            problem = message.data.get("problem")
            sentence = str(problem)[:200] if problem else None
            completed = message.data.get("completed") is True and sentence is None
            await self._finish(showing, completed=completed, problem=sentence, hide=False)

    async def _show(self, showing: Showing, message: PlayMedia) -> None:
        await self._order(
            "show_media",
            showing,
            media=showing.media,
            url=showing.medium.url,
            kind=showing.medium.kind.value,
            volume=message.volume,
            loop=message.loop,
            start_s=message.start_s,
        )

    async def _order(self, command: str, showing: Showing, **data: str | float | bool) -> None:
        told: dict[str, JsonValue] = {"action": showing.action, "screen": showing.screen, **data}
        await self.publish(ActivityCommand(command=command, data=told), cause=showing.action)

    async def _finish(
        self,
        showing: Showing,
        *,
        completed: bool,
        problem: str | None = None,
        hide: bool = True,
    ) -> None:
        if self._showing.pop(showing.action, None) is None:
            return
        if showing.sound is not None:
            if showing.sound is not asyncio.current_task():
                showing.sound.cancel()
        elif hide:
            await self._order("hide_media", showing)
        ended = MediaFinished(
            media=showing.media, action=showing.action, completed=completed, problem=problem
        )
        await self.publish(ended, cause=showing.action)

    async def _sound(self, showing: Showing, message: PlayMedia) -> None:
        """Play a sound to its end, or again and again, and report it whatever happens."""
        try:
            speech = await self.blocking(_speech_of, showing.medium, message)
            player = Player(SilentSink() if self.clock.kind == "virtual" else best_sink())
            played = await player.play(speech)
            while message.loop and played.outcome is SpeechOutcome.COMPLETED:
                played = await player.play(speech)
        except Exception as error:
            why = f"'{showing.media}' cannot be played: {error}"
            self.fault(why, warning=True)
            await self._finish(showing, completed=False, problem=why)
            return
        whole = played.outcome is SpeechOutcome.COMPLETED
        await self._finish(showing, completed=whole, problem=played.problem or None)


def _speech_of(medium: Medium, message: PlayMedia) -> Speech:
    sound = read_wav(medium.path.read_bytes())
    pcm = sound.pcm[2 * round(message.start_s * sound.rate_hz) :]
    if not pcm:
        raise WavError(f"it is {sound.duration_s:.1f} s long and has no {message.start_s:g} s")
    if message.volume != 1.0:
        pcm = louder(pcm, message.volume)
    return Speech(medium.path.stem, sound.rate_hz, len(pcm) / 2 / sound.rate_hz, pcm)


__all__ = ["MediaPlayer"]
