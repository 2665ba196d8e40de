"""What the gaze does while nobody orders it about: speaker, eyes, clicks, and chance.

Design overview: rules in the order in which they count, each of which may move the state; none
moves it before the minimum dwell is over. Chance chooses by the policy's weights among targets that
have a place now, after an interval that is drawn anew for each look.

Units and frames: seconds of the caller's clock.
Threading: one thread.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from sera.behaviour.gaze._looking import Looking
from sera.behaviour.gaze._orders import Why
from sera.behaviour.gaze._policy import GazePolicy
from sera.behaviour.rapport import ActiveSpeakers
from sera.behaviour.space import Angles
from sera.behaviour.targets import CLICKS, PERSON, RANDOM, Kind

Reach = Callable[[Angles], bool]
_CLICK_IS_NEWS_S = 2.0
_DRAWN = (Kind.RANDOM, Kind.ELSEWHERE)
_ROWS = (Kind.THROUGH_MAP, Kind.ACROSS_ROOM)


class FreeGaze:
    """Chooses the state of a gaze that is free."""

    def __init__(
        self,
        looking: Looking,
        speakers: ActiveSpeakers,
        source: random.Random,
        now_s: float,
        reach: Reach = lambda _angles: True,
    ) -> None:
        self.contacts: dict[str, None] = {}
        """Whose eyes are on the robot, in the order in which they came to be."""
        self.clicked_s: float | None = None
        """When the last click came that was not looked at yet."""
        self._looking = looking
        self._speakers = speakers
        self._source, self._reach = source, reach
        self._choose_s = now_s
        self._begun = False

    def choose_soon(self, now_s: float) -> None:
        """Choose again as soon as the dwell allows."""
        self._choose_s = now_s

    def somebody_came(self, policy: GazePolicy, now_s: float) -> None:
        """A reason to choose again, unless the gaze is on a person already or minds none."""
        if self._looking.person is None and policy.weights.get(PERSON, 0.0) > 0.0:
            self._choose_s = min(self._choose_s, now_s)

    def decide(self, policy: GazePolicy, now_s: float, *, holding: bool, thinking: bool) -> None:
        """Move the state where a rule asks for it."""
        if self._still_there(policy, now_s) and self._looking.state.ordered:
            self.clicked_s = None
            return
        if holding:
            self._hold(policy, now_s, "thinks" if thinking else "speaks")
            return
        dwelt = not self._begun or now_s - self._looking.since_s >= policy.minimum_dwell_s
        if not dwelt:
            return
        if policy.follow_speaker and self._speaker(policy, now_s):
            return
        if policy.follow_clicks and self._click(policy, now_s):
            return
        if policy.mutual and self._eyes(policy, now_s):
            return
        if now_s >= self._choose_s:
            self._choose(policy, now_s)

    def _still_there(self, policy: GazePolicy, now_s: float) -> bool:
        """False, and the gaze is free, where what it was on is gone for good."""
        state, looking = self._looking.state, self._looking
        kind = looking.kind_of_state()
        if kind is None:
            gone = f"{state.target} is no more"
        elif kind is Kind.PERSON and not looking.targets.row(state.target, now_s, self._source):
            if state.angles is None and state.ordered:
                return True  # still waits for the person to come
            state.gone_s = now_s if state.gone_s is None else state.gone_s
            if now_s - state.gone_s < policy.lost_patience_s:
                return True
            gone = f"{state.target} is lost"
        else:
            return True
        state.ordered = False
        self._choose(policy, now_s, Why.LOST, gone)
        return False

    def _hold(self, policy: GazePolicy, now_s: float, does: str) -> None:
        self._choose_s = max(self._choose_s, now_s + policy.minimum_dwell_s)
        if self._looking.kind_of_state() is Kind.PERSON:
            return
        if self._has_place(PERSON, now_s):
            self._rest_on(policy, PERSON, Why.HOLD, f"the robot {does}", now_s)

    def _speaker(self, policy: GazePolicy, now_s: float) -> bool:
        looking = self._looking
        whom = self._speakers.whom(now_s)
        if whom is not None and looking.targets.knows(whom) and self._has_place(whom, now_s):
            if looking.state.target != whom:
                others = len(self._speakers.speakers) - 1
                detail = f"{whom} speaks" + (f", as {others} more do" if others else "")
                self._rest_on(policy, whom, Why.SPEAKER, detail, now_s)
            return True
        if looking.state.why is Why.SPEAKER:
            self._choose(policy, now_s, Why.FREE, "nobody speaks")
            return True
        return False

    def _click(self, policy: GazePolicy, now_s: float) -> bool:
        clicked_s, self.clicked_s = self.clicked_s, None
        if clicked_s is None or now_s - clicked_s > _CLICK_IS_NEWS_S:
            return False
        if self._looking.kind_of_state() is Kind.CLICKS:
            self._choose_s = now_s + self._source.uniform(*policy.interval_s)
            return True
        if not self._has_place(CLICKS, now_s):
            return False
        self._rest_on(policy, CLICKS, Why.CLICK, "the screen was touched", now_s)
        return True

    def _eyes(self, policy: GazePolicy, now_s: float) -> bool:
        looking = self._looking
        if not self.contacts or looking.person in self.contacts:
            return False
        there = [who for who in self.contacts if self._has_place(who, now_s)]
        if not there:
            return False
        focus = looking.targets.people.focus(now_s)
        whom = focus if focus is not None and focus in there else there[0]
        self._rest_on(policy, whom, Why.MUTUAL, f"{whom} looks at the robot", now_s)
        return True

    def _choose(
        self, policy: GazePolicy, now_s: float, why: Why = Why.FREE, because: str = ""
    ) -> None:
        looking = self._looking
        names = [
            name
            for name, weight in policy.weights.items()
            if weight > 0.0 and looking.targets.knows(name) and self._has_place(name, now_s)
        ]
        weights = [policy.weights[name] for name in names]
        chosen = self._source.choices(names, weights)[0] if names else RANDOM
        kind = looking.targets.kind(chosen)
        person = looking.targets.person_of(chosen, now_s)
        already = person is not None and person == looking.person
        detail = because or f"policy {policy.name}"
        self._choose_s = now_s + self._source.uniform(*policy.interval_s)
        if kind in _ROWS:
            each_s = self._source.uniform(*policy.glance_s)
            looking.glance(
                chosen, why, detail, now_s,
                each_s=max(policy.minimum_dwell_s, each_s), speed=policy.glance_speed,
                ordered=False,
            )  # fmt: skip
        elif kind in _DRAWN or not (already or (self._begun and chosen == looking.state.target)):
            self._rest_on(policy, chosen, why, detail, now_s)

    def _rest_on(
        self, policy: GazePolicy, target: str, why: Why, detail: str, now_s: float
    ) -> None:
        self._begun = True
        self._choose_s = now_s + self._source.uniform(*policy.interval_s)
        self._looking.rest_on(target, why, detail, now_s, speed=policy.gaze_speed, ordered=False)

    def _has_place(self, name: str, now_s: float) -> bool:
        targets = self._looking.targets
        if targets.kind(name) in (*_DRAWN, *_ROWS):
            return True
        row = targets.row(name, now_s, self._source)
        # Who touches a screen is answered as far as the neck goes.
        return bool(row) and (name == CLICKS or self._reach(row[0]))
