"""A recogniser in a process of its own: orders come as lines of JSON with sound, results go back.

An order is a line `{"do", "utterance", "bytes", …}` and as many bytes of sound; a reply a line
`{"utterance", "final", "recognised"}`, `{"told"}` or `{"error"}`. The process ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

from sera.hearing.recogniser import (
    Expectation,
    Recognised,
    Recogniser,
    RecogniserError,
    make_recogniser,
)


def serve(engine: str, language: str, orders: BinaryIO, replies: BinaryIO) -> None:
    """Carry out orders until there are no more."""

    def reply(**content: Any) -> None:
        replies.write(json.dumps(content).encode() + b"\n")
        replies.flush()

    try:
        recogniser = make_recogniser(engine, language)
    except RecogniserError as error:
        reply(error=str(error))
        return
    reply(told=[])
    while line := orders.readline():
        order = json.loads(line)
        sound = orders.read(order.get("bytes", 0))
        for answer in carry_out(recogniser, order, sound):
            reply(**answer)


def carry_out(recogniser: Recogniser, order: dict[str, Any], sound: bytes) -> list[dict[str, Any]]:
    """Do what an order says; the replies."""
    number = order.get("utterance", 0)
    if order["do"] == "expect":
        expected = Expectation(order["mode"], tuple(order["phrases"]), order["fall_back"])
        return [{"told": recogniser.expect(expected)}]
    if order["do"] == "begin":
        recogniser.begin()
        return []
    if order["do"] == "feed":
        guess = recogniser.feed(sound)
        return [_told(number, guess, final=False)] if guess is not None else []
    return [_told(number, recogniser.end(), final=True)]


def _told(number: int, recognised: Recognised | None, *, final: bool) -> dict[str, Any]:
    return {
        "utterance": number,
        "final": final,
        "recognised": None if recognised is None else asdict(recognised),
    }


if __name__ == "__main__":
    # Libraries that print would spoil the replies: they get the standard error.
    _replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.argv[1], sys.argv[2], sys.stdin.buffer, _replies)
