"""The module `people` in a run: what it says, what it adds, and what it never repeats."""

from __future__ import annotations

import itertools
from typing import Any

from sera.messages import EngagementChanged, Gaze, PeopleState, SpeechActivity

ROOM = """
[scenario]
title = "Play"
seed = 2
[modules.people]
{people}
[modules.actor]
module = "./actor.py"
[characters.ada]
robot = "adelino"
{modules}
[people.learner_1]
seat = "left"
[space.seats.left]
position_m = [0.5, 1.2, 1.0]
[space.seats.right]
position_m = [-0.5, 1.2, 1.0]
"""
LEFT, RIGHT = (f"Position(x_m={x}, y_m=1.2, z_m=1.0)" for x in (0.5, -0.5))
BOTH = f"""
for person, place in (("a", {LEFT}), ("b", {RIGHT})):
    await self.publish(PersonDetected(person=person, position=place))
"""


def room(people: str = "", modules: str = "") -> str:
    return ROOM.format(people=people, modules=modules)


def of(said: list[Any], kind: type[Any], source: str | None = None) -> list[Any]:
    return [
        one.message
        for one in said
        if isinstance(one.message, kind) and (source is None or one.source == source)
    ]


def test_the_picture_is_told_on_change_and_not_more_often_than_it_may(acted: Any) -> None:
    said = acted(
        room(),
        f"""
        await self.publish(PersonDetected(person="a", position={LEFT}))
        for step in range(50):
            await self.clock.sleep(0.02)
            place = Position(x_m=0.5 + 0.02 * step, y_m=1.2, z_m=1.0)
            await self.publish(PersonMoved(person="a", position=place))
        await self.clock.sleep(2.0)
        """,
    )
    times = [one.time for one in said if isinstance(one.message, PeopleState)]
    assert all(b - a >= 0.19 for a, b in itertools.pairwise(times[1:]))
    assert 5 <= len(times) <= 9  # nothing while nobody moves
    last = of(said, PeopleState)[-1].people[0]
    assert last.person == "a"
    assert abs(last.position.x_m - 1.48) < 0.06


def test_engagement_is_told_with_character_and_reason(acted: Any) -> None:
    said = acted(
        room(),
        f"""
        await self.publish(PersonDetected(person="a", position={LEFT}))
        for step in range(20):
            await self.clock.sleep(0.1)
            aim = Direction(horizontal_deg=153.4)
            await self.publish(HeadDirection(person="a", direction=aim, eye_contact=True))
        await self.publish(PersonLost(person="a"))
        await self.clock.sleep(0.5)
        """,
    )
    changes = of(said, EngagementChanged)
    assert [one.level for one in changes] == ["engaging", "engaged", "disengaged"]
    assert {(one.person, one.character) for one in changes} == {("a", "ada")}
    assert changes[1].reason is not None
    assert changes[1].reason.startswith("looks at the robot for")
    assert changes[2].previous == "engaged"
    assert of(said, PeopleState)[-1].people == []


def test_the_behaviour_manager_looks_at_who_speaks_although_the_microphones_name_nobody(
    acted: Any,
) -> None:
    said = acted(
        room(modules='[characters.ada.modules.behaviour]\nmodule = "behaviour_manager"'),
        BOTH
        + """
await self.clock.sleep(1.0)
for horizontal_deg in (26.0, -26.0):
    aim = Direction(horizontal_deg=horizontal_deg)
    await self.publish(SpeechActivity(speaking=True, direction=aim))
    await self.clock.sleep(2.5)
    await self.publish(SpeechActivity(speaking=False))
    await self.clock.sleep(0.5)
""",
    )
    named = of(said, SpeechActivity, "world.people")
    assert [(one.person, one.speaking) for one in named] == [
        ("b", True),
        ("b", False),
        ("a", True),
        ("a", False),
    ]
    looks = [
        (one.time, one.message.direction.horizontal_deg)
        for one in said
        if isinstance(one.message, Gaze) and one.message.direction is not None
    ]
    # b is on the robot's right, a on its left.
    assert [degrees for time, degrees in looks if 1.2 <= time < 3.4][-1] > 15
    assert [degrees for time, degrees in looks if 4.2 <= time < 6.4][-1] < -15
    speakers = [one.speaker for one in of(said, PeopleState)]
    assert [one for one in dict.fromkeys(speakers) if one] == ["b", "a"]


def test_its_own_words_start_no_loop_and_named_voices_are_not_repeated(acted: Any) -> None:
    said = acted(
        room(),
        BOTH
        + """
await self.publish(SpeechActivity(speaking=True, person="a"))
await self.clock.sleep(1.0)
await self.publish(SpeechActivity(speaking=False, person="a"))
await self.publish(SpeechActivity(speaking=True, side="right"))
await self.publish(SpeechActivity(speaking=True, side="right"))
await self.clock.sleep(1.0)
await self.publish(SpeechActivity(speaking=False, side="right"))
await self.clock.sleep(1.0)
""",
    )
    named = of(said, SpeechActivity, "world.people")
    assert [(one.person, one.speaking) for one in named] == [("b", True), ("b", False)]
    types = {type(one.message).__name__ for one in said if one.source == "world.people"}
    assert not types & {"PersonDetected", "PersonMoved", "PersonLost", "HeadDirection"}


def test_voices_stay_as_they_are_where_speaker_rapport_goes_by_sides(acted: Any) -> None:
    said = acted(
        room(modules="[characters.ada.modules.speaker_rapport]"),
        BOTH + 'await self.publish(SpeechActivity(speaking=True, side="left"))\n'
        "await self.clock.sleep(1.0)\n",
    )
    assert of(said, SpeechActivity, "world.people") == []
    assert of(said, PeopleState)[-1].speaker == "a"


def test_the_activity_says_whose_turn_it_is_while_no_camera_works(acted: Any) -> None:
    said = acted(
        room('turns = { go = "learner_1", next = "@player", mine = "@person", over = "" }'),
        """
        for event, person, data in (
            ("go", None, {}), ("over", None, {}), ("next", None, {"player": "learner_1"}),
            ("next", None, {"player": 3}), ("mine", "learner_1", {}), ("over", None, {}),
            ("unknown", "learner_1", {}),
        ):
            await self.publish(ActivityEvent(event=event, person=person, data=data))
            await self.clock.sleep(0.5)
        """,
    )
    told = [[(p.person, p.seen) for p in one.people] for one in of(said, PeopleState)]
    there = [("learner_1", False)]
    assert told == [[], there, [], there, [], there, []]


def test_a_tracker_that_is_silent_leaves_its_people_unseen(acted: Any) -> None:
    said = acted(
        room(),
        f"""
        await self.publish(PersonDetected(person="a", position={LEFT}))
        await self.clock.sleep(4.0)
        """,
    )
    seen = [[p.seen for p in one.people] for one in of(said, PeopleState)]
    assert [True] in seen
    assert seen[-1] == [False]


def test_a_tracker_that_dies_leaves_its_people_unseen_at_once_and_its_voices_end(
    acted: Any,
) -> None:
    said = acted(
        room(),
        f"""
        await self.publish(PersonDetected(person="a", position={LEFT}))
        await self.publish(SpeechActivity(speaking=True, side="left"))
        await self.clock.sleep(0.5)
        await self.publish(ModulePresence(status="lost", boot=0), character="world")
        await self.clock.sleep(0.5)
        """,
    )
    last = of(said, PeopleState)[-1]
    assert [(p.person, p.seen, p.speaking) for p in last.people] == [("a", False, False)]
    named = of(said, SpeechActivity, "world.people")
    assert [(one.person, one.speaking) for one in named] == [("a", True), ("a", False)]


def test_who_looks_at_a_robot_looks_at_its_face_wherever_that_is(acted: Any) -> None:
    said = acted(
        room(),
        f"""
        await self.publish(PersonDetected(person="a", position={LEFT}))
        low = Direction(horizontal_deg=132.0, vertical_deg=-50.0)  # at the floor before the robot
        for step in range(60):
            await self.clock.sleep(0.1)
            if step == 30:
                await self.publish(
                    GazeState(
                        position=Position(x_m=-0.1, y_m=0.2, z_m=0.45),
                        direction=Direction(horizontal_deg=0.0),
                    ),
                    character="ada",
                )
            await self.publish(HeadDirection(person="a", direction=low))
        """,
    )
    looks = [
        (one.time, one.message.people[0].looks_at)
        for one in said
        if isinstance(one.message, PeopleState) and one.message.people
    ]
    assert all(at is None for time, at in looks if time < 3.0)
    assert looks[-1][1] == "ada"
