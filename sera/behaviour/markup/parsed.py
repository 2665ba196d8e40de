"""A line that was read: the text for the voice, what is done at which word, and what is wrong.

Design overview: a line is its tokens; everything else is worked out from them when it is first
asked for. Filling in tags makes another line out of the same tokens.
Units and frames: places in the cell and in the text are characters from 0, words count from 0.
Threading: immutable.
Safety: whatever the text holds, `parse` returns; problems are findings of the line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sera.behaviour.findings import Finding, has_errors
from sera.behaviour.markup._interpret import Interpreter
from sera.behaviour.markup._scan import scan
from sera.behaviour.markup._write import write
from sera.behaviour.markup.steps import Pause, Rate, Step
from sera.behaviour.markup.syntax import DEFAULT_SYNTAX, MarkupSyntax
from sera.behaviour.markup.tokens import Instruction, SpeechControl, TagUse, Token, tag_uses
from sera.behaviour.markup.words import Spoken, Word, spoken


class MarkupError(ValueError):
    """A line cannot be performed as written."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(_sentence(finding) for finding in findings))


@dataclass(frozen=True)
class _Reading:
    steps: tuple[Step, ...]
    pauses: tuple[Pause, ...]
    rates: tuple[Rate, ...]
    problems: tuple[Finding, ...]


@dataclass(frozen=True)
class ParsedLine:
    """One line of a library."""

    tokens: tuple[Token, ...]
    """Its pieces as written, in their order."""
    syntax: MarkupSyntax
    form_problems: tuple[Finding, ...] = ()
    """What is wrong with brackets, escapes and controls."""

    @property
    def text(self) -> str:
        """What the voice says: no markup, single blanks, an unfilled tag by its name."""
        return self._spoken.text

    @property
    def words(self) -> tuple[Word, ...]:
        return self._spoken.words

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is done beside speaking, in the order in which it is written."""
        return self._reading.steps

    @property
    def pauses(self) -> tuple[Pause, ...]:
        return self._reading.pauses

    @property
    def rates(self) -> tuple[Rate, ...]:
        return self._reading.rates

    @cached_property
    def marks(self) -> tuple[tuple[Instruction | SpeechControl, int], ...]:
        """Everything that is not said, with the word before which it stands."""
        unsaid = [one for one in self.tokens if isinstance(one, Instruction | SpeechControl)]
        return tuple(zip(unsaid, self._spoken.word_of_token, strict=True))

    @cached_property
    def tag_uses(self) -> tuple[TagUse, ...]:
        """Every use of a tag that has no value yet, in the text and in parameters."""
        return tuple(tag_uses(self.tokens))

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of those tags, each once."""
        return tuple(dict.fromkeys(use.name for use in self.tag_uses))

    @property
    def is_nonverbal(self) -> bool:
        """Whether nothing is said: such a line lasts as long as its steps."""
        return not self.words

    @cached_property
    def problems(self) -> tuple[Finding, ...]:
        """Everything that is wrong with the line by itself, by place."""
        both = (*self.form_problems, *self._reading.problems)
        return tuple(sorted(both, key=lambda finding: finding.start or 0))

    def check(self) -> None:
        """Raises:
        MarkupError: the line has errors; warnings do not count.
        """
        if has_errors(self.problems):
            raise MarkupError(self.problems)

    def to_text(self) -> str:
        """The line as an author writes it; reading that gives the same line."""
        return write(self.tokens, self.syntax)

    @cached_property
    def _spoken(self) -> Spoken:
        return spoken(self.tokens)

    @cached_property
    def _reading(self) -> _Reading:
        interpreter = Interpreter(self.syntax.verbs)
        steps: list[Step] = []
        pauses: list[Pause] = []
        rates: list[Rate] = []
        for token, word in self.marks:
            if isinstance(token, Instruction):
                steps += interpreter.steps(token, word)
                continue
            number = interpreter.control(token)
            if number is not None and token.name == "pau":
                pauses.append(Pause(word, number / 1000, token.start))
            elif number is not None:
                rates.append(Rate(word, number / 100, token.start))
        return _Reading(tuple(steps), tuple(pauses), tuple(rates), tuple(interpreter.problems))


def parse(text: str, syntax: MarkupSyntax = DEFAULT_SYNTAX) -> ParsedLine:
    """Read a line. Never fails: what is wrong stands in its `problems`."""
    tokens, problems = scan(text, syntax)
    return ParsedLine(tokens, syntax, problems)


def _sentence(finding: Finding) -> str:
    fix = f" ({finding.fix})" if finding.fix else ""
    return f"at character {(finding.start or 0) + 1}, `{finding.text}`: {finding.message}{fix}"
