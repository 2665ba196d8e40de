"""The table of targets: names to angles, with everything that can be looked or pointed at.

Design overview: a name is found in this order: what was made at run time, people by their id, the
scenario's objects, seats and screens, built-in names. Case does not count, because writers of lines
write `<GAZE(Clicks)>`. Aliases are followed to their end; a circle is refused when it would close,
with its path. Random kinds draw anew at each question, so whoever looks asks once.

Units and frames: angles in degrees as the robot sees them; seconds of the caller's clock.
Threading: one thread. Random numbers come from the caller's source alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from sera.behaviour.space import Angles, Room, UnknownPlace, Vector
from sera.behaviour.targets._draws import across_room, look_elsewhere, look_random, through_map
from sera.behaviour.targets._kinds import (
    BUILT_IN_ANGLES,
    MOVING_NAMES,
    PERSON,
    AliasTarget,
    AngleTarget,
    Kind,
    Place,
    PointTarget,
    PositionTarget,
    TargetRefused,
    UnknownTarget,
    require_finite,
)
from sera.behaviour.targets._people import Arrival, People
from sera.behaviour.targets._settings import PeopleSettings, TargetSettings

_ORIGIN: Vector = (0.0, 0.0, 0.0)
_REMEMBERED_ENDS = 1000
"""A name may be written in many ways, and all of them may be asked for."""


class _End(NamedTuple):
    """What a name leads to when all aliases are followed."""

    name: str
    kind: Kind
    place: Place | None = None
    """Where it is, for what neither lives nor is drawn."""
    person: str | None = None
    """Id of the person of that name."""
    slot: int | None = None
    """For `person1` and the like; neither this nor an id: *the* person."""


class TargetTable:
    """Every target of one character."""

    def __init__(
        self,
        room: Room | None = None,
        settings: TargetSettings | None = None,
        people: PeopleSettings | None = None,
        expected_m: Mapping[str, Vector] | None = None,
    ) -> None:
        """Know a room.

        Args:
            room: screens, seats and objects, as the character sees them.
            settings: figures of random looks.
            people: figures against ping-pong.
            expected_m: where people and characters of the scenario file are thought to be, until
                a tracker sees somebody of that name.
        """
        self.room = room or Room()
        self.settings = settings or TargetSettings()
        self.people = People(people)
        self._made: dict[str, tuple[str, Place]] = {}
        self._ends: dict[str, _End] = {}
        self.revision = 0
        """Counts every change of what is there, or where."""
        self._clicked: Angles | None = None
        self._clicked_m: Vector | None = None
        self._ids: dict[str, str] = {}
        self._slots = {
            f"{PERSON}{number}": number for number in range(1, self.people.settings.slots + 1)
        }
        self._moving = {name.casefold(): kind for name, kind in MOVING_NAMES.items()}
        self._fixed: dict[str, tuple[str, Place]] = {}
        for name, angles in BUILT_IN_ANGLES.items():
            self._fixed[name.casefold()] = (name, AngleTarget(angles))
        for name, screen in self.room.screens.items():
            centre = PointTarget(name, 0.5 * screen.width_px, 0.5 * screen.height_px)
            self._fixed[name.casefold()] = (name, centre)
        for name, frame in (*self.room.seats.items(), *self.room.objects.items()):
            self._fixed[name.casefold()] = (name, PositionTarget(frame.position_m))
        for name, place_m in (expected_m or {}).items():
            self._fixed.setdefault(name.casefold(), (name, PositionTarget(place_m)))

    # --- making and removing -----------------------------------------------------------------

    def place(self, name: str, place: Place) -> None:
        """Make a target, or say that it is somewhere else now.

        Raises:
            TargetRefused: the name is taken by the senses, an alias would close a circle, or the
                place does not exist.
        """
        name = name.strip()
        key = name.casefold()
        if not name:
            raise TargetRefused("a target needs a name")
        if self._is_sensed(key):
            raise TargetRefused(
                f"the target '{name}' is built in and follows the senses; choose another name"
            )
        if self._known_person(name) is not None:
            raise TargetRefused(f"'{name}' is somebody in view; choose another name")
        require_finite(name, place)
        if isinstance(place, PointTarget):
            self._require_on_screen(name, place)
        if isinstance(place, AliasTarget):
            self._require_open_end(name, place.of)
        self._made[key] = (name, place)
        self._targets_changed()

    def remove(self, name: str) -> list[str]:
        """Remove a target that was made at run time; a built-in one of that name comes back.

        Returns:
            The aliases that follow it and now lead nowhere.

        Raises:
            UnknownTarget: there is none of that name.
            TargetRefused: it is built in or stands in the scenario file.
        """
        key = name.strip().casefold()
        if key not in self._made:
            if self.knows(name):
                raise TargetRefused(
                    f"the target '{name}' was not made at run time, so it cannot be removed"
                )
            raise UnknownTarget(name, self.names())
        del self._made[key]
        self._targets_changed()
        if self.knows(name):
            return []
        return [
            shown
            for shown, place in self._made.values()
            if isinstance(place, AliasTarget) and not self.knows(shown)
        ]

    # --- the senses --------------------------------------------------------------------------

    def person_seen(
        self,
        person: str,
        now_s: float,
        *,
        position_m: Vector | None = None,
        direction: Angles | None = None,
        seen_from_m: Vector = _ORIGIN,
    ) -> Arrival:
        """Somebody is here, as perception reports it: a place, or a direction in the room."""
        if position_m is None and direction is not None:
            position_m = self.room.place_of_sighting(
                direction, seen_from_m, self.settings.person_distance_m
            )
        if position_m is None:
            raise TargetRefused(f"nobody says where '{person}' is; give a position or a direction")
        place_m = self.room.observer.frame.to_local(position_m)
        angles = self.room.observer.angles_of_local(place_m)
        arrival = self.people.seen(person, angles, now_s, place_m)
        self.revision += 1
        if arrival is Arrival.NEW:
            self._targets_changed()
            self._ids[person.casefold()] = person
            if len(self._ids) > 2 * self.people.settings.remembered:
                self._ids = {known.casefold(): known for known in self.people.ids()}
        return arrival

    def person_lost(self, person: str, now_s: float) -> None:
        """Somebody is out of view."""
        self.people.lost(person, now_s)
        self.revision += 1

    def click(self, screen: str, x_px: float, y_px: float) -> Angles:
        """A screen was touched there; `clicks` follows."""
        self._clicked_m = self._local(self.room.screen(screen).place_m(x_px, y_px))
        self._clicked = self.room.angles_of_pixel(screen, x_px, y_px)
        self.revision += 1
        return self._clicked

    def click_on(self, element: str, now_s: float, source: random.Random) -> Angles | None:
        """Something was touched that is known by its name only; None where it is no target."""
        if self.knows(element):
            angles = self.angles(element, now_s, source)
            if angles is not None:
                self._clicked, self._clicked_m = angles, self.place_m(element, now_s)
            self.revision += 1
            return self._clicked
        return None

    # --- questions ---------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Every name that can be looked at, without repetitions."""
        shown: dict[str, str] = {}
        for name, _ in (*self._made.values(), *self._fixed.values()):
            shown.setdefault(name.casefold(), name)
        for name in (PERSON, *self._slots, *self.people.ids(), *MOVING_NAMES):
            shown.setdefault(name.casefold(), name)
        return list(shown.values())

    def knows(self, name: str) -> bool:
        """Whether the name leads to a target, through aliases if need be."""
        try:
            self.resolve(name)
        except UnknownTarget:
            return False
        return True

    def resolve(self, name: str) -> str:
        """The name at the end of the aliases.

        Raises:
            UnknownTarget: the name, or what it follows, is no target.
        """
        return self._end_of(name).name

    def _end_of(self, name: str) -> _End:
        """What a name leads to, remembered until a target comes or goes: eyes ask all the time."""
        found = self._ends.get(name)
        if found is None:
            if len(self._ends) >= _REMEMBERED_ENDS:
                self._ends.clear()
            found = self._ends[name] = self._look_up(self._resolved(name))
        return found

    def _look_up(self, end: str) -> _End:
        key = end.casefold()
        made = self._made.get(key)
        if made is None:
            # An id comes first: a tracker may call somebody `person1` who came second.
            person = self._known_person(end)
            if person is not None or key == PERSON or key in self._slots:
                return _End(end, Kind.PERSON, person=person, slot=self._slots.get(key))
            if key in self._moving:
                return _End(end, self._moving[key])
        _, place = made or self._fixed[key]
        if isinstance(place, PointTarget):
            kind = Kind.SCREEN_POINT
        else:
            kind = Kind.POSITION if isinstance(place, PositionTarget) else Kind.ANGLE
        return _End(end, kind, place)

    def _resolved(self, name: str) -> str:
        current, why = name.strip(), ""
        for _ in range(len(self._made) + 1):
            made = self._made.get(current.casefold())
            if made is None:
                if self._exists(current):
                    return current
                raise UnknownTarget(current, self.names(), why)
            if not isinstance(made[1], AliasTarget):
                return made[0]
            current, why = made[1].of, f", which '{made[0]}' follows"
        raise UnknownTarget(name, self.names(), ", because its aliases go in a circle")

    def kind(self, name: str) -> Kind:
        """What sort of target it is in the end; an alias of a person is a person."""
        return self._end_of(name).kind

    def person_of(self, name: str, now_s: float) -> str | None:
        """Who stands behind a target that is a person; None where it is none, or nobody."""
        return self._person_at(self._end_of(name), now_s)

    def angles(self, name: str, now_s: float, source: random.Random) -> Angles | None:
        """Where a target is now; None where it is known but has no place (lost, not clicked yet).

        Raises:
            UnknownTarget: there is no such target.
        """
        row = self.row(name, now_s, source)
        return row[0] if row else None

    def place_m(self, name: str, now_s: float) -> Vector | None:
        """Where a target is along the robot's own axes; None where it is a direction alone.

        Raises:
            UnknownTarget: there is no such target.
        """
        end = self._end_of(name)
        if end.kind is Kind.CLICKS:
            return self._clicked_m
        if isinstance(end.place, PositionTarget):
            return self._local(end.place.position_m)
        if isinstance(end.place, PointTarget):
            screen = self.room.screen(end.place.screen)
            return self._local(screen.place_m(end.place.x_px, end.place.y_px))
        person = self._person_at(end, now_s)
        state = None if person is None else self.people.get(person)
        if state is None or not state.present or state.place_m is None:
            return None
        return self.room.observer.raised_m(state.place_m, self.settings.person_raised_deg)

    def meaning(self, name: str, now_s: float) -> str:
        """Whom or what a name stands for now: the person, or the end of its aliases."""
        end = self._end_of(name)
        return self._person_at(end, now_s) or end.name

    def pixel(self, name: str) -> PointTarget | None:
        """Where a target is on which screen; None where it is on none, or unknown."""
        try:
            place = self._end_of(name).place
        except UnknownTarget:
            return None
        return place if isinstance(place, PointTarget) else None

    def row(self, name: str, now_s: float, source: random.Random) -> tuple[Angles, ...]:
        """Where to look one after the other: three places for a row of glances, one for the rest.

        Empty where the target is known but has no place now.
        """
        end = self._end_of(name)
        if end.place is not None:
            return (self._angles_of(end.place),)
        if end.kind is not Kind.PERSON:
            return self._moving_row(end.kind, source)
        person = self._person_at(end, now_s)
        state = None if person is None else self.people.get(person)
        if state is None or not state.present:
            return ()
        return (state.angles.raised(self.settings.person_raised_deg),)

    # --- inside ------------------------------------------------------------------------------

    def _local(self, room_m: Vector) -> Vector:
        return self.room.observer.frame.to_local(room_m)

    def _targets_changed(self) -> None:
        """Targets have come or gone: names may lead elsewhere."""
        self._ends.clear()
        self.revision += 1

    def _moving_row(self, kind: Kind, source: random.Random) -> tuple[Angles, ...]:
        if kind is Kind.CLICKS:
            return () if self._clicked is None else (self._clicked,)
        if kind is Kind.RANDOM:
            return (look_random(self.settings, source),)
        if kind is Kind.ELSEWHERE:
            return (look_elsewhere(self.settings, source),)
        if kind is Kind.ACROSS_ROOM:
            return across_room(self.settings, source)
        return through_map(self.room, self.settings, source)

    def _angles_of(self, place: Place) -> Angles:
        if isinstance(place, AngleTarget):
            return place.angles
        if isinstance(place, PointTarget):
            return self.room.angles_of_pixel(place.screen, place.x_px, place.y_px)
        assert isinstance(place, PositionTarget)
        return self.room.angles_to(place.position_m)

    def _person_at(self, end: _End, now_s: float) -> str | None:
        if end.kind is not Kind.PERSON or end.person is not None:
            return end.person
        if end.slot is not None:
            return self.people.in_slot(end.slot)
        return self.people.focus(now_s)

    def _known_person(self, name: str) -> str | None:
        person = self._ids.get(name.casefold())
        return person if person is not None and self.people.get(person) is not None else None

    def _exists(self, name: str) -> bool:
        key = name.casefold()
        return self._is_sensed(key) or key in self._fixed or self._known_person(name) is not None

    def _is_sensed(self, key: str) -> bool:
        return key == PERSON or key in self._slots or key in self._moving

    def _require_on_screen(self, name: str, place: PointTarget) -> None:
        try:
            screen = self.room.screen(place.screen)
        except UnknownPlace as error:
            raise TargetRefused(f"the target '{name}': {error}") from None
        if not (0 <= place.x_px <= screen.width_px and 0 <= place.y_px <= screen.height_px):
            raise TargetRefused(
                f"the target '{name}' at ({place.x_px:g}, {place.y_px:g}) px lies beyond the "
                f"screen '{place.screen}', which has {screen.width_px} by {screen.height_px} pixels"
            )

    def _require_open_end(self, name: str, of: str) -> None:
        path = [name]
        current = of.strip()
        while True:
            path.append(current)
            if current.casefold() == name.casefold():
                raise TargetRefused(
                    f"the alias '{name}' would follow itself: {' → '.join(path)}; "
                    "let one of them follow something else"
                )
            made = self._made.get(current.casefold())
            if made is None or not isinstance(made[1], AliasTarget):
                break
            current = made[1].of
        self.resolve(of)
