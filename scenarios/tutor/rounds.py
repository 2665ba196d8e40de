"""The rules of the game: two learners light up a town by reading its map, one round after another.

In each round one player is told a start and a way, and touches the place where the way ends. A
place that was found is lit. Who touches wrong may try again; after the last try the place is
shown and stays dark. The players win or lose together. Now and then it is the robot's turn.

Pure: chance is injected, time is nobody's business here. What happened comes back as the events
that the table tells everybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from pydantic import JsonValue

from sera.messages import ActivityEvent

from .town import DIRECTIONS, Leg, Town

_DIAGONALS_FROM_ROUND = 3
_TWO_LEGS_FROM_ROUND = 5


class Phase(StrEnum):
    """Where the game is."""

    WAITING = "waiting"
    PLAYING = "playing"
    BETWEEN = "between"
    FINISHED = "finished"


@dataclass(slots=True)
class Round:
    """One clue for one player."""

    number: int
    player: str
    start: str
    legs: tuple[Leg, ...]
    answer: str
    wrong: list[str] = field(default_factory=list)
    found: bool = False


class TownGame:
    """One game.

    Args:
        town: its places.
        players: the learners, in the order of their turns.
        robot: the character that plays along.
        rounds: how many.
        robot_every: every so many rounds it is the robot's turn; 0: never.
        tries: how often a player may touch wrong.
        random: the only source of chance.
    """

    def __init__(
        self,
        town: Town,
        players: tuple[str, ...],
        random: Random,
        *,
        robot: str = "robot",
        rounds: int = 8,
        robot_every: int = 5,
        tries: int = 3,
    ) -> None:
        self.town = town
        self.players = players
        self.robot = robot
        self.rounds = min(rounds, len(town.places) - 1)
        self.phase = Phase.WAITING
        self.round: Round | None = None
        self.lit: list[str] = []
        self.shown: list[str] = []
        """Answers that nobody found."""
        self._robot_every = robot_every
        self._tries = tries
        self._random = random
        self._turn = 0

    def begin(self) -> list[ActivityEvent]:
        """Start, unless it has started."""
        if self.phase is not Phase.WAITING:
            return []
        started = _event("game_started", rounds=self.rounds, players=list(self.players))
        return [started, *self.next_round()]

    def next_round(self) -> list[ActivityEvent]:
        """Go on, unless a round is under way or everything is over."""
        number = 1 if self.round is None else self.round.number + 1
        if self.phase in (Phase.PLAYING, Phase.FINISHED):
            return []
        if number > self.rounds:
            return self.finish("all rounds are played")
        self.phase = Phase.PLAYING
        self.round = self._draw(number)
        started = _event(
            "round_started",
            self.round.player,
            round=number,
            of=self.rounds,
            player=self.round.player,
            start=self.round.start,
            legs=[[leg.direction, leg.steps] for leg in self.round.legs],
        )
        return [started]

    def touch(self, place: str, person: str | None = None) -> list[ActivityEvent]:
        """Somebody touched a place; where nobody knows who, it was whose turn it is."""
        current = self.round
        if self.phase is not Phase.PLAYING or current is None or place not in self.town.places:
            return []
        if current.player == self.robot != person or person not in (None, current.player):
            return [_event("out_of_turn", person, place=place, player=current.player)]
        if place == current.answer:
            current.found = True
            self.lit.append(place)
            tries, lit = len(current.wrong) + 1, len(self.lit)
            right = _event("place_right", current.player, place=place, tries=tries, lit=lit)
            return [right, self._end_round(current)]
        if place in current.wrong or place == current.start:
            return [_event("place_again", current.player, place=place)]
        current.wrong.append(place)
        tries, left = len(current.wrong), self._tries - len(current.wrong)
        wrong = _event("place_wrong", current.player, place=place, tries=tries, tries_left=left)
        return [wrong] if left > 0 else [wrong, *self.reveal()]

    def reveal(self) -> list[ActivityEvent]:
        """Show the answer and end the round without light."""
        if self.phase is not Phase.PLAYING or self.round is None:
            return []
        self.shown.append(self.round.answer)
        return [self._end_round(self.round)]

    def finish(self, reason: str) -> list[ActivityEvent]:
        """End the game now."""
        if self.phase is Phase.FINISHED:
            return []
        self.phase = Phase.FINISHED
        lit = len(self.lit)
        return [_event("game_finished", lit=lit, rounds=self.rounds, reason=reason)]

    # -- inside -----------------------------------------------------------------------------

    def _end_round(self, current: Round) -> ActivityEvent:
        self.phase = Phase.BETWEEN
        found, place = current.found, current.answer
        return _event("round_over", current.player, round=current.number, found=found, place=place)

    def _draw(self, number: int) -> Round:
        if self._robot_every and number % self._robot_every == 0:
            player = self.robot
        else:
            player = self.players[self._turn % len(self.players)]
            self._turn += 1
        used = {*self.lit, *self.shown}
        clues = self._clues(number, used)
        start, legs, answer = self._random.choice(clues)
        return Round(number, player, start, legs, answer)

    def _clues(self, number: int, used: set[str]) -> list[tuple[str, tuple[Leg, ...], str]]:
        """Every clue that is as hard as the round should be and leads to a dark place."""
        clues: list[tuple[str, tuple[Leg, ...], str]] = []
        for start in self.town.places:
            for leg, end in self._first_legs(start, number):
                if number < _TWO_LEGS_FROM_ROUND:
                    clues.append((start, (leg,), end))
                    continue
                for second, last in self.town.ways_from(end, 1):
                    if last != start and _is_a_bend(leg, second):
                        clues.append((start, (leg, second), last))
        new = [clue for clue in clues if clue[2] not in used]
        return new or clues

    def _first_legs(self, start: str, number: int) -> list[tuple[Leg, str]]:
        ways = [way for steps in (1, 2) for way in self.town.ways_from(start, steps)]
        if number >= _DIAGONALS_FROM_ROUND:
            return ways
        return [(leg, end) for leg, end in ways if "-" not in leg.direction]


def _event(event: str, person: str | None = None, /, **data: JsonValue) -> ActivityEvent:
    return ActivityEvent(event=event, person=person, data=data)


def _is_a_bend(first: Leg, second: Leg) -> bool:
    """Whether a way goes on in another direction, neither straight on nor back."""
    (across, down), (then_across, then_down) = (
        DIRECTIONS[first.direction],
        DIRECTIONS[second.direction],
    )
    return "-" not in second.direction and across * then_down != down * then_across
