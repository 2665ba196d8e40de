"""The wait for an answer after a question."""

from __future__ import annotations

from collections.abc import Sequence

from sera.behaviour.performing.orders import Answered, Asked


class QuestionWindow:
    """One question that is waited on.

    Speech within the window counts as the answer. The window ends with the answer, or when its
    time is over and nobody is answering.

    Args:
        utterance: the question's id.
        priority: only more important lines end the wait.
        backchannel: category of which one line follows an answer.
        waits_s: the window.
        now_s: when the question ended.
        words_within_s: how long after an answer its words are waited for; 0: nobody recognises.
    """

    def __init__(
        self,
        utterance: str,
        priority: int,
        backchannel: str | None,
        waits_s: float,
        now_s: float,
        *,
        words_within_s: float = 0.0,
    ) -> None:
        self.utterance = utterance
        self.priority = priority
        self.backchannel = backchannel
        self.answered = False
        self.until_s = now_s + waits_s
        self._waits_s = waits_s
        self._asked_s = now_s
        self._person: str | None = None
        self._texts: list[str] = []
        self._words_within_s = words_within_s
        self._quiet_since_s: float | None = None

    @property
    def deadline_s(self) -> float:
        """When it may end by itself."""
        if self.answered and self._quiet_since_s is not None:
            return self._quiet_since_s + self._words_within_s
        return self.until_s

    def asked(self, speakers: Sequence[str | None]) -> Asked:
        """The question stands; whoever speaks already is answering it."""
        for person in speakers:
            self.somebody_speaks(person)
        return Asked(self.utterance, self._waits_s)

    def somebody_speaks(self, person: str | None) -> None:
        """Somebody speaks within the window."""
        self.answered = True
        self._person = self._person or person

    def understood(self, person: str | None, text: str) -> None:
        """Something was understood within the window; several parts make one answer."""
        if text.strip():
            self.somebody_speaks(person)
            self._texts.append(text.strip())

    def is_over(self, now_s: float, floor_is_free: bool) -> bool:
        """Whether nothing more is to be waited for; words come a little later than the voice."""
        if not floor_is_free:
            self._quiet_since_s = None
            return False
        if not self.answered:
            return now_s >= self.until_s
        if self._quiet_since_s is None:
            self._quiet_since_s = now_s
        return bool(self._texts) or now_s >= self._quiet_since_s + self._words_within_s

    def close(self, now_s: float) -> Answered:
        """What came of it."""
        text = " ".join(self._texts) or None
        waited_s = now_s - self._asked_s
        return Answered(self.utterance, self.answered, self._person, text, waited_s)
