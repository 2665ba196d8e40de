"""Who is who: ids while people move, cross, hide and leave."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.vision.detection import Detection, overlap, without_doubles
from sera.vision.people_tracker import PeopleTracker, Sighting

STEP_S = 0.05


def look(seed: int, noise: float = 0.0, at: int = 0) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(64)
    vector += noise * np.random.default_rng([seed, at]).standard_normal(64)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def face(x: float, y: float = 200.0, size: float = 80.0, score: float = 0.9) -> Detection:
    return Detection(score, x, y, size, size)


def ids_over(tracker: PeopleTracker, script, steps: int) -> list[dict[str, str]]:
    """Who (by the script) was called what, step by step."""
    history = []
    for number in range(steps):
        shown = script(number * STEP_S)
        step = tracker.step(list(shown.values()), number * STEP_S)
        whose = {id(sighting): who for who, sighting in shown.items()}
        history.append({whose[id(sighting)]: track.name for track, sighting in step.seen})
    return history


def test_somebody_is_counted_after_three_pictures_and_keeps_the_name():
    history = ids_over(PeopleTracker(), lambda t: {"a": Sighting(face(100 + 60 * t), look(1))}, 40)
    assert history[:2] == [{}, {}]
    assert history[2:] == [{"a": "person_1"}] * 38


def test_a_flash_is_nobody():
    tracker = PeopleTracker()
    history = ids_over(
        tracker, lambda t: {"x": Sighting(face(100), look(1))} if t in (0.0, 0.5, 1.0) else {}, 40
    )
    assert all(step == {} for step in history)
    assert tracker.people == []


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("bounce", [False, True])
def test_two_who_meet_keep_their_names_whether_they_pass_or_turn_back(seed, bounce):
    def script(t):
        way = 300 * (t - 1.0)
        if bounce:
            way = -abs(way) if t > 0 else way
        ax, bx = 320 + way, 320 - way
        shown = {"a": Sighting(face(ax, size=90), look(seed, 0.35, round(t * 100)))}
        if abs(ax - bx) > 60:  # b is behind a
            shown["b"] = Sighting(face(bx, 205, 80), look(seed + 99, 0.35, round(t * 100)))
        return shown

    history = ids_over(PeopleTracker(), script, 41)
    names = {who: {step[who] for step in history if who in step} for who in "ab"}
    assert all(len(found) == 1 for found in names.values()), names
    assert names["a"] != names["b"]
    assert set(history[-1]) == {"a", "b"}


def test_somebody_hidden_for_a_second_comes_back_under_the_same_name_at_once():
    def script(t):
        hidden = 1.0 <= t < 2.2
        return {} if hidden else {"a": Sighting(face(100 + 80 * t), look(5, 0.2, round(t * 100)))}

    history = ids_over(PeopleTracker(), script, 60)
    assert {name for step in history for name in step.values()} == {"person_1"}
    assert history[44] == {"a": "person_1"}


def test_somebody_who_comes_back_elsewhere_is_known_by_the_looks():
    def script(t):
        if 1.0 <= t < 1.8:
            return {}
        return {"a": Sighting(face(100 if t < 1.0 else 560), look(5, 0.2, round(t * 100)))}

    assert ids_over(PeopleTracker(), script, 50)[-1] == {"a": "person_1"}


def test_a_stranger_in_the_place_of_somebody_hidden_is_somebody_else():
    def script(t):
        if 1.0 <= t < 1.5:
            return {}
        return {"x": Sighting(face(100), look(1 if t < 1.0 else 2))}

    assert ids_over(PeopleTracker(), script, 50)[-1] == {"x": "person_2"}


def test_patience_ends_exactly_when_it_should():
    tracker = PeopleTracker(lost_after_s=1.0)
    for number in range(5):
        tracker.step([Sighting(face(100), look(1))], number * 0.1)
    assert tracker.step([], 1.39).lost == []
    (lost,) = tracker.step([], 1.4).lost
    assert lost.name == "person_1"
    assert tracker.people == []


def test_no_more_people_than_allowed_and_the_nearest_first():
    tracker = PeopleTracker(largest_people=4)
    crowd = [Sighting(face(90.0 * n, size=30 + 5 * n), look(n)) for n in range(7)]
    for number in range(10):
        step = tracker.step(crowd, number * STEP_S)
    assert [track.name for track, _ in step.seen] == [f"person_{n}" for n in range(1, 5)]
    assert sorted(s.face.size_px for _, s in step.seen) == pytest.approx([45, 50, 55, 60])


def test_without_looks_places_alone_decide():
    def script(t):
        return {"a": Sighting(face(100 + 50 * t)), "b": Sighting(face(500 - 50 * t))}

    assert ids_over(PeopleTracker(), script, 40)[-1] == {"a": "person_1", "b": "person_2"}


boxes = st.builds(
    face, st.floats(-50, 700), st.floats(-50, 500), st.floats(2, 400), st.floats(0, 1)
)


@settings(max_examples=60)
@given(st.lists(st.lists(boxes, max_size=6), max_size=15))
def test_whatever_is_found_names_are_unique_and_never_more_than_allowed(pictures):
    tracker = PeopleTracker(largest_people=3)
    for number, found in enumerate(pictures):
        step = tracker.step([Sighting(one) for one in found], number * STEP_S)
        names = [track.name for track, _ in step.seen]
        assert len(set(names)) == len(names) <= 3
        assert all(math.isfinite(track.predicted(9.0).x_px) for track in tracker.people)


@given(st.lists(boxes, max_size=8))
def test_of_doubles_only_the_surest_stays(found):
    kept = without_doubles(found)
    for index, one in enumerate(kept):
        assert all(overlap(one, other) < 0.5 for other in kept[index + 1 :])
    if found:
        assert kept[0].score == max(one.score for one in found)
