"""The choice of a line: by id, or from a category by rule, bag and weight.

Design overview: `Selector.choose` drops the lines that their repetition rule or the last line said
rule out, draws one of the rest from the shuffle-bag and notes it in the memories of those who
hear it, so that the next choice knows of it even while the line still waits for its turn.
`give_back` undoes that for a line that was never begun. Pure: chance is injected, nothing is
read or written.

Threading: none; one selector belongs to one caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sera.behaviour.selection.bag import ShuffleBag, is_weight
from sera.behaviour.selection.choice import (
    BagState,
    Bar,
    Choice,
    Exclusion,
    Lack,
    LineT,
    Rule,
)
from sera.behaviour.selection.choosable import ONCE_A_SESSION, ONCE_FOR_EVER, Choosable, Wish
from sera.behaviour.selection.memory import Memory
from sera.runtime.located import nearest_name

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class SelectorSettings:
    """How strict the choice is."""

    rules_bind_ids: bool = True
    """Whether repetition rules hold for a line that was asked for by its id, too."""
    lone_line_may_repeat: bool = False
    """Whether the only candidate may be said twice running."""


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """A line that was chosen, and whether it used up one of its turns in the bag."""

    line: str
    used_turn: bool


class Selector:
    """Chooses lines for one character.

    Args:
        random: where chance comes from; the same source and wishes give the same lines.
        settings: how strict it is.
    """

    def __init__(self, random: Random, settings: SelectorSettings | None = None) -> None:
        self._settings = settings or SelectorSettings()
        self._bag = ShuffleBag(random)
        self._recent: list[_Chosen] = []
        self._nobody = Memory("")

    @property
    def last(self) -> str | None:
        """The line chosen last."""
        return self._recent[-1].line if self._recent else None

    def choose(
        self, lines: Sequence[LineT], wish: Wish, memories: Sequence[Memory] = ()
    ) -> Choice[LineT]:
        """Choose a line and note that it is said.

        Args:
            lines: everything the character may say.
            wish: what is wanted.
            memories: of everybody who will hear it; a rule holds if it holds for one of them.
                Where nobody is known the selector's own memory counts, which ends with it.
        """
        memories = memories or [self._nobody]
        used_turn = True
        if wish.id is not None:
            choice = self._by_id(lines, wish, wish.id, memories)
            used_turn = choice.line is not None and self._bag.take_out(choice.line.id)
        else:
            choice = self._by_category(lines, wish, memories)
        if choice.line is not None:
            chosen = _Chosen(choice.line.id, used_turn)
            self._recent = [*self._recent[1 - _REMEMBERED :], chosen]
            for memory in memories:
                memory.said(choice.line.id)
        return choice

    def give_back(self, line: str, memories: Sequence[Memory] = ()) -> None:
        """A chosen line was never begun: it may be chosen as if it had not been."""
        newest = next((each for each in reversed(self._recent) if each.line == line), None)
        if newest is None:
            return
        self._recent = [each for each in self._recent if each is not newest]
        if newest.used_turn:
            self._bag.put_back(line)
        for memory in memories or [self._nobody]:
            memory.unsaid(line)

    def _by_id(
        self, lines: Sequence[LineT], wish: Wish, wanted: str, memories: Sequence[Memory]
    ) -> Choice[LineT]:
        line = next((line for line in lines if line.id == wanted), None)
        if line is None:
            near = nearest_name(wanted, [line.id for line in lines])
            return _lacking(Lack.UNKNOWN_ID, f"there is no {wish}{_did_you_mean(near)}")
        bar = _barred_by_rule(line, memories) if self._settings.rules_bind_ids else None
        if bar is not None:
            return _exhausted(wish, (Exclusion(line.id, bar),))
        return Choice(line=line, rule=Rule.ID, candidates=1)

    def _by_category(
        self, lines: Sequence[LineT], wish: Wish, memories: Sequence[Memory]
    ) -> Choice[LineT]:
        in_category = [line for line in lines if wish.in_category(line)]
        if not in_category:
            near = nearest_name(":".join(wish.path), _categories(lines))
            return _lacking(Lack.UNKNOWN_CATEGORY, f"{wish} has no line{_did_you_mean(near)}")
        meant = [line for line in in_category if wish.fits_metadata(line)]
        if not meant:
            return _lacking(Lack.NO_MATCH, f"none of {len(in_category)} lines fits {wish}")
        excluded: list[Exclusion] = []
        candidates: dict[str, LineT] = {}
        for line in meant:
            bar = _barred_by_rule(line, memories)
            if bar is None and not is_weight(line.weight):
                bar = Bar.NO_WEIGHT
            if bar is None:
                candidates[line.id] = line
            else:
                excluded.append(Exclusion(line.id, bar))
        # The last one of these, though another category may have had its turn since: whoever hears
        # the robot ask twice for the same thing remembers the words of the first time.
        last = next((each.line for each in reversed(self._recent) if each.line in candidates), None)
        if last is not None:
            is_lone = len(candidates) == 1
            if is_lone and (last != self.last or self._settings.lone_line_may_repeat):
                last = None
            else:
                excluded.append(Exclusion(last, Bar.SAID_LAST))
        # The last line stays in the bag's sight: it is barred for this draw, not for its round.
        drawable = len(candidates) - (last in candidates)
        if not drawable:
            return _exhausted(wish, tuple(excluded))
        weights = {line.id: float(line.weight) for line in candidates.values()}
        drawn, refilled = self._bag.draw(weights, last)
        return Choice(
            line=candidates[drawn],
            rule=Rule.SHUFFLE_BAG if len(set(weights.values())) == 1 else Rule.WEIGHTS,
            candidates=drawable,
            excluded=tuple(excluded),
            bag=BagState(self._bag.left(weights), refilled),
        )


def _barred_by_rule(line: Choosable, memories: Sequence[Memory]) -> Bar | None:
    """Why the line may not be said again, if so."""
    if line.repetitions == ONCE_FOR_EVER and any(line.id in m.ever for m in memories):
        return Bar.SAID_BEFORE
    if line.repetitions == ONCE_A_SESSION and any(line.id in m.this_session for m in memories):
        return Bar.SAID_THIS_SESSION
    return None


def _categories(lines: Sequence[Choosable]) -> list[str]:
    paths = (line.category[:depth] for line in lines for depth in range(1, len(line.category) + 1))
    return list(dict.fromkeys(":".join(path) for path in paths))


def _did_you_mean(near: str | None) -> str:
    return f"; did you mean '{near}'?" if near else ""


def _lacking(lack: Lack, detail: str) -> Choice[LineT]:
    return Choice(line=None, rule=Rule.NONE, lack=lack, detail=detail)


def _exhausted(wish: Wish, excluded: tuple[Exclusion, ...]) -> Choice[LineT]:
    """No line is left, and this is what each one fell by."""
    shown = ", ".join(str(exclusion) for exclusion in excluded[:3])
    more = f" and {len(excluded) - 3} more" if len(excluded) > 3 else ""
    return Choice(
        line=None,
        rule=Rule.NONE,
        excluded=excluded,
        lack=Lack.EXHAUSTED,
        detail=f"{wish} has no line left: {shown}{more}",
    )
