"""The gaze state machine: orders and facts go in, looks come out, each with its reason.

Design overview: GazeAt makes a target the state, and it stays until the next one; Glance is laid
over it and returns. Between orders a policy (`GazePolicy`) decides: whom to look at while the gaze
is free, when a long look at a person is broken, when a long look at the clicks is broken by a
glance at the person, whether eyes are answered and looks are followed. Facts only change what is
known; `_decide` alone decides, so that the same facts at the same times with the same seed give the
same orders. Rules in the order in which they count: an ordered glance, an ordered gaze, the hold
while the robot speaks or thinks, speaker, click, mutual gaze, interval. The autonomy dial may take
the initiative away: the gaze then proposes its looks, or takes none; orders count as ever.

Units and frames: seconds of the caller's clock; angles in degrees as the robot sees them.
Threading: one thread; call `step` ten to thirty times a second.
Safety: gives directions only; what the body may do is the animation engine's business.
"""

from __future__ import annotations

import random

from sera.behaviour.gaze._fixation import LEAST_S, Fixation
from sera.behaviour.gaze._free import FreeGaze, Reach
from sera.behaviour.gaze._looking import GazeState, Looking
from sera.behaviour.gaze._orders import EyesLight, GazeProposalLapsed, Order, Why
from sera.behaviour.gaze._policy import BUILT_IN_POLICIES, GazePolicy
from sera.behaviour.gaze._proposing import Proposing
from sera.behaviour.rapport import ActiveSpeakers
from sera.behaviour.space import Angles, Vector
from sera.behaviour.targets import ELSEWHERE, Arrival, Kind, TargetTable
from sera.messages import AutonomyMode

_ROWS = (Kind.THROUGH_MAP, Kind.ACROSS_ROOM)
_NEVER_S = float("inf")


class GazeMachine:
    """The gaze of one character.

    Args:
        targets: everything that can be looked at; the machine reports people to it.
        source: the only source of chance.
        policy: how the gaze behaves by itself.
        now_s: when it begins.
        reach: whether the body can look somewhere; what it cannot reach no policy chooses.
    """

    def __init__(
        self,
        targets: TargetTable,
        source: random.Random,
        policy: GazePolicy = BUILT_IN_POLICIES["random"],
        now_s: float = 0.0,
        reach: Reach = lambda _angles: True,
    ) -> None:
        self.targets = targets
        self.policy = policy
        self._source = source
        self._looking = Looking(targets, source, now_s)
        self._speakers = ActiveSpeakers(policy.alternate_s)
        self._free = FreeGaze(self._looking, self._speakers, source, now_s, reach)
        self._fixation = Fixation()
        self._contacts: dict[str, None] = self._free.contacts
        self._left: GazeState | None = None
        """What the last ordered gaze left."""
        self._looks: dict[str, tuple[str | None, float]] = {}
        self._shared_since_s: float | None = None
        self._disturb_s = _NEVER_S
        self._disturb_for: tuple[str, float] | None = None
        self._held_s = now_s
        """Until when the robot spoke or thought."""
        self._speaking = self._thinking = False
        self._light: float | None = None
        self._initiative = AutonomyMode.AUTONOMOUS
        self._proposing = Proposing()
        self._settled: int | None = None
        """The targets' revision at which time alone changes nothing any more."""
        self._amplitude_deg = targets.settings.random_amplitude_deg
        self._set_amplitude()

    @property
    def target(self) -> str:
        """What is looked at now."""
        return self._looking.target

    @property
    def state(self) -> str:
        """What the gaze comes back to."""
        return self._looking.state.target

    @property
    def person(self) -> str | None:
        """Who is looked at now; None: nobody."""
        return self._looking.person

    # --- orders ------------------------------------------------------------------------------

    def gaze_at(self, target: str, now_s: float, detail: str = "GazeAt") -> list[Order]:
        """Look at a target until the next order; a row of glances comes back to the state.

        Raises:
            UnknownTarget: there is no such target; the gaze stays where it is.
        """
        if self.targets.kind(target) in _ROWS:
            return self.glance(target, now_s, detail=detail)
        left = self._looking.state
        self._looking.rest_on(
            target, Why.ORDER, detail, now_s, speed=self.policy.gaze_speed, ordered=True
        )
        self._left = left
        return self._decide(now_s)

    def take_back(self, target: str, now_s: float) -> list[Order]:
        """An order to look there does not stand any more: back to what was looked at before."""
        looking, speed = self._looking, self.policy.gaze_speed
        left = self._left or looking.state
        if looking.excursion is not None and looking.excursion.target == target:
            looking.come_back(now_s, speed)
        elif (
            looking.state.target == target and left is not None and self.targets.knows(left.target)
        ):
            why = f"{target} was called off"
            looking.rest_on(left.target, Why.BACK, why, now_s, speed=speed, ordered=left.ordered)
        return self._decide(now_s)

    def glance(
        self, target: str, now_s: float, duration_s: float | None = None, detail: str = "Glance"
    ) -> list[Order]:
        """Look at a target for a moment, then back.

        Raises:
            UnknownTarget: there is no such target; the gaze stays where it is.
        """
        each_s = self._draw(self.policy.glance_s) if duration_s is None else duration_s
        self._looking.glance(
            target, Why.GLANCE, detail, now_s,
            each_s=max(LEAST_S, each_s), speed=self.policy.glance_speed, ordered=True,
        )  # fmt: skip
        return self._decide(now_s)

    def set_policy(self, policy: GazePolicy, now_s: float) -> list[Order]:
        """Behave differently from now on; an ordered gaze is free again."""
        self.policy = policy
        self._speakers.alternate_s = policy.alternate_s
        self._looking.state.ordered = False
        self._light = None
        self._disturb_for = None
        self._set_amplitude()
        self._free.choose_soon(now_s)
        return self._decide(now_s)

    def set_initiative(self, mode: AutonomyMode, now_s: float) -> list[Order]:
        """How much the gaze does by itself: everything, only propose, or nothing.

        Whatever it says, orders count and what is looked at is followed.
        """
        if mode is self._initiative:
            return []
        self._initiative = mode
        self._let_pass(now_s, wanted=True)
        self._light = None
        return self._decide(now_s)

    def resolve(self, accepted: bool, now_s: float) -> list[Order]:
        """An operator has accepted or turned down the proposal that stands."""
        proposal = self._proposing.end(now_s, wanted=accepted)
        if accepted and proposal is not None and self.targets.knows(proposal.target):
            target, why, detail = proposal.target, proposal.why, f"accepted: {proposal.detail}"
            if proposal.glance_s is None:
                speed = self.policy.gaze_speed
                self._looking.rest_on(target, why, detail, now_s, speed=speed, ordered=False)
            else:
                self._looking.glance(
                    target, why, detail, now_s,
                    each_s=proposal.glance_s, speed=self.policy.glance_speed, ordered=False,
                )  # fmt: skip
        return self._decide(now_s)

    # --- facts -------------------------------------------------------------------------------

    def person_seen(
        self,
        person: str,
        now_s: float,
        *,
        position_m: Vector | None = None,
        direction: Angles | None = None,
        seen_from_m: Vector = (0.0, 0.0, 0.0),
    ) -> list[Order]:
        """Somebody is here; the gaze keeps up with whoever it is on."""
        arrival = self.targets.person_seen(
            person, now_s, position_m=position_m, direction=direction, seen_from_m=seen_from_m
        )
        if arrival is not Arrival.KNOWN:
            self._free.somebody_came(self.policy, now_s)
            return self._decide(now_s)
        if person == self._looking.person:
            self._follow(now_s)
        return self._taken(now_s)

    def person_lost(self, person: str, now_s: float) -> list[Order]:
        """Somebody is out of view; the gaze waits a little before it goes elsewhere."""
        self.targets.person_lost(person, now_s)
        self._contacts.pop(person, None)
        self._looks.pop(person, None)
        self._speakers.heard(person, False, now_s)
        return self._decide(now_s)

    def target_changed(self, now_s: float) -> list[Order]:
        """Targets were made, moved or removed in the table."""
        return self._decide(now_s)

    def clicked(self, now_s: float) -> list[Order]:
        """The screen was touched; the table knows where."""
        self._free.clicked_s = now_s
        return self._decide(now_s)

    def head_direction(
        self, person: str, now_s: float, *, looks_at: str | None, eye_contact: bool | None = None
    ) -> list[Order]:
        """Where somebody looks; nothing where nobody has said yet where the person is."""
        if self.targets.people.get(person) is None:
            return []
        before = self._looks.get(person)
        same_eyes = eye_contact is None or eye_contact == (person in self._contacts)
        if same_eyes and before is not None and before[0] == looks_at:
            return []
        if eye_contact is not None:
            self.targets.people.attends(person, eye_contact)
            if eye_contact:
                self._contacts[person] = None
            else:
                self._contacts.pop(person, None)
        if before is None or before[0] != looks_at:
            self._looks[person] = (looks_at, now_s)
        return self._decide(now_s)

    def speech(self, speaker: str, speaking: bool, now_s: float) -> list[Order]:
        """Somebody other than the robot started or stopped to speak."""
        self.targets.people.speaks(speaker, speaking)
        self._speakers.heard(speaker, speaking, now_s)
        return self._decide(now_s)

    def robot_speaks(self, speaking: bool, now_s: float) -> list[Order]:
        """The robot started or stopped to speak."""
        self._speaking = speaking
        return self._decide(now_s)

    def robot_thinks(self, thinking: bool, now_s: float) -> list[Order]:
        """The robot waits for its own answer, or no longer."""
        self._thinking = thinking
        return self._decide(now_s)

    # --- time --------------------------------------------------------------------------------

    def step(self, now_s: float) -> list[Order]:
        """Let time pass; returns what is to be done now."""
        return [] if self._settled == self.targets.revision else self._decide(now_s)

    def _decide(self, now_s: float) -> list[Order]:
        looking, policy = self._looking, self.policy
        holding = policy.hold_while_speaking and (self._speaking or self._thinking)
        self._end_shared_look(now_s)
        under_way = looking.excursion
        if holding and under_way is not None and not under_way.ordered:
            looking.come_back(now_s, policy.gaze_speed)
        looking.advance(now_s, glance_speed=policy.glance_speed, gaze_speed=policy.gaze_speed)
        self._follow(now_s)
        if self._initiative is AutonomyMode.AUTONOMOUS:
            self._act(now_s, holding)
            self._shine(now_s)
        elif self._initiative is AutonomyMode.SUGGEST:
            self._propose(now_s, holding)
        orders = self._taken(now_s)
        settled = self._is_settled(holding) and not self._fixation.waits
        self._settled = self.targets.revision if settled else None
        return orders

    def _is_settled(self, holding: bool) -> bool:
        """Whether an ordered gaze stands as it is until something happens, however late it gets."""
        state, people = self._looking.state, self.targets.people
        return (
            state.ordered
            and state.angles is not None
            and state.gone_s is None
            and self._looking.excursion is None
            and self._initiative is AutonomyMode.AUTONOMOUS
            and not holding
            and self._disturb_for is None
            and not self.policy.joint_attention
            and len(people.present()) == len(people.ids()) <= 1
        )

    # --- by itself ---------------------------------------------------------------------------

    def _act(self, now_s: float, holding: bool) -> None:
        looking, policy = self._looking, self.policy
        if looking.excursion is None:
            self._free.decide(policy, now_s, holding=holding, thinking=self._thinking)
        if looking.excursion is None:
            self._disturb(now_s, holding)
        if looking.excursion is None and policy.joint_attention and not holding:
            self._share_look(now_s)

    def _propose(self, now_s: float, holding: bool) -> None:
        """Ask the same rules, and have what they want accepted first."""
        looking, proposing = self._looking, self._proposing
        standing = proposing.standing
        if standing is not None:
            # Somebody ordered a look meanwhile, be it this one or another.
            newer = looking.since_s > standing.time_s
            there = newer and (looking.target == standing.target or looking.state.ordered)
            gone = not self.targets.knows(standing.target)
            if there or gone or now_s >= standing.time_s + standing.lapses_after_s:
                self._let_pass(now_s, wanted=there)
                return
        # A look anywhere gives way to every better one.
        if not (proposing.may_ask(now_s) or (standing is not None and standing.by_chance)):
            return
        looking.proposes = True
        self._act(now_s, holding)
        looking.proposes = False
        wanted, looking.wanted = looking.wanted, None
        if wanted is None or proposing.is_unwanted(wanted, now_s):
            return
        if standing is not None:
            if wanted.by_chance:
                return
            self._let_pass(now_s, wanted=True)
        proposing.standing = wanted
        looking.orders.append(wanted)

    def _let_pass(self, now_s: float, *, wanted: bool) -> None:
        ended = self._proposing.end(now_s, wanted=wanted)
        if ended is not None:
            self._looking.orders.append(GazeProposalLapsed(now_s, ended))

    # --- inside ------------------------------------------------------------------------------

    def _taken(self, now_s: float) -> list[Order]:
        orders, self._looking.orders = self._looking.orders, []
        return self._fixation.pass_on(orders, now_s)

    def _follow(self, now_s: float) -> None:
        self._looking.follow(
            now_s, deadband_deg=self.policy.track_deadband_deg, speed=self.policy.gaze_speed
        )

    def _set_amplitude(self) -> None:
        wanted_deg = self.policy.random_amplitude_deg
        amplitude_deg = self._amplitude_deg if wanted_deg is None else wanted_deg
        changed = {"random_amplitude_deg": amplitude_deg}
        self.targets.settings = self.targets.settings.model_copy(update=changed)

    def _draw(self, span_s: tuple[float, float]) -> float:
        return self._source.uniform(*span_s)

    def _disturb(self, now_s: float, holding: bool) -> None:
        """Break a long gaze at a person; look up from the clicks to the person."""
        looking, policy = self._looking, self.policy
        kind = looking.kind_of_state()
        breaks = kind is Kind.PERSON and policy.breaking and looking.person is not None
        establishes = kind is Kind.CLICKS and policy.establishing
        if holding:
            self._held_s = now_s
        if holding or not (breaks or establishes):
            self._disturb_for = None
            return
        this_look = (looking.state.target, looking.since_s)
        if self._disturb_for != this_look:
            span_s = policy.break_after_s if breaks else policy.establish_after_s
            self._disturb_for = this_look
            since_s = max(looking.since_s, self._held_s)
            self._disturb_s = since_s + max(policy.minimum_dwell_s, self._draw(span_s))
        if now_s < self._disturb_s:
            return
        self._disturb_for = None
        long_s = now_s - looking.since_s
        if breaks and looking.proposes:
            return  # to be asked about every blink of a gaze helps nobody
        if breaks:
            detail = f"{long_s:.1f} s on {looking.person}"
            self._own_glance(ELSEWHERE, Why.BREAKING, detail, now_s)
            return
        last = self.targets.people.get(looking.last_person or "")
        if last is None or not last.present:
            # Nobody was looked at yet, or they are gone: whoever matters most will do.
            focus = self.targets.people.focus(now_s)
            last = self.targets.people.get(focus or "")
        if last is not None and last.present:
            detail = f"{long_s:.1f} s on clicks"
            self._own_glance(last.person, Why.ESTABLISHING, detail, now_s)

    def _own_glance(self, target: str, why: Why, detail: str, now_s: float) -> None:
        policy = self.policy
        each_s = max(policy.minimum_dwell_s, self._draw(policy.glance_s))
        self._looking.glance(
            target, why, detail, now_s, each_s=each_s, speed=policy.glance_speed, ordered=False
        )

    def _share_look(self, now_s: float) -> None:
        """Follow where the person looks, once for each look of theirs."""
        looking, policy = self._looking, self.policy
        looks_at, since_s = self._looks.get(looking.person or "", (None, now_s))
        if (
            looks_at is None
            or since_s == self._shared_since_s
            or now_s - since_s < policy.joint_after_s
            or now_s - looking.since_s < policy.minimum_dwell_s
            or not self.targets.knows(looks_at)
            or self.targets.person_of(looks_at, now_s) == looking.person
            or not self.targets.row(looks_at, now_s, self._source)
        ):
            return
        self._shared_since_s = since_s
        looking.glance(
            looks_at, Why.JOINT, f"{looking.person} looks at {looks_at}", now_s,
            each_s=max(policy.minimum_dwell_s, policy.joint_longest_s),
            speed=policy.gaze_speed, ordered=False,
        )  # fmt: skip

    def _end_shared_look(self, now_s: float) -> None:
        under_way = self._looking.excursion
        if under_way is None or under_way.why is not Why.JOINT:
            return
        still = any(since_s == self._shared_since_s for _, since_s in self._looks.values())
        if not still:
            earliest_s = max(now_s, under_way.since_s + self.policy.minimum_dwell_s)
            under_way.until_s = min(under_way.until_s, earliest_s)

    def _shine(self, now_s: float) -> None:
        """The eyes' light says whether eyes meet."""
        policy = self.policy
        if not policy.mutual:
            return
        person = self._looking.person
        meets = person is not None and person in self._contacts
        level = policy.eyes_light_mutual if meets else policy.eyes_light_lost
        if level != self._light:
            self._light = level
            reason = f"mutual gaze with {person}" if meets else "no mutual gaze"
            self._looking.orders.append(EyesLight(now_s, level, reason))
