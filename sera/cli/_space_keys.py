"""What an operator says while calibrating: single keys in a terminal, words in lines elsewhere.

Design overview: both become `Order`s. Keys are read raw from the terminal, so that a nudge needs no
Enter; the terminal is given back whatever happens. Lines come from a file or the standard input;
a line that is not understood ends the script with its number, for a script that goes on after a
mistake would calibrate nonsense.

Units and frames: degrees, right and up positive.
Threading: keys are read by the event loop, lines in a thread that does not keep the program alive.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import IO, NamedTuple

from sera.cli._errors import CommandError
from sera.runtime.located import nearest_name

STEP_DEG = 1.0
FINE_DEG = 0.1
_STEPS_DEG = (5.0, 1.0, 0.5, 0.1)
_SIDES = {"r": (1, 0), "l": (-1, 0), "u": (0, 1), "d": (0, -1)}
_SIDES |= {"right": (1, 0), "left": (-1, 0), "up": (0, 1), "down": (0, -1)}
KEYS_HELP = (
    "arrows or h j k l: nudge · with Shift: fine · + -: larger, smaller steps · Enter: accept · "
    "s: skip · b: back · q: quit"
)
LINES_HELP = "r 2.5, l 1, u 1, d 1: nudge · at H V: turn to · ok · skip · back · quit"


class Kind(Enum):
    """What an order is."""

    NUDGE = auto()
    TURN_TO = auto()
    ACCEPT = auto()
    SKIP = auto()
    BACK = auto()
    QUIT = auto()
    HELP = auto()
    STEP = auto()
    """The step was changed."""


class Order(NamedTuple):
    """One thing that the operator wants."""

    kind: Kind
    right_deg: float = 0.0
    up_deg: float = 0.0


_WORDS = {
    **dict.fromkeys(("ok", "accept"), Kind.ACCEPT),
    **dict.fromkeys(("s", "skip"), Kind.SKIP),
    **dict.fromkeys(("b", "back"), Kind.BACK),
    **dict.fromkeys(("q", "quit"), Kind.QUIT),
    **dict.fromkeys(("?", "help"), Kind.HELP),
}


def orders_of_line(line: str) -> list[Order]:
    """The orders in a line such as `r 2.5 u 1 ok`; what follows a # is a comment.

    Raises:
        ValueError: a word is unknown or a number is missing, with the nearest word.
    """
    words = re.sub(r"[;,]", " ", line.partition("#")[0].lower()).split()
    orders: list[Order] = []
    while words:
        word = words.pop(0)
        if word in _SIDES:
            right, up = _SIDES[word]
            by = _number(words, word) if words and _is_number(words[0]) else STEP_DEG
            orders.append(Order(Kind.NUDGE, right * by, up * by))
        elif word == "at":
            orders.append(Order(Kind.TURN_TO, _number(words, word), _number(words, word)))
        elif word in _WORDS:
            orders.append(Order(_WORDS[word]))
        else:
            near = nearest_name(word, [*_WORDS, *_SIDES, "at"])
            hint = f"; did you mean '{near}'?" if near else ""
            raise ValueError(f"unknown word '{word[:40]}'{hint} (known: {LINES_HELP})")
    return orders


def _is_number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _number(words: list[str], after: str) -> float:
    if not words or not _is_number(words[0]):
        found = f"not '{words[0][:40]}'" if words else "but the line ends there"
        raise ValueError(f"after '{after}' comes a number of degrees, {found}")
    return float(words.pop(0))


_PATTERN = re.compile(rb"\x1b(?:\[(1;\d)?|O)([ABCD])|\x1b\[[0-9;]*[~A-Za-z]|[^\x1b]")
_HALF = re.compile(rb"\x1b(?:\[[0-9;]*|O)?\Z")
_ARROWS = {b"A": (0, 1), b"B": (0, -1), b"C": (1, 0), b"D": (-1, 0)}
_LETTERS = {b"k": (0, 1), b"j": (0, -1), b"l": (1, 0), b"h": (-1, 0)}
_OTHER_KEYS = {
    **dict.fromkeys((b"\r", b"\n"), Kind.ACCEPT),
    **dict.fromkeys((b"q", b"Q", b"\x04"), Kind.QUIT),
    b"s": Kind.SKIP,
    b"b": Kind.BACK,
    b"?": Kind.HELP,
}


class Keys:
    """Turns bytes of a terminal into orders; half an escape sequence waits for its rest."""

    def __init__(self) -> None:
        self.step_deg = STEP_DEG
        self._left = b""

    def feed(self, typed: bytes) -> list[Order]:
        """The orders that these bytes complete."""
        text, self._left = self._left + typed, b""
        orders: list[Order] = []
        at = 0
        while at < len(text):
            if _HALF.match(text, at):
                self._left = text[at:]
                break
            match = _PATTERN.match(text, at)
            at = match.end() if match else at + 1
            order = self._order(match) if match else None
            if order is not None:
                orders.append(order)
        return orders

    def _order(self, match: re.Match[bytes]) -> Order | None:
        key = match.group()
        if match[2] is not None:
            return self._nudge(_ARROWS[match[2]], fine=match[1] is not None)
        if key.lower() in _LETTERS:
            return self._nudge(_LETTERS[key.lower()], fine=key.isupper())
        if key in (b"+", b"=", b"-", b"_"):
            self.step_deg = self._next(1 if key in (b"+", b"=") else -1)
            return Order(Kind.STEP)
        return Order(_OTHER_KEYS[key]) if key in _OTHER_KEYS else None

    def _next(self, towards: int) -> float:
        place = _STEPS_DEG.index(self.step_deg) - towards
        return _STEPS_DEG[max(0, min(len(_STEPS_DEG) - 1, place))]

    def _nudge(self, side: tuple[int, int], *, fine: bool) -> Order:
        by = FINE_DEG if fine else self.step_deg
        return Order(Kind.NUDGE, side[0] * by, side[1] * by)


async def orders_from_lines(stream: IO[str], name: str) -> AsyncIterator[Order]:
    """The orders in the lines of a file or a pipe.

    Raises:
        CommandError: a line is not understood; with the place.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def put(line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        try:
            for line in stream:
                put(line)
        except (OSError, ValueError):  # closed, or no text: what was read before counts
            pass
        put(None)

    threading.Thread(target=read, name="lines", daemon=True).start()
    number = 0
    while (line := await lines.get()) is not None:
        number += 1
        try:
            found = orders_of_line(line)
        except ValueError as error:
            raise CommandError(f"{name}, line {number}: {error}") from None
        for order in found:
            yield order


@contextmanager
def typed_orders(keys: Keys) -> Iterator[AsyncIterator[Order]]:
    """The orders that somebody types in the terminal, which is given back at the end."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    typed: asyncio.Queue[bytes] = asyncio.Queue()

    def take() -> None:
        try:
            typed.put_nowait(os.read(descriptor, 1024))
        except OSError:
            typed.put_nowait(b"")

    async def orders() -> AsyncIterator[Order]:
        while found := await typed.get():
            for order in keys.feed(found):
                yield order

    with _raw_terminal(descriptor):
        loop.add_reader(descriptor, take)
        try:
            yield orders()
        finally:
            loop.remove_reader(descriptor)


def can_read_keys() -> bool:
    """Whether somebody sits at a terminal whose keys can be read one by one."""
    return sys.platform != "win32" and sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def _raw_terminal(descriptor: int) -> Iterator[None]:
    """Keys come at once and unseen; Ctrl-C still is a signal."""
    import termios
    import tty

    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
