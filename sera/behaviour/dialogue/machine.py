"""The dialogue machine: where a dialogue is, what it waits for, and what it says next.

Design overview
    A state waits for the When of its rows. A row that fires has its line said, and the dialogue
    is in the row's next state when the line is over; what people say or do meanwhile is kept for
    that state, since people answer before a robot has finished. Rows of one state with the same
    When are alternatives: one of them is drawn from a shuffle-bag, never the same twice running.
    Of rows with different When that fit the same message, the first in the sheet counts.

Units and frames
    Seconds of the caller's clock. Time-outs count from when the state was entered, which is when
    the line that led there was over.

Threading
    None; one caller.

Safety
    Rows that lead round in a circle without waiting are stopped after a few rounds and reported.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from random import Random

from sera.behaviour.dialogue._wording import Wording
from sera.behaviour.dialogue.orders import Ended, Moved, Order, Say, Trouble
from sera.behaviour.dialogue.script import ANY_STATE, Script, ScriptRow
from sera.behaviour.markup import DEFAULT_SYNTAX, MarkupSyntax
from sera.messages import Message

KEPT_MESSAGES = 16
MOST_ROUNDS = 3
"""How often a state may be passed without waiting for anything."""
SHORTEST_WAIT_S = 0.1
_HAIR_S = 1e-9


@dataclass(frozen=True, slots=True)
class _Heard:
    message: Message
    cause: str | None


@dataclass(frozen=True, slots=True)
class _Step:
    """A row that has fired."""

    row: ScriptRow
    because: str
    cause: str | None


class DialogueMachine:
    """Plays one script.

    Args:
        script: the rows.
        random: where chance comes from.
        language: of the texts; None: the first that a row has.
        style: rows of this style are preferred, then those without any.
        syntax: how texts are written, to know their tags.
    """

    def __init__(
        self,
        script: Script,
        *,
        random: Random,
        language: str | None = None,
        style: str | None = None,
        syntax: MarkupSyntax = DEFAULT_SYNTAX,
    ) -> None:
        self.script = script
        self._wording = Wording(random, language, style, syntax)
        self._state = script.start
        self._entered_s = 0.0
        self._step: _Step | None = None
        self._started = False
        self._ended = False
        self._kept: deque[_Heard] = deque(maxlen=KEPT_MESSAGES)
        self._passed: Counter[str] = Counter()

    @property
    def state(self) -> str:
        """The state it is in, as written; while a line is said, still the one before."""
        return self.script.name(self._state)

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def speaking(self) -> bool:
        """Whether it waits for the end of a line."""
        return self._step is not None

    @property
    def next_due_s(self) -> float | None:
        """When `tick` has something to do, None where no time-out runs."""
        waits = [_wait_s(row) for row in self._waiting() if row.when.after_s is not None]
        return self._entered_s + min(waits) if waits else None

    def start(self, now_s: float) -> list[Order]:
        """Begin, or begin again."""
        self._started, self._ended, self._step = True, False, None
        self._kept.clear()
        self._passed.clear()
        self._wording.forget_tags()
        return self._enter(self.script.start, None, None, now_s)

    def hear(self, message: Message, now_s: float, cause: str | None = None) -> list[Order]:
        """A message came."""
        if not self._started or self._ended:
            return []
        heard = _Heard(message, cause)
        if self._step is not None:
            if not message.stream:  # the next one of a stream comes anyway
                self._kept.append(heard)
            return []
        fitting = self._fitting(message)
        return self._fire(fitting, heard, now_s) if fitting else []

    def tick(self, now_s: float) -> list[Order]:
        """Time has passed."""
        due_s = self.next_due_s
        if due_s is None or now_s < due_s - _HAIR_S:
            return []
        timed = [row for row in self._waiting() if row.when.after_s is not None]
        first = min(timed, key=_wait_s)
        return self._fire(_alike(timed, first), None, now_s)

    def said(self, now_s: float) -> list[Order]:
        """The line is over, to its end or not."""
        step, self._step = self._step, None
        if step is None:
            return []
        return self._enter(self._target(step), self._state, step, now_s)

    def exchange(self, script: Script, now_s: float) -> list[Order]:
        """Go on with another script, in the same state where it has it, else from its start."""
        self.script = script
        # A line that is being said leads to its next state, which the new script may end.
        lost = self._step is None and script.is_end(self._state)
        return self.start(now_s) if self._started and not self._ended and lost else []

    # -- moving -----------------------------------------------------------------------------

    def _enter(
        self, state: str, previous: str | None, step: _Step | None, now_s: float
    ) -> list[Order]:
        orders: list[Order] = []
        while True:
            self._state, self._entered_s = state, now_s
            orders.append(self._moved(previous, step))
            if self.script.is_end(state):
                return [*orders, self._end()]
            chosen = self._next_at_once(orders)
            if chosen is None:
                return orders
            fitting, heard = chosen
            step = self._draw(fitting, heard, orders)
            said = self._say(step, orders)
            if said:
                return orders
            previous, state = state, self._target(step)

    def _next_at_once(self, orders: list[Order]) -> tuple[list[ScriptRow], _Heard | None] | None:
        """What happens in a new state without waiting: rows without When, then what was kept."""
        at_once = [row for row in self.script.own_rows(self._state) if row.when.at_once]
        if at_once and self._passed[self._state] < MOST_ROUNDS:
            self._passed[self._state] += 1
            return at_once, None
        if at_once:
            sentence = (
                f"{at_once[0].place}: the dialogue comes back to '{self.state}' again and again "
                "without waiting for anything and stops there; write under When what it waits for"
            )
            orders.append(Trouble(sentence))
        while self._kept:
            heard = self._kept.popleft()
            fitting = self._fitting(heard.message)
            if fitting:
                self._passed.clear()
                return fitting, heard
        if at_once and not self._waiting():
            orders.append(self._end())
        return None

    def _fire(self, fitting: list[ScriptRow], heard: _Heard | None, now_s: float) -> list[Order]:
        """Take one of the rows that fit: say its line, or go on at once where it has none."""
        self._passed.clear()
        orders: list[Order] = []
        step = self._draw(fitting, heard, orders)
        if not self._say(step, orders):
            orders += self._enter(self._target(step), self._state, step, now_s)
        return orders

    def _draw(self, fitting: list[ScriptRow], heard: _Heard | None, orders: list[Order]) -> _Step:
        if heard is not None:
            self._wording.learn(heard.message)
        row, problems = self._wording.draw(fitting)
        orders += [Trouble(problem) for problem in problems]
        return _Step(row, row.row.when, None if heard is None else heard.cause)

    def _say(self, step: _Step, orders: list[Order]) -> bool:
        """Order the line of a row; False where it has none."""
        text, tags, problem = self._wording.line(step.row)
        if problem:
            orders.append(Trouble(problem))
        if not text:
            return False
        self._step = step
        personal = frozenset(filter(self._wording.is_personal, tags))
        orders.append(Say(text, step.row.row, tags, step.cause, personal))
        return True

    def _moved(self, previous: str | None, step: _Step | None) -> Moved:
        before = None if previous is None else self.script.name(previous)
        if step is None:
            return Moved(before, self.state)
        return Moved(before, self.state, step.row.row, step.because, step.cause)

    def _end(self) -> Ended:
        self._ended = True
        return Ended(self.state)

    def _target(self, step: _Step) -> str:
        following = step.row.next_state
        return self._state if following == ANY_STATE else following

    # -- waiting ----------------------------------------------------------------------------

    def _waiting(self) -> list[ScriptRow]:
        """The rows that wait for something now."""
        if not self._started or self._ended or self._step is not None:
            return []
        return [row for row in self.script.rows_in(self._state) if not row.when.at_once]

    def _fitting(self, message: Message) -> list[ScriptRow]:
        """The rows that this message fires: the first that fits, and those with the same When."""
        rows = self._waiting()
        first = next((row for row in rows if row.when.holds(message)), None)
        if first is None:
            first = next((row for row in rows if row.when.is_otherwise), None)
            awaited = {name for row in rows for name in row.when.messages}
            guess = getattr(message, "final", True) is False
            if first is None or guess or type(message).__name__ not in awaited:
                return []
        return _alike(rows, first)


def _alike(rows: list[ScriptRow], first: ScriptRow) -> list[ScriptRow]:
    return [row for row in rows if row.when == first.when and row.state == first.state]


def _wait_s(row: ScriptRow) -> float:
    after_s = row.when.after_s
    return SHORTEST_WAIT_S if after_s is None else max(after_s, SHORTEST_WAIT_S)
