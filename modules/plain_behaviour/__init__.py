"""A plain behaviour manager: picks a line, has it spoken, and turns gaze targets into angles.

Lines lie in `utterances.toml` beside the scenario: categories with lists of lines, in which
`/tag/` stands for what the decision module hands over.
"""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sera import Module, on
from sera.messages import (
    CancelReason,
    Direction,
    Envelope,
    Gaze,
    GazeAt,
    PerformUtterance,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Position,
    Speak,
    SpeechFinished,
    SpeechOutcome,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.runtime import Role

_LIBRARY = TypeAdapter(dict[str, list[str]])
_TAG = re.compile(r"/(\w+)/")


class PlainBehaviour(Module):
    """Performs lines one at a time and follows whom it looks at."""

    role = Role.BEHAVIOUR

    class Settings(Module.Settings):
        """Where the lines are, and where the eyes are."""

        library: str = "utterances.toml"
        """File beside the scenario."""
        eye_height_m: float = 1.1
        """Height of the robot's eyes above the floor."""

    async def start(self) -> None:
        path = (self.context.folder or Path()) / self.settings.library
        try:
            text = await self.blocking(path.read_text, encoding="utf-8")
            self._library = _LIBRARY.validate_python(tomllib.loads(text))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise RuntimeError(f"utterance library {path}: {error}") from None
        except ValidationError as error:
            category = error.errors()[0]["loc"][0]
            raise RuntimeError(
                f"utterance library {path}: {category} is not a list of lines; write "
                f'{category} = ["first line", "second line"]'
            ) from None
        self._last_line: dict[str, str] = {}
        self._places: dict[str, Position] = {}
        self._target: str | None = None
        self._speaking: dict[str, tuple[str, float]] = {}

    @on(PerformUtterance)
    async def perform(self, message: PerformUtterance, envelope: Envelope) -> None:
        text = message.text or self._choose(message.category or message.line or "")
        if text is None:
            known = ", ".join(sorted(self._library)) or "none"
            await self.publish(
                UtteranceCancelled(
                    utterance=envelope.id,
                    reason=CancelReason.NO_LINE,
                    detail=f"no lines in category {message.category!r}; there are: {known}",
                )
            )
            return
        filled = _TAG.sub(lambda match: message.tags.get(match[1], match[0]), text)
        await self.publish(
            UtteranceStarted(utterance=envelope.id, category=message.category, text=filled)
        )
        speech = await self.publish(Speak(text=filled))
        if speech is not None:
            self._speaking[speech] = (envelope.id, self.clock.now())

    @on(SpeechFinished)
    async def finish(self, message: SpeechFinished) -> None:
        utterance, since_s = self._speaking.pop(message.speech, (None, 0.0))
        if utterance is None:
            return
        if message.outcome is SpeechOutcome.COMPLETED:
            duration_s = self.clock.now() - since_s
            await self.publish(UtteranceFinished(utterance=utterance, duration_s=duration_s))
        else:
            await self.publish(UtteranceCancelled(utterance=utterance, reason=CancelReason.STOPPED))

    @on(GazeAt)
    async def gaze_at(self, message: GazeAt) -> None:
        self._target = message.target
        await self._follow()

    @on(PersonDetected, PersonMoved)
    async def note_place(self, message: PersonDetected | PersonMoved) -> None:
        if message.position is not None:
            self._places[message.person] = message.position
            if message.person == self._target:
                await self._follow()

    @on(PersonLost)
    async def forget(self, message: PersonLost) -> None:
        self._places.pop(message.person, None)
        if self._target == message.person:
            self._target = None
            await self.publish(Gaze(direction=Direction(horizontal_deg=0.0)))

    async def _follow(self) -> None:
        place = self._places.get(self._target or "")
        if place is None:
            return
        distance_m = math.hypot(place.x_m, place.z_m)
        up_deg = math.degrees(math.atan2(place.y_m - self.settings.eye_height_m, distance_m))
        # +X is to the left of somebody who faces +Z, and angles count to the right.
        right_deg = math.degrees(math.atan2(-place.x_m, place.z_m))
        direction = Direction(horizontal_deg=right_deg, vertical_deg=up_deg)
        await self.publish(Gaze(direction=direction, target=self._target))

    def _choose(self, category: str) -> str | None:
        lines = self._library.get(category, [])
        fresh = [line for line in lines if line != self._last_line.get(category)] or lines
        if not fresh:
            return None
        line = self._last_line[category] = self.random.choice(fresh)
        return line
