"""What the tutor keeps in mind: whose turn it is, who said what, how long nothing has happened.

Pure: times are given, nothing is sent. `decision.py` asks it and acts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .town import Leg, Town

_OPINION_HOLDS_S = 8.0
_LONGEST_SPEECH_S = 30.0


@dataclass(slots=True)
class Turn:
    """A round as the tutor sees it."""

    number: int
    player: str
    start: str
    legs: tuple[Leg, ...]
    answer: str
    hints: int = 0
    tried: str | None = None
    """The place that was touched last, wrongly."""
    wants_help_s: float | None = None
    """Since when somebody has asked for help."""
    settled: bool = False
    """Whether the tutor has spoken about a disagreement in this round."""


@dataclass(slots=True)
class _Eyes:
    target: str | None
    since_s: float


@dataclass(slots=True)
class Lesson:
    """The tutor's memory.

    Args:
        town: to know the answers, and the words for them.
        names: what each learner is called, by id, in the order of their turns.
        language: in which the words are wanted.
        help_words: what learners say who do not know what to do, in lower case.
    """

    town: Town
    names: Mapping[str, str]
    language: str
    help_words: Sequence[str] = ()
    turn: Turn | None = None
    quiet_since_s: float = 0.0
    """Since when nobody has touched or said anything."""
    here: set[str] = field(default_factory=set)
    _speaking: dict[str, float] = field(default_factory=dict)
    _opinions: dict[str, tuple[str, float]] = field(default_factory=dict)
    _eyes: dict[str, _Eyes] = field(default_factory=dict)

    def begin_turn(self, number: int, player: str, start: str, legs: tuple[Leg, ...]) -> Turn:
        """A new round."""
        answer = self.town.walk(start, legs) or start
        self.turn = Turn(number, player, start, legs, answer)
        self._opinions.clear()
        return self.turn

    def something_happened(self, now_s: float) -> None:
        """Somebody touched or said something, or the robot did."""
        self.quiet_since_s = max(self.quiet_since_s, now_s)

    def speech(self, person: str, speaking: bool, now_s: float) -> None:
        """Somebody began to speak, or stopped."""
        self.something_happened(now_s)
        self._speaking.pop(person, None)
        if speaking:
            self._speaking[person] = now_s

    def somebody_speaks(self, now_s: float) -> bool:
        """Whether anybody does; speech without end is a microphone that is at fault."""
        return any(now_s - since_s < _LONGEST_SPEECH_S for since_s in self._speaking.values())

    def heard(self, person: str | None, text: str, now_s: float) -> None:
        """Somebody said something; a place in it is an opinion, a sigh is a call for help."""
        words = text.casefold()
        if self.turn is not None and any(word in words for word in self.help_words):
            self.turn.wants_help_s = now_s
        labels = {name: self.town.phrases(name, self.language).label for name in self.town.places}
        named = [name for name, label in labels.items() if label.casefold() in words]
        if person is not None and len(named) == 1:
            self._opinions[person] = (named[0], now_s)

    def disagreement(self, now_s: float) -> tuple[str, str] | None:
        """Two places that the learners hold against each other, once in a round."""
        turn = self.turn
        fresh = [
            place for place, at_s in self._opinions.values() if now_s - at_s <= _OPINION_HOLDS_S
        ]
        if turn is None or turn.settled or len(set(fresh)) < 2 or len(fresh) < 2:
            return None
        return fresh[0], fresh[1]

    def looked(self, person: str, target: str | None, now_s: float) -> None:
        """Where somebody looks."""
        before = self._eyes.get(person)
        if before is None or before.target != target:
            self._eyes[person] = _Eyes(target, now_s)

    def shared_place(self, now_s: float, for_s: float) -> str | None:
        """The place on the map that all learners have been looking at for a while."""
        eyes = [self._eyes.get(person) for person in self.names]
        targets = {None if each is None else each.target for each in eyes}
        (target,) = targets if len(targets) == 1 else (None,)
        if target not in self.town.places:
            return None
        long_enough = all(each is not None and now_s - each.since_s >= for_s for each in eyes)
        return target if long_enough else None

    def partner_of(self, player: str) -> str:
        """The one who sits beside; the player where there is only one."""
        return next((person for person in self.names if person != player), player)

    def tags(self) -> dict[str, str]:
        """What lines may call upon now: targets by id, and words for the voice."""
        turn = self.turn
        if turn is None:
            first = next(iter(self.names), "person")
            return {"player": first, "name": self.names.get(first, "")}
        partner = self.partner_of(turn.player)
        start = self.town.phrases(turn.start, self.language)
        answer = self.town.phrases(turn.answer, self.language)
        tried = self.town.phrases(turn.tried or turn.start, self.language)
        player = turn.player if turn.player in self.names else partner
        return {
            "player": player,
            "name": self.names.get(turn.player, ""),
            "partner": partner,
            "partner_name": self.names.get(partner, ""),
            "start": turn.start,
            "the_start": start.the,
            "start_at": start.at,
            "way": self.town.way_words(turn.legs, self.language),
            "direction": self.town.direction_word(turn.legs[0].direction, self.language),
            "place": turn.answer,
            "the_place": answer.the,
            "tried": turn.tried or turn.start,
            "the_tried": tried.the,
        }
