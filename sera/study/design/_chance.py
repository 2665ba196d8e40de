"""Chance that is the same on every machine, with every version of Python, for ever.

A study is drawn over months, on several machines and through updates, so its draws hang on
SHA-256 alone and not on the shuffling of a library that may change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

_Thing = TypeVar("_Thing")


def pick(seed: int, count: int, *about: object) -> int:
    """A number from 0 to `count - 1`, drawn for what it is about."""
    text = "/".join(map(str, (seed, *about)))
    # 256 bits on a handful of numbers: the bias is far below anything that could be measured.
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") % count


def shuffled(things: Sequence[_Thing], seed: int, *about: object) -> list[_Thing]:
    """The things in an order that was drawn for what it is about (Fisher-Yates)."""
    mixed = list(things)
    for last in range(len(mixed) - 1, 0, -1):
        other = pick(seed, last + 1, *about, last)
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed
