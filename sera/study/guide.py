"""The guide through one session: what an operator presses becomes records, and none gets lost.

Design overview
    A session goes through the steps of its plan, one at a time. Whatever is pressed goes through
    `Guide.take`, which answers with the records to publish or refuses in a sentence. The guide
    keeps no clock and no file: the same presses at the same times give the same session, so that
    a guide that was lost is made again from the list of its presses.

    Records of a step: it begins with STARTED (or REPEATED, where it is done once more) and ends
    once with FINISHED, SKIPPED or ABORTED. An extra step interrupts the one under way, which is
    PAUSED and RESUMED around it. A pause of the session is one of the phase as a whole.

    Skipping, repeating and aborting may name the phase under way: then all of it is meant. Steps of
    it that had not begun have no records of their own; the mark says how many there were.

    A deviation is a mark with one sentence for each step that is skipped, early, late, extra or
    repeated, and for each phase that is skipped, repeated or ended early; a step may be several of
    these.

Units and frames
    Seconds on the clock of the run. Time in a step does not count pauses and extra steps.

Threading
    None of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from sera.messages import FormOffered, Message, PhaseStatus, SessionMark, SessionPhase, StepOfPlan
from sera.study._press import Do, Entry, Go, NotNow, Outcome, Press, Status
from sera.study.plan import EXTRA_PREFIX, PlannedStep, StudyPlan

__all__ = ["DEVIATION", "Do", "Guide", "NotNow", "Outcome", "Press"]

DEVIATION = "deviation"


class Guide:
    """One session on its way through the plan."""

    def __init__(
        self, plan: StudyPlan, *, session: str, participant: str, language: str | None = None
    ) -> None:
        self.plan = plan
        self.session = session
        self.participant = participant
        self.language = plan.language(language)
        self.began_s: float | None = None
        self.paused = False
        self.deviations = 0
        self.outcome: Outcome | None = None
        self._entries = [Entry(phase.name, step) for phase, step in plan.steps()]
        self._planned = list(self._entries)
        self._place = 0
        self._go: Go | None = None
        self._interrupted: Go | None = None
        self._extras = 0
        self._now_s = 0.0
        self._said: list[Message] = []
        self._by: str | None = None

    # -- what is pressed --------------------------------------------------------------------

    def take(self, press: Press) -> list[Message]:
        """Do what was pressed; returns the records that follow from it, in order.

        Raises:
            NotNow: it cannot be done now, and nothing has changed.
        """
        doing = self._doing(press)
        self._now_s = max(press.at_s, self._now_s)
        self._said, self._by = [], press.by
        self._note_lateness()
        doing(press)
        return self._said

    def _doing(self, press: Press) -> Callable[[Press], None]:
        """The method for a press, where it may be done now."""
        if press.do == "begin" and self.began_s is not None:
            raise NotNow("the session has begun already")
        if self._go is None and press.do not in ("begin", "look", "answered"):
            raise NotNow("no session is under way: begin one")
        if press.do == "resume" and not self.paused:
            raise NotNow("the session is not paused")
        if press.do in ("next", "skip", "repeat", "extra", "pause") and self.paused:
            raise NotNow(f"the session is paused: resume it before '{press.do}'")
        if press.do == "extra":
            if self._interrupted is not None:
                raise NotNow("an extra step is under way already: finish it first")
            self._extra_step(press)  # an unknown name is refused before anything has changed
        if press.do in ("skip", "repeat", "abort") and press.step is not None:
            return self._with_phase(press)
        ways: dict[Do, Callable[[Press], None]] = {
            "begin": self._begin,
            "next": self._next,
            "skip": self._skip,
            "repeat": self._repeat,
            "extra": self._extra,
            "pause": self._pause,
            "resume": self._resume,
            "abort": self._abort,
            "answered": self._answered,
            "look": self._look,
        }
        return ways[press.do]

    def _begin(self, press: Press) -> None:
        self.began_s = press.at_s
        self._enter_phase(PhaseStatus.STARTED)
        self._start(self._planned[0])

    def _with_phase(self, press: Press) -> Callable[[Press], None]:
        """The method for a press that means a whole phase."""
        under_way = self._planned[self._place].phase
        if press.step != under_way:
            raise NotNow(
                f"only the phase under way, '{under_way}', can be meant by '{press.do}', not "
                f"'{press.step}'"
            )
        if self._interrupted is not None:
            raise NotNow("an extra step is under way: finish it first")
        if self.paused:
            raise NotNow("the session is paused: resume it before a phase is aborted")
        ways = {"skip": self._skip_phase, "repeat": self._repeat_phase, "abort": self._leave_phase}
        return ways[press.do]

    def _next(self, _press: Press) -> None:
        self._note_haste()
        self._end("done", PhaseStatus.FINISHED)
        self._go_on()

    def _skip(self, press: Press) -> None:
        self._deviates("skipped", press.reason)
        self._end("skipped", PhaseStatus.SKIPPED)
        self._go_on()

    def _repeat(self, press: Press) -> None:
        assert self._go is not None
        self._deviates("repeated", press.reason)
        entry = self._go.entry
        self._end("done", PhaseStatus.FINISHED)
        self._start(entry, PhaseStatus.REPEATED)

    def _skip_phase(self, press: Press) -> None:
        self._end_phase("skipped", PhaseStatus.SKIPPED, "skipped", press.reason)

    def _leave_phase(self, press: Press) -> None:
        """The phase is aborted, and the session goes on with the next one."""
        self._end_phase("aborted", PhaseStatus.ABORTED, "ended early", press.reason)

    def _end_phase(self, became: Status, status: PhaseStatus, how: str, reason: str | None) -> None:
        steps = self._steps_of_phase()
        left = [place for place in steps if place > self._place]
        self._phase_deviates(how, f"{len(left)} of {len(steps)} steps not begun", reason)
        self._end(became, status)
        for place in left:
            self._planned[place].status = "skipped"
        self._place = steps[-1]
        self._go_on(status)

    def _repeat_phase(self, press: Press) -> None:
        steps = self._steps_of_phase()
        done = [place for place in steps if place <= self._place]
        self._phase_deviates("repeated", f"{len(done)} of {len(steps)} steps begun", press.reason)
        self._end("done", PhaseStatus.FINISHED)
        self._enter_phase(PhaseStatus.FINISHED)
        for place in done:
            self._planned[place].status = "to_come"
        self._place = steps[0]
        self._enter_phase(PhaseStatus.REPEATED)
        self._start(self._planned[self._place], PhaseStatus.REPEATED)

    def _steps_of_phase(self) -> list[int]:
        """Places of all steps of the phase under way."""
        phase = self._planned[self._place].phase
        return [place for place, entry in enumerate(self._planned) if entry.phase == phase]

    def _extra(self, press: Press) -> None:
        assert self._go is not None
        interrupted = self._go
        interrupted.halt(self._now_s)
        self._tell(interrupted.entry, PhaseStatus.PAUSED)
        self._interrupted = interrupted
        extra = self._extra_step(press)
        self._extras += 1
        # Before the interrupted one: the first step under way in the list is the one being done.
        self._entries.insert(self._entries.index(interrupted.entry), extra)
        self._start(extra)
        self._deviates("extra", press.reason)

    def _pause(self, _press: Press) -> None:
        assert self._go is not None
        self._go.halt(self._now_s)
        self.paused = True
        self._enter_phase(PhaseStatus.PAUSED)

    def _resume(self, _press: Press) -> None:
        assert self._go is not None
        self._go.since_s = self._now_s
        self.paused = False
        self._enter_phase(PhaseStatus.RESUMED)

    def _abort(self, press: Press) -> None:
        self._end("aborted", PhaseStatus.ABORTED)
        if self._interrupted is not None:
            self._go, self._interrupted = self._interrupted, None
            self._end("aborted", PhaseStatus.ABORTED)
        self._enter_phase(PhaseStatus.ABORTED)
        self.paused = False
        self.outcome = "aborted"
        reason = "" if not press.reason else f": {press.reason}"
        self._mark("aborted", f"The session was aborted{reason}")

    def _look(self, _press: Press) -> None:
        """Lateness was noted before."""

    def _answered(self, press: Press) -> None:
        """A form came back: the step that offered it is answered, or over."""
        for go in (self._go, self._interrupted):
            if go is None or go.answered or go.entry.step.form != press.questionnaire:
                continue
            go.answered = True
            if go is self._go and go.entry.step.goes_on and not self.paused:
                self._next(press)
            return

    # -- steps ------------------------------------------------------------------------------

    def _start(self, entry: Entry, status: PhaseStatus = PhaseStatus.STARTED) -> None:
        entry.status = "under_way"
        self._go = Go(entry, since_s=self._now_s)
        self._tell(entry, status)

    def _end(self, became: Status, status: PhaseStatus) -> None:
        assert self._go is not None
        entry = self._go.entry
        entry.took_s = (entry.took_s or 0.0) + self._go.spent_s(self._now_s)
        entry.status = became
        self._go = None
        self._tell(entry, status)

    def _go_on(self, phase_became: PhaseStatus = PhaseStatus.FINISHED) -> None:
        if self._interrupted is not None:
            self._go, self._interrupted = self._interrupted, None
            self._go.since_s = self._now_s
            self._tell(self._go.entry, PhaseStatus.RESUMED)
            return
        was = self._planned[self._place].phase
        last = self._place + 1 == len(self._planned)
        if last or self._planned[self._place + 1].phase != was:
            self._enter_phase(phase_became)
        if last:
            self.outcome = "completed"
            return
        self._place += 1
        if self._planned[self._place].phase != was:
            self._enter_phase(PhaseStatus.STARTED)
        self._start(self._planned[self._place])

    def _extra_step(self, press: Press) -> Entry:
        if press.step is None:
            name = f"{EXTRA_PREFIX}{self._extras + 1}"
            return Entry(
                self._planned[self._place].phase, PlannedStep(name=name, title="Extra step")
            )
        try:
            phase, step = self.plan.step(press.step)
        except LookupError as error:
            raise NotNow(str(error)) from None
        return Entry(phase.name, step)

    # -- records ----------------------------------------------------------------------------

    def _tell(self, entry: Entry, status: PhaseStatus) -> None:
        self._said.append(
            SessionPhase(
                session=self.session,
                phase=entry.phase,
                step=entry.step.name,
                status=status,
                participant=self.participant,
                planned_s=entry.step.planned_s,
                by=self._by,
            )
        )

    def _enter_phase(self, status: PhaseStatus) -> None:
        """Say something of the phase as a whole."""
        self._said.append(
            SessionPhase(
                session=self.session,
                phase=self._planned[self._place].phase,
                status=status,
                participant=self.participant,
                by=self._by,
            )
        )

    def _note_lateness(self) -> None:
        go = self._go
        if go is None or go.late or (late_s := go.entry.step.late_s) is None:
            return
        if go.spent_s(self._now_s) > late_s:
            go.late = True
            self._deviates("late", None, f"more than {late_s:g} s")

    def _note_haste(self) -> None:
        go = self._go
        if go is None or (early_s := go.entry.step.early_before_s) is None:
            return
        if go.spent_s(self._now_s) < early_s:
            self._deviates("early", None, f"less than {early_s:g} s")

    def _phase_deviates(self, how: str, detail: str, reason: str | None) -> None:
        because = f": {reason}" if reason else ""
        self.deviations += 1
        phase = self._planned[self._place].phase
        self._mark(DEVIATION, f"Phase '{phase}' {how} ({detail}){because}")

    def _deviates(self, how: str, reason: str | None, detail: str | None = None) -> None:
        assert self._go is not None
        if detail is None:
            detail = f"after {self._go.spent_s(self._now_s):.0f} s"
            if how == "extra":
                detail = "outside of the plan's order"
        because = f": {reason}" if reason else ""
        self.deviations += 1
        self._mark(DEVIATION, f"Step '{self._go.entry.step.name}' {how} ({detail}){because}")

    def _mark(self, label: str, sentence: str) -> None:
        note = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
        self._said.append(SessionMark(label=label, session=self.session, note=note, by=self._by))

    # -- where it stands --------------------------------------------------------------------

    @property
    def step_began_s(self) -> float | None:
        """When the step under way would have begun without pauses; None: none is under way."""
        return None if self._go is None else self._now_s - self._go.spent_s(self._now_s)

    @property
    def step(self) -> str | None:
        """Name of the step under way."""
        return None if self._go is None else self._go.entry.step.name

    def late_at_s(self) -> float | None:
        """When the step under way becomes late, if time goes on; None: it does not."""
        go = self._go
        if go is None or go.late or go.since_s is None or go.entry.step.late_s is None:
            return None
        return go.since_s + go.entry.step.late_s - go.counted_s

    def steps(self) -> list[StepOfPlan]:
        """All steps and what became of them; one that stands still says how long it took so far."""
        standing = {
            id(go.entry): go for go in (self._go, self._interrupted) if go and go.since_s is None
        }
        told = []
        for entry in self._entries:
            go = standing.get(id(entry))
            took_s = entry.took_s if go is None else go.counted_s
            told.append(
                StepOfPlan(
                    phase=entry.phase,
                    step=entry.step.name,
                    title=entry.step.title,
                    status=entry.status,
                    planned_s=entry.step.planned_s,
                    form=entry.step.form,
                    took_s=took_s,
                )
            )
        return told

    def form(self) -> FormOffered:
        """What the participant's tablet shows now."""
        go = self._go
        if go is None or go.answered or go.entry.step.form is None:
            return FormOffered()
        return FormOffered(
            questionnaire=go.entry.step.form,
            participant=self.participant,
            session=self.session,
            language=self.language,
        )
