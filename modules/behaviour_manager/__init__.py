"""The behaviour manager: lines from sheets are said with their gaze and gestures, and eyes follow.

Design overview
    Engines of `sera.behaviour` do the work: a library with its selector, the markup, the performer
    (queue, floor, questions) and the gaze machine. This module hands messages to them and their
    orders to the bus; it decides nothing itself. The parts beside it: `_prompter` (which line),
    `_stagehand` (the performer's orders), `_gestures` (steps that meet their words), `_timing` (how
    long the body takes), `_eyes` (gaze and targets), `_sheets` and `_hearers` (files).

Units and frames
    As the messages say: degrees, metres and seconds of the run's clock.

Threading
    The event loop's thread; files are read and written in a thread.

Safety
    An EmergencyStop ends what is said and drops what waits; voice and bridge stop by themselves.
"""

from __future__ import annotations

import asyncio

from sera import Module, on
from sera.behaviour import performing
from sera.behaviour.performing import Performer, PerformerSettings, WordTimes
from sera.behaviour.performing.performer import State
from sera.behaviour.targets import UnknownTarget
from sera.messages import (
    ActionExpired,
    AnimationFinished,
    ArrangeUtterance,
    Autonomy,
    AutonomyChanged,
    CancelReason,
    CancelUtterance,
    Channel,
    Clicked,
    ConditionAssigned,
    EmergencyStop,
    Envelope,
    ExpiryReason,
    Gaze,
    GazeAt,
    Glance,
    HeadDirection,
    MediaFinished,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    PersonMoved,
    PointAt,
    SetGazePolicy,
    SpeechActivity,
    SpeechFinished,
    SpeechHeard,
    SpeechPrepared,
    SpeechStarted,
    SpeechWord,
    SuggestionResolved,
    TargetRemoved,
    TargetUpdated,
    UtteranceCancelled,
)
from sera.runtime import Dial, Role

from ._eyes import Ordered
from ._gestures import Gestures
from ._hearers import Hearers
from ._preparing import eyes_of, prompter_of, sheets_of, syntax_of
from ._settings import BehaviourSettings
from ._sheets import Read
from ._stagehand import Stagehand
from ._telling import Teller
from ._timing import Timing

STEP_S = 0.1
LEAST_WAIT_S = 0.001
"""A deadline is never so near that the clock would not get there."""
LOOK_AT_SHEETS_EVERY_S = 0.5


class BehaviourManager(Module):
    """Says lines and looks at people, as one character."""

    role = Role.BEHAVIOUR

    class Settings(BehaviourSettings):
        """Which sheets, and how it behaves by itself."""

    async def start(self) -> None:
        context, settings = self.context, self.settings
        self._syntax = syntax_of(context, settings)
        self._sheets = await self.blocking(sheets_of, context, settings, self._syntax)
        self._prompter = prompter_of(self, self._syntax, self._sheets)
        self._eyes = eyes_of(self)
        self._hearers = Hearers(settings.memory_folder(context.folder))
        self._in_study = False
        self._dial = Dial()
        verbs, folder = self._syntax.verbs, context.folder
        timing = await self.blocking(Timing, context.robot, folder, verbs, self._eyes)
        figures = PerformerSettings(**settings.performer_figures())
        self._performer = Performer(figures, timing.reach_of)
        self._gestures = Gestures(timing, self._eyes, verbs, self.publish, self._warn, self.clock)
        self._stagehand = Stagehand(
            publish=self.publish,
            gestures=self._gestures,
            backchannel=self._answer_back,
            give_back=lambda line: self._prompter.give_back(line, self._hearers.memories),
        )
        self._happened = asyncio.Event()
        self._teller = Teller(self._performer, self._stagehand, self._eyes)
        if settings.participant is not None:
            await self._welcome(settings.participant, str(context.options.get("run", "")))
        await self._use(await self.blocking(self._sheets.read))
        await self._tell_state()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as work:
            work.create_task(self._keep_looking())
            work.create_task(self._keep_turns())
            work.create_task(self._follow_sheets())

    async def stop(self) -> None:
        await self._remember()

    async def _keep_looking(self) -> None:
        while True:
            await self.clock.sleep(STEP_S)
            await self._eyes.step()
            if self._eyes.stirred:
                await self._tell_state()

    async def _keep_turns(self) -> None:
        """Let the performer know the time when it has something to do, and not before."""
        while True:
            self._happened.clear()
            due_s = self._performer.next_deadline_s
            try:
                wait_s = None if due_s is None else max(LEAST_WAIT_S, due_s - self.clock.now())
                async with asyncio.timeout(wait_s):
                    await self._happened.wait()
            except TimeoutError:
                await self._carry_out(self._performer.tick(self.clock.now()))

    # -- sheets and memories ----------------------------------------------------------------

    async def _follow_sheets(self) -> None:
        """Read sheets again when they were saved; in a study they wait for the next session."""
        while self.settings.reload and self.clock.kind != "virtual":
            await self.clock.sleep(LOOK_AT_SHEETS_EVERY_S)
            now_s = self.clock.now()
            await self._use(await self.blocking(self._sheets.look, now_s, hold=self._in_study))

    async def _use(self, read: Read | None) -> None:
        self._prompter.library = self._sheets.library
        self._stagehand.library = self._sheets.library.name
        if read is not None:
            await self.publish(read.loaded)
            if read.problem is not None:
                self.fault(read.problem, warning=True)

    @on(ConditionAssigned)
    async def begin_session(self, message: ConditionAssigned) -> None:
        """From now on lines are for this participant, and sheets stay as they are."""
        # What was saved since the last session is for this one.
        await self._use(await self.blocking(self._sheets.look, self.clock.now(), hold=False))
        self._in_study = True
        await self._welcome(message.participant, message.session)

    async def _welcome(self, participant: str, session: str) -> None:
        await self._remember()
        for problem in await self.blocking(self._hearers.begin, participant, session):
            self.fault(problem, warning=True)

    async def _remember(self) -> None:
        problem = await self.blocking(self._hearers.save)
        if problem is not None:
            self.fault(problem, warning=True)

    # -- lines ------------------------------------------------------------------------------

    @on(PerformUtterance)
    async def perform(self, message: PerformUtterance, envelope: Envelope) -> None:
        why_not = await self._perform(message, envelope.id, envelope.source)
        if why_not is not None:
            refused = UtteranceCancelled(
                utterance=envelope.id, reason=CancelReason.NO_LINE, detail=why_not
            )
            await self.publish(refused)

    async def _perform(
        self, message: PerformUtterance, utterance: str, source: str, *, backchannel: bool = False
    ) -> str | None:
        """Put a line into the queue; why not, where there is none."""
        prepared = self._prompter.prepare(
            message, utterance, source, self._hearers.memories, backchannel=backchannel
        )
        if isinstance(prepared, str):
            return prepared
        self._stagehand.take(prepared.entry)
        await self._carry_out(self._performer.handle(prepared.perform, self.clock.now()))
        if self._hearers.memories and prepared.entry.line is not None:
            await self._remember()
        return None

    @on(CancelUtterance)
    async def cancel(self, message: CancelUtterance) -> None:
        await self._handle(performing.Cancel(message.utterance, message.politely))

    @on(ArrangeUtterance)
    async def arrange(self, message: ArrangeUtterance, envelope: Envelope) -> None:
        why_not = self._teller.why_not_arranged(message.utterance)
        if why_not is not None:
            self.fault(why_not, warning=True, about=envelope)
            return
        await self._handle(performing.Arrange(message.utterance, message.how))

    @on(EmergencyStop)
    async def stop_everything(self, message: EmergencyStop) -> None:
        await self._handle(performing.Stop(message.reason or "emergency stop"))

    @on(SpeechPrepared, SpeechStarted, SpeechWord, SpeechFinished)
    async def hear_own_voice(
        self, message: SpeechPrepared | SpeechStarted | SpeechWord | SpeechFinished
    ) -> None:
        speeches = self._stagehand.speeches
        if message.speech not in speeches:
            return
        place = speeches[message.speech]
        event: performing.Event
        if isinstance(message, SpeechPrepared):
            offsets = tuple(word.offset for word in message.words)
            starts_s = tuple(word.start_s for word in message.words)
            times = WordTimes(offsets, starts_s, message.duration_s)
            event = performing.VoicePrepared(*place, message.starts_in_s, times)
        elif isinstance(message, SpeechStarted):
            event = performing.VoiceStarted(*place, message.expected_duration_s)
        elif isinstance(message, SpeechWord):
            event = performing.VoiceWord(*place, message.index, message.offset)
        else:
            event = performing.VoiceFinished(*place, message.outcome)
            del speeches[message.speech]
        await self._handle(event)
        if not isinstance(message, SpeechWord):
            await self._eyes.robot_speaks(bool(speeches))

    @on(AnimationFinished, MediaFinished)
    async def step_done(self, message: AnimationFinished | MediaFinished) -> None:
        step = self._gestures.ended(message.action)
        if step is not None:
            await self._handle(performing.StepDone(*step))

    async def _handle(self, event: performing.Event) -> None:
        await self._carry_out(self._performer.handle(event, self.clock.now()))

    async def _carry_out(self, orders: list[performing.Order]) -> None:
        self._happened.set()
        if orders:
            self._stagehand.person = self._eyes.person
            await self._stagehand.carry_out(orders)
            await self._eyes.robot_thinks(self._performer.state is State.QUESTION_WAITING)
        await self._tell_state()

    async def _answer_back(self, question: str, category: str) -> None:
        """Say one line of the category at once; the performer holds the others meanwhile."""
        wanted = PerformUtterance(category=category)
        name = f"{question}-backchannel"
        if await self._perform(wanted, name, self.source, backchannel=True) is not None:
            await self._handle(performing.NoBackchannel())

    def _warn(self, sentence: str) -> None:
        self.fault(sentence, warning=True)

    async def _tell_state(self) -> None:
        """Say what is the case, where it has changed."""
        self._eyes.stirred = False
        state = self._teller.news()
        if state is not None:
            await self.publish(state)

    # -- gaze -------------------------------------------------------------------------------

    @on(GazeAt, Glance, PointAt)
    async def attend(self, message: GazeAt | Glance | PointAt, envelope: Envelope) -> None:
        order = Ordered(envelope.id, envelope.source, self.clock.now(), message.target)
        try:
            if isinstance(message, GazeAt):
                await self._eyes.gaze_at(message.target, order)
                await self._tell_state()
            elif isinstance(message, Glance):
                await self._eyes.glance(message.target, order, message.duration_s)
            else:
                await self._point(message, order, envelope)
        except UnknownTarget as error:
            self.fault(str(error), warning=True, about=envelope)

    async def _point(self, message: PointAt, order: Ordered, envelope: Envelope) -> None:
        if "arms" not in self._prompter.abilities.channels:
            self.fault("the body has no arms and points with its gaze", warning=True)
            await self._eyes.glance(message.target, order, message.duration_s, "PointAt")
        elif (
            await self._eyes.point(message.target, order, message.duration_s, message.hand) is None
        ):
            sentence = f"nobody knows where '{message.target}' is now"
            self.fault(sentence, warning=True, about=envelope)

    @on(ActionExpired)
    async def look_again(self, message: ActionExpired) -> None:
        """An engine that starts later than the rest still looks at who came meanwhile."""
        if message.reason is ExpiryReason.TOO_OLD and message.action_type == Gaze.__name__:
            await self._eyes.look_again(message.action)

    @on(SetGazePolicy, TargetUpdated, TargetRemoved, Clicked)
    async def change(
        self,
        message: SetGazePolicy | TargetUpdated | TargetRemoved | Clicked,
        envelope: Envelope,
    ) -> None:
        try:
            if isinstance(message, SetGazePolicy):
                await self._eyes.set_policy(message)
                await self._tell_state()
            elif isinstance(message, TargetUpdated):
                await self._eyes.place(message)
            elif isinstance(message, TargetRemoved):
                await self._eyes.remove(message.target)
            else:
                await self._eyes.click(message)
        except (LookupError, ValueError) as error:
            self.fault(str(error.args[0]), warning=True, about=envelope)

    @on(Autonomy, AutonomyChanged)
    async def follow_dial(self, _message: Autonomy | AutonomyChanged, envelope: Envelope) -> None:
        """The gaze's own initiative obeys the dial; what lines and others order counts as ever."""
        if envelope.character == self.character:
            self._dial.hear(envelope)
            await self._eyes.follow_dial(self._dial.setting_of(Channel.GAZE))
            await self._tell_state()

    @on(SuggestionResolved)
    async def hear_answer(self, message: SuggestionResolved, envelope: Envelope) -> None:
        await self._eyes.resolve(message, envelope.id)
        await self._tell_state()

    # -- people -----------------------------------------------------------------------------

    @on(PersonDetected, PersonMoved)
    async def see(self, message: PersonDetected | PersonMoved, envelope: Envelope) -> None:
        if self._counts(envelope):
            await self._eyes.see(message, envelope.id)

    @on(PersonLost)
    async def lose(self, message: PersonLost, envelope: Envelope) -> None:
        if self._counts(envelope):
            await self._eyes.lose(message.person, envelope.id)

    @on(HeadDirection)
    async def follow_head(self, message: HeadDirection, envelope: Envelope) -> None:
        if self._counts(envelope):
            await self._eyes.follow_head(message)

    def _counts(self, envelope: Envelope) -> bool:
        trackers = self.settings.people_from
        return not trackers or envelope.source in trackers

    @on(SpeechActivity)
    async def listen(self, message: SpeechActivity) -> None:
        await self._handle(performing.PersonSpeaking(message.speaking, message.person))
        if message.person is not None:
            await self._eyes.hear(message.person, message.speaking)

    @on(SpeechHeard)
    async def understand(self, message: SpeechHeard) -> None:
        event = performing.PersonHeard(message.text, message.person, final=message.final)
        await self._handle(event)


__all__ = ["BehaviourManager"]
