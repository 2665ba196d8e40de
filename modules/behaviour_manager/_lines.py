"""What is known of each line that was ordered, and what the bus is told about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sera.behaviour.library import Line
from sera.behaviour.markup import Resolution
from sera.behaviour.selection import Choice
from sera.messages import (
    CancelReason,
    LineChoice,
    Substitution,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
    WaitingLine,
)


@dataclass(slots=True)
class Utterance:
    """An order to say something, from its choice to its end."""

    id: str
    """Id of its PerformUtterance."""
    text: str
    """What is said, without markup and with the tags filled in."""
    line: Line | None = None
    """None for free text."""
    choice: Choice[Line] | None = None
    substitutions: list[Substitution] = field(default_factory=list)
    speech: str | None = None
    """Id of the Speak under way."""
    language: str | None = None
    source: str = ""
    """Module that ordered it."""
    priority: int = 0

    @classmethod
    def of(
        cls,
        utterance: str,
        text: str,
        resolution: Resolution,
        line: Line | None,
        choice: Choice[Line] | None,
    ) -> Utterance:
        """One that was chosen and resolved for a body."""
        substituted = [
            Substitution(wanted=each.wanted, done=each.done, why=each.why)
            for each in resolution.substitutions
        ]
        return cls(utterance, text, line, choice, substituted)

    @property
    def question(self) -> bool:
        return self.line is not None and self.line.question

    @property
    def line_id(self) -> str | None:
        return None if self.line is None else self.line.id

    @property
    def category(self) -> str | None:
        return None if self.line is None else self.line.category_path or None

    def started(self, library: str) -> UtteranceStarted:
        """Its beginning, with why this line was chosen."""
        line, choice = self.line, self.choice
        why = None
        if line is not None and choice is not None:
            why = LineChoice(
                library=library,
                place=str(line.origin),
                candidates=max(1, choice.candidates),
                excluded=choice.excluded_by_repetition,
                rule=choice.rule.value,
                bag_left=None if choice.bag is None else choice.bag.left,
                refilled=choice.bag is not None and choice.bag.refilled,
            )
        return UtteranceStarted(
            utterance=self.id,
            line=self.line_id,
            category=self.category,
            text=self.text,
            question=self.question,
            choice=why,
        )

    def not_done(self, wanted: str, why: str) -> None:
        """Something in the line could not be done when its word came."""
        self.substitutions.append(Substitution(wanted=wanted, why=why))

    def late(self, wanted: str, by_s: float) -> None:
        """A gesture came after its word, since the words did not wait for it."""
        why = f"its stroke comes {by_s:.2f} s after its word, which did not wait"
        self.substitutions.append(Substitution(wanted=wanted, done=f"{wanted}, smaller", why=why))

    def waiting(self, *, held: bool = False) -> WaitingLine:
        """That it waits for its turn, or is held back."""
        return WaitingLine(
            utterance=self.id,
            source=self.source,
            priority=self.priority,
            text=self.text,
            line=self.line_id,
            category=self.category,
            held=held,
        )

    def finished(self, duration_s: float) -> UtteranceFinished:
        """Its end, with what the body could not do as written."""
        return UtteranceFinished(
            utterance=self.id,
            line=self.line_id,
            duration_s=duration_s,
            substitutions=self.substitutions,
        )

    def cancelled(
        self, reason: CancelReason, detail: str, words_said: int = 0
    ) -> UtteranceCancelled:
        """That it was not said, or not to its end."""
        return UtteranceCancelled(
            utterance=self.id,
            reason=reason,
            line=self.line_id,
            detail=detail or None,
            words_said=words_said,
        )
