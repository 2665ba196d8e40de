"""What somebody has to say, and when they say it: not into the words of others, if they can wait.

Units: seconds. Threading: one thread; chance is injected.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

_WORD_S = 0.32
_LETTER_S = 0.02
_PAUSE_S = 0.25
"""How long it must be quiet before somebody begins."""
_WAITS_S = 8.0
"""How long somebody waits for the others before they speak all the same."""
_STALE_S = 6.0
"""An answer that comes later than this is no answer any more."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is being said, and when each word begins and ends."""

    text: str
    began_s: float
    times_s: tuple[tuple[float, float], ...]

    @property
    def ends_s(self) -> float:
        return self.began_s + (self.times_s[-1][1] if self.times_s else 0.0)


@dataclass(frozen=True, slots=True)
class _Wish:
    text: str
    ready_s: float
    at_once: bool
    stale_s: float | None


def timed(text: str, began_s: float) -> Words:
    """Words with times as a calm speaker has them."""
    at_s, times = 0.0, []
    for word in text.split():
        lasts_s = _WORD_S * 0.5 + _LETTER_S * min(len(word), 20)
        times.append((round(at_s, 3), round(at_s + lasts_s, 3)))
        at_s += lasts_s + 0.08
    return Words(text, began_s, tuple(times))


def answer_to(text: str, answers: Mapping[str, Sequence[str]], random: Random) -> str | None:
    """An answer to the robot's words: the longest key in them counts, then `?`."""
    heard = text.casefold()
    keys = [key for key in answers if key != "?" and key.casefold() in heard]
    if not keys and "?" in text and "?" in answers:
        keys = ["?"]
    if not keys:
        return None
    choices = answers[max(keys, key=len)]
    return random.choice(choices) if choices else None


class Mouth:
    """The words of one person."""

    def __init__(self) -> None:
        self.saying: Words | None = None
        self._wishes: deque[_Wish] = deque(maxlen=20)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to say and nothing being said."""
        return self.saying is None and not self._wishes

    def want(
        self, text: str, ready_s: float, *, at_once: bool = False, answer: bool = False
    ) -> None:
        """Have something to say from a moment on."""
        stale_s = ready_s + _STALE_S if answer else None
        wish = _Wish(text, ready_s, at_once, stale_s)
        if at_once:
            self._wishes.appendleft(wish)
        else:
            self._wishes.append(wish)

    def hush(self) -> None:
        """Have nothing to say any more."""
        self._wishes.clear()

    def advance(self, now_s: float, quiet_since_s: float | None) -> tuple[Words | None, bool]:
        """Let time pass.

        Args:
            now_s: the time.
            quiet_since_s: since when nobody else speaks; None: somebody does.

        Returns:
            Words that ended, and whether new ones began.
        """
        ended = None
        if self.saying is not None and now_s >= self.saying.ends_s:
            ended, self.saying = self.saying, None
        while self._wishes and (stale_s := self._wishes[0].stale_s) and now_s > stale_s:
            self._wishes.popleft()
        if self.saying is not None or ended is not None or not self._wishes:
            return ended, False
        wish = self._wishes[0]
        quiet = quiet_since_s is not None and now_s - quiet_since_s >= _PAUSE_S
        due = now_s >= wish.ready_s
        if not (due and (wish.at_once or quiet or now_s - wish.ready_s >= _WAITS_S)):
            return None, False
        self._wishes.popleft()
        self.saying = timed(wish.text, now_s)
        return None, True
