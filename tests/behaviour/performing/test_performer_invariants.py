"""Whatever happens in whatever order, lines are performed one at a time and all come to an end."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sera.behaviour.performing import (
    Answered,
    Arrange,
    Asked,
    Backchannel,
    Cancel,
    Cancelled,
    Finished,
    Fire,
    NoBackchannel,
    Perform,
    Performer,
    PerformerSettings,
    PersonHeard,
    PersonSpeaking,
    PlainLine,
    PlainPause,
    PlainRate,
    PlainStep,
    Refused,
    Speak,
    Started,
    State,
    StepDone,
    Stop,
    StopSpeaking,
    VoiceFinished,
    VoiceStarted,
    VoiceWord,
)
from sera.messages.behaviour import CancelReason
from sera.messages.speech import SpeechOutcome

people = st.sampled_from([None, "p1", "p2"])
small = st.integers(0, 4)
lines = st.builds(
    PlainLine,
    text=st.sampled_from(["", "one", "one two three", "- one - two, three four!"]),
    steps=st.lists(st.builds(PlainStep, name=st.just("step"), word=small), max_size=4).map(tuple),
    pauses=st.lists(st.builds(PlainPause, small, st.sampled_from([0.0, 0.4])), max_size=2).map(
        tuple
    ),
    rates=st.lists(st.builds(PlainRate, small, st.sampled_from([0.5, 1.0, 2.0])), max_size=2).map(
        tuple
    ),
)
lengths = st.lists(st.sampled_from([None, 0.0, 1.0]), max_size=4).map(tuple)
figures = st.builds(
    PerformerSettings,
    queue_limit=st.integers(1, 4),
    politeness=st.booleans(),
    pre_empts_politely=st.booleans(),
    pause_after_speech_s=st.sampled_from([0.0, 0.5]),
    question_window_s=st.sampled_from([0.0, 7.0]),
    backchannel_category=st.sampled_from([None, "backchannel"]),
    stop_grace_s=st.sampled_from([0.0, 0.5]),
)


class PerformerMachine(RuleBasedStateMachine):
    """Tells a performer anything at all, and keeps account of what it orders."""

    @initialize(figures=figures)
    def begin(self, figures):
        self.figures = figures
        self.performer = Performer(figures)
        self.now_s = 0.0
        self.told = []
        self.orders = []
        self.lines = {}
        self.ended = Counter()
        self.current = None
        self.question = None
        self.fired = {}
        self.speech = None

    # -- what can happen ---------------------------------------------------------------------

    @rule(
        line=lines,
        priority=st.sampled_from([-1, 0, 0, 0, 1, 95]),
        source=st.sampled_from(["ai", "wizard"]),
        same_order=st.sampled_from(["", "", "a"]),
        is_question=st.booleans(),
        is_backchannel=st.sampled_from([False, False, True]),
        lasts_s=lengths,
    )
    def perform(self, **order):
        utterance = f"u{len(self.lines)}"
        self.lines[utterance] = order["line"]
        self.tell(Perform(utterance, **order))

    @rule(seconds=st.sampled_from([0.0, 0.05, 0.5, 2.0, 9.0, 40.0]))
    def wait(self, seconds):
        self.now_s += seconds
        self.tell(None)

    @rule()
    def wait_for_the_deadline(self):
        deadline_s = self.performer.next_deadline_s
        if deadline_s is not None:
            self.now_s = max(self.now_s, deadline_s)
            self.tell(None)

    @rule(index=small, offset=st.sampled_from([None, 0, 4, 99]))
    def voice_reaches_a_word(self, index, offset):
        if self.speech is not None:
            self.tell(VoiceWord(*self.speech, index, offset))

    @rule(expected_s=st.sampled_from([None, 0.0, 3.0]))
    def voice_starts(self, expected_s):
        if self.speech is not None:
            self.tell(VoiceStarted(*self.speech, expected_s))

    @rule(outcome=st.sampled_from([SpeechOutcome.COMPLETED] * 4 + list(SpeechOutcome)))
    def voice_finishes(self, outcome):
        if self.speech is not None:
            speech, self.speech = self.speech, None
            self.tell(VoiceFinished(*speech, outcome))

    @rule(number=st.integers(0, 9), segment=st.integers(0, 2), index=small)
    def a_late_or_mistaken_report_comes(self, number, segment, index):
        utterance = f"u{number}"
        if (utterance, segment) != self.speech:
            self.tell(VoiceWord(utterance, segment, index))
            self.tell(VoiceFinished(utterance, segment))

    @rule(index=small)
    def a_step_is_done(self, index):
        if self.current is not None:
            self.tell(StepDone(self.current, index))

    @rule(number=st.none() | st.integers(0, 9), politely=st.booleans())
    def cancel(self, number, politely):
        self.tell(Cancel(None if number is None else f"u{number}", politely))

    @rule(number=small, how=st.sampled_from(["first", "earlier", "later", "hold", "release"]))
    def arrange(self, number, how):
        waiting = self.performer.waiting
        utterance = waiting[number % len(waiting)] if waiting else "nobody"
        self.tell(Arrange(utterance, how))
        if utterance in self.performer.waiting:
            self.check_arranged(waiting, utterance, how)

    def check_arranged(self, before, utterance, how):
        after = self.performer.waiting
        assert (utterance in self.performer.held) >= (how == "hold")
        assert (utterance in self.performer.held) <= (how != "release")
        if set(after) == set(before):  # nothing began or ended meanwhile
            others = [each for each in before if each != utterance]
            assert [each for each in after if each != utterance] == others, (
                "others keep their order"
            )
            place, now = before.index(utterance), after.index(utterance)
            step = {
                "first": -place,
                "earlier": -min(1, place),
                "later": min(1, len(others) - place),
            }
            assert now - place == step.get(how, 0)

    @rule(speaking=st.booleans(), person=people)
    def person_speaks(self, speaking, person):
        self.tell(PersonSpeaking(speaking, person))

    @rule(text=st.sampled_from(["", "yes"]), person=people, final=st.booleans())
    def person_is_heard(self, text, person, final):
        self.tell(PersonHeard(text, person, final))

    @rule()
    def no_backchannel(self):
        self.tell(NoBackchannel())

    @rule()
    def stop(self):
        self.tell(Stop())

    # -- what must hold ----------------------------------------------------------------------

    def tell(self, event):
        """Tell the performer, and check every order against what came before it."""
        self.told.append((event, self.now_s))
        self.performer_held = set(self.performer.held)
        new = send(self.performer, event, self.now_s)
        for order in new:
            self.check(order)
        self.orders += new

    def check(self, order):
        if isinstance(order, Started):
            assert self.current is None, "two lines at once"
            assert self.question is None, "a line began within a question window"
            assert not self.ended[order.utterance]
            released = self.told[-1][0] == Arrange(order.utterance, "release")
            assert released or order.utterance not in self.performer_held, "said while held"
            self.current, self.fired[order.utterance] = order.utterance, []
        elif isinstance(order, Finished | Cancelled):
            assert order.utterance == self.current
            self.ended[order.utterance] += 1
            self.current = self.speech = None
            if isinstance(order, Finished):
                assert len(self.fired[order.utterance]) == len(self.lines[order.utterance].steps)
        elif isinstance(order, Refused):
            if order.reason is CancelReason.TIMED_OUT:
                assert order.utterance not in self.performer_held, "held lines do not grow old"
            assert order.utterance not in self.fired, "refused after it began"
            assert order.detail
            self.ended[order.utterance] += 1
        elif isinstance(order, Fire | Speak | StopSpeaking):
            self.check_performance(order)
        else:
            self.check_question(order)

    def check_performance(self, order):
        assert order.utterance == self.current
        if isinstance(order, Fire):
            self.fired[order.utterance].append((order.step.word, order.index))
        elif isinstance(order, Speak):
            assert self.speech is None, "the voice was still speaking"
            assert order.text.strip()
            self.speech = (order.utterance, order.segment)
        else:
            assert (order.utterance, order.segment) == self.speech

    def check_question(self, order):
        if isinstance(order, Asked):
            assert self.question is None
            assert self.current is None
            assert order.utterance in self.fired
            self.question = order.utterance
        elif isinstance(order, Answered):
            assert order.utterance == self.question
            assert order.waited_s >= 0
            self.question = None
        elif isinstance(order, Backchannel):
            assert self.current is None
            assert self.question is None

    @invariant()
    def every_line_is_in_one_place(self):
        waiting = self.performer.waiting
        for utterance in self.lines:
            places = (utterance in waiting) + (utterance == self.current) + self.ended[utterance]
            assert places == 1, utterance
        assert len(waiting) <= self.figures.queue_limit

    @invariant()
    def steps_fire_once_and_in_order(self):
        for fired in self.fired.values():
            assert fired == sorted(set(fired))

    @invariant()
    def no_deadline_lies_in_the_past(self):
        deadline_s = self.performer.next_deadline_s
        assert deadline_s is None or deadline_s > self.now_s

    @invariant()
    def the_state_agrees_with_the_orders(self):
        assert self.performer.utterance == self.current
        waits = self.performer.state is State.QUESTION_WAITING
        assert waits == (self.question is not None)
        # Whatever waits has something to wait for that ends by itself.
        free = set(self.performer.waiting) - set(self.performer.held)
        if free or self.current or self.question:
            assert self.performer.next_deadline_s is not None

    def teardown(self):
        """Left alone, everything ends; told the same again, the same is ordered."""
        if not hasattr(self, "performer"):
            return
        for utterance in self.performer.held:
            self.tell(Arrange(utterance, "release"))
        for _ in range(200):
            deadline_s = self.performer.next_deadline_s
            if deadline_s is None:
                break
            self.now_s = deadline_s
            self.tell(None)
        assert self.performer.state is State.STAND_BY
        assert self.ended == Counter(dict.fromkeys(self.lines, 1))
        again = Performer(self.figures)
        replayed = [order for event, at_s in self.told for order in send(again, event, at_s)]
        assert replayed == self.orders


def send(performer, event, now_s):
    return performer.tick(now_s) if event is None else performer.handle(event, now_s)


TestPerformerMachine = PerformerMachine.TestCase
TestPerformerMachine.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
