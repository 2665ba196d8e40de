"""The study guide: leads operator and participant through a session, and records what happens.

Design overview
    `sera.study.Guide` does the work; this module carries messages. `GuideSession` from the
    console becomes `SessionPhase` and `SessionMark` records; `SessionState` and `FormOffered` say
    where the session stands. Each press is in the session's own file before its records are
    published, so that a guide that died goes on where it stood.

    A session that `sera study run` has drawn begins by itself, and the run ends with it.

    Sessions are kept in `studies/<scenario>` where runs are kept, or in `folder`. In virtual time
    nothing is kept unless a folder is named.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread; files are written in another one.

Safety
    The condition and the hypothesis are told only where the study file reveals them. Participants
    are pseudonyms; a name is refused as far as it can be told from one.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from sera import Module, on
from sera.messages import (
    Envelope,
    FormOffered,
    GuideSession,
    Message,
    PreflightReport,
    QuestionnaireAnswered,
    SessionMark,
    SessionState,
)
from sera.recording import runs_folder
from sera.runtime import Role
from sera.study import (
    PLAN_FILE,
    Guide,
    Journal,
    NotNow,
    Press,
    SessionFile,
    StudyError,
    StudyPlan,
    WrongParticipant,
    guide_again,
    load_plan,
    study_form,
)
from sera.study.guide import DEVIATION
from sera.study.journal import UnknownPlan
from sera.study.questionnaire import QuestionnaireError

from ._drawn import DrawnSession, Reserve, SessionError, keep_consent

LOOK_EVERY_S = 0.25
TRY_AGAIN_S = 10.0
"""How long to wait after the disk refused."""
LOOK_AT_DISK_EVERY_S = 2.0


class StudyGuide(Module):
    """Keeps the plan of a session."""

    role = Role.ACTIVITY

    class Settings(Module.Settings):
        """Where plan and sessions are."""

        plan: Path = Path(PLAN_FILE)
        """The study file, relative to the scenario's folder."""
        folder: Path | None = None
        """Where sessions are kept; left out, `studies/<scenario>` where runs are kept."""
        drawn: DrawnSession | None = None
        """The session that begins with the run; `sera study run` says it. Left out, an operator
        begins one."""

    async def start(self) -> None:
        self._guide: Guide | None = None
        self._file: SessionFile | None = None
        self._ended: Guide | None = None
        self._turn = asyncio.Lock()
        self._said: tuple[SessionState, FormOffered] | None = None
        self._drawn: DrawnSession | None = self.settings.drawn
        self._reserve: Reserve | None = None
        self._looked_at_disk_s = self.clock.now()
        self._plan = self._read_plan()
        self._journal = await self.blocking(Journal, self._folder())
        for problem in self._journal.unreadable:
            self.fault(problem, warning=True)
        open_one = self._journal.under_way()
        if self._drawn is None and open_one is not None:
            await self._go_on_with(open_one)
        await self._tell_state()

    async def run(self) -> None:
        """Watch the time: a step that becomes late is recorded when it does."""
        if self._drawn is not None:
            async with self._turn:
                await self._begin_drawn(self._drawn)
        while True:
            await self.clock.sleep(LOOK_EVERY_S)
            await self._look_at_disk()
            async with self._turn:
                late_s = None if self._guide is None else self._guide.late_at_s()
                if late_s is None or self.clock.now() <= late_s:
                    continue
                kept = await self._try(Press("look", self.clock.now(), by=self.source))
            if not kept:
                await self.clock.sleep(TRY_AGAIN_S)

    # -- what is heard ----------------------------------------------------------------------

    @on(GuideSession)
    async def guide(self, order: GuideSession, envelope: Envelope) -> None:
        async with self._turn:
            if order.do == "begin":
                await self._begin(order, envelope)
                return
            press = Press(
                order.do, self.clock.now(), step=order.step, reason=order.reason, by=order.by
            )
            await self._try(press, envelope)

    @on(QuestionnaireAnswered)
    async def take_answers(self, answered: QuestionnaireAnswered, envelope: Envelope) -> None:
        async with self._turn:
            if self._guide is None or answered.session != self._guide.session:
                return  # a form of an earlier session, which the recorder has
            form = answered.questionnaire
            await self._keep_consent(answered, envelope)
            await self._try(Press("answered", self.clock.now(), questionnaire=form), envelope)

    async def _try(self, press: Press, about: Envelope | None = None) -> bool:
        """Do what was pressed, or say why not."""
        try:
            await self._press(press)
        except NotNow as refusal:
            self.fault(str(refusal), warning=True, about=about)
        except OSError as error:
            self._cannot_write(press.do, error, about)
        else:
            return True
        return False

    def _cannot_write(self, what: str, error: OSError, about: Envelope | None) -> None:
        why = error.strerror or error
        self.fault(
            f"'{what}' was not done, since the session's file cannot be written: {why}",
            about=about,
        )

    # -- the session ------------------------------------------------------------------------

    async def _begin(self, order: GuideSession, envelope: Envelope) -> None:
        now_s = self.clock.now()
        try:
            plan = self._plan_to_begin(order.language)
            participant = self._journal.participant(order.participant)
            file = await self.blocking(
                self._journal.begin, plan, participant, order.language, now_s
            )
        except (NotNow, WrongParticipant) as refusal:
            self.fault(str(refusal), warning=True, about=envelope)
            return
        except OSError as error:
            self._cannot_write("begin", error, envelope)
            return
        self._file, self._ended = file, None
        self._guide = Guide(
            plan, session=file.session, participant=participant, language=order.language
        )
        if not await self._try(Press("begin", now_s, by=order.by, reason=order.reason), envelope):
            file.outcome = "aborted"
            self._guide, self._file = None, None

    async def _begin_drawn(self, drawn: DrawnSession) -> None:
        """Begin what was drawn, or go on with it where an earlier run has stopped."""
        await self.publish(drawn.record())
        if drawn.preflight:
            overridden = drawn.override is not None
            await self.publish(PreflightReport(checks=drawn.preflight, overridden=overridden))
        if drawn.folder is not None and drawn.kind != "simulated":
            self._reserve = Reserve(drawn.folder)
            await self.blocking(self._reserve.set_aside)
        file = self._journal.find(drawn.session, drawn.period)
        if file is not None and file.presses:
            await self._go_on_with(file)
            await self._tell_state()
            if self._guide is None:
                became = "cannot go on" if file.outcome is None else f"was {file.outcome} before"
                await self.end_run(f"the session {became}")
            return
        plan = self._plan
        if plan is None:
            await self.end_run("there is no study to go by")
            return
        plan = drawn.plan(plan)
        now_s = self.clock.now()
        try:
            # A file without a press is of a run that died while it began.
            file = file or await self.blocking(
                lambda: self._journal.begin(
                    plan,
                    drawn.participant,
                    drawn.language,
                    now_s,
                    session=drawn.session,
                    period=drawn.period,
                )
            )
        except OSError as error:
            self._cannot_write("begin", error, None)
            await self.end_run("the session's file cannot be written")
            return
        self._file = file
        self._guide = Guide(
            plan,
            session=drawn.session,
            participant=drawn.participant,
            language=drawn.language,
        )
        await self._try(Press("begin", now_s, by=self.source))
        if drawn.override is not None:
            note = f"Begun although a check before the session was red: {drawn.override}"
            mark = SessionMark(label=DEVIATION, session=drawn.session, note=note, by=self.source)
            await self.publish(mark)

    async def _keep_consent(self, answered: QuestionnaireAnswered, about: Envelope) -> None:
        if self._drawn is None or self._plan is None:
            return
        try:
            await self.blocking(keep_consent, self._drawn, self._plan, answered)
        except (SessionError, OSError) as error:
            self.fault(f"the consent is in the recording alone: {error}", about=about)

    async def _look_at_disk(self) -> None:
        """Say it at once when the disk is full, while what was acknowledged can be written."""
        now_s = self.clock.now()
        if self._reserve is None or now_s < self._looked_at_disk_s + LOOK_AT_DISK_EVERY_S:
            return
        self._looked_at_disk_s = now_s
        reserve = self._reserve
        if not await self.blocking(reserve.is_needed):
            return
        self._reserve = None
        await self.blocking(reserve.give_back)
        self.fault(
            "the disk is full: the session is paused, and what it kept back for this has been "
            "freed so that everything up to now is written; free some space, then resume, or abort"
        )
        async with self._turn:
            if self._guide is not None and not self._guide.paused:
                await self._try(Press("pause", self.clock.now(), by=self.source))

    def _plan_to_begin(self, language: str | None) -> StudyPlan:
        if self._guide is not None:
            raise NotNow(
                f"the session of {self._guide.participant} is under way: finish or abort it first"
            )
        self._plan = plan = self._read_plan()
        if plan is None:
            raise NotNow(f"there is no study to go by: put {self._plan_path().name} in order first")
        if language is not None and language not in plan.study.languages:
            raise NotNow(
                f"the study has no language '{language}' (it has {', '.join(plan.study.languages)})"
            )
        return plan

    async def _press(self, press: Press) -> None:
        """Do it, keep it, and publish what follows."""
        guide, file = self._guide, self._file
        if guide is None or file is None:
            raise NotNow("no session is under way: begin one")
        records = guide.take(press)
        try:
            await self.blocking(self._journal.add, file, press)
        except OSError:
            # It does not count: the guide goes back to what is on the disk.
            self._guide, _ = guide_again(file)
            raise
        await self._publish_all(records)
        await self.blocking(self._journal.tell, file)
        if guide.outcome is not None:
            await self.blocking(self._journal.end, file, guide.outcome)
            self._guide, self._file, self._ended = None, None, guide
        await self._tell_state()
        if self._drawn is not None and guide.outcome is not None:
            if self._reserve is not None:
                await self.blocking(self._reserve.give_back)
            await self.end_run(f"the session was {guide.outcome}")

    async def _go_on_with(self, file: SessionFile) -> None:
        try:
            guide, untold = guide_again(file)
        except UnknownPlan as error:
            self.fault(f"session {file.session} cannot go on: {error}")
            return
        if guide.outcome is not None or guide.step is None:
            # It died between the last press and the last line, or before the first press.
            await self._publish_all(untold)
            await self.blocking(self._journal.end, file, guide.outcome or "aborted")
            return
        self._guide, self._file = guide, file
        await self._publish_all(untold)
        await self.blocking(self._journal.tell, file)
        note = f"The guide was started again in step '{guide.step}'."
        await self.publish(
            SessionMark(label="resumed", session=file.session, note=note, by=self.source)
        )

    async def _publish_all(self, records: list[Message]) -> None:
        for record in records:
            await self.publish(record)

    # -- what is told -----------------------------------------------------------------------

    async def _tell_state(self) -> None:
        plan = self._plan if self._guide is None else self._guide.plan
        if plan is None:
            return
        state = self._state(plan)
        form = FormOffered() if self._guide is None else self._guide.form()
        if (state, form) != self._said:
            # The form first: whoever sees the state finds the tablet as it says.
            if self._said is None or form != self._said[1]:
                await self.publish(form)
            await self.publish(state)
            self._said = (state, form)

    def _planned(self, plan: StudyPlan) -> int | None:
        drawn = None if self._drawn is None else self._drawn.planned
        return drawn or plan.study.sessions_planned

    def _state(self, plan: StudyPlan) -> SessionState:
        guide = self._guide
        revealed: dict[str, str] = {}
        if "condition" in plan.study.reveal:
            revealed["condition"] = self.context.condition or "as the scenario stands"
        if "hypothesis" in plan.study.reveal and plan.study.hypothesis:
            revealed["hypothesis"] = plan.study.hypothesis
        facts = SessionState(
            study=plan.study.title,
            sessions_done=self._journal.done if self._drawn is None else self._drawn.done_before,
            session_kind=None if self._drawn is None else self._drawn.kind,
            sessions_planned=self._planned(plan),
            revealed=revealed,
        )
        if guide is None:
            # What became of the steps stays in sight until the next session begins.
            ended = [] if self._ended is None else self._ended.steps()
            return facts.model_copy(update={"steps": ended})
        return facts.model_copy(
            update={
                "session": guide.session,
                "participant": guide.participant,
                "language": guide.language,
                "steps": guide.steps(),
                "step_began_s": guide.step_began_s,
                "session_began_s": guide.began_s,
                "paused": guide.paused,
                "deviations": guide.deviations,
            }
        )

    # -- files ------------------------------------------------------------------------------

    def _plan_path(self) -> Path:
        plan: Path = self.settings.plan
        return plan if self.context.folder is None else self.context.folder / plan

    def _read_plan(self) -> StudyPlan | None:
        try:
            plan = load_plan(self._plan_path())
        except StudyError as error:
            self.fault(str(error))
            return None
        for _, step in plan.steps():
            if step.form is None:
                continue
            try:
                study_form(step.form, self.context.folder, plan)
            except (LookupError, ValueError, QuestionnaireError) as error:
                self.fault(f"step '{step.name}' of the study: {error}")
        return plan

    def _folder(self) -> Path | None:
        chosen: Path | None = self.settings.folder
        if chosen is not None:
            return chosen if self.context.folder is None else self.context.folder / chosen
        if self.clock.kind == "virtual":
            return None
        scenario = self.context.scenario
        return runs_folder() / "studies" / ("study" if scenario is None else scenario.name)
