"""What the character of an engine feels, on the engine's own time.

Design overview: orders (`SetEmotion`, `SetMood`) and states of the module `emotion` change it;
stages and controllers read it once a frame. Where a module keeps the character's emotion
(`EmotionState` was heard), it leads, and orders are its business alone: otherwise two would blend
the same change.

Units and frames: seconds of the engine's frames; points of pleasure, arousal and dominance.
Threading: one owner, the engine.
Safety: an emotion beyond its range is clipped, and whoever ordered it is told.
"""

from __future__ import annotations

from sera.emotion import PAD, Emotions, Feeling, Felt, load_emotions
from sera.messages import EmotionState, Pad, SetEmotion, SetMood

LEAD_S = 0.12
"""How long the way from one state of the module to the next takes at least."""


class Affect:
    """A feeling and its clock."""

    def __init__(self, emotions: Emotions | None = None) -> None:
        self._emotions = emotions or load_emotions()
        self._feeling = Feeling()
        self._led = False
        self._stirred = False
        """Whether anything was ever felt: who was told nothing need not be asked."""
        self._now_s = 0.0
        self.felt: Felt = self._feeling.at(0.0)
        """What is felt in this frame."""

    def advance(self, dt_s: float) -> None:
        """A frame has passed."""
        self._now_s += dt_s
        if self._stirred:
            self.felt = self._feeling.at(self._now_s)

    def order(self, order: SetEmotion | SetMood) -> str | None:
        """Follow an order; a sentence where something of it was clipped.

        Raises:
            LookupError: there is no such emotion; with the nearest name.
        """
        wanted, clipped = resolved(order, self._emotions)
        if not self._led:
            self._stirred = True
            if isinstance(order, SetMood):
                self._feeling.set_mood(wanted, self._now_s, order.blend_s)
            else:
                self._feeling.set(wanted, self._now_s, order.blend_s)
        return clipped

    def follow(self, state: EmotionState) -> None:
        """Feel what the character's module says it feels."""
        target = PAD(*_values(state.target))
        if not self._led or target != self._feeling.at(self._now_s).target:
            self._stirred = True
            self._feeling.set(target, self._now_s, max(state.blend_s, LEAD_S))
        # Fading is the module's business from now on; what has faded until now stays so, because
        # the way to the module's target has begun there.
        self._led, self._feeling.half_life_s = True, None

    def adopt(self, old: Affect) -> None:
        """Go on with what another engine of the same character felt."""
        self._feeling, self._led, self._now_s = old._feeling, old._led, old._now_s
        self._stirred, self.felt = old._stirred, old.felt


def resolved(order: SetEmotion | SetMood, emotions: Emotions) -> tuple[PAD, str | None]:
    """The point that an order means, and a sentence where it had to be clipped.

    Raises:
        LookupError: there is no such emotion; with the nearest name.
    """
    if order.pad is None:
        assert order.name is not None
        return emotions.named(order.name), None
    wanted = PAD(*_values(order.pad))
    if not wanted.clipped:
        return wanted, None
    what = " and ".join(wanted.clipped)
    if len(wanted.clipped) == 1:
        return wanted, f"{what} is beyond -1 to 1 and was taken to its end"
    return wanted, f"{what} are beyond -1 to 1 and were taken to their ends"


def _values(pad: Pad) -> tuple[float, float, float]:
    return pad.pleasure, pad.arousal, pad.dominance
