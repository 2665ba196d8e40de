"""What Pepper does: look at the person, feel, wave, feel nothing, and wait for the answer.

Design overview
    Which greetings there are, and in which order, is `greetings.py`'s. Without a session they come
    one after the other, and forms are offered for as long as people have to answer; then the run
    is over. In a session the steps of `study.toml` lead: a step `show_corner_3` shows the third
    corner, and when the hand is down again the guide is told to go on to the form. A Wizard asks
    for single greetings (ShowGreeting), also in between.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    After an emergency stop nothing is shown until the release; what was cut off is shown again.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from pydantic import Field

from sera import Module, on
from sera.emotion import load_emotions
from sera.messages import (
    AnimationFinished,
    EmergencyRelease,
    EmergencyStop,
    EngineState,
    Envelope,
    FormOffered,
    GazeAt,
    GuideSession,
    Pad,
    PhaseStatus,
    PlayAnimation,
    SessionPhase,
    SessionState,
    SetEmotion,
)

from .greetings import Greeting, demonstration, greeting_by_name, session
from .messages import GreetingBegan, ShowGreeting

LONGEST_START_S = 60.0
"""How long an engine of its own process may take to be there."""
LONGEST_WAVE_S = 30.0
_STEP = "show_"


class GreetingDecision(Module):
    """Shows the greetings."""

    class Settings(Module.Settings):
        """Which greetings, and how fast."""

        sequence: Literal["demonstration", "session", "on_request"] = "demonstration"
        """`demonstration`: all corners and all four emotions; `session`: what one participant
        sees, in an order of their own; `on_request`: nothing but what a Wizard asks for."""
        led_by: Literal["clock", "steps"] = "clock"
        """Whether greetings follow by themselves or with the steps of a session."""
        wave: str = "greeting_wave"
        """Animation of the greeting."""
        blend_s: float = Field(default=1.5, ge=0.1, le=10)
        """How long an emotion takes to come, and to go."""
        settle_s: float = Field(default=2.0, ge=0, le=20)
        """From the beginning of the emotion to the beginning of the wave."""
        answer_s: float = Field(default=7.0, ge=0, le=600)
        """How long people have to answer; where steps lead, as long as they like."""
        pause_s: float = Field(default=2.0, ge=0, le=60)
        """After a greeting that nobody rates."""
        person: str = "observer"
        """Who is looked at."""
        participant: str = "visitor"
        """Pseudonym on the forms, where no session has one."""
        rating: str = "pepper_sam"
        """The form for a greeting that is rated."""
        naming: str = "emotion_choice"
        """The form for a greeting whose emotion is named."""
        ends_run: bool = True
        """Whether the run is over with the last greeting."""

    async def start(self) -> None:
        folder = self.context.folder
        self._named = load_emotions([] if folder is None else [Path(folder)]).named
        self._greetings = {
            "demonstration": lambda: demonstration(self._named),
            "session": lambda: session(self.random, self._named),
            "on_request": list,
        }[self.settings.sequence]()
        self._wanted: asyncio.Queue[Greeting] = asyncio.Queue()
        self._step: str | None = None
        self._count = 0
        self._wave: str | None = None
        self._waved, self._engine, self._free = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._free.set()

    async def run(self) -> None:
        await self._wait_for_the_body()
        await self.publish(GazeAt(target=self.settings.person))
        if self.settings.led_by == "clock" and self._greetings:
            for greeting in self._greetings:
                await self._show(greeting)
                await self._ask(greeting)
                while not self._wanted.empty():
                    await self._show(self._wanted.get_nowait())
            if self.settings.ends_run:
                await self.end_run("all greetings were shown")
        while True:
            greeting = await self._wanted.get()
            await self._show(greeting)
            if self._step == greeting.step:  # else somebody has gone on already
                await self.publish(GuideSession(do="next", by=self.source))

    # -- one greeting -----------------------------------------------------------------------

    async def _show(self, greeting: Greeting) -> None:
        settings, pad = self.settings, _pad(greeting)
        self._count += 1
        while True:
            await self._free.wait()
            await self.publish(
                GreetingBegan(
                    number=self._count, block=greeting.block, shown=greeting.shown, pad=pad
                )
            )
            await self.publish(GazeAt(target=settings.person))
            await self.publish(SetEmotion(pad=pad, blend_s=settings.blend_s))
            await self.clock.sleep(settings.settle_s)
            await self._greet()
            await self.publish(SetEmotion(name="neutral", blend_s=settings.blend_s))
            if self._free.is_set():
                return

    async def _greet(self) -> None:
        self._waved.clear()
        self._wave = await self.publish(PlayAnimation(animation=self.settings.wave))
        if self._wave is None:  # the dial left it to a Wizard
            return
        try:
            async with asyncio.timeout(LONGEST_WAVE_S):
                await self._waved.wait()
        except TimeoutError:
            self.fault(f"nobody said that '{self.settings.wave}' is over", warning=True)

    async def _ask(self, greeting: Greeting) -> None:
        settings = self.settings
        forms = {
            "practice": settings.rating, "corner": settings.rating, "emotion": settings.naming,
        }  # fmt: skip
        form = forms.get(greeting.block)
        if form is None:
            await self.clock.sleep(settings.pause_s)
            return
        await self.publish(FormOffered(questionnaire=form, participant=settings.participant))
        await self.clock.sleep(settings.answer_s)
        await self.publish(FormOffered(participant=settings.participant))

    @on(AnimationFinished)
    async def hand_is_down(self, message: AnimationFinished) -> None:
        if message.action == self._wave:
            self._waved.set()

    # -- who asks for greetings -------------------------------------------------------------

    @on(ShowGreeting)
    async def asked(self, message: ShowGreeting, envelope: Envelope) -> None:
        try:
            self._wanted.put_nowait(greeting_by_name(message.greeting, self._named))
        except LookupError as error:
            self.fault(str(error), warning=True, about=envelope)

    @on(SessionPhase)
    async def step_changed(self, message: SessionPhase) -> None:
        if message.step is None:
            return
        if message.status in (PhaseStatus.STARTED, PhaseStatus.REPEATED):
            self._begin_step(message.step)
        elif message.step == self._step and message.status is not PhaseStatus.RESUMED:
            self._step = None

    @on(SessionState)
    async def session_goes_on(self, message: SessionState) -> None:
        """A run that resumes a session is told of no step that began, only of where it stands."""
        going = [one.step for one in message.steps if one.status == "under_way"]
        if self._count == 0 and self._step is None and going and self._wanted.empty():
            self._begin_step(going[0])

    def _begin_step(self, step: str) -> None:
        self._step = step
        if self.settings.led_by != "steps" or not step.startswith(_STEP):
            return
        found = next((one for one in self._greetings if one.step == step), None)
        if found is None:
            known = ", ".join(one.step for one in self._greetings)
            self.fault(f"no greeting belongs to the step '{step}' (there are {known})")
        else:
            self._wanted.put_nowait(found)

    # -- the body ---------------------------------------------------------------------------

    async def _wait_for_the_body(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_START_S):
                await self._engine.wait()
        except TimeoutError:
            self.fault("there is no animation engine that would show greetings", warning=True)

    @on(EngineState)
    async def engine_is_there(self, _message: EngineState) -> None:
        self._engine.set()

    @on(EmergencyStop)
    async def stopped(self, _message: EmergencyStop) -> None:
        self._free.clear()
        self._waved.set()

    @on(EmergencyRelease)
    async def released(self, _message: EmergencyRelease) -> None:
        self._free.set()


def _pad(greeting: Greeting) -> Pad:
    pleasure, arousal, dominance = greeting.pad.values
    return Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)
