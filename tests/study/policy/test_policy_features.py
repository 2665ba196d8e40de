"""From facts on a page to numbers."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st

from sera.messages import (
    Envelope,
    GazeAt,
    PeopleState,
    PersonMoved,
    Position,
    SpeechActivity,
    SpeechHeard,
)
from sera.study.policy import Feature, Moment, Seen, Visible, encode, find_features, moment_of
from sera.web._sight import Sight


def seen(kind: str, time_s: float, lasts: bool = False, **data: object) -> Seen:
    return Seen(f"{kind}-{time_s}", kind, time_s, dict(data), lasts)


def moment(**facts: dict[str, object]) -> Moment:
    return Moment(dict(facts), dict.fromkeys(facts, 0.0))


def names(moments: list[Moment]) -> list[str]:
    return [feature.name for feature in find_features(moments)[0]]


# -- the page ----------------------------------------------------------------------------------


def test_what_came_within_ten_seconds_is_on_the_page_and_a_stream_until_its_next_value() -> None:
    page = Visible()
    moved = PersonMoved(person="p", position=Position(x_m=0, y_m=1, z_m=2))
    page.see(Envelope(moved, "a-0-1", 0.0, "world.eyes", "world"))
    page.see(Envelope(SpeechActivity(speaking=True), "a-0-2", 1.0, "world.ears", "world"))
    assert [one.id for one in page.at(5.0)] == ["a-0-1", "a-0-2"]
    assert [one.id for one in page.at(11.5)] == ["a-0-1"]
    page.see(Envelope(moved, "a-0-3", 12.0, "world.eyes", "world"))
    assert [one.id for one in page.at(12.0)] == ["a-0-3"]


def test_the_page_forgets_rather_than_grows() -> None:
    page = Visible()
    for number in range(1000):
        page.take(seen("Clicked", number * 0.001))
    assert len(page.at(1.0)) == 120


def test_a_moment_holds_the_newest_of_each_kind_and_nothing_that_came_later() -> None:
    facts = [seen("A", 1.0, x=1), seen("A", 2.0, x=2), seen("B", 1.5, y=True), seen("A", 3.0, x=3)]
    found = moment_of(facts, 2.5)
    assert found.facts == {"A": {"x": 2}, "B": {"y": True}}
    assert found.ages_s == {"A": 0.5, "B": 1.0}


# -- features ----------------------------------------------------------------------------------


def test_numbers_words_truths_and_lists_become_numbers() -> None:
    moments = [
        moment(ActivityEvent={"event": "a", "data": {"n": 1.5, "on": True, "list": []}}),
        moment(ActivityEvent={"event": "b", "data": {"n": 2.5, "on": False, "list": [1, 2]}}),
        moment(),
    ]
    features, warnings = find_features(moments)
    rows = {f.name: [f.value(each) for each in moments] for f in features}
    assert warnings == []
    assert rows == {
        "ActivityEvent.data.list": [0.0, 2.0, -1.0],
        "ActivityEvent.data.n": [1.5, 2.5, 0.0],
        "ActivityEvent.data.on": [1.0, 0.0, -1.0],
        "ActivityEvent.event is a": [1.0, 0.0, 0.0],
        "ActivityEvent.event is b": [0.0, 1.0, 0.0],
        "ActivityEvent.seen": [1.0, 1.0, 0.0],
        "ActivityEvent.age_s": [0.0, 0.0, -1.0],
    }


def test_personal_fields_ids_of_people_and_free_text_are_no_features() -> None:
    moments = [
        moment(
            SpeechHeard=SpeechHeard(
                text=f"t{n % 2}", person=f"p{n % 2}", confidence=n / 40
            ).model_dump(),
            ActivityEvent={"event": f"event_{n}", "data": {}},
        )
        for n in range(20)
    ]
    assert names(moments) == ["SpeechHeard.confidence"]


def test_what_never_varies_is_no_feature() -> None:
    assert names([moment(ActivityEvent={"event": "a"})] * 3) == []


def test_texts_of_a_message_that_nobody_knows_are_left_out_with_a_word_about_it() -> None:
    moments = [moment(NobodysMessage={"word": f"w{n}", "level": n}) for n in range(2)]
    features, (warning,) = find_features(moments)
    assert [one.name for one in features] == ["NobodysMessage.level"]
    assert "NobodysMessage" in warning


def test_an_unfitting_value_counts_as_missing() -> None:
    feature = Feature(type="A", field="x.y", kind="number", missing=-3.0)
    for value in ({"x": {"y": "text"}}, {"x": 5}, {}, {"x": {"y": math.nan}}, {"x": {"y": None}}):
        assert feature.value(moment(A=value)) == -3.0


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@example([{"far": 3.5e38}, {"far": 1.0}, {"far": 2.0}])
@given(st.lists(st.dictionaries(st.text(max_size=6), json_values, max_size=4), max_size=6))
def test_whatever_stands_in_facts_rows_are_finite(facts: list[dict[str, object]]) -> None:
    moments = [moment(ActivityEvent=each) for each in facts]
    features, _ = find_features(moments)
    for each in moments:
        row = encode(features, each)
        assert len(row) == len(features)
        assert all(math.isfinite(value) for value in row)


@given(
    st.lists(
        st.tuples(st.sampled_from(["moved p", "moved q", "speaks", "state"]), st.floats(0, 4)),
        max_size=80,
    ),
    st.floats(0, 30),
)
def test_a_policy_is_shown_what_the_gateway_notes_for_an_operator(
    steps: list[tuple[str, float]], later_s: float
) -> None:
    page, sight, now_s = Visible(), Sight(), 0.0
    for number, (what, wait_s) in enumerate(steps):
        now_s += wait_s
        here = Position(x_m=0, y_m=1, z_m=2)
        message = {
            "moved p": PersonMoved(person="p", position=here),
            "moved q": PersonMoved(person="q", position=here),
            "speaks": SpeechActivity(speaking=True),
            "state": PeopleState(),
        }[what]
        envelope = Envelope(message, f"world.x-0-{number}", now_s, "world.x", "world")
        page.see(envelope)
        sight.see(envelope)
    order = Envelope(GazeAt(target="p"), "world.w-0-1", now_s, "world.w", "ada")
    noted = sight.decided(order, by="wizard", restricted=True, now_s=now_s + later_s)
    assert [one.id for one in page.at(now_s + later_s)] == noted.seen
