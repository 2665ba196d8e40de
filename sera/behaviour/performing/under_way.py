"""The one line that is being performed: its words, its steps, its end.

Design overview: a line is rests and segments of speech one after the other, or, without words, only
its actions. Steps fire once and in order, as far as the voice has come; what the voice did not
report fires with its next word or at its end. Breaking off waits for the voice to be silent, so
that two lines are never heard at once.

Units and frames: seconds on the caller's clock. Threading: none.

Safety: every wait has a deadline; a voice that never reports cannot hold the character for ever.
"""

from __future__ import annotations

from enum import Enum, auto

from sera.behaviour.performing.events import Perform, VoiceFinished, VoiceStarted, VoiceWord
from sera.behaviour.performing.orders import (
    Cancelled,
    Finished,
    Fire,
    Order,
    Speak,
    Started,
    StopSpeaking,
)
from sera.behaviour.performing.segments import Segment, cut
from sera.behaviour.performing.settings import PerformerSettings
from sera.messages.behaviour import CancelReason
from sera.messages.speech import SpeechOutcome


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
        now_s: when it begins.
    """

    def __init__(self, perform: Perform, settings: PerformerSettings, now_s: float) -> None:
        self.perform = perform
        self.phase = Phase.RESTING
        self.said_to_end = False
        self.deadline_s = now_s
        """When the performer must be asked again."""
        self._settings = settings
        self._began_s = now_s
        self._script = cut(perform.line)
        # Sorted is stable: steps of one word keep the order in which they were written.
        self._steps = sorted(enumerate(perform.line.steps), key=lambda pair: pair[1].word)
        self._fired = 0
        self._words_said = 0
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
            return started + self._fire_all() + self._begin_acting(now_s)
        return started + self._fire_up_to(0) + self._go_on(now_s)

    def voice_started(self, event: VoiceStarted, now_s: float) -> list[Order]:
        """The voice is heard; it may know how long it takes."""
        segment = self._segment_of(event.segment)
        if segment is not None and self.phase is Phase.SPEAKING:
            self._await_voice(segment, event.expected_duration_s, now_s)
        return []

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
        return self._fire_up_to(self._words_said - 1)

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
        fired = self._fire_up_to(segment.end_word - 1)
        return fired + self._go_on(now_s)

    def step_done(self, index: int, now_s: float) -> list[Order]:
        """A step that reports its end has ended."""
        self._open_actions.discard(index)
        return self._finish_if_done(now_s) if self.phase is Phase.ACTING else []

    def expire(self, now_s: float) -> list[Order]:
        """The deadline has come."""
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
        segments = self._script.segments
        is_last = self._next_segment >= len(segments)
        fired: list[Order] = self._fire_all() if is_last else []
        rest_s = (
            self._script.pause_after_s if is_last else segments[self._next_segment].pause_before_s
        )
        if rest_s > 0:
            self.phase = Phase.RESTING
            self.deadline_s = now_s + rest_s
            return fired
        return fired + (self._finished(now_s) if is_last else self._speak(now_s))

    def _speak(self, now_s: float) -> list[Order]:
        number = self._next_segment
        segment = self._script.segments[number]
        self._next_segment += 1
        self.phase = Phase.SPEAKING
        self._await_voice(segment, None, now_s)
        return [Speak(self.perform.utterance, number, segment.text, segment.rate)]

    def _await_voice(self, segment: Segment, expected_s: float | None, now_s: float) -> None:
        estimated_s = segment.estimated_s(self._settings.words_per_s)
        self.deadline_s = now_s + self._allowed_s(expected_s or estimated_s)

    def _allowed_s(self, expected_s: float) -> float:
        return self._settings.patience_s + self._settings.slowness * expected_s

    def _begin_acting(self, now_s: float) -> list[Order]:
        """A line without words lasts as long as its longest action and its rests."""
        lasts_s = self.perform.lasts_s[: len(self._steps)]
        known_s = [each_s for each_s in lasts_s if each_s is not None]
        self._acts_until_s = now_s + max([self._script.pause_after_s, *known_s])
        self._open_actions = {index for index, each_s in enumerate(lasts_s) if each_s is None}
        self._actions_until_s = max(self._acts_until_s, now_s + self._settings.longest_action_s)
        self.phase = Phase.ACTING
        return self._finish_if_done(now_s)

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
        grace_s = self._settings.polite_grace_s if politely else self._settings.stop_grace_s
        self.deadline_s = now_s + grace_s
        return [StopSpeaking(self.perform.utterance, self._next_segment - 1, politely)]

    def _fire_up_to(self, word: int) -> list[Order]:
        """Every step that stands before this word or an earlier one, once and in order."""
        orders: list[Order] = []
        while self._fired < len(self._steps) and self._steps[self._fired][1].word <= word:
            index, step = self._steps[self._fired]
            orders.append(Fire(self.perform.utterance, index, step))
            self._fired += 1
        return orders

    def _fire_all(self) -> list[Order]:
        due = self._steps[self._fired :]
        self._fired = len(self._steps)
        return [Fire(self.perform.utterance, index, step) for index, step in due]

    def _finished(self, now_s: float) -> list[Order]:
        self.phase = Phase.OVER
        self.said_to_end = True
        return [Finished(self.perform.utterance, now_s - self._began_s)]

    def _cancelled(self) -> list[Order]:
        self.phase = Phase.OVER
        return [Cancelled(self.perform.utterance, self._reason, self._detail, self._words_said)]
