"""Two learners at a table: what they see and hear goes in, what they do comes out.

Design overview
    Nobody knows more than people there would: what the table shows (events of the activity), what
    the robot says aloud, what the other one says. Everything is done later, after a delay as
    people have it; an agenda holds what is planned, and plans of a round that is over lapse. They
    seldom talk at the same time, and let the robot finish.

Units and frames
    Seconds on the caller's clock.

Threading
    None; the same facts at the same times with the same seed give the same deeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from ._agenda import Act, Agenda, anywhere
from ._deeds import ROBOT, Deed, Hush, Learner, Leave, Look, Speak, Touch, Traits
from ._reading import Cell, Leg, read_map
from ._words import EASY_WORDS, HOW_WORDS, READY_WORDS, sentences

SECONDS_PER_WORD = 0.36
HELP_IS_WORTH = 0.08
"""How much likelier a learner is right after each help."""
GIVES_UP_SPEAKING_S = 4.0
BREATH_S = 0.6
"""A shorter silence of the robot is a pause within what it says."""


class Pair:
    """The learners of one table.

    Args:
        traits: what each is like, by the id that a tracker would give.
        random: the only source of chance.
        language: what they speak.
        leaves_after_s: how long after the robot's last word they stay.
    """

    def __init__(
        self,
        traits: Mapping[str, Traits],
        random: Random,
        language: str = "en",
        leaves_after_s: float = 5.0,
    ) -> None:
        self.learners = {name: Learner(name, each) for name, each in traits.items()}
        self._random = random
        self._words = sentences(language)
        self._leaves_after_s = leaves_after_s
        self._agenda = Agenda()
        self._out: list[Deed] = []
        self._cells: dict[str, Cell] = {}
        self._called: dict[str, str] = {}
        self._round = 0
        self._player: str | None = None
        self._clue: tuple[str, tuple[Leg, ...]] | None = None
        self._round_began_s = 0.0
        self._robot_speaks = False
        self._robot_silent_s = 0.0
        self._robot_said = 0
        self._over_s: float | None = None
        self._said_before_end = 0

    # -- what comes in ----------------------------------------------------------------------

    def hear_robot(self, now_s: float) -> None:
        """The robot begins to say something."""
        self._robot_speaks = True
        self._robot_said += 1
        for learner in self.learners.values():
            busy = learner.id == self._player
            if self._random.random() < (0.45 if busy else 0.8):
                self._later(
                    now_s + self._between(0.3, 0.9), self._looking(learner, ROBOT, 1.0, 2.8)
                )
        if self._robot_said == 1:
            for learner in self.learners.values():
                self._maybe_say(learner, "hello", now_s + self._between(1.0, 2.5), chance=0.9)

    def robot_is_silent(self, text: str, now_s: float, *, to_its_end: bool = True) -> None:
        """The robot has said it; who is asked something answers."""
        self._robot_speaks = False
        self._robot_silent_s = now_s
        if not to_its_end:
            return
        player = self.learners.get(self._player or "")
        if player is not None and now_s - self._round_began_s > 8.0:
            self._take_help(player, now_s)
        if "?" in text:
            self._answer(text, now_s)

    def see(self, event: str, data: Mapping[str, Any], now_s: float) -> None:
        """Something happens on the table."""
        if isinstance(data.get("board"), dict):
            self._learn_board(data["board"])
        if event == "round_started":
            self._begin_round(data, now_s)
        elif event == "highlighted":
            self._notice(str(data.get("place")), now_s)
        elif event == "place_right":
            self._rejoice(now_s)
        elif event == "place_wrong":
            self._regret(str(data.get("place")), now_s)
        elif event in ("round_over", "game_finished"):
            self._round += 1
            self._player = self._clue = None
            if event == "game_finished" and not data.get("again", False):
                self._over_s, self._said_before_end = now_s, self._robot_said
        elif event == "game_ready":
            self._over_s = None

    def step(self, now_s: float) -> list[Deed]:
        """Time has passed; returns what they do now."""
        while (act := self._agenda.due(now_s, self._round)) is not None:
            act(now_s)
        for learner in self.learners.values():
            if now_s >= learner.next_look_s:
                self._look_around(learner, now_s)
        if self._may_leave(now_s):
            self._over_s = None
            self._take_leave(now_s)
        done, self._out = self._out, []
        return done

    # -- a round ----------------------------------------------------------------------------

    def _learn_board(self, board: Mapping[str, Any]) -> None:
        self._cells = {name: tuple(place["cell"]) for name, place in board.items()}
        self._called = {name: str(place.get("the", name)) for name, place in board.items()}

    def _begin_round(self, data: Mapping[str, Any], now_s: float) -> None:
        self._round += 1
        self._round_began_s = now_s
        self._player = str(data.get("player"))
        legs = tuple((str(leg[0]), int(leg[1])) for leg in data.get("legs", ()))
        self._clue = (str(data.get("start")), legs)
        for learner in self.learners.values():
            learner.idea, learner.help_got = None, 0
            learner.tried, learner.stuck = [], False
            self._look(learner, self._clue[0], now_s, self._between(1.0, 2.5))
        player = self.learners.get(self._player)
        if player is not None:
            self._think(player, now_s)

    def _think(self, player: Learner, now_s: float, least_s: float = 3.0) -> None:
        """Make up the mind, unless nothing comes of it before somebody helps."""
        if self._clue is None:
            return
        traits = player.traits
        stuck = 0.1 + 0.35 * (1.0 - traits.skill) - 0.1 * player.help_got
        if self._random.random() < stuck:
            player.stuck = True
            self._maybe_say(player, "no_idea", now_s + self._between(5.0, 9.0), chance=0.4)
            alone_s = now_s + self._between(22.0, 32.0) / traits.pace
            self._later(alone_s, lambda at_s: self._take_help(player, at_s), this_round=True)
            return
        legs = len(self._clue[1])
        took_s = (least_s + self._between(0.0, 3.0) + 1.2 * (legs - 1)) / traits.pace
        self._later(now_s + took_s, lambda at_s: self._get_idea(player, at_s), this_round=True)

    def _take_help(self, player: Learner, now_s: float) -> None:
        """Somebody helped, or enough time has passed to begin again."""
        player.help_got += 1
        if player.stuck:
            player.stuck = False
            self._think(player, now_s, least_s=1.5)

    def _get_idea(self, player: Learner, now_s: float) -> None:
        if self._robot_speaks and self._random.random() < 0.85:
            again_s = now_s + self._between(0.6, 1.4)  # the robot may be helping just now
            self._later(again_s, lambda at_s: self._get_idea(player, at_s), this_round=True)
            return
        player.idea = player.idea or self._read(player)  # advice counts more
        if player.idea is None:
            return
        self._look(player, player.idea, now_s, 2.0)
        wait_s = self._between(0.8, 1.8)
        if self._random.random() < 0.6 * player.traits.talkativeness:
            wait_s += 3.5
            self._later(now_s + 0.3, lambda at_s: self._share(player, at_s), this_round=True)
        self._later(now_s + wait_s, lambda at_s: self._touch(player, at_s), this_round=True)

    def _read(self, learner: Learner) -> str | None:
        assert self._clue is not None
        return read_map(
            self._cells,
            *self._clue,
            skill=min(1.0, learner.traits.skill + HELP_IS_WORTH * learner.help_got),
            random=self._random,
            not_again=learner.tried,
        )

    def _share(self, player: Learner, now_s: float) -> None:
        """Think aloud; the other one has an opinion, too."""
        self._say(player, "idea", now_s, player.idea)
        partner = self._other(player)
        if partner is None or self._clue is None:
            return
        partner.tried = list(player.tried)
        partner.idea = self._read(partner)
        if partner.idea is None or self._random.random() >= partner.traits.talkativeness:
            return
        same = partner.idea == player.idea
        kind = "agree" if same else "disagree"
        said_s = now_s + self._between(2.0, 2.8)
        self._maybe_say(partner, kind, said_s, chance=1.0, place=partner.idea)
        if not same and self._random.random() < 0.5:
            player.idea = partner.idea

    def _touch(self, player: Learner, now_s: float) -> None:
        if player.idea is not None and player.id == self._player:
            self._look(player, player.idea, now_s, 1.5)
            self._out.append(Touch(player.id, player.idea))

    def _notice(self, place: str, now_s: float) -> None:
        """The table highlights a place: everybody looks, and the player takes it for advice."""
        for learner in self.learners.values():
            self._later(now_s + self._between(0.2, 0.5), self._looking(learner, place, 1.0, 2.0))
        player = self.learners.get(self._player or "")
        if player is None or self._clue is None or place in (self._clue[0], *player.tried):
            return
        player.idea, player.stuck = place, False
        due_s = now_s + self._between(2.0, 4.0)
        self._later(due_s, lambda at_s: self._touch(player, at_s), this_round=True)

    def _regret(self, place: str, now_s: float) -> None:
        player = self.learners.get(self._player or "")
        if player is None:
            return
        player.tried.append(place)
        player.idea = None
        player.help_got += 1
        self._maybe_say(player, "wrong", now_s + 0.4, chance=0.4 * player.traits.talkativeness)
        self._think(player, now_s, least_s=4.0)

    def _rejoice(self, now_s: float) -> None:
        player = self.learners.get(self._player or "")
        if player is None:
            return
        chance = 0.45 * player.traits.talkativeness
        self._maybe_say(
            player, "right", now_s + self._between(0.2, 0.6), chance=chance, lapses=False
        )
        partner = self._other(player)
        if partner is not None:
            self._look(partner, player.id, now_s, 1.2)
            chance = 0.25 * partner.traits.talkativeness
            due_s = now_s + self._between(0.9, 1.6)
            self._maybe_say(
                partner, "partner_right", due_s, chance=chance, lapses=False, patience_s=0.8
            )

    # -- talk -------------------------------------------------------------------------------

    def _answer(self, text: str, now_s: float) -> None:
        asked = self._addressed(text)
        words = text.casefold()
        kind = "yes" if self._random.random() < 0.8 else "no"
        place = None
        if any(word in words for word in READY_WORDS):
            kind = "ready"
        elif self._clue is not None:
            player = self.learners.get(self._player or "")
            asked.tried = [] if player is None else list(player.tried)
            place = self._read(asked)
            kind = "no_idea" if place is None else "help"
            if player is not None and place is not None and asked is not player:
                player.idea, player.help_got = place, player.help_got + 1
                due_s = now_s + self._between(4.0, 6.0)
                self._later(due_s, lambda at_s: self._touch(player, at_s), this_round=True)
        elif any(word in words for word in EASY_WORDS):
            kind = "yes" if self._random.random() < asked.traits.skill else "no"
        elif any(word in words for word in HOW_WORDS):
            kind = "how"
        due_s = now_s + self._between(0.7, 1.8)
        self._later(now_s + 0.2, self._looking(asked, ROBOT, 1.5, 2.5))
        self._maybe_say(asked, kind, due_s, chance=0.93, place=place, lapses=False)

    def _addressed(self, text: str) -> Learner:
        """Who is meant: whose name was said last, else whose turn it is, else anybody."""
        said = {
            text.rfind(each.traits.called): each
            for each in self.learners.values()
            if each.traits.called and each.traits.called in text
        }
        if said:
            return said[max(said)]
        player = self.learners.get(self._player or "")
        return player or self._random.choice(list(self.learners.values()))

    def _may_leave(self, now_s: float) -> bool:
        """After the game, when the robot has taken its leave or says nothing at all."""
        if self._over_s is None or self._robot_speaks:
            return False
        spoke = self._robot_said > self._said_before_end
        patience_s = self._leaves_after_s * (1.0 if spoke else 4.0)
        return now_s - max(self._over_s, self._robot_silent_s) >= patience_s

    def _take_leave(self, now_s: float) -> None:
        for learner in self.learners.values():
            self._maybe_say(learner, "goodbye", now_s + self._between(0.2, 1.8), chance=0.8)
        self._later(now_s + 4.5, lambda _at_s: self._out.append(Leave()))

    def _maybe_say(
        self,
        learner: Learner,
        kind: str,
        due_s: float,
        *,
        chance: float,
        place: str | None = None,
        lapses: bool = True,
        patience_s: float = GIVES_UP_SPEAKING_S,
    ) -> None:
        if self._random.random() < chance:
            until_s = due_s + patience_s
            in_round = lapses and self._clue is not None

            def speak(at_s: float) -> None:
                if not self._floor_is_free(at_s):
                    if at_s < until_s:
                        self._later(at_s + self._between(0.3, 0.8), speak, this_round=in_round)
                    return
                self._say(learner, kind, at_s, place)

            self._later(due_s, speak, this_round=in_round)

    def _say(self, learner: Learner, kind: str, now_s: float, place: str | None = None) -> None:
        if not self._floor_is_free(now_s):
            return
        called = self._called.get(place or "", "")
        text = self._random.choice(self._words[kind]).format(place=called)
        lasts_s = 0.3 + SECONDS_PER_WORD * len(text.split())
        learner.speaks_until_s = now_s + lasts_s
        self._out.append(Speak(learner.id, text))
        self._later(now_s + lasts_s, lambda _at_s: self._out.append(Hush(learner.id, text)))
        listener = self._other(learner)
        if listener is not None and self._random.random() < 0.5:
            self._later(now_s + 0.4, self._looking(listener, learner.id, 0.8, 1.6))

    def _floor_is_free(self, now_s: float) -> bool:
        others = any(each.speaks_until_s > now_s for each in self.learners.values())
        breathes = self._robot_said > 0 and now_s - self._robot_silent_s < BREATH_S
        return not (others or self._robot_speaks or breathes)

    # -- heads ------------------------------------------------------------------------------

    def _look_around(self, learner: Learner, now_s: float) -> None:
        other = self._other(learner)
        target = anywhere(self._random, list(self._cells), None if other is None else other.id)
        self._look(learner, target, now_s, self._between(1.2, 4.0))

    def _look(self, learner: Learner, target: str, now_s: float, lasts_s: float) -> None:
        learner.next_look_s = now_s + lasts_s
        if target != learner.looks_at:
            learner.looks_at = target
            self._out.append(Look(learner.id, target))

    def _looking(self, learner: Learner, target: str, least_s: float, most_s: float) -> Act:
        return lambda at_s: self._look(learner, target, at_s, self._between(least_s, most_s))

    # -- small things -----------------------------------------------------------------------

    def _other(self, learner: Learner) -> Learner | None:
        return next((each for each in self.learners.values() if each is not learner), None)

    def _between(self, least_s: float, most_s: float) -> float:
        return self._random.uniform(least_s, most_s)

    def _later(self, due_s: float, act: Act, *, this_round: bool = False) -> None:
        self._agenda.add(due_s, act, self._round if this_round else None)
