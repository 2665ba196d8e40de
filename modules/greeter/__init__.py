"""The smallest decision module: greets whoever arrives."""

from __future__ import annotations

from sera import Module, on
from sera.messages import PerformUtterance, PersonDetected


class Greeter(Module):
    """Greets whoever arrives."""

    class Settings(Module.Settings):
        """What to greet with."""

        category: str = "greeting"
        """Category of the utterance library from which a line is chosen."""

    @on(PersonDetected)
    async def greet(self, message: PersonDetected) -> None:
        await self.publish(
            PerformUtterance(category=self.settings.category, words={"visitor": message.person})
        )
