"""The guide through one session: what an operator presses becomes records, and none gets lost.

Design overview
    A session goes through the steps of its plan, one at a time. Whatever is pressed goes through
    `Guide.take`, which answers with the records to publish or refuses in a sentence. The guide
    keeps no clock and no file: the same presses at the same times give the same session, so that
    a guide that was lost is made again from the list of its presses.

    Records of a step: it begins with STARTED (or REPEATED, where it is done once more) and ends
    once with FINISHED, SKIPPED or ABORTED. An extra step interrupts the one under way, which is
    PAUSED and RESUMED around it. A pause of the session is one of the phase as a whole.

    A deviation is a mark with one sentence for each step that is skipped, late, extra or
    repeated; a step may be several of these.

Units and frames
    Seconds on the clock of the run. Time in a step does not count pauses and extra steps.

Threading
    None of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sera.messages import FormOffered, Message, PhaseStatus, SessionMark, SessionPhase, StepOfPlan
from sera.study.plan import EXTRA_PREFIX, PlannedStep, StudyPlan

Do = Literal[
    "begin", "next", "skip", "repeat", "extra", "pause", "resume", "abort", "answered", "look"
]
"""What an operator presses; `answered`: a form came back; `look`: has a step become late?"""
Outcome = Literal["completed", "aborted"]
Status = Literal["to_come", "under_way", "done", "skipped", "aborted"]
DEVIATION = "deviation"


class NotNow(Exception):
    """What was pressed cannot be done now; the message says why."""


@dataclass(frozen=True, slots=True)
class Press:
    """Something that moves a session on."""

    do: Do
    at_s: float
    step: str | None = None
    """The step, where an extra one is named."""
    reason: str | None = None
    by: str | None = None
    questionnaire: str | None = None
    """Which form was answered."""


@dataclass(slots=True)
class _Entry:
    """A line of the list of steps."""

    phase: str
    step: PlannedStep
    status: Status = "to_come"
    took_s: float | None = None


@dataclass(slots=True)
class _Go:
    """A step under way."""

    entry: _Entry
    counted_s: float = 0.0
    """Time in it up to `since_s`."""
    since_s: float | None = None
    """Since when its time runs; None: it stands still."""
    late: bool = False
    answered: bool = False

    def spent_s(self, now_s: float) -> float:
        return self.counted_s + (0.0 if self.since_s is None else now_s - self.since_s)

    def halt(self, now_s: float) -> None:
        self.counted_s, self.since_s = self.spent_s(now_s), None


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
        self._entries = [_Entry(phase.name, step) for phase, step in plan.steps()]
        self._planned = list(self._entries)
        self._place = 0
        self._go: _Go | None = None
        self._interrupted: _Go | None = None
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

    def _next(self, _press: Press) -> None:
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

    def _start(self, entry: _Entry, status: PhaseStatus = PhaseStatus.STARTED) -> None:
        entry.status = "under_way"
        self._go = _Go(entry, since_s=self._now_s)
        self._tell(entry, status)

    def _end(self, became: Status, status: PhaseStatus) -> None:
        assert self._go is not None
        entry = self._go.entry
        entry.took_s = (entry.took_s or 0.0) + self._go.spent_s(self._now_s)
        entry.status = became
        self._go = None
        self._tell(entry, status)

    def _go_on(self) -> None:
        if self._interrupted is not None:
            self._go, self._interrupted = self._interrupted, None
            self._go.since_s = self._now_s
            self._tell(self._go.entry, PhaseStatus.RESUMED)
            return
        was = self._planned[self._place].phase
        last = self._place + 1 == len(self._planned)
        if last or self._planned[self._place + 1].phase != was:
            self._enter_phase(PhaseStatus.FINISHED)
        if last:
            self.outcome = "completed"
            return
        self._place += 1
        if self._planned[self._place].phase != was:
            self._enter_phase(PhaseStatus.STARTED)
        self._start(self._planned[self._place])

    def _extra_step(self, press: Press) -> _Entry:
        if press.step is None:
            name = f"{EXTRA_PREFIX}{self._extras + 1}"
            return _Entry(
                self._planned[self._place].phase, PlannedStep(name=name, title="Extra step")
            )
        try:
            phase, step = self.plan.step(press.step)
        except LookupError as error:
            raise NotNow(str(error)) from None
        return _Entry(phase.name, step)

    # -- records ----------------------------------------------------------------------------

    def _tell(self, entry: _Entry, status: PhaseStatus) -> None:
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
