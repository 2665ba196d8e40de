"""The scripted Wizard's rule, written down: from what the robot heard to the key that is pressed.

A person with the list at hand does about this in restricted perception. Pure.
"""

from __future__ import annotations

from .messages import Listed, Rating

HARDLY_HEARD = 0.3
"""Below this confidence nobody knows what was said, and no key is pressed."""
SURE_OF_WARM = 0.5
"""A warm word that was heard worse than this counts as cold."""
SURE_OF_ANSWER = 0.6
"""The answer must be heard this well; before that it is only hot, so that the player repeats it."""


def rating_for(listed: Listed, confidence: float) -> Rating | None:
    """The key that is pressed; None: none."""
    if confidence < HARDLY_HEARD:
        return None
    if listed is Listed.ANSWER:
        return Rating.CORRECT if confidence >= SURE_OF_ANSWER else Rating.HOT
    if listed is Listed.HOT:
        return Rating.HOT
    if listed is Listed.WARM and confidence >= SURE_OF_WARM:
        return Rating.WARM
    return Rating.COLD
