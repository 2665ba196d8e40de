"""What somebody attends to: what a script says, else here and there, as habit has it.

Design overview: without a task people look at who speaks and at the robot most of the time, and at
other things in between for moments; how long each look lasts is drawn anew, short for things and
longer for faces. Units: seconds. Threading: one thread; chance is injected.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sera.people.simulated.script import AROUND, AWAY

_FACE_S = (1.0, 4.0)
_THING_S = (0.4, 1.4)


class Attention:
    """Where somebody's attention is."""

    def __init__(self, random: Random, looks_around: float) -> None:
        self._random = random
        self._looks_around = looks_around
        self.ordered = AROUND
        self._now: str | None = None
        self._until_s = 0.0

    def target(
        self, now_s: float, robot: str | None, speaker: str | None, others: Sequence[str]
    ) -> str:
        """Whom or what the person attends to now.

        Args:
            now_s: the time.
            robot: the robot that they came for.
            speaker: who else speaks; the robot or a person.
            others: people and things that may draw a look.
        """
        if self.ordered != AROUND:
            return self.ordered
        gone = self._now not in (robot, speaker, AWAY) and self._now not in others
        if now_s >= self._until_s or gone:
            self._choose(now_s, speaker or robot, others)
        return self._now or AWAY

    def _choose(self, now_s: float, face: str | None, others: Sequence[str]) -> None:
        things = [one for one in others if one != face] or [AWAY]
        if face is None or self._random.random() < self._looks_around:
            # Two asides in a row are rare where faces are the point.
            self._now, lasts_s = self._random.choice(things), _THING_S
        else:
            self._now, lasts_s = face, _FACE_S
        self._until_s = now_s + self._random.uniform(*lasts_s)
