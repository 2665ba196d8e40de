"""The performer: who speaks when. Lines in, orders out.

Design overview: a state machine of one line under way, one question that is waited on, the lines
that wait and the floor (people who speak). `handle` takes an event, `tick` the time; both return
the orders that follow, in their order. Nothing is polled: `next_deadline_s` says when `tick` has
something to do. The line whose turn it is starts in the very call in which the floor falls free.

Units and frames: seconds on the caller's clock, which may start anywhere; a time before the last
one counts as the last one.

Threading: none; one performer belongs to one caller. No wall clock, no chance: the same events at
the same times give the same orders.

Safety: every wait is bounded (see `PerformerSettings`), `Stop` ends everything at once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum

from sera.behaviour.performing.conflicts import Verdict, are_rivals, judge
from sera.behaviour.performing.events import (
    Arrange,
    Cancel,
    Event,
    NoBackchannel,
    Perform,
    PersonHeard,
    PersonSpeaking,
    StepDone,
    Stop,
    VoiceFinished,
    VoicePrepared,
    VoiceStarted,
    VoiceWord,
)
from sera.behaviour.performing.floor import Floor
from sera.behaviour.performing.orders import Backchannel, ConflictRule, Order, Refused
from sera.behaviour.performing.question import QuestionWindow
from sera.behaviour.performing.queue import LineQueue, Waiting
from sera.behaviour.performing.settings import PerformerSettings
from sera.behaviour.performing.timing import ReachOf
from sera.behaviour.performing.under_way import LineUnderWay, Phase
from sera.messages.behaviour import CancelReason


class State(StrEnum):
    """What the performer is doing."""

    STAND_BY = "stand_by"
    PERFORMING = "performing"
    QUESTION_WAITING = "question_waiting"
    NON_VERBAL_WAITING = "non_verbal_waiting"
    CANCELLED = "cancelled"


class Performer:
    """Performs the lines of one character, one at a time.

    Args:
        settings: patience and politeness.
        reach_of: how long a step takes to be seen, asked when it matters; None: none takes any.
    """

    def __init__(
        self, settings: PerformerSettings | None = None, reach_of: ReachOf | None = None
    ) -> None:
        self._settings = settings or PerformerSettings()
        self._reach_of = reach_of or (lambda _step: None)
        self._queue = LineQueue(self._settings.queue_limit)
        self._floor = Floor(
            self._settings.longest_turn_s,
            self._settings.guess_holds_s,
            self._settings.pause_after_speech_s,
        )
        self._current: LineUnderWay | None = None
        self._turn: Waiting | None = None
        """The place in the queue that the line under way had."""
        self._question: QuestionWindow | None = None
        self._backchannel_until_s: float | None = None
        self._recognises = False
        """Whether somebody tells what people say, so that it is worth waiting for."""
        self._now_s = -math.inf
        self._out: list[Order] = []

    @property
    def state(self) -> State:
        """What it is doing now."""
        if self._current is not None:
            phases = {
                Phase.ACTING: State.NON_VERBAL_WAITING,
                Phase.BREAKING_OFF: State.CANCELLED,
            }
            return phases.get(self._current.phase, State.PERFORMING)
        return State.STAND_BY if self._question is None else State.QUESTION_WAITING

    @property
    def utterance(self) -> str | None:
        """The line under way."""
        return None if self._current is None else self._current.perform.utterance

    @property
    def waiting(self) -> tuple[str, ...]:
        """Lines that wait, in the order of their turns."""
        return tuple(waiting.perform.utterance for waiting in self._queue)

    @property
    def held(self) -> tuple[str, ...]:
        """Those of them that somebody holds back."""
        return tuple(each.perform.utterance for each in self._queue if each.is_held)

    @property
    def next_deadline_s(self) -> float | None:
        """When `tick` has something to do; None: only an event can change anything."""
        question = self._question
        deadlines = [
            None if self._current is None else self._current.wakes_s,
            None if question is None or question.deadline_s <= self._now_s else question.deadline_s,
            self._backchannel_until_s,
            self._queue.next_deadline_s,
            self._floor.next_deadline_s(self._now_s),
        ]
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def tick(self, now_s: float) -> list[Order]:
        """Time has passed."""
        self._begin_call(now_s)
        return self._end_call()

    def handle(self, event: Event, now_s: float) -> list[Order]:
        """Something happened."""
        self._begin_call(now_s)
        match event:
            case Perform():
                self._perform(event)
            case NoBackchannel():
                self._backchannel_until_s = None
            case Cancel():
                self._cancel(event)
            case Arrange():
                self._arrange(event)
            case Stop():
                self._stop(event)
            case PersonSpeaking():
                self._person_speaking(event)
            case PersonHeard():
                self._person_heard(event)
            case VoicePrepared() | VoiceStarted() | VoiceWord() | VoiceFinished() | StepDone():
                self._report(event)
        return self._end_call()

    def _begin_call(self, now_s: float) -> None:
        """Deadlines that passed before the event count first."""
        self._now_s = max(now_s, self._now_s)
        self._out = []
        self._settle()

    def _end_call(self) -> list[Order]:
        self._settle()
        orders, self._out = self._out, []
        return orders

    # -- orders of others ------------------------------------------------------------------------

    def _perform(self, event: Perform) -> None:
        if event.utterance == self.utterance or event.utterance in self._queue:
            return
        if self._loses_conflict(event):
            return
        worth_s = event.worth_s
        if worth_s is None:
            settings = self._settings
            worth_s = (
                settings.backchannel_worth_s if event.is_backchannel else settings.longest_wait_s
            )
        if event.is_backchannel:
            self._backchannel_until_s = None
        dropped = self._queue.add(Waiting(event, self._now_s, self._now_s + worth_s))
        if dropped is not None:
            limit = self._settings.queue_limit
            detail = f"{limit} lines wait already, and this is the oldest of lowest priority"
            self._refuse(dropped.perform, CancelReason.QUEUE_FULL, detail)
        if event.utterance in self._queue:
            self._pre_empt(event)

    def _loses_conflict(self, event: Perform) -> bool:
        """Settle the same order of two modules: priority, then newest; what began goes on."""
        current = self._current
        under_way = current is not None and current.phase is not Phase.BREAKING_OFF
        if current is not None and under_way and are_rivals(event, current.perform):
            verdicts = [Verdict(current.perform, event, ConflictRule.UNDER_WAY)]
        else:
            # What an operator holds back is no order to be settled now.
            waiting = (each.perform for each in self._queue if not each.is_held)
            verdicts = [judge(event, each) for each in waiting if are_rivals(event, each)]
        lost = [verdict for verdict in verdicts if verdict.dropped is event]
        for verdict in lost[:1] or verdicts:
            self._queue.discard(verdict.dropped)
            self._out += [verdict.conflict, verdict.refused]
        return bool(lost)

    def _pre_empt(self, event: Perform) -> None:
        """A more important line breaks off what is under way, or the wait for an answer."""
        detail = f"'{event.utterance}' has the higher priority {event.priority}"
        if self._current is not None and event.priority > self._current.perform.priority:
            self._break_off(
                CancelReason.PRE_EMPTED, detail, politely=self._settings.pre_empts_politely
            )
        question = self._question
        # Somebody who is answering is heard out: the line would have to wait for them anyway.
        if question is not None and event.priority > question.priority and self._may_speak(event):
            self._close_question()

    def _cancel(self, event: Cancel) -> None:
        wanted = event.utterance
        for waiting in list(self._queue):
            if wanted is None or waiting.perform.utterance == wanted:
                self._queue.remove(waiting)
                self._refuse(waiting.perform, CancelReason.CANCELLED, "cancelled while it waited")
        if self._current is not None and wanted in {None, self.utterance}:
            self._break_off(CancelReason.CANCELLED, "cancelled", politely=event.politely)
        if self._question is not None and wanted in {None, self._question.utterance}:
            self._close_question()

    def _arrange(self, event: Arrange) -> None:
        if event.how == "hold":
            self._queue.hold(event.utterance, self._now_s)
        elif event.how == "release":
            self._queue.release(event.utterance, self._now_s)
        else:
            self._queue.move(event.utterance, event.how)

    def _stop(self, event: Stop) -> None:
        detail = event.detail or "everything was stopped"
        for waiting in self._queue.clear():
            self._refuse(waiting.perform, CancelReason.STOPPED, detail)
        self._break_off(CancelReason.STOPPED, detail, politely=False)
        self._backchannel_until_s = None
        if self._question is not None:
            self._close_question()

    # -- people ----------------------------------------------------------------------------------

    def _person_speaking(self, event: PersonSpeaking) -> None:
        if not event.speaking:
            self._floor.end(event.person, self._now_s)
            return
        self._floor.begin(event.person, self._now_s)
        self._give_way()
        if self._question is not None:
            self._question.somebody_speaks(event.person)

    def _give_way(self) -> None:
        """Somebody speaks before the first sound of a line that waits for its gesture."""
        current, turn = self._current, self._turn
        if current is None or turn is None or self._may_speak(turn.perform):
            return
        if current.is_unheard:
            self._out += current.put_off()
            self._current = None
            worth_s = turn.until_s - turn.since_s
            again = replace(turn, until_s=self._now_s + worth_s, put_off=True)
            self._queue.add(again)
            self._queue.move(turn.perform.utterance, "first")

    def _person_heard(self, event: PersonHeard) -> None:
        self._recognises = True
        if self._question is not None and event.final:
            self._question.understood(event.person, event.text)
        if event.final:
            self._floor.understood(event.person, self._now_s)
        elif event.text.strip():
            self._floor.guess(event.person, self._now_s)
            if self._question is not None:
                self._question.somebody_speaks(event.person)

    # -- the line under way ----------------------------------------------------------------------

    def _report(
        self, event: VoicePrepared | VoiceStarted | VoiceWord | VoiceFinished | StepDone
    ) -> None:
        """Reports about other lines come late and mean nothing any more."""
        current = self._current
        if current is None or event.utterance != current.perform.utterance:
            return
        match event:
            case VoicePrepared():
                orders = current.voice_prepared(event, self._now_s)
            case VoiceStarted():
                orders = current.voice_started(event, self._now_s)
            case VoiceWord():
                orders = current.voice_word(event, self._now_s)
            case VoiceFinished():
                orders = current.voice_finished(event, self._now_s)
            case StepDone():
                orders = current.step_done(event.index, self._now_s)
        self._out += orders
        self._leave_if_over()

    def _break_off(self, reason: CancelReason, detail: str, *, politely: bool) -> None:
        if self._current is not None:
            self._out += self._current.break_off(
                reason, detail, politely=politely, now_s=self._now_s
            )
            self._leave_if_over()

    def _leave_if_over(self) -> None:
        """After a line: stand-by, or the wait for an answer."""
        current = self._current
        if current is None or current.phase is not Phase.OVER:
            return
        self._current = None
        perform = current.perform
        if not (current.said_to_end and perform.is_question):
            return
        self._question = QuestionWindow(
            perform.utterance,
            perform.priority,
            perform.backchannel_category or self._settings.backchannel_category,
            self._settings.question_window_s,
            self._now_s,
            words_within_s=self._settings.words_of_answer_s if self._recognises else 0.0,
        )
        self._out.append(self._question.asked(self._floor.speakers))

    # -- time ------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Do everything that is due, until nothing is."""
        while self._expire() or self._question_ends() or self._start_next():
            pass

    def _expire(self) -> bool:
        now_s = self._now_s
        changed = self._floor.expire(now_s)
        for waiting in self._queue.expired(now_s):
            waited_s = now_s - waiting.since_s
            detail = f"it waited {waited_s:.1f} s for its turn and is no longer worth saying"
            self._refuse(waiting.perform, CancelReason.TIMED_OUT, detail)
            changed = True
        if self._backchannel_until_s is not None and self._backchannel_until_s <= now_s:
            self._backchannel_until_s = None
            changed = True
        if self._current is not None and self._current.wakes_s <= now_s:
            self._out += self._current.expire(now_s)
            self._leave_if_over()
            changed = True
        return changed

    def _question_ends(self) -> bool:
        question = self._question
        if question is None or not question.is_over(self._now_s, self._floor.is_free(self._now_s)):
            return False
        self._close_question()
        if question.answered and question.backchannel:
            self._out.append(Backchannel(question.utterance, question.backchannel))
            self._backchannel_until_s = self._now_s + self._settings.backchannel_grace_s
        return True

    def _close_question(self) -> None:
        assert self._question is not None
        self._out.append(self._question.close(self._now_s))
        self._question = None

    def _start_next(self) -> bool:
        head = self._queue.head
        busy = self._current or self._question
        if head is None or busy or self._backchannel_until_s is not None:
            return False
        if not self._may_speak(head.perform):
            return False
        self._queue.remove(head)
        self._current = LineUnderWay(head.perform, self._settings, self._reach_of, self._now_s)
        self._turn = head
        self._out += self._current.begin(self._now_s)[1 if head.put_off else 0 :]
        self._leave_if_over()
        return True

    def _may_speak(self, perform: Perform) -> bool:
        """Whether nobody speaks whom the line would have to let finish."""
        urgent = perform.priority >= self._settings.urgent_from_priority
        polite = self._settings.politeness and not urgent
        return not polite or self._floor.is_free(self._now_s)

    def _refuse(self, perform: Perform, reason: CancelReason, detail: str) -> None:
        self._out.append(Refused(perform.utterance, reason, detail))
