"""One simulated person: plays a script step by step, and lets a hand on the floor plan lead.

Design overview
    A step begins, and every moment the person is asked whether it is done. Walking, looking and
    speaking are bodies of their own (`_walk`, `_head`, `_attention`, `_mouth`). While somebody
    leads the person from the floor plan the script waits; let go, it takes up the step again.

Units and frames
    Metres and degrees of the scenario's space, seconds.

Threading
    One thread; chance is injected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from sera.behaviour.space import Angles, Vector, angles_of
from sera.people.simulated._attention import Attention
from sera.people.simulated._head import Head
from sera.people.simulated._mouth import Mouth, answer_to
from sera.people.simulated._walk import MOST_M_S, Walker
from sera.people.simulated.script import AROUND, AWAY, FloorPoint, ScriptStep, Traits

AHEAD = "ahead"
"""Along the way, while walking."""
TURNED = "turned"
"""Where a hand on the floor plan has turned the head."""
_STANDS_AT_LEAST_M_S = 0.1
_ANSWER_WITHIN_S = 20.0
_AWAY_DEG = 75.0


@dataclass(frozen=True, slots=True)
class Home:
    """Where somebody belongs."""

    place: FloorPoint
    seated_m: float | None
    """Height of the head on the seat; None: there is none."""
    standing_m: float
    door: FloorPoint


@dataclass(frozen=True, slots=True)
class Around:
    """What a person knows of the others at a moment."""

    places_m: Mapping[str, Vector]
    robot: str | None
    speaker: str | None
    quiet_since_s: float | None
    things: Sequence[str] = ()


@dataclass(slots=True)
class _Play:
    """How far the script is."""

    steps: list[ScriptStep] = field(default_factory=list)
    index: int = 0
    times: int = 0
    begun: bool = False
    until_s: float = 0.0
    waits_until_s: float = 0.0
    answered: bool = False


class SimulatedPerson:
    """Somebody who is not there.

    Args:
        name: name in the scenario.
        traits: how they are.
        home: where they belong.
        steps: what they do; only steps that the scenario can play.
        goal: finds the place of a step's `to`, with the height of the head seated there.
        random: their own chance.
        began_s: when the simulation begins.
    """

    def __init__(
        self,
        name: str,
        traits: Traits,
        home: Home,
        *,
        steps: Sequence[ScriptStep],
        goal: Callable[[str], tuple[FloorPoint, float | None]],
        random: Random,
        began_s: float,
    ) -> None:
        self.name, self.traits, self.home = name, traits, home
        self.present = False
        self.held = False
        self.walker = Walker(home.door, home.standing_m)
        self.head = Head(random)
        self.mouth = Mouth()
        self.attention = Attention(random, traits.looks_around)
        self._goal, self._random = goal, random
        self._play = _Play(list(steps), waits_until_s=began_s + traits.comes_after_s)
        self._turned = Angles(180.0, 0.0)
        self._chats_s = math.inf
        self._leaving = False
        self._looking = AWAY
        self._sits_m: float | None = None

    @property
    def finished(self) -> bool:
        """Whether the script is over, nothing is left to say and nobody leads the person."""
        play = self._play
        over = self.traits.repeats > 0 and play.times >= self.traits.repeats
        return (over or not play.steps) and not self.held and self.mouth.is_done

    @property
    def looks_at(self) -> str:
        return self._looking

    # -- time -------------------------------------------------------------------------------

    def advance(self, now_s: float, for_s: float, around: Around) -> None:
        """Let time pass."""
        self._direct(now_s)
        if not self.present:
            return
        self.walker.advance(for_s)
        if self._leaving and self.walker.arrived:
            self._vanish()
            return
        self._chat(now_s)
        target = self._target(now_s, around)
        self._looking = target
        self.head.advance(target, self._direction(target, around), for_s)

    def hear_robot(self, text: str, now_s: float) -> None:
        """The robot has said something to its end."""
        if not self.present or self.held:
            return
        play = self._play
        step = play.steps[play.index] if play.begun and play.index < len(play.steps) else None
        if step is not None and step.do == "answer" and step.text and not play.answered:
            play.answered = True
            self.mouth.want(step.text, now_s + self._thinks_s())
        elif self._random.random() < self.traits.answers_part:
            reply = answer_to(text, self.traits.answers, self._random)
            if reply is not None:
                self.mouth.want(reply, now_s + self._thinks_s(), answer=True)

    # -- the floor plan's hand --------------------------------------------------------------

    def drag(self, place: FloorPoint) -> None:
        """Go there, as fast as people can."""
        self._lead()
        self._appear()
        self.walker.go([place], MOST_M_S, haste=True)

    def turn(self, horizontal_deg: float) -> None:
        """Face that way."""
        self._lead()
        self._turned = Angles(horizontal_deg, 0.0)
        self.attention.ordered = TURNED

    def look(self, at: str) -> None:
        self._lead()
        self.attention.ordered = at

    def come(self) -> None:
        self._lead()
        self._appear()
        self.attention.ordered = AROUND
        self.walker.go([self.home.place], self.traits.walks_m_s)

    def leave(self) -> None:
        self._lead()
        self._go_out([], self.traits.walks_m_s)

    def let_go(self) -> None:
        """Take up the script again."""
        self.held, self._play.begun, self._leaving = False, False, False
        self.attention.ordered = AROUND

    def _lead(self) -> None:
        self.held, self._leaving = True, False

    # -- the script -------------------------------------------------------------------------

    def _direct(self, now_s: float) -> None:
        """Begin and end steps; several that take no time in one moment."""
        play = self._play
        if self.held or now_s < play.waits_until_s:
            return
        for _ in range(len(play.steps) + 1):
            if self.traits.repeats > 0 and play.times >= self.traits.repeats:
                return
            if play.index >= len(play.steps):
                play.index, play.times = 0, play.times + 1
                pause_s = self.traits.pause_s * self._random.uniform(0.8, 1.2)
                play.waits_until_s = now_s + max(0.1, pause_s)
                return
            step = play.steps[play.index]
            if not play.begun:
                play.begun, play.answered = True, False
                self._begin(step, now_s)
            if not self._is_done(step, now_s):
                return
            play.begun = False
            play.index += 1
            if step.do == "look" and step.for_s is not None:
                self.attention.ordered = AROUND

    def _begin(self, step: ScriptStep, now_s: float) -> None:
        play, speed = self._play, step.speed_m_s or self.traits.walks_m_s
        play.until_s = now_s + (step.for_s or 0.0)
        if step.do in ("come", "walk", "cross", "sit"):
            self._appear()
            self._chats_s = now_s + self._every_s()
            self._walk(step, speed)
        elif step.do == "stand":
            self.walker.rise_to(self.home.standing_m)
        elif step.do == "leave":
            self._go_out(step.via, speed)
        elif step.do == "look" and step.at is not None:
            self.attention.ordered = step.at
        elif step.do == "say" and step.text is not None and self.present:
            if step.at is not None:
                self.attention.ordered = step.at
            self.mouth.want(step.text, now_s)
        elif step.do == "answer":
            within_s = _ANSWER_WITHIN_S if step.for_s is None else step.for_s
            play.until_s = now_s + within_s

    def _walk(self, step: ScriptStep, speed: float) -> None:
        if step.do == "cross":
            self._leaving = True
            self.attention.ordered = AHEAD
            place: FloorPoint = (-self.home.door[0], self.home.door[1])
        else:
            self.attention.ordered = AROUND if step.do in ("come", "sit") else AHEAD
            place = self.home.place
        seated_m = self.home.seated_m
        if isinstance(step.to, str):
            place, seated_m = self._goal(step.to)
        elif step.to is not None:
            place, seated_m = step.to, None
        if step.do != "sit":
            self.walker.rise_to(self.home.standing_m)
        self.walker.go([*step.via, place], speed)
        self._sits_m = seated_m if step.do == "sit" else None

    def _is_done(self, step: ScriptStep, now_s: float) -> bool:
        if step.do in ("wait", "look"):
            return now_s >= self._play.until_s
        if step.do in ("leave", "cross"):
            return not self.present
        if step.do == "say":
            return self.mouth.is_done
        if step.do == "answer":
            if not self.present or (now_s >= self._play.until_s and not self._play.answered):
                return True
            return self._play.answered and self.mouth.is_done
        return self._has_settled(step)

    def _has_settled(self, step: ScriptStep) -> bool:
        walker = self.walker
        if not (walker.arrived and walker.speed_m_s < _STANDS_AT_LEAST_M_S):
            return step.do == "stand" and walker.arrived
        if step.do == "sit" and self._sits_m is not None:
            walker.rise_to(self._sits_m)
            return abs(walker.y_m - self._sits_m) < 0.01
        if step.do == "walk":
            self.attention.ordered = AROUND
        return True

    def _appear(self) -> None:
        self._leaving = False
        if not self.present:
            self.present = True
            self.walker.appear(self.home.door, self.home.standing_m)
            x, z = self.home.place[0] - self.home.door[0], self.home.place[1] - self.home.door[1]
            self.head.turn(math.degrees(math.atan2(-x, z)))

    def _go_out(self, via: Sequence[FloorPoint], speed: float) -> None:
        self._leaving = True
        self.attention.ordered = AHEAD
        self.walker.rise_to(self.home.standing_m)
        self.walker.go([*via, self.home.door], speed)

    def _vanish(self) -> None:
        self.present, self._leaving = False, False
        self.mouth.hush()

    # -- habits -----------------------------------------------------------------------------

    def _chat(self, now_s: float) -> None:
        traits = self.traits
        if traits.says and traits.says_every_s > 0.0 and now_s >= self._chats_s and not self.held:
            self._chats_s = now_s + self._every_s()
            if self.mouth.is_done:
                self.mouth.want(self._random.choice(traits.says), now_s, answer=True)

    def _every_s(self) -> float:
        return self.traits.says_every_s * self._random.uniform(0.5, 1.5)

    def _thinks_s(self) -> float:
        return self.traits.reaction_s * self._random.uniform(0.6, 1.4)

    def _target(self, now_s: float, around: Around) -> str:
        things = [name for name in around.things if name != self.name]
        speaker = None if around.speaker == self.name else around.speaker
        return self.attention.target(now_s, around.robot, speaker, things)

    def _direction(self, target: str, around: Around) -> Angles:
        """Where to look for a target; straight on where it is nowhere."""
        if target == TURNED:
            return self._turned
        place_m = around.places_m.get(target)
        if target == AHEAD or (place_m is None and target != AWAY):
            x, z = self.walker.velocity_m_s
            return angles_of((x, 0.0, z)) if math.hypot(x, z) > 0.05 else self.head.face
        if place_m is None:
            robot_m = around.places_m.get(around.robot or "", (0.0, 0.0, 0.0))
            there = self._towards(robot_m)
            side = 1.0 if self.walker.x_m < robot_m[0] else -1.0
            aside = there.horizontal_deg + side * _AWAY_DEG
            return Angles((aside + 180.0) % 360.0 - 180.0, -5.0)
        return self._towards(place_m)

    def _towards(self, place_m: Vector) -> Angles:
        here = self.walker.place_m
        way = (place_m[0] - here[0], place_m[1] - here[1], place_m[2] - here[2])
        return angles_of(way) if math.hypot(*way) > 0.01 else self.head.face
