"""What a character feels: emotions come by order, last a while, and fade into its mood.

Design overview
    `sera.emotion.Feeling` does the work; this module carries messages. `SetEmotion` and `SetMood`
    change what is felt; `EmotionState` says what is felt now and where it leads, as often as it
    changes. The animation engine of the same character follows it. Without this module the engine
    follows the orders by itself; with it, mood, fading and the emotion to begin with stand in the
    scenario file, where a condition of a study can set them.

Units and frames
    Points of pleasure, arousal and dominance, each from -1 to 1; seconds of the run's clock.

Threading
    The event loop's thread.

Safety
    An emotion beyond its range is clipped, an unknown name refused; both are told to whoever
    ordered it, and what was felt before goes on.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import Field, field_validator

from sera import Module, on
from sera.animation.engine.affect import resolved
from sera.emotion import PAD, Emotions, Feeling, load_emotions
from sera.messages import EmotionState, Envelope, Pad, SetEmotion, SetMood
from sera.runtime import Role

AHEAD_S = 0.5
"""How far ahead a state says where a fading emotion leads."""
SMALLEST = 0.004
"""A change that is smaller is not worth a message."""
Wish = str | tuple[float, float, float]


class Emotion(Module):
    """Keeps what its character feels."""

    role = Role.REALISATION

    class Settings(Module.Settings):
        """What it is like."""

        mood: Wish = "neutral"
        """What emotions fade into: the name of an emotion, or pleasure, arousal and dominance."""
        emotion: Wish | None = None
        """What is felt to begin with; left out: the mood."""
        half_life_s: float | None = Field(default=30.0, gt=0)
        """How soon half of an emotion has faded; left out in a condition with `stays`."""
        stays: bool = False
        """Whether emotions stay until the next one instead of fading."""

        @field_validator("mood", "emotion", mode="before")
        @classmethod
        def _takes_lists(cls, value: object) -> object:
            return tuple(value) if isinstance(value, list) else value

    async def start(self) -> None:
        folder = self.context.folder
        self._emotions: Emotions = load_emotions([] if folder is None else [Path(folder)])
        half_life_s = None if self.settings.stays else self.settings.half_life_s
        self._feeling = Feeling(self._point(self.settings.mood), half_life_s)
        if self.settings.emotion is not None:
            self._feeling.set(self._point(self.settings.emotion), self.clock.now(), 0.0)
        self._told: EmotionState | None = None
        self._changed = asyncio.Event()

    def _point(self, wish: Wish) -> PAD:
        return self._emotions.named(wish) if isinstance(wish, str) else PAD(*wish)

    async def run(self) -> None:
        while True:
            await self._tell()
            self._changed.clear()
            try:
                async with asyncio.timeout(AHEAD_S):
                    await self._changed.wait()
            except TimeoutError:
                continue

    @on(SetEmotion, SetMood)
    async def feel(self, message: SetEmotion | SetMood, envelope: Envelope) -> None:
        try:
            wanted, clipped = resolved(message, self._emotions)
        except LookupError as error:
            self.fault(f"{envelope.type} from {envelope.source}: {error.args[0]}", warning=True)
            return
        if clipped is not None:
            said = f"{envelope.type} from {envelope.source}: {clipped}"
            self.fault(said, warning=True, about=envelope)
        change = self._feeling.set if isinstance(message, SetEmotion) else self._feeling.set_mood
        change(wanted, self.clock.now(), message.blend_s)
        await self._tell(left_s=message.blend_s)
        self._changed.set()

    async def _tell(self, left_s: float = 0.0) -> None:
        """Publish what is felt, where that has changed."""
        now = self._feeling.at(self.clock.now())
        if now.blending or left_s > 0.0:
            target, blend_s = now.target, left_s
            if self._told is not None and _pad(target) == self._told.target:
                return  # under way already
        else:
            target, blend_s = self._feeling.at(self.clock.now() + AHEAD_S).pad, AHEAD_S
        if (
            self._told is not None
            and left_s <= 0.0
            and _apart(target, self._told.target) < SMALLEST
        ):
            return
        self._told = EmotionState(
            pad=_pad(now.pad),
            name=self._emotions.nearest(now.pad),
            intensity=round(now.intensity, 4),
            target=_pad(target),
            blend_s=blend_s,
            mood=_pad(now.mood),
        )
        await self.publish(self._told)


def _pad(point: PAD) -> Pad:
    pleasure, arousal, dominance = (round(each, 4) for each in point.values)
    return Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)


def _apart(point: PAD, told: Pad) -> float:
    return point.distance(PAD(told.pleasure, told.arousal, told.dominance))
