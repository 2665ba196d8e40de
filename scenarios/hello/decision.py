"""What Hello decides: look at who comes, greet, answer, win attention back, wave goodbye."""

from __future__ import annotations

from modules.attention import AttentionChanged
from sera import Module, on
from sera.messages import (
    Clicked,
    GazeAt,
    Highlight,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    SessionMark,
    SetPosture,
    SpeechHeard,
)


class HelloDecision(Module):
    """Keeps a small conversation going; greeting is the greeter's."""

    class Settings(Module.Settings):
        """Which categories of lines it uses."""

        answer: str = "answer"
        call_back: str = "call_back"
        doorbell: str = "doorbell"
        goodbye: str = "goodbye"

    async def start(self) -> None:
        self._had_attention: set[str] = set()

    @on(PersonDetected)
    async def look(self, message: PersonDetected) -> None:
        await self.publish(GazeAt(target=message.person))
        await self.publish(SetPosture(posture="engaged"))

    @on(SpeechHeard)
    async def reply(self, _message: SpeechHeard) -> None:
        await self.publish(PerformUtterance(category=self.settings.answer))

    @on(Clicked)
    async def answer_the_door(self, message: Clicked) -> None:
        if message.element == "doorbell":
            await self.publish(Highlight(element="doorbell", label="Coming!"))
            await self.publish(PerformUtterance(category=self.settings.doorbell))

    @on(AttentionChanged)
    async def win_back(self, message: AttentionChanged) -> None:
        if message.attentive:
            self._had_attention.add(message.person)
            await self.publish(SetPosture(posture="engaged", blend_s=1.0))
        elif message.person in self._had_attention:
            await self.publish(SetPosture(posture="neutral", blend_s=1.5))
            await self.publish(PerformUtterance(category=self.settings.call_back))

    @on(PersonLost)
    async def say_goodbye(self, message: PersonLost) -> None:
        self._had_attention.discard(message.person)
        await self.publish(SetPosture(posture="neutral", blend_s=1.5))
        await self.publish(PerformUtterance(category=self.settings.goodbye))
        await self.publish(SessionMark(label="visit_over"))
