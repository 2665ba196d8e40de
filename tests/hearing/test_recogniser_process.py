"""A recogniser in a process of its own: results come back, a killed child is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sera.hearing.recogniser import Expectation, Recognised, RecogniserError
from sera.hearing.recogniser_process import RecogniserProcess
from tests.helpers import until

HERE = Path(__file__).parent
ENGINES = "recogniser_engines_for_tests"


class Listener:
    def __init__(self, engine: str, longest_queue_s: float = 8.0) -> None:
        self.heard: list[tuple[int, Recognised | None, bool]] = []
        self.told: list[str] = []
        self.process = RecogniserProcess(
            engine,
            "en",
            lambda *result: self.heard.append(result),
            self.told.append,
            longest_queue_s=longest_queue_s,
        )

    def say(self, number: int, blocks: int = 2) -> None:
        self.process.begin(number)
        for _ in range(blocks):
            self.process.feed(number, bytes(3200))
        self.process.end(number)


def play(listener: Callable[[], Listener], scene: Callable[[Listener], Awaitable[None]]) -> None:
    async def main() -> None:
        made = listener()
        running = asyncio.create_task(made.process.run())
        try:
            await scene(made)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(main())


@pytest.fixture(autouse=True)
def _engines_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HERE))


def test_a_killed_child_is_replaced_and_knows_what_to_expect() -> None:
    async def scene(listener: Listener) -> None:
        process = listener.process
        process.expect(Expectation("grammar", ("yes",)))
        listener.say(1)
        await until(lambda: listener.heard)
        assert process.process is not None
        process.begin(2)
        process.feed(2, bytes(3200))
        await until(lambda: not process._waiting)  # the child has it
        process.process.kill()
        await until(lambda: process.restarts == 1)
        process.feed(2, bytes(3200))  # the rest of an utterance whose beginning died
        process.end(2)
        listener.say(3)
        await until(lambda: len(listener.heard) == 2)
        texts = [(number, found.text) for number, found, _ in listener.heard if found]
        assert texts == [(1, "6400 yes"), (3, "6400 yes")]
        assert listener.told == ["the recogniser's process died and is started again"]

    play(lambda: Listener(f"{ENGINES}:Echo"), scene)


def test_what_comes_too_fast_is_dropped_oldest_first_and_told() -> None:
    async def scene(listener: Listener) -> None:
        for number in range(1, 7):
            listener.say(number, blocks=10)  # six seconds where one may wait
        assert listener.process.dropped >= 4
        await until(lambda: listener.heard and listener.heard[-1][0] == 6)
        assert {found.text for _, found, _ in listener.heard if found} == {"32000 "}
        assert "dropped" in listener.told[0]

    play(lambda: Listener(f"{ENGINES}:Slow", longest_queue_s=1.5), scene)


def test_an_engine_that_cannot_serve_is_told_in_a_sentence() -> None:
    async def main() -> None:
        process = RecogniserProcess("pocketsphinx", "fi", lambda *_: None, print)
        with pytest.raises(RecogniserError, match="English only, not for 'fi'"):
            await process.run()

    asyncio.run(main())
