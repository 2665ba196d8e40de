"""The animation engine: turns what a character does into frames for its body.

Design overview
    Loads the body, its repertoire and its program, then makes a frame at a steady rate and
    publishes it as JointFrame for the bridge. What orders mean is `sera.animation.Animator`'s;
    this module carries messages and keeps time. Files that change are read again while it runs.

Units and frames
    As the messages say: angles people choose in degrees, joints in radians.

Threading
    Frames are made in the event loop; files are read in a thread.

Safety
    Frames stay within the body's limits. The bridge has limits, stop and time-outs of its own and
    needs nothing of this module. While the body is stopped or out of reach no frame is made; after
    it, motion goes on from where the body is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from sera import Module, on
from sera.animation.animator import Animator
from sera.animation.channels import Kind
from sera.animation.output import Choker, OutputFilters, OutputFrame, RepeatedValueFilter
from sera.animation.stage_set import StageSet
from sera.bus import Subscription
from sera.messages import (
    AnimationFinished,
    AnimationOutcome,
    BodyHealth,
    BodyState,
    EmergencyStop,
    EngineState,
    Envelope,
    Gaze,
    JointFrame,
    Message,
    PlayAnimation,
    Point,
    SetEmotion,
    SetLayer,
    SetPosture,
    SpeechFinished,
    SpeechWord,
    StopAnimation,
    WatchBlend,
)
from sera.runtime import Role
from sera.runtime.located import FileProblems
from sera.runtime.workspace import Workspace

STATE_EVERY_S = 1.0
LOOK_AT_FILES_EVERY_S = 0.5
_PARALYSED = (BodyHealth.STOPPED, BodyHealth.UNREACHABLE)


class AnimationEngine(Module):
    """Makes a body's frames."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """Which program, how fast."""

        program: str | None = None
        """Name of the program file where it is not program.toml."""
        rate_hz: float | None = Field(default=None, ge=10, le=200)
        """Frames a second; what the body wants unless given."""
        posture: str | None = None
        """Posture to begin with, where it is not the program's."""
        wait_for_body_s: float = Field(default=1.0, ge=0, le=60)
        """How long to wait for the body's first measured pose before moving."""

    async def start(self) -> None:
        robot = self.context.robot
        if robot is None:
            raise RuntimeError(
                f"the character '{self.character}' has no robot to animate; write "
                f'robot = "adelino" in [characters.{self.character}]'
            )
        self._set = StageSet.find(
            robot.folder,
            tuple(Workspace.discover().roots),
            scenario=self.context.folder,
            program=self.settings.program,
            seed=self.random.getrandbits(31),
        )
        self._pose: dict[str, float] | None = None
        self._health = BodyHealth.OK
        self._cause: str | None = None
        """The last order since the frame before: what a motion is traced back by."""
        self._late = 0
        self._slowest_s = 0.0
        self._problem: str | None = None
        self._watch_until_s = self._watch_next_s = self._watch_every_s = 0.0
        self._inputs: Subscription | None = None
        self._marks = self._set.fingerprint()
        self._animator = await self.blocking(self._made)
        if self.settings.posture is not None:
            self._animator.handle(SetPosture(posture=self.settings.posture, blend_s=0.0))
        rate_hz = min(self._animator.program.output_rate_hz, 1.0 / self._animator.engine.step_s)
        repeats = self._animator.program.repeat_unchanged
        self._filters = OutputFilters(
            choker=Choker(rate_hz),
            repeated=RepeatedValueFilter(refresh_s=0.0 if repeats else 0.4),
        )
        own = self._set.body.own
        self._joints = {
            n for n in own if own[n].kind is Kind.STATIONARY and n in self._set.body.joints
        }
        await self._hear_inputs()

    def _made(self) -> Animator:
        animator = Animator(
            self._set.program(), rate_hz=self.settings.rate_hz, on_fault=self._muted
        )
        # The first frames load the kernels, which takes longer than a frame: make them unseen.
        trial = Animator(self._set.program(), rate_hz=self.settings.rate_hz)
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
        step_s = self._animator.engine.step_s
        due_s = self.clock.now()
        next_state_s = next_look_s = due_s
        while True:
            begun_s = self.clock.now()
            if self._health not in _PARALYSED:
                # By its moment on the grid: a frame that is made a little late is still its own.
                await self._frame(due_s)
            if begun_s >= next_state_s:
                next_state_s = begun_s + STATE_EVERY_S
                await self.publish(self._state())
            if begun_s >= next_look_s and self.clock.kind == "real":
                next_look_s = begun_s + LOOK_AT_FILES_EVERY_S
                await self._look_at_files()
            due_s += step_s
            now_s = self.clock.now()
            self._slowest_s = max(self._slowest_s, now_s - begun_s)
            if now_s > due_s:  # moments that were missed are skipped, never made up for
                missed = int((now_s - due_s) / step_s) + 1
                self._late += missed
                due_s += missed * step_s
            await self.clock.sleep_until(due_s)

    async def _wait_for_body(self) -> None:
        until_s = self.clock.now() + self.settings.wait_for_body_s
        while self._pose is None and self.clock.now() < until_s:
            await self.clock.sleep(0.02)
        if self._pose is not None:
            self._animator.engine.start_from(self._pose)

    async def _frame(self, now_s: float) -> None:
        animator = self._animator
        values = animator.step()
        frame = OutputFrame(values=values, time_s=now_s, sequence=animator.engine.frame)
        sent = self._filters.pass_on(frame, dirty=True, now_s=now_s)
        if sent is not None:
            joints = {name: value for name, value in sent.values.items() if name in self._joints}
            others = {n: value for n, value in sent.values.items() if n not in self._joints}
            cause, self._cause = self._cause, None
            await self.publish(
                JointFrame(joints_rad=joints, channels=others, frame=animator.engine.frame),
                cause=cause,
            )
        for end in animator.ended():
            await self.publish(end, cause=end.action)
        if self._watch_until_s > now_s >= self._watch_next_s:
            self._watch_next_s = now_s + self._watch_every_s
            await self.publish(animator.blend_report())

    def _state(self) -> EngineState:
        animator = self._animator
        muted = animator.muted
        problem = self._problem or (f"muted: {', '.join(muted)}" if muted else None)
        slowest_ms, self._slowest_s = 1000.0 * self._slowest_s, 0.0
        return EngineState(
            program=animator.program.title,
            problem=problem,
            layers={name: round(weight, 4) for name, weight in animator.weights.items()},
            posture=animator.posture,
            playing=animator.playing,
            rate_hz=1.0 / animator.engine.step_s,
            counts={
                "frames": animator.engine.frame,
                "late": self._late,
                "branch_changes": animator.branch_changes,
                "refused": animator.refused,
            },
            slowest_frame_ms=round(slowest_ms, 3),
        )

    async def _look_at_files(self) -> None:
        marks = self._set.fingerprint()
        if marks == self._marks:
            return
        self._marks = marks
        try:
            program = await self.blocking(self._set.program)
            engine = await self.blocking(self._animator.compiled, program)
        except (FileProblems, ValueError, LookupError) as error:
            self._problem = "a changed file is not in use; the program before goes on"
            self.fault(f"{self._problem}: {error}", warning=True)
            return
        self._animator.exchange(program, engine)
        self._problem = None
        await self._hear_inputs()
        self.log.info("took over the changed program %s", program.path)

    def _muted(self, layer: str, controller: str, sentence: str) -> None:
        self.fault(f"controller '{controller}' of '{layer}' is muted: {sentence}", warning=True)

    # -- messages ---------------------------------------------------------------------------

    @on(Gaze, Point, StopAnimation, SetPosture, SetLayer, SetEmotion, SpeechWord, SpeechFinished)
    async def follow(self, message: Message, envelope: Envelope) -> None:
        try:
            self._animator.handle(message, envelope.id)
            self._cause = envelope.id
        except (LookupError, ValueError) as error:
            self.fault(_sentence(envelope, error), warning=True, about=envelope)

    @on(PlayAnimation)
    async def play(self, message: PlayAnimation, envelope: Envelope) -> None:
        try:
            self._animator.handle(message, envelope.id)
            self._cause = envelope.id
        except (LookupError, ValueError) as error:
            self.fault(_sentence(envelope, error), warning=True, about=envelope)
            await self.publish(
                AnimationFinished(
                    animation=message.animation,
                    action=envelope.id,
                    outcome=AnimationOutcome.FAILED,
                    duration_s=0.0,
                )
            )

    @on(WatchBlend)
    async def watch(self, message: WatchBlend) -> None:
        now_s = self.clock.now()
        self._watch_until_s, self._watch_every_s = now_s + message.for_s, message.every_s
        self._watch_next_s = now_s

    @on(EmergencyStop)
    async def drop_everything(self, message: EmergencyStop, envelope: Envelope) -> None:
        self._animator.handle(message, envelope.id)

    @on(BodyState)
    async def feel(self, message: BodyState) -> None:
        measured = {**message.joints_rad}
        if not measured:
            self._health = message.health
            return
        self._pose = measured
        was, self._health = self._health, message.health
        if was in _PARALYSED and message.health not in _PARALYSED:
            self._animator.engine.start_from(measured)
            self._filters.reset()
        else:
            self._animator.engine.heartbeat(measured)


def _sentence(envelope: Envelope, error: Exception) -> str:
    return f"{envelope.type} from {envelope.source}: {error.args[0] if error.args else error}"


__all__: Sequence[str] = ["AnimationEngine"]
