"""The behaviour manager: lines from sheets are said with their gaze and gestures, and eyes follow.

Design overview
    Four engines of `sera.behaviour` do the work: a library with its selector, the markup, the
    performer (queue, floor, questions) and the gaze machine. This module hands messages to them
    and their orders to the bus; it decides nothing itself.

Units and frames
    As the messages say: degrees, metres and seconds of the run's clock.

Threading
    The event loop's thread; sheets are read in a thread.

Safety
    An EmergencyStop ends what is said and drops what waits; voice and bridge stop by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from sera import Module, on
from sera.behaviour import performing
from sera.behaviour.findings import Finding
from sera.behaviour.gaze import BUILT_IN_POLICIES, EyesLight, GazeMachine, GazeOrder, find_policy
from sera.behaviour.gaze import Order as GazeOutcome
from sera.behaviour.library import Library, LibraryKeeper, fingerprint, read_libraries
from sera.behaviour.markup import MarkupSyntax, Step, TagDelimiters, fill, resolve
from sera.behaviour.performing import Performer, PlainLine
from sera.behaviour.selection import Selector, Wish
from sera.behaviour.space import Room
from sera.behaviour.targets import TargetTable, UnknownTarget, place_of
from sera.messages import (
    AnimationFinished,
    CancelReason,
    CancelUtterance,
    Clicked,
    Direction,
    EmergencyStop,
    Envelope,
    GazeAt,
    Glance,
    HeadDirection,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Point,
    PointAt,
    SetGazePolicy,
    SpeechActivity,
    SpeechFinished,
    SpeechHeard,
    SpeechStarted,
    SpeechWord,
    TargetRemoved,
    TargetUpdated,
    UtteranceCancelled,
)
from sera.runtime import Role

from ._body import abilities_of
from ._lines import Utterance
from ._stagehand import Stagehand
from ._steps import message_of

STEP_S = 0.05
LOOK_AT_SHEETS_EVERY_S = 0.5


class BehaviourManager(Module):
    """Says lines and looks at people, as one character."""

    role = Role.BEHAVIOUR

    class Settings(Module.Settings):
        """Which sheets, and how it behaves by itself."""

        libraries: list[str] = Field(default_factory=list)
        """Files beside the scenario: .xlsx, .ods or .csv."""
        language: str | None = None
        """Language of the lines where the sheet has several."""
        tag_sign: str = "/"
        """The sign around tags: `/name/` or `|name|`."""
        gaze_policy: str = "mutual"
        """random, mutual, mutual_joint or speaker; SetGazePolicy changes it."""
        eye_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Where the eyes are on the robot: to its left, up, forwards."""

    async def start(self) -> None:
        folder = self.context.folder or Path()
        files = [folder / name for name in self.settings.libraries]
        self._library = Library("none")
        self._keeper: LibraryKeeper | None = None
        if files:
            prints = {file: fingerprint(file) for file in files}
            reading = await self.blocking(read_libraries, files)
            self._keeper = LibraryKeeper(files, reading, prints)
            self._library = reading.library
            self._report(reading.findings)
        self._syntax = MarkupSyntax(
            delimiters=TagDelimiters(self.settings.tag_sign, self.settings.tag_sign)
        )
        scenario = self.context.scenario
        room = Room()
        if scenario is not None:
            who = scenario.characters.get(self.character)
            room = Room.from_scenario(scenario.space, who, self.settings.eye_m)
        self._targets = TargetTable(room)
        policy = find_policy(self.settings.gaze_policy, BUILT_IN_POLICIES)
        self._gaze = GazeMachine(self._targets, self.random, policy, self.clock.now())
        self._selector = Selector(self.random)
        self._performer = Performer()
        robot = self.context.robot
        self._abilities = abilities_of(None if robot is None else robot.folder)
        self._stagehand = Stagehand(
            publish=self.publish,
            fire=self._fire,
            backchannel=self._answer_back,
            give_back=self._selector.give_back,
            fault=self._warn,
            library=self._library.name,
        )
        self._animations: dict[str, tuple[str, int]] = {}

    async def run(self) -> None:
        async with asyncio.TaskGroup() as work:
            work.create_task(self._keep_time())
            work.create_task(self._follow_sheets())

    async def _keep_time(self) -> None:
        while True:
            await self.clock.sleep(STEP_S)
            now_s = self.clock.now()
            await self._look(self._gaze.step(now_s))
            await self._carry_out(self._performer.tick(now_s))

    async def _follow_sheets(self) -> None:
        """Read sheets again when they were saved; a broken save changes nothing."""
        while self._keeper is not None and self.clock.kind != "virtual":
            await self.clock.sleep(LOOK_AT_SHEETS_EVERY_S)
            prints = {path: fingerprint(path) for path in self._keeper.paths}
            saved = await self.blocking(self._keeper.look, prints, self.clock.now())
            if saved is None:
                continue
            self._library = saved.library
            self._report(saved.findings)
            if not saved.replaced:
                self._warn("a saved sheet cannot be used; the lines before it go on")

    def _report(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self._warn(str(finding))

    # -- lines ------------------------------------------------------------------------------

    @on(PerformUtterance)
    async def perform(self, message: PerformUtterance, envelope: Envelope) -> None:
        await self._perform(message, envelope.id, envelope.source)

    async def _perform(
        self, message: PerformUtterance, utterance: str, source: str, *, backchannel: bool = False
    ) -> bool:
        choice, line, text = None, None, message.text or ""
        if message.text is None:
            wish = Wish(message.line, message.category, message.subcategory, message.metadata)
            choice = self._selector.choose(self._library.lines, wish)
            line = choice.line
            if line is None:
                if not backchannel:
                    await self.publish(
                        UtteranceCancelled(
                            utterance=utterance, reason=CancelReason.NO_LINE, detail=choice.detail
                        )
                    )
                return False
            text = line.text_in(message.language or self.settings.language) or ""
        filled = fill(text, message.tags, self._syntax)
        known = resolve(filled, self._abilities)
        said = filled.line
        entry = Utterance.of(utterance, said.text, known, line, choice)
        self._stagehand.take(entry)
        performable = PlainLine(said.text, known.steps, tuple(said.pauses), tuple(said.rates))
        await self._carry_out(
            self._performer.handle(
                performing.Perform(
                    utterance,
                    performable,
                    priority=message.priority,
                    source=source,
                    same_order=_order_of(message),
                    is_question=entry.question,
                    is_backchannel=backchannel,
                ),
                self.clock.now(),
            )
        )
        return True

    @on(CancelUtterance)
    async def cancel(self, message: CancelUtterance) -> None:
        event = performing.Cancel(message.utterance, message.politely)
        await self._carry_out(self._performer.handle(event, self.clock.now()))

    @on(EmergencyStop)
    async def stop_everything(self, message: EmergencyStop) -> None:
        event = performing.Stop(message.reason or "emergency stop")
        await self._carry_out(self._performer.handle(event, self.clock.now()))

    @on(SpeechStarted, SpeechWord, SpeechFinished)
    async def hear_own_voice(self, message: SpeechStarted | SpeechWord | SpeechFinished) -> None:
        speeches, now_s = self._stagehand.speeches, self.clock.now()
        if message.speech not in speeches:
            return
        place = speeches[message.speech]
        event: performing.Event
        if isinstance(message, SpeechStarted):
            event = performing.VoiceStarted(*place, message.expected_duration_s)
        elif isinstance(message, SpeechWord):
            event = performing.VoiceWord(*place, message.index, message.offset)
        else:
            event = performing.VoiceFinished(*place, message.outcome)
            del speeches[message.speech]
        if not isinstance(message, SpeechWord):
            await self._look(self._gaze.robot_speaks(bool(speeches), now_s))
        await self._carry_out(self._performer.handle(event, now_s))

    @on(AnimationFinished)
    async def step_done(self, message: AnimationFinished) -> None:
        if message.action in self._animations:
            event = performing.StepDone(*self._animations.pop(message.action))
            await self._carry_out(self._performer.handle(event, self.clock.now()))

    async def _carry_out(self, orders: list[performing.Order]) -> None:
        await self._stagehand.carry_out(orders)

    async def _answer_back(self, question: str, category: str) -> None:
        """Say one line of the category at once; the performer holds the others meanwhile."""
        wanted = PerformUtterance(category=category)
        if not await self._perform(
            wanted, f"{question}-backchannel", self.source, backchannel=True
        ):
            nothing = performing.NoBackchannel()
            await self._carry_out(self._performer.handle(nothing, self.clock.now()))

    def _warn(self, sentence: str) -> None:
        self.fault(sentence, warning=True)

    async def _fire(self, utterance: str, index: int, step: Step) -> None:
        now_s = self.clock.now()
        target = step.target or ""
        try:
            if step.verb == "GAZE":
                await self._look(self._gaze.gaze_at(target, now_s, str(step)), utterance)
            elif step.verb == "GLANCE":
                seconds = step.arguments.get("seconds")
                lasts_s = float(seconds) if isinstance(seconds, int | float) else None
                await self._look(self._gaze.glance(target, now_s, lasts_s, str(step)), utterance)
            elif step.verb == "POINT":
                await self._point(target, None, utterance)
            else:
                message = message_of(step)
                if message is None:
                    self.fault(f"nothing performs {step}", warning=True)
                    return
                sent = await self.publish(message, cause=utterance)
                if sent is not None:
                    self._animations[sent] = (utterance, index)
        except UnknownTarget as error:
            self.fault(f"{step}: {error}", warning=True)

    # -- gaze -------------------------------------------------------------------------------

    async def _look(self, orders: list[GazeOutcome], cause: str | None = None) -> None:
        for order in orders:
            if isinstance(order, GazeOrder):
                await self.publish(order.message(), cause=cause)
            elif not isinstance(order, EyesLight):
                self.log.info("%s", order)

    async def _point(self, target: str, hold_s: float | None, cause: str | None) -> None:
        angles = self._targets.angles(target, self.clock.now(), self.random)
        if angles is None:
            self.fault(f"nobody knows where '{target}' is now", warning=True)
            return
        direction = Direction(
            horizontal_deg=angles.horizontal_deg, vertical_deg=angles.vertical_deg
        )
        await self.publish(Point(direction=direction, hold_s=hold_s, target=target), cause=cause)

    @on(GazeAt, Glance, PointAt)
    async def attend(self, message: GazeAt | Glance | PointAt, envelope: Envelope) -> None:
        now_s = self.clock.now()
        try:
            if isinstance(message, GazeAt):
                await self._look(self._gaze.gaze_at(message.target, now_s), envelope.id)
            elif isinstance(message, Glance):
                orders = self._gaze.glance(message.target, now_s, message.duration_s)
                await self._look(orders, envelope.id)
            else:
                await self._point(message.target, message.duration_s, envelope.id)
        except UnknownTarget as error:
            self.fault(str(error), warning=True, about=envelope)

    @on(SetGazePolicy)
    async def change_policy(self, message: SetGazePolicy, envelope: Envelope) -> None:
        try:
            policy = find_policy(message.policy, BUILT_IN_POLICIES).with_options(message.options)
        except (LookupError, ValueError) as error:
            self.fault(str(error.args[0]), warning=True, about=envelope)
            return
        await self._look(self._gaze.set_policy(policy, self.clock.now()))

    @on(TargetUpdated)
    async def place_target(self, message: TargetUpdated, envelope: Envelope) -> None:
        try:
            self._targets.place(message.target, place_of(message))
        except (LookupError, ValueError) as error:
            self.fault(str(error.args[0]), warning=True, about=envelope)
            return
        await self._look(self._gaze.target_changed(self.clock.now()))

    @on(TargetRemoved)
    async def remove_target(self, message: TargetRemoved) -> None:
        self._targets.remove(message.target)
        await self._look(self._gaze.target_changed(self.clock.now()))

    # -- people -----------------------------------------------------------------------------

    @on(PersonDetected, PersonMoved)
    async def see(self, message: PersonDetected | PersonMoved, envelope: Envelope) -> None:
        place, now_s = message.position, self.clock.now()
        where = None if place is None else (place.x_m, place.y_m, place.z_m)
        seen = self._gaze.person_seen(message.person, now_s, position_m=where)
        await self._look(seen, envelope.id)

    @on(PersonLost)
    async def lose(self, message: PersonLost, envelope: Envelope) -> None:
        orders = self._gaze.person_lost(message.person, self.clock.now())
        await self._look(orders, envelope.id)

    @on(HeadDirection)
    async def follow_head(self, message: HeadDirection) -> None:
        orders = self._gaze.head_direction(
            message.person,
            self.clock.now(),
            looks_at=message.looks_at,
            eye_contact=message.eye_contact,
        )
        await self._look(orders)

    @on(Clicked)
    async def click(self, message: Clicked) -> None:
        now_s = self.clock.now()
        if message.point is not None:
            self._targets.click(message.point.screen, message.point.x_px, message.point.y_px)
        elif message.element is not None:
            self._targets.click_on(message.element, now_s, self.random)
        await self._look(self._gaze.clicked(now_s))

    @on(SpeechActivity)
    async def listen(self, message: SpeechActivity) -> None:
        now_s = self.clock.now()
        event = performing.PersonSpeaking(message.speaking, message.person)
        await self._carry_out(self._performer.handle(event, now_s))
        if message.person is not None:
            await self._look(self._gaze.speech(message.person, message.speaking, now_s))

    @on(SpeechHeard)
    async def understand(self, message: SpeechHeard) -> None:
        event = performing.PersonHeard(message.text, message.person)
        await self._carry_out(self._performer.handle(event, self.clock.now()))


def _order_of(message: PerformUtterance) -> str:
    """What two modules may order at the same time by mistake."""
    if message.line is not None:
        return f"line:{message.line}"
    return "" if message.category is None else f"category:{message.category}"


__all__ = ["BehaviourManager"]
