"""The one line that is being performed: its words, its steps, its end.

Design overview: a line is rests and segments of speech one after the other, or, without words, only
its actions. Steps fire once. One that needs time to be seen (`Reach`) fires so much before its
word; where the word comes at another time than was expected, it is adjusted. The others fire in
order, as far as the voice has come; what the voice did not report fires with its next word or at
its end. Breaking off waits for the voice to be silent, so that two lines are never heard at once,
and calls off what was ordered for words that are not said any more.

Units and frames: seconds on the caller's clock. Threading: none.

Safety: every wait has a deadline; a voice that never reports cannot hold the character for ever.
"""

from __future__ import annotations

import math
import sys
from enum import Enum, auto

from sera.behaviour.performing.events import (
    Perform,
    VoiceFinished,
    VoicePrepared,
    VoiceStarted,
    VoiceWord,
)
from sera.behaviour.performing.orders import (
    Adjust,
    CallOff,
    Cancelled,
    Finished,
    Fire,
    Order,
    Speak,
    Started,
    StopSpeaking,
)
from sera.behaviour.performing.performable import StepAt
from sera.behaviour.performing.segments import Segment, cut
from sera.behaviour.performing.settings import PerformerSettings
from sera.behaviour.performing.timing import Course, Plan, Reach, ReachOf
from sera.messages.behaviour import CancelReason
from sera.messages.speech import SpeechOutcome

ADJUSTED_FROM_S = 0.04
"""A stroke is moved where its word comes so much earlier or later than was expected."""
_HAIR_S = 1e-6
_ALL = sys.maxsize


class Phase(Enum):
    """What the line is doing."""

    RESTING = auto()
    SPEAKING = auto()
    ACTING = auto()
    BREAKING_OFF = auto()
    OVER = auto()


class LineUnderWay:
    """Performs one line; each method returns what is to be done.

    Args:
        perform: the order.
        settings: patience.
        reach_of: how long a step takes to be seen.
        now_s: when it begins.
    """

    def __init__(
        self, perform: Perform, settings: PerformerSettings, reach_of: ReachOf, now_s: float
    ) -> None:
        self.perform = perform
        self.phase = Phase.RESTING
        self.said_to_end = False
        self.deadline_s = now_s
        """When the performer must be asked again."""
        self._settings = settings
        self._began_s = now_s
        self._script = cut(perform.line)
        # Sorted is stable: steps of one word keep the order in which they were written.
        self._open = sorted(enumerate(perform.line.steps), key=lambda pair: pair[1].word)
        self._reach_of = reach_of
        self._course = Course(self._script)
        self._ahead: dict[int, tuple[StepAt, Reach, float]] = {}
        """Steps that were ordered ahead, with when their words were expected."""
        self._plan = Plan()
        self._meet_s: float | None = None
        """When the strokes of a line without words come together."""
        self._words_said = 0
        self._is_heard = False
        self._next_segment = 0
        self._open_actions: set[int] = set()
        self._acts_until_s = now_s
        self._actions_until_s = now_s
        self._stops_politely = False
        self._reason = CancelReason.CANCELLED
        self._detail = ""

    def begin(self, now_s: float) -> list[Order]:
        """The line starts: steps before the first word fire, and the voice begins."""
        started: list[Order] = [Started(self.perform.utterance)]
        if not self._script.words:
            return started + self._begin_acting(now_s)
        return started + self._go_on(now_s)

    @property
    def wakes_s(self) -> float:
        """When the performer must be asked again."""
        if self.phase not in {Phase.RESTING, Phase.SPEAKING, Phase.ACTING}:
            return self.deadline_s
        due_s = (self._onset_s(step) - reach.lead_s for _, step, reach in self._timed())
        return min([self.deadline_s, *due_s])

    @property
    def is_unheard(self) -> bool:
        """Whether its first words still wait for a gesture."""
        return self.phase is Phase.SPEAKING and not self._is_heard and self._plan.wait_s > 0.0

    def put_off(self) -> list[Order]:
        """Take back what was begun: the line will begin anew."""
        self.phase = Phase.OVER
        return [StopSpeaking(self.perform.utterance, 0, False), *self._call_off()]

    def voice_prepared(self, event: VoicePrepared, now_s: float) -> list[Order]:
        """The sound is made: when each word comes is known."""
        segment = self._segment_of(event.segment)
        if segment is None or self.phase is not Phase.SPEAKING:
            return []
        self._await_voice(segment, event.starts_in_s + event.times.duration_s, now_s)
        self._course.starts(event.segment, now_s + event.starts_in_s, event.times)
        return self._fire_due(now_s)

    def voice_started(self, event: VoiceStarted, now_s: float) -> list[Order]:
        """The voice is heard; it may know how long it takes."""
        segment = self._segment_of(event.segment)
        if segment is None or self.phase is not Phase.SPEAKING:
            return []
        self._is_heard = True
        self._await_voice(segment, event.expected_duration_s, now_s)
        self._course.starts(event.segment, now_s)
        return self._fire_due(now_s)

    def voice_word(self, event: VoiceWord, now_s: float) -> list[Order]:
        """The voice has come to a word: steps up to it are due."""
        segment = self._segment_of(event.segment)
        if segment is None:
            return []
        word = segment.word_reached(event.index, event.offset)
        self._words_said = max(self._words_said, word + 1)
        if self.phase is not Phase.SPEAKING:
            return []
        left_s = segment.estimated_s(self._settings.words_per_s, word)
        self.deadline_s = max(self.deadline_s, now_s + self._allowed_s(left_s))
        if word == self._words_said - 1:
            self._course.heard(event.segment, word, now_s)
        return self._fire_up_to(self._words_said - 1, now_s) + self._fire_due(now_s)

    def voice_finished(self, event: VoiceFinished, now_s: float) -> list[Order]:
        """The voice is silent: what is overdue fires, and the line goes on or ends."""
        segment = self._segment_of(event.segment)
        if segment is None:
            return []
        if self.phase is Phase.BREAKING_OFF:
            return self._cancelled()
        if event.outcome is not SpeechOutcome.COMPLETED:
            stopped = event.outcome is SpeechOutcome.STOPPED
            self._reason = CancelReason.STOPPED if stopped else CancelReason.FAILED
            self._detail = "the voice was stopped" if stopped else "the voice failed"
            return self._cancelled()
        self._words_said = segment.end_word
        fired = self._fire_up_to(segment.end_word - 1, now_s)
        return fired + self._go_on(now_s)

    def step_done(self, index: int, now_s: float) -> list[Order]:
        """A step that reports its end has ended."""
        self._open_actions.discard(index)
        return self._finish_if_done(now_s) if self.phase is Phase.ACTING else []

    def expire(self, now_s: float) -> list[Order]:
        """A step is due, or the deadline has come."""
        if now_s < self.deadline_s:
            return self._fire_due(now_s)
        return self._too_late(now_s)

    def _too_late(self, now_s: float) -> list[Order]:
        if self.phase is Phase.RESTING:
            if self._next_segment < len(self._script.segments):
                return self._speak(now_s)
            return self._finished(now_s)
        if self.phase is Phase.SPEAKING:
            waited_s = now_s - self._began_s
            detail = f"the voice did not report its end; cut {waited_s:.1f} s after its beginning"
            return self.break_off(CancelReason.TIMED_OUT, detail, politely=False, now_s=now_s)
        if self.phase is Phase.ACTING:
            return self._expire_acting(now_s)
        if self._stops_politely:
            return self._silence(now_s, politely=False)
        return self._cancelled()

    def break_off(
        self, reason: CancelReason, detail: str, *, politely: bool, now_s: float
    ) -> list[Order]:
        """End the line before its end; at once where the voice is not speaking."""
        if self.phase is Phase.BREAKING_OFF:
            # The first reason stands; only the manner may become stricter.
            if self._stops_politely and not politely:
                return self._silence(now_s, politely=False)
            return []
        self._reason, self._detail = reason, detail
        if self.phase is not Phase.SPEAKING:
            return self._cancelled()
        return self._silence(now_s, politely=politely)

    def _segment_of(self, number: int) -> Segment | None:
        """The segment a report of the voice is about, if it is the one being said."""
        speaking = self.phase in {Phase.SPEAKING, Phase.BREAKING_OFF}
        if not speaking or number != self._next_segment - 1:
            return None
        return self._script.segments[number]

    def _go_on(self, now_s: float) -> list[Order]:
        """To the next segment, the silence before it, or the end."""
        number, segments = self._next_segment, self._script.segments
        if number >= len(segments):
            return self._fire_up_to(_ALL, now_s) + self._fall_silent(now_s)
        rest_s = segments[number].pause_before_s
        self._plan = self._silences(number, now_s + rest_s)
        fired: list[Order] = []
        if number == 0 and (rest_s > 0.0 or self._plan.wait_s == 0.0):
            # Nothing that takes no time waits for the voice to be made; what does may be late.
            fired = self._fire_up_to(0, now_s, timed=rest_s == 0.0)
        if number > 0 or rest_s > 0.0:
            self._course.starts(number, now_s + rest_s + self._plan.wait_s)
            fired += self._fire_due(now_s)
        if rest_s > 0.0:
            self.phase = Phase.RESTING
            self.deadline_s = now_s + rest_s
            return fired
        return fired + self._speak(now_s)

    def _fall_silent(self, now_s: float) -> list[Order]:
        rest_s = self._script.pause_after_s
        if rest_s == 0.0:
            return self._finished(now_s)
        self.phase = Phase.RESTING
        self.deadline_s = now_s + rest_s
        return []

    def _silences(self, number: int, now_s: float) -> Plan:
        """Where a segment that may begin then is silent until its gestures are there."""
        if not self.perform.waits:
            return Plan()
        needs = [
            (step.word, begins_s + reach.lead_s, begins_s + reach.least_lead_s)
            for _, step, reach in self._timed()
            for begins_s in [now_s + reach.free_in_s]
        ]
        needs += [(step.word, meets_s, meets_s) for step, _, meets_s in self._ahead.values()]
        return self._course.plan(number, needs, now_s=now_s)

    def _speak(self, now_s: float) -> list[Order]:
        number, plan = self._next_segment, self._plan
        segment = self._script.segments[number]
        self._next_segment += 1
        self.phase = Phase.SPEAKING
        self._await_voice(segment, None, now_s)
        self.deadline_s += plan.wait_s
        utterance = self.perform.utterance
        return [Speak(utterance, number, segment.text, segment.rate, plan.wait_s, plan.rests)]

    def _await_voice(self, segment: Segment, expected_s: float | None, now_s: float) -> None:
        estimated_s = segment.estimated_s(self._settings.words_per_s)
        self.deadline_s = now_s + self._allowed_s(expected_s or estimated_s)

    def _allowed_s(self, expected_s: float) -> float:
        return self._settings.patience_s + self._settings.slowness * expected_s

    def _begin_acting(self, now_s: float) -> list[Order]:
        """A line without words lasts as long as its longest action and its rests."""
        lasts_s = self.perform.lasts_s[: len(self._open)]
        known_s = [each_s for each_s in lasts_s if each_s is not None]
        self._open_actions = {index for index, each_s in enumerate(lasts_s) if each_s is None}
        leads_s = [reach.lead_s for _, _, reach in self._timed()] or [0.0]
        self._meet_s = now_s + max(leads_s)
        begun_s = self._meet_s - min(leads_s)
        self._acts_until_s = begun_s + max([self._script.pause_after_s, *known_s])
        self._actions_until_s = max(self._acts_until_s, now_s + self._settings.longest_action_s)
        self.phase = Phase.ACTING
        fired = self._fire_up_to(_ALL, now_s, timed=False) + self._fire_due(now_s)
        return fired + self._finish_if_done(now_s)

    def _finish_if_done(self, now_s: float) -> list[Order]:
        if not self._open_actions and now_s >= self._acts_until_s:
            return self._finished(now_s)
        self.deadline_s = self._actions_until_s if self._open_actions else self._acts_until_s
        return []

    def _expire_acting(self, now_s: float) -> list[Order]:
        if not self._open_actions or now_s < self._actions_until_s:
            return self._finish_if_done(now_s)
        self._reason = CancelReason.TIMED_OUT
        self._detail = f"{len(self._open_actions)} of its actions did not report their end"
        return self._cancelled()

    def _silence(self, now_s: float, *, politely: bool) -> list[Order]:
        self.phase = Phase.BREAKING_OFF
        self._stops_politely = politely
        off = self._call_off()
        grace_s = self._settings.polite_grace_s if politely else self._settings.stop_grace_s
        self.deadline_s = now_s + grace_s
        return [StopSpeaking(self.perform.utterance, self._next_segment - 1, politely), *off]

    # -- steps -----------------------------------------------------------------------------

    def _timed(self) -> list[tuple[int, StepAt, Reach]]:
        """Open steps that need time until they are seen."""
        reaches = [(index, step, self._reach_of(step)) for index, step in self._open]
        return [(index, step, reach) for index, step, reach in reaches if reach is not None]

    def _onset_s(self, step: StepAt) -> float:
        return self._course.onset_s(step.word) if self._meet_s is None else self._meet_s

    def _fire_due(self, now_s: float) -> list[Order]:
        """Steps whose strokes come in time if they begin now; those under way are adjusted."""
        orders: list[Order] = []
        for index, (step, reach, meets_s) in self._ahead.items():
            onset_s = self._onset_s(step)
            moved = ADJUSTED_FROM_S < abs(onset_s - meets_s) < math.inf
            if moved and min(onset_s, meets_s) - reach.ahead_s > now_s:
                self._ahead[index] = (step, reach, onset_s)
                in_s = onset_s - reach.ahead_s - now_s
                orders.append(Adjust(self.perform.utterance, index, step, in_s))
        due: list[tuple[float, int, StepAt, Reach]] = []
        next_look_s = math.inf
        for index, step, reach in reversed(self._timed()):
            due_s = self._onset_s(step) - reach.lead_s
            if reach.is_look:
                due_s = next_look_s = min(due_s, next_look_s)
            due.insert(0, (due_s, index, step, reach))
        for due_s, index, step, reach in sorted(due, key=lambda each: each[0]):
            if due_s <= now_s + _HAIR_S:
                orders.append(self._fire(index, step, now_s, reach, self._onset_s(step)))
        return orders

    def _fire_up_to(self, word: int, now_s: float, *, timed: bool = True) -> list[Order]:
        """Every open step that stands before this word or an earlier one, in order."""
        orders: list[Order] = []
        for index, step in [pair for pair in self._open if pair[1].word <= word]:
            # After the last word of several nothing is left that it could meet.
            meets = step.word < self._script.words or not self._script.words
            reach = self._reach_of(step) if meets else None
            if timed or reach is None:
                orders.append(self._fire(index, step, now_s, reach, now_s))
        return orders

    def _fire(
        self, index: int, step: StepAt, now_s: float, reach: Reach | None, onset_s: float
    ) -> Order:
        self._open.remove((index, step))
        if reach is None:
            return Fire(self.perform.utterance, index, step)
        self._ahead[index] = (step, reach, onset_s)
        in_s = max(0.0, onset_s - reach.ahead_s - now_s)
        return Fire(self.perform.utterance, index, step, in_s)

    def _call_off(self) -> list[Order]:
        """Steps whose words will not be said any more."""
        ahead, self._ahead = self._ahead, {}
        return [
            CallOff(self.perform.utterance, index, step)
            for index, (step, _, _) in ahead.items()
            if step.word >= self._words_said
        ]

    def _finished(self, now_s: float) -> list[Order]:
        self.phase = Phase.OVER
        self.said_to_end = True
        return [Finished(self.perform.utterance, now_s - self._began_s)]

    def _cancelled(self) -> list[Order]:
        self.phase = Phase.OVER
        off = self._call_off()
        ended = Cancelled(self.perform.utterance, self._reason, self._detail, self._words_said)
        return [*off, ended]
