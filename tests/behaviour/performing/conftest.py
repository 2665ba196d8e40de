"""A stage for the performer: short ways to tell it things, and everything it ordered."""

from __future__ import annotations

import pytest

from sera.behaviour.performing import (
    Fire,
    Perform,
    Performer,
    PerformerSettings,
    PlainLine,
    PlainStep,
    Speak,
    VoiceFinished,
    VoiceWord,
)


class Stage:
    """A performer, its clock, and what it ordered."""

    def __init__(self, **settings):
        self.performer = Performer(PerformerSettings(**settings))
        self.now_s = 0.0
        self.orders = []

    def tell(self, event, at_s=None):
        self.now_s = self.now_s if at_s is None else at_s
        new = self.performer.handle(event, self.now_s)
        self.orders += new
        return new

    def tick(self, at_s):
        self.now_s = at_s
        new = self.performer.tick(at_s)
        self.orders += new
        return new

    def perform(self, utterance, text="one two", *, steps=(), pauses=(), rates=(), **order):
        """Steps are words before which a step stands; each is named by its place."""
        at_s = order.pop("at_s", None)
        plain = tuple(PlainStep(f"s{n}", word) for n, word in enumerate(steps))
        line = PlainLine(text, plain, tuple(pauses), tuple(rates))
        return self.tell(Perform(utterance, line, **order), at_s)

    def word(self, index, utterance=None, **more):
        return self.tell(VoiceWord(utterance or self.performer.utterance, index=index, **more))

    def finish(self, utterance=None, at_s=None, **more):
        return self.tell(VoiceFinished(utterance or self.performer.utterance, **more), at_s)

    def fired(self):
        return [order.index for order in self.orders if isinstance(order, Fire)]

    def spoken(self):
        return [order.utterance for order in self.orders if isinstance(order, Speak)]


@pytest.fixture
def make_stage():
    return Stage


@pytest.fixture
def stage():
    return Stage()
