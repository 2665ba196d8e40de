"""A module that listens, for tests of what the runtime does around it."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from sera import Module, on
from sera.messages import JointFrame, SpeechWord
from sera.runtime import Role


def word(index: int) -> SpeechWord:
    return SpeechWord(speech="s", index=index, text="word", start_s=0.0)


class Listener(Module):
    """Remembers what it handled; a word above 100 takes a second, one of 13 fails."""

    role: ClassVar = Role.PERCEPTION

    async def start(self) -> None:
        self.handled: list[Any] = []

    @on(SpeechWord)
    async def listen(self, message: SpeechWord) -> None:
        if message.index == 13:
            raise ValueError("thirteen")
        if message.index > 100:
            await asyncio.sleep(1.0)
        self.handled.append(message.index)

    @on(JointFrame)
    async def watch(self, message: JointFrame) -> None:
        self.handled.append(f"frame {message.frame}")
