"""The people around a robot: who they are, which slot each has, and who is *the* person.

Design overview: a tracker's id is an identity. Whoever comes first gets the first slot and keeps
it through losses, so that `person2` does not become somebody else because somebody left the
picture for a moment. *The* person is the most interesting one (speaks, looks at the robot, is
ahead); another one takes over only after being clearly more interesting for a while, and not
before the first has been looked at for a moment: otherwise two people of equal interest would have
the robot's head going to and fro.

Units and frames: angles as the robot sees them, seconds of the caller's clock.
Threading: one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sera.behaviour.space import Angles, Vector
from sera.behaviour.targets._settings import PeopleSettings


class Arrival(StrEnum):
    """What a sighting of somebody means."""

    NEW = "new"
    BACK = "back"
    KNOWN = "known"


@dataclass(slots=True)
class PersonState:
    """What is known of one person."""

    person: str
    angles: Angles
    """Where the head was seen last."""
    seen_s: float
    place_m: Vector | None = None
    """The same as a place along the robot's own axes; the distance may be a guess."""
    lost_s: float | None = None
    """Since when the person is lost; None: present."""
    slot: int | None = None
    """From 1; None where all slots are taken."""
    speaking: bool = False
    attending: bool = False

    @property
    def present(self) -> bool:
        return self.lost_s is None


class People:
    """Everybody who is or was in view."""

    def __init__(self, settings: PeopleSettings | None = None) -> None:
        self.settings = settings or PeopleSettings()
        self._people: dict[str, PersonState] = {}
        self._holders: dict[int, str] = {}
        self._focus: str | None = None
        self._focus_since_s = 0.0
        self._rival: str | None = None
        self._rival_since_s = 0.0

    def seen(
        self, person: str, angles: Angles, now_s: float, place_m: Vector | None = None
    ) -> Arrival:
        """Somebody is here."""
        state = self._people.get(person)
        if state is None:
            state = self._people[person] = PersonState(person, angles, now_s, place_m)
            self._give_slot(state, now_s)
            self._forget_the_oldest()
            return Arrival.NEW
        state.angles, state.place_m = angles, place_m
        state.seen_s = now_s
        if state.lost_s is None:
            if state.slot is None and len(self._people) > self.settings.slots:
                self._give_slot(state, now_s)
            return Arrival.KNOWN
        state.lost_s = None
        self._give_slot(state, now_s)
        return Arrival.BACK

    def lost(self, person: str, now_s: float) -> None:
        """Somebody is out of view; the slot is kept for a while."""
        state = self._people.get(person)
        if state is not None and state.present:
            state.lost_s = now_s
            state.speaking = state.attending = False

    def speaks(self, person: str, speaking: bool) -> None:
        """Somebody started or stopped to speak; nothing where the person is unknown."""
        state = self._people.get(person)
        if state is not None:
            state.speaking = speaking

    def attends(self, person: str, attending: bool) -> None:
        """Somebody looks at the robot, or no longer; nothing where the person is unknown."""
        state = self._people.get(person)
        if state is not None:
            state.attending = attending

    def get(self, person: str) -> PersonState | None:
        """What is known of somebody."""
        return self._people.get(person)

    def in_slot(self, slot: int) -> str | None:
        """Who has the slot, present or not."""
        return self._holders.get(slot)

    def ids(self) -> list[str]:
        """Everybody who is known, in the order of their first coming."""
        return list(self._people)

    def present(self) -> list[PersonState]:
        """Everybody who is here."""
        return [state for state in self._people.values() if state.present]

    @property
    def focused(self) -> str | None:
        """Who was the person at the last `focus`."""
        return self._focus

    def focus(self, now_s: float) -> str | None:
        """Who is *the* person now; None where nobody is known."""
        best = self._most_interesting()
        now = self._people.get(self._focus) if self._focus is not None else None
        if now is None:
            return self._switch(best.person if best is not None else None, now_s)
        if best is None or best is now:
            self._rival = None
            return self._focus
        if now.lost_s is not None:
            patient = now_s - now.lost_s < self.settings.lost_patience_s
            return self._focus if patient else self._switch(best.person, now_s)
        return self._weigh(now, best, now_s)

    def _weigh(self, now: PersonState, best: PersonState, now_s: float) -> str | None:
        settings = self.settings
        if self._interest(best) < self._interest(now) + settings.switch_margin:
            self._rival = None
        elif self._rival != best.person:
            self._rival, self._rival_since_s = best.person, now_s
        if (
            self._rival is not None
            and now_s - self._rival_since_s >= settings.switch_after_s
            and now_s - self._focus_since_s >= settings.hold_s
        ):
            return self._switch(best.person, now_s)
        return self._focus

    def _switch(self, person: str | None, now_s: float) -> str | None:
        self._focus, self._focus_since_s, self._rival = person, now_s, None
        return person

    def _interest(self, state: PersonState) -> float:
        settings = self.settings
        ahead = max(0.0, 1.0 - abs(state.angles.horizontal_deg) / 90.0)
        return (
            settings.ahead_weight * ahead
            + settings.speaking_weight * state.speaking
            + settings.attending_weight * state.attending
        )

    def _most_interesting(self) -> PersonState | None:
        if len(self._people) == 1:
            alone = next(iter(self._people.values()))
            return alone if alone.lost_s is None else None
        best: PersonState | None = None
        most = -1.0
        for state in self._people.values():
            if state.lost_s is None:
                interest = self._interest(state)
                if interest > most:
                    best, most = state, interest
        return best

    def _give_slot(self, state: PersonState, now_s: float) -> None:
        if state.slot is not None and self._holders.get(state.slot) == state.person:
            return
        state.slot = None
        for slot in range(1, self.settings.slots + 1):
            if self._is_free(slot, now_s):
                self._holders[slot] = state.person
                state.slot = slot
                return

    def _is_free(self, slot: int, now_s: float) -> bool:
        holder = self._people.get(self._holders.get(slot, ""))
        if holder is None:
            return True
        return holder.lost_s is not None and now_s - holder.lost_s > self.settings.slot_kept_s

    def _forget_the_oldest(self) -> None:
        """A shopping centre's worth of visitors must not fill the memory."""
        gone = [state for state in self._people.values() if not state.present]
        if len(gone) > self.settings.remembered:
            oldest = min(gone, key=lambda state: state.lost_s or 0.0)
            del self._people[oldest.person]
            if oldest.slot is not None and self._holders.get(oldest.slot) == oldest.person:
                del self._holders[oldest.slot]
            if self._focus == oldest.person:
                self._focus = None
