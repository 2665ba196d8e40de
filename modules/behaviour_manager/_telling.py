"""What a behaviour manager tells about itself: its State, where it has changed.

Threading: the event loop's thread.
"""

from __future__ import annotations

from sera.behaviour.performing import Performer
from sera.messages import BehaviourState, Channel

from ._eyes import Eyes
from ._stagehand import Stagehand


class Teller:
    """Knows what was told last."""

    def __init__(self, performer: Performer, stagehand: Stagehand, eyes: Eyes) -> None:
        self._performer, self._stagehand, self._eyes = performer, stagehand, eyes
        self._told: tuple[object, ...] = ()

    def news(self) -> BehaviourState | None:
        """What is the case; None where it was told already."""
        performer, eyes = self._performer, self._eyes
        case = (performer.state, performer.utterance, performer.waiting, performer.held)
        looks = (eyes.target, eyes.owner, eyes.policy)
        if (*case, *looks) == self._told:
            return None
        self._told = (*case, *looks)
        entry = self._stagehand.find(performer.utterance)
        waiting = [self._stagehand.find(each) for each in performer.waiting]
        owners = {Channel.SPEECH: "" if entry is None else entry.source}
        owners[Channel.GAZE] = eyes.owner or ""
        return BehaviourState(
            doing=performer.state.value,
            utterance=performer.utterance,
            waiting=[
                each.waiting(held=each.id in performer.held) for each in waiting if each is not None
            ],
            gaze_target=eyes.target,
            gaze_reason=eyes.reason,
            gaze_policy=eyes.policy,
            owners={channel: source for channel, source in owners.items() if source},
        )

    def why_not_arranged(self, utterance: str) -> str | None:
        """Why a line cannot be given another turn; None: it can."""
        if utterance in self._performer.waiting:
            return None
        said = utterance == self._performer.utterance
        why = "it is being said" if said else "it was said, was cancelled or never was"
        return f"no line '{utterance}' waits that could be arranged: {why}"
