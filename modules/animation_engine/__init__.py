"""The animation engine: turns what a character does into frames for its body.

Design overview
    Loads the body, its repertoire and its program, then makes a frame at a steady rate and
    publishes it as JointFrame for the bridge; where the face comes to be and look, and what it
    lacks of its target, is GazeState. What orders mean is `sera.animation.Animator`'s;
    this module carries messages and keeps time. Files that change are read again while it runs.

Units and frames
    As the messages say: angles people choose in degrees, joints in radians.

Threading
    Frames are made in the event loop; files are read in a thread, beside the frames.

Safety
    Frames stay within the body's limits. The bridge has limits, stop and time-outs of its own and
    needs nothing of this module. While the body is stopped, rests or is out of reach no frame is
    made, what was playing is over and joints held by hand are let go; after it, motion goes on
    from where the body is.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field

from sera import Module, on
from sera.bus import Subscription
from sera.messages import (
    AnimationFinished,
    AnimationOutcome,
    BodyHealth,
    BodyState,
    EmergencyStop,
    EmotionState,
    Envelope,
    Gaze,
    HoldJoints,
    Message,
    MoveHand,
    PlayAnimation,
    Point,
    RetimeAnimation,
    SetEmotion,
    SetEyesLight,
    SetFace,
    SetLayer,
    SetMood,
    SetPosture,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopAnimation,
    WatchBlend,
)
from sera.runtime import Role

from ._places import workspace_of

if TYPE_CHECKING:
    from sera.animation.animator import Animator

    from ._sending import Sender

STATE_EVERY_S = 1.0
LOOK_AT_FILES_EVERY_S = 0.25
FRESH_S = 0.3
"""A measured pose that is older says where the body was, not where it is."""
_PARALYSED = (BodyHealth.STOPPED, BodyHealth.RESTING, BodyHealth.UNREACHABLE)


class AnimationEngine(Module):
    """Makes a body's frames."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """Which program, how fast."""

        program: str | None = None
        """Name of the program file where it is not program.toml."""
        second_stage: str | None = None
        """What holds the posture while the body aims, in place of the program's: `erik`, or a
        stage of the scenario's `controllers`."""
        rate_hz: float | None = Field(default=None, ge=10, le=200)
        """Frames a second; what the body wants unless given."""
        send_hz: float | None = Field(default=None, ge=1, le=200)
        """Frames a second that leave the engine; as the program has it unless given. Fewer are for
        long simulations in which nobody looks at the motion; the bridge's frame_timeout_s must be
        longer than their gaps."""
        posture: str | None = None
        """Posture to begin with, where it is not the program's."""
        wait_for_body_s: float = Field(default=1.0, ge=0, le=60)
        """How long to wait for the body's first measured pose before moving."""

    async def start(self) -> None:
        robot, folder = self.context.robot, self.context.folder
        if robot is None:
            raise RuntimeError(
                f"the character '{self.character}' has no robot to animate; write "
                f'robot = "adelino" in [characters.{self.character}]'
            )
        # A second and a hundred megabytes: only the process that animates loads the engine.
        await self.blocking(importlib.import_module, "sera.animation.stage_set")
        from sera.animation.stage_set import StageSet

        from ._files import ProgramFiles
        from ._surroundings import surroundings

        workspace = workspace_of(folder, robot.folder)
        scenario = self.context.scenario
        stage_set = StageSet.find(
            robot.folder,
            workspace.roots,
            scenario=folder,
            program=self.settings.program,
            second_stage=self.settings.second_stage,
            seed=self.random.getrandbits(31),
        )
        around = surroundings(scenario, self.character, stage_set.body)
        stage_set = replace(stage_set, around=around)
        self._files = ProgramFiles(
            stage_set, workspace, None if scenario is None else scenario.path
        )
        self._measured_s: float | None = None
        """When the newest pose of the body was measured; None: no body has been heard of."""
        self._pose: dict[str, float] = {}
        self._health = BodyHealth.OK
        self._cause: str | None = None
        """The last order since the frame before: what a motion is traced back by."""
        self._late = 0
        self._slowest_s = 0.0
        self._watch_until_s = self._watch_next_s = self._watch_every_s = 0.0
        self._inputs: Subscription | None = None
        self._animator = await self.blocking(self._made)
        if self.settings.posture is not None:
            self._animator.handle(SetPosture(posture=self.settings.posture, blend_s=0.0))
        self._sender = self._sender_of(self._animator)
        await self._hear_inputs()

    def _sender_of(self, animator: Animator) -> Sender:
        from ._sending import Sender

        return Sender(animator.program, animator.engine.step_s, self.settings.send_hz)

    def _made(self) -> Animator:
        from sera.animation.animator import Animator

        from ._quick_start import skip_search_for_blas

        skip_search_for_blas()
        animator = Animator(
            self._files.program(),
            rate_hz=self.settings.rate_hz,
            on_fault=self._muted,
            on_refused=self._refused,
        )
        if self._files.is_first:
            # The first frames load kernels, which takes longer than a frame: make them unseen.
            trial = Animator(self._files.rehearsal(), rate_hz=self.settings.rate_hz)
            for _ in range(3):
                trial.step()
        return animator

    async def _hear_inputs(self) -> None:
        """Listen for messages that drive parameters of the program."""
        if self._inputs is not None:
            self._inputs.close()
            self._inputs = None
        wanted = [kind for kind in self._animator.program.hears if kind not in type(self).handlers]
        if wanted:
            self._inputs = await self.bus.subscribe(wanted, self._input)

    def _input(self, envelope: Envelope) -> None:
        self._animator.program.receive(envelope.message)

    async def run(self) -> None:
        await self._wait_for_body()
        async with asyncio.TaskGroup() as work:
            work.create_task(self._make_frames())
            work.create_task(self._follow_files())

    async def _make_frames(self) -> None:
        from ._state import state_of

        step_s = self._animator.engine.step_s
        start_s = self.clock.now()
        moment, next_state_s = 0, start_s
        while True:
            # By its moment on the grid: a frame that is made a little late is still its own.
            due_s = start_s + moment * step_s
            begun_s = self.clock.now()
            if self._health not in _PARALYSED:
                await self._frame(due_s)
            if due_s >= next_state_s:
                next_state_s = due_s + STATE_EVERY_S
                await self.publish(
                    state_of(self._animator, self._files.problem, self._late, self._slowest_s)
                )
                self._slowest_s = 0.0
            now_s = self.clock.now()
            self._slowest_s = max(self._slowest_s, now_s - begun_s)
            moment += 1
            if now_s > start_s + moment * step_s:  # missed: skipped, never made up for
                missed = int((now_s - start_s) / step_s) + 1 - moment
                self._late += missed
                moment += missed
            await self.clock.sleep_until(start_s + moment * step_s)

    async def _wait_for_body(self) -> None:
        """Begin where the body is, as far as it says so in time."""
        begun_s = self.clock.now()
        while self.clock.now() < begun_s + self.settings.wait_for_body_s:
            # What waited in the inbox while files were read may be long past.
            if self._measured_s is not None and self._measured_s >= begun_s - FRESH_S:
                break
            await self.clock.sleep(0.02)
        self._animator.engine.start_from(self._pose)

    async def _frame(self, now_s: float) -> None:
        animator = self._animator
        values = animator.step()
        frame = self._sender.frame(values, animator.engine.frame, now_s)
        if frame is not None:
            cause, self._cause = self._cause, None
            await self.publish(frame, cause=cause)
        await self._tell_ends()
        gaze = animator.gaze_news(now_s)
        if gaze is not None:
            await self.publish(gaze)
        if self._watch_until_s > now_s >= self._watch_next_s:
            self._watch_next_s = now_s + self._watch_every_s
            await self.publish(animator.blend_report())

    async def _tell_ends(self) -> None:
        for end in self._animator.ended():
            await self.publish(end, cause=end.action)
        for moved in self._animator.hands_moved():
            await self.publish(moved, cause=moved.action)

    async def _follow_files(self) -> None:
        """Take over what people change while it runs; not in virtual time, where nobody does."""
        while self.clock.kind != "virtual":
            await self.clock.sleep(LOOK_AT_FILES_EVERY_S)
            before = self._files.problem
            made = await self.blocking(self._files.changed, self._animator)
            if made is not None and self._files.take_over(made, self._animator):
                self._sender = self._sender_of(self._animator)
                await self._hear_inputs()
                self.log.info("took over the changed program %s", self._animator.program.path)
            problem = self._files.problem
            if problem is not None and problem != before:
                self.fault(problem, warning=True)

    def _muted(self, layer: str, controller: str, sentence: str) -> None:
        self.fault(f"controller '{controller}' of '{layer}' is muted: {sentence}", warning=True)

    def _refused(self, layer: str, controller: str, sentence: str) -> None:
        self.fault(f"controller '{controller}' of '{layer}': {sentence}", warning=True)

    # -- messages ---------------------------------------------------------------------------

    @on(Gaze, StopAnimation, SetPosture, SetFace, SetEyesLight, SetLayer, SetEmotion, SetMood)
    @on(EmotionState, RetimeAnimation)
    @on(SpeechStarted, SpeechWord, SpeechFinished)
    async def follow(self, message: Message, envelope: Envelope) -> None:
        self._try(message, envelope)

    @on(Point, PlayAnimation, HoldJoints, MoveHand)
    async def act(
        self, message: Point | PlayAnimation | HoldJoints | MoveHand, envelope: Envelope
    ) -> None:
        """What happens now or not at all: it does not wait for a body that cannot move."""
        lets_go = isinstance(message, HoldJoints) and not message.joints_rad
        if self._health in _PARALYSED and not lets_go:
            what = f"{envelope.type} from {envelope.source}: the body is {self._health}"
            self.fault(f"{what}; ask again when it can move", warning=True, about=envelope)
        elif self._try(message, envelope):
            return
        if isinstance(message, PlayAnimation):
            await self.publish(
                AnimationFinished(
                    animation=message.animation,
                    action=envelope.id,
                    outcome=AnimationOutcome.FAILED,
                    duration_s=0.0,
                )
            )

    def _try(self, message: Message, envelope: Envelope) -> bool:
        """Do what an order asks for, or tell its sender why not."""
        try:
            self._animator.handle(message, envelope.id)
        except (LookupError, ValueError) as error:
            why = error.args[0] if error.args else error
            summary = f"{envelope.type} from {envelope.source}: {why}"
            self.fault(summary, warning=True, about=envelope)
            return False
        for remark in self._animator.remarks():
            self.fault(f"from {envelope.source}: {remark}", warning=True, about=envelope)
        self._cause = envelope.id
        return True

    @on(WatchBlend)
    async def watch(self, message: WatchBlend) -> None:
        self._watch_next_s = self.clock.now()
        self._watch_until_s = self._watch_next_s + message.for_s
        self._watch_every_s = message.every_s
        self._animator.program.receive(message)

    @on(EmergencyStop)
    async def drop_everything(self, message: EmergencyStop) -> None:
        self._animator.handle(message)
        await self._drop_animations()

    async def _drop_animations(self) -> None:
        """What was playing is over, and whoever waits for it is told so at once."""
        from sera.animation.controllers import Animate

        for _layer, player in self._animator.program.find(Animate):
            player.drop()
        self._animator.engine.hand.drop()
        await self._tell_ends()

    @on(BodyState)
    async def feel(self, message: BodyState, envelope: Envelope) -> None:
        self._animator.program.receive(message)
        was, self._health = self._health, message.health
        if message.health in _PARALYSED and was not in _PARALYSED:
            await self._drop_animations()
        if not message.joints_rad:
            return
        is_first = self._measured_s is None
        self._pose, self._measured_s = message.joints_rad, envelope.time
        if is_first or (was in _PARALYSED and message.health not in _PARALYSED):
            self._animator.engine.start_from(self._pose)
            self._sender.reset()
        else:
            self._animator.engine.heartbeat(self._pose)


__all__: Sequence[str] = ["AnimationEngine"]
