"""The people in the room: all senses together make one picture of them.

Design overview
    `sera.people.Fusion` does the work; this module carries messages. It hears the trackers and
    microphones (`PersonDetected`, `PersonMoved`, `PersonLost`, `HeadDirection`, `SpeechActivity`),
    markers and the activity, and publishes `PeopleState` and `EngagementChanged`. It never repeats
    what a tracker says: who hears the trackers is not told of the same person twice. The one
    thing it adds to their words is a name: a voice of which a microphone tells only the side or
    the direction is reported once more as `SpeechActivity` with the person (`names_voices`).

Units and frames
    As the messages say: metres and degrees of the scenario's space, seconds of the run's clock.

Threading
    The event loop's thread.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from sera import Module, on
from sera.behaviour.space import Angles, Vector
from sera.messages import (
    ActivityEvent,
    EngagementChanged,
    Envelope,
    GazeState,
    HeadDirection,
    MarkerMoved,
    MarkerSeen,
    ModulePresence,
    PeopleState,
    PersonDetected,
    PersonLost,
    PersonMoved,
    PersonSummary,
    Position,
    PresenceStatus,
    SpeechActivity,
)
from sera.people import (
    EngagementSettings,
    Fusion,
    Judged,
    LookSettings,
    MergeSettings,
    Scene,
    Voice,
)
from sera.runtime import Role

STEP_S = 0.1
_FROM_DATA = "@"
_SPEAKER_RAPPORT = "speaker_rapport"


class People(Module):
    """Says who is there, where, who speaks, who looks at whom, and who is engaged."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """What counts as the same person, as a look, as engagement, and whose turn it is."""

        turns: dict[str, Annotated[str, StringConstraints(strip_whitespace=True)]] = Field(
            default_factory=dict
        )
        """Events of the activity that say whose turn it is: the person, `@person` for the person
        of the event, `@key` for what stands in its data under that key, and an empty text for
        nobody. Such a person is in the picture even while no sense sees anybody."""
        stands_in_s: float = Field(default=60.0, gt=0)
        """How long that counts."""
        names_voices: bool | None = None
        """Whether voices of which only side or direction is known are reported again with the
        person; left out: yes, unless a character has `speaker_rapport`, which goes by sides."""
        robot_within_deg: float = Field(default=14.0, gt=0, le=90)
        """How far beside the robot's eyes a face may point and still look at it."""
        merging: MergeSettings = MergeSettings()
        engagement: EngagementSettings = EngagementSettings()
        rate_hz: float = Field(default=5.0, gt=0, le=20)
        """How often PeopleState is published at most."""
        least_step_m: float = Field(default=0.05, ge=0)
        """Smaller movements of a head are not worth a new PeopleState."""

    async def start(self) -> None:
        settings = self.settings
        self._fusion = Fusion(
            Scene.from_scenario(self.context.scenario),
            merging=settings.merging,
            looks=LookSettings(robot_within_deg=settings.robot_within_deg),
            engagement=settings.engagement,
            stands_in_s=settings.stands_in_s,
        )
        self._names_voices = settings.names_voices
        if self._names_voices is None:
            self._names_voices = not self._goes_by_sides()
        self._told: PeopleState | None = None
        self._told_s = 0.0
        self._named: dict[tuple[str, str], str] = {}

    async def run(self) -> None:
        await self._tell()
        while True:
            await self.clock.sleep(STEP_S)
            await self._think()
            if self.clock.now() - self._told_s >= 1.0 / self.settings.rate_hz - 1e-6:
                await self._tell()

    # -- what the senses say ----------------------------------------------------------------

    @on(PersonDetected, PersonMoved)
    async def see(self, message: PersonDetected | PersonMoved, envelope: Envelope) -> None:
        if envelope.source == self.source:
            return
        aim = message.direction
        self._fusion.see(
            envelope.source,
            message.person,
            self.clock.now(),
            captured_s=envelope.time,
            position_m=_vector(message.position),
            direction=None if aim is None else Angles(aim.horizontal_deg, aim.vertical_deg),
            seen_from_m=_vector(message.seen_from) or (0.0, 0.0, 0.0),
            confidence=message.confidence,
        )

    @on(PersonLost)
    async def lose(self, message: PersonLost, envelope: Envelope) -> None:
        self._fusion.lose(envelope.source, message.person, self.clock.now())

    @on(HeadDirection)
    async def follow_head(self, message: HeadDirection, envelope: Envelope) -> None:
        aim = message.direction
        self._fusion.turn_head(
            envelope.source,
            message.person,
            self.clock.now(),
            Angles(aim.horizontal_deg, aim.vertical_deg),
            captured_s=envelope.time,
            looks_at=message.looks_at,
            eye_contact=message.eye_contact,
        )

    @on(GazeState)
    async def see_robot(self, message: GazeState, envelope: Envelope) -> None:
        """Who looks at a robot looks at its face, wherever that is now."""
        place_m = _vector(message.position)
        assert place_m is not None
        self._fusion.scene.move_face(envelope.character, place_m)

    @on(SpeechActivity)
    async def hear(self, message: SpeechActivity, envelope: Envelope) -> None:
        if envelope.source == self.source or message.person in self._fusion.scene.robots:
            return
        aim = message.direction
        voice = Voice(
            envelope.source,
            message.speaking,
            message.person,
            message.side,
            None if aim is None else Angles(aim.horizontal_deg, aim.vertical_deg),
        )
        speakers = self._fusion.hear(voice, self.clock.now())
        if message.person is None and self._names_voices:
            await self._name_voice(voice, speakers, message, envelope)

    async def _name_voice(
        self,
        voice: Voice,
        speakers: tuple[str, ...],
        message: SpeechActivity,
        envelope: Envelope,
    ) -> None:
        """Say whose voice it is, where it is one person's, and that it ended where we said so."""
        before = self._named.pop(voice.key, None)
        now = speakers[0] if voice.speaking and len(speakers) == 1 else None
        if before is not None and before != now:
            ended = SpeechActivity(speaking=False, person=before)
            await self.publish(ended, time_s=envelope.time)
        if now is not None:
            self._named[voice.key] = now
            if now != before:
                begun = SpeechActivity(
                    speaking=True, person=now, loudness_dbfs=message.loudness_dbfs
                )
                await self.publish(begun, time_s=envelope.time)

    @on(MarkerSeen, MarkerMoved)
    async def see_marker(self, message: MarkerSeen | MarkerMoved) -> None:
        place_m = _vector(message.position)
        if place_m is not None:
            self._fusion.move_marker(message.marker, place_m)

    @on(ActivityEvent)
    async def follow_activity(self, message: ActivityEvent) -> None:
        """Whose turn it is, where the settings say that this event tells it."""
        told = self.settings.turns.get(message.event)
        if told is None:
            return
        person: str | None = told or None
        if told.startswith(_FROM_DATA):
            key = told.removeprefix(_FROM_DATA)
            found = message.person if key == "person" else message.data.get(key)
            person = found.strip() or None if isinstance(found, str) else None
        self._fusion.take_turn(person, self.clock.now())

    @on(ModulePresence)
    async def notice_death(self, message: ModulePresence, envelope: Envelope) -> None:
        if message.status in (PresenceStatus.LOST, PresenceStatus.STOPPED):
            self._fusion.drop_source(envelope.source)
            for key in [key for key in self._named if key[0] == envelope.source]:
                await self.publish(SpeechActivity(speaking=False, person=self._named.pop(key)))

    # -- what follows -----------------------------------------------------------------------

    async def _think(self) -> None:
        for judged in self._fusion.step(self.clock.now()):
            await self.publish(_message_of(judged))

    async def _tell(self) -> None:
        now_s = self.clock.now()
        state = PeopleState(people=self._fusion.people(now_s), speaker=self._fusion.speaker)
        if self._told is None or self._differs(state, self._told):
            self._told, self._told_s = state, now_s
            await self.publish(state)

    def _differs(self, state: PeopleState, before: PeopleState) -> bool:
        if state.speaker != before.speaker or len(state.people) != len(before.people):
            return True
        return any(
            self._has_changed(one, other)
            for one, other in zip(state.people, before.people, strict=True)
        )

    def _has_changed(self, one: PersonSummary, other: PersonSummary) -> bool:
        if one.position is not None and other.position is not None:
            here, there = one.position, other.position
            steps_m = (here.x_m - there.x_m, here.y_m - there.y_m, here.z_m - there.z_m)
            if max(map(abs, steps_m)) <= self.settings.least_step_m:
                one = one.model_copy(update={"position": there})
        return one != other

    def _goes_by_sides(self) -> bool:
        """Whether a character looks left and right by the microphones' sides already."""
        scenario = self.context.scenario
        if scenario is None:
            return False
        return any(
            (entry.module or name) == _SPEAKER_RAPPORT and entry.enabled
            for character in scenario.characters.values()
            for name, entry in character.modules.items()
        )


def _vector(position: Position | None) -> Vector | None:
    return None if position is None else (position.x_m, position.y_m, position.z_m)


def _message_of(judged: Judged) -> EngagementChanged:
    return EngagementChanged(
        person=judged.person,
        level=judged.change.level,
        previous=judged.change.previous,
        character=judged.robot,
        reason=judged.change.reason,
    )


__all__ = ["People"]
