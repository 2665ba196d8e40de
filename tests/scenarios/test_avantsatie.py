"""AvantSatie in virtual time: whole games with a simulated player in each condition."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Sights
from sera.animation.engine._turns import between, way
from sera.messages import (
    AnimationFinished,
    AnimationOutcome,
    Envelope,
    Gaze,
    GazeAt,
    JointFrame,
    ModuleFault,
    PlayAnimation,
    RunOutcome,
    SetPosture,
    find_message_type,
)
from sera.runtime._loading import load_class_from_file
from sera.runtime.located import LocatedToml
from sera.study.participants import PostureReader

ROOT = Path(__file__).parents[2]
AVANTSATIE = ROOT / "scenarios" / "avantsatie"
GAME = load_class_from_file(AVANTSATIE / "game.py")
BODY = load_body(ROOT / "robots" / "adelino")
CONDITIONS = ("c_erik", "c_ebps", "c_control")
SETTLED_S = 0.8
"""After an order; a blend takes 0.6 s."""
STILL_RAD = 0.02
"""From one frame to the next: to turn round from the screen takes longer than a blend."""
_played: dict[Any, Any] = {}


def kind(name: str) -> Any:
    return find_message_type(name)


@pytest.fixture
def evening(performance: Callable[..., Any]) -> Callable[..., Any]:
    """A game with a simulated player; each once. ERIK's whole, to save time the others' half."""

    def play(condition: str, *, seed: int = 1, **options: Any) -> Any:
        key = (condition, seed, *sorted(options.items()))
        if key not in _played:
            limit_s = options.pop("duration_s", None)
            levels = 2 if condition == "c_erik" else 1
            settings = {"game": {"levels": levels, "story_s": 2.0}, "decision": options}
            _played[key] = performance(
                "avantsatie",
                seed=seed,
                condition=f"{condition}+simulated",
                duration_s=limit_s,
                settings=settings,
            )
        return _played[key]

    return play


@pytest.fixture(params=CONDITIONS)
def played(request: pytest.FixtureRequest, evening: Callable[..., Any]) -> tuple[str, Any]:
    return request.param, evening(request.param)


def caused(show: Any, effect: type[Any], cause: str) -> list[tuple[Any, list[Any]]]:
    """Each message of a type, with what was ordered because of it."""
    orders: dict[str | None, list[Any]] = {}
    for envelope in show.envelopes(effect):
        orders.setdefault(envelope.cause, []).append(envelope.message)
    return [(one.message, orders.get(one.id, [])) for one in show.envelopes(kind(cause))]


# -- the game ---------------------------------------------------------------------------------


def test_a_game_of_both_pieces_ends_by_itself(evening):
    show = evening("c_erik")
    assert show.summary.outcome == RunOutcome.COMPLETED
    assert show.summary.reason == "all pieces were discovered"
    assert show.of(ModuleFault) == []
    (ended,) = show.of(kind("GameEnded"))
    judged = show.of(kind("GuessJudged"))
    wrong = [one for one in judged if one.key != one.wanted]
    assert ended.wrong_hot + ended.wrong_cold == len(wrong) > 0
    found = [(one.level, one.part) for one in show.of(kind("GuessingEnded"))]
    assert found == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 3)]
    assert {one.outcome for one in show.of(AnimationFinished)} == {AnimationOutcome.COMPLETED}


def test_every_condition_comes_to_its_end(played):
    _, show = played
    assert show.summary.outcome == RunOutcome.COMPLETED
    assert show.of(ModuleFault) == []
    assert len(show.of(kind("GameEnded"))) == 1
    assert show.of(kind("ScreenShown"))[-1].screen == "end"


def test_the_robot_affirms_before_the_screen_reacts(played):
    _, show = played
    waiting: str | None = None
    affirmed = 0
    for envelope in show.seen:
        message = envelope.message
        if isinstance(message, kind("GuessJudged")) and message.key == message.wanted:
            waiting = "affirm"
        elif isinstance(message, AnimationFinished) and message.animation == waiting:
            waiting, affirmed = None, affirmed + 1
        elif isinstance(message, kind("ScreenShown")):
            assert waiting is None, f"the screen came first at {envelope.time:.2f} s"
    assert affirmed == sum(one.key == one.wanted for one in show.of(kind("GuessJudged")))


def test_the_player_walks_at_a_humans_speed_and_steps_on_keys_where_they_are(played):
    _, show = played
    here: Any = None
    for before, after in itertools.pairwise(show.envelopes(kind("PersonMoved"))):
        one, other = before.message.position, after.message.position
        way_m = math.dist((one.x_m, one.z_m), (other.x_m, other.z_m))
        assert way_m / max(after.time - before.time, 1e-9) < 1.7 * math.pi / 2 + 0.1
    keys = places()
    for envelope in show.seen:
        if isinstance(envelope.message, kind("PersonMoved")):
            here = envelope.message.position
        elif isinstance(envelope.message, kind("KeyStepped")):
            key = keys[f"key_{envelope.message.key}"]
            assert math.hypot(here.x_m - key[0], here.z_m - key[2]) < 0.15


# -- hot and cold -----------------------------------------------------------------------------


def test_expressive_conditions_take_one_posture_for_each_judgement(evening):
    for condition in ("c_erik", "c_ebps"):
        pairs = caused(evening(condition), SetPosture, "GuessJudged")
        assert len(pairs) > 20
        for judged, orders in pairs:
            wanted = "neutral" if judged.result == "correct" else str(judged.result)
            assert [one.posture for one in orders] == [wanted]
        assert {str(judged.result) for judged, _ in pairs} == {"correct", "hot", "cold"}


def test_in_control_the_posture_stays_neutral(evening):
    show = evening("c_control")
    assert {one.posture for one in show.of(SetPosture)} == {"neutral"}
    for judged, orders in caused(show, SetPosture, "GuessJudged"):
        assert len(orders) == (judged.result == "correct")


def test_hints_can_be_swapped_or_drawn_at_random_for_controls_of_simulations(evening):
    swapped = {"hot": "cold", "cold": "hot", "correct": "neutral"}
    show = evening("c_erik", hints="swapped", duration_s=80.0)
    pairs = caused(show, SetPosture, "GuessJudged")
    assert len(pairs) > 10
    assert all([o.posture for o in orders] == [swapped[judged.result]] for judged, orders in pairs)
    show = evening("c_erik", hints="random", duration_s=80.0)
    pairs = [one for one in caused(show, SetPosture, "GuessJudged") if one[0].result != "correct"]
    agree = [orders[0].posture == judged.result for judged, orders in pairs]
    assert {True, False} == set(agree)
    assert {one.posture for _, orders in pairs for one in orders} == {"hot", "cold"}


# -- the body ---------------------------------------------------------------------------------


def settled(show: Any) -> Iterator[tuple[str, Gaze, dict[str, float]]]:
    """Posture, ordered gaze and joints, at moments of guessing at which all has come to rest."""
    since_s, busy, screen = -math.inf, False, ""
    gaze, posture = None, "neutral"
    before: dict[str, float] = {}
    for envelope in show.seen:
        message = envelope.message
        if isinstance(message, Gaze):
            gaze, since_s = message, envelope.time
        elif isinstance(message, SetPosture):
            posture, since_s = message.posture, envelope.time
        elif isinstance(message, PlayAnimation | AnimationFinished):
            busy, since_s = isinstance(message, PlayAnimation), envelope.time
        elif isinstance(message, kind("ScreenShown")):
            screen, since_s = message.screen, envelope.time
        elif isinstance(message, JointFrame):
            joints = message.joints_rad
            still = all(abs(joints[name] - before.get(name, 9.0)) < STILL_RAD for name in joints)
            before = joints
            at_rest = still and not busy and envelope.time - since_s >= SETTLED_S
            if at_rest and screen == "guess" and gaze is not None:
                yield posture, gaze, joints


def test_the_tip_keeps_facing_the_player_whatever_the_posture(played):
    condition, show = played
    sight = Sights(BODY).find("Gazing")
    away = []
    for _, gaze, joints in settled(show):
        assert gaze.target == "person = player"
        face_m, axis = sight.seen_at(np.array([joints.get(name, 0.0) for name in BODY.own]))
        place = (gaze.place.x_m, gaze.place.y_m, gaze.place.z_m)
        away.append(math.degrees(between(axis, way(face_m, place))))
    assert len(away) > 30, condition
    assert max(away) < 6.0
    assert float(np.mean(away)) < 1.0


def test_hot_and_cold_really_look_different_and_alike_in_both_techniques(evening):
    reader = PostureReader(BODY)
    means = {}
    for condition in ("c_erik", "c_ebps"):
        seen: dict[str, list[Any]] = {"hot": [], "cold": [], "neutral": []}
        for posture, _, joints in settled(evening(condition)):
            seen[posture].append(reader.silhouette(joints))
        hot, cold = np.array(seen["hot"]), np.array(seen["cold"])
        assert min(len(hot), len(cold)) > 10
        apart_m = np.abs(hot.mean(axis=0) - cold.mean(axis=0))
        spread_m = np.sqrt(hot.var(axis=0) + cold.var(axis=0))
        assert apart_m.max() > 0.2
        assert (apart_m / np.maximum(spread_m, 0.01)).max() > 4.0
        means[condition] = (hot.mean(axis=0), cold.mean(axis=0))
    for one, other in zip(means["c_erik"], means["c_ebps"], strict=True):
        assert np.abs(one - other).max() < 0.12  # made so that both conditions seem alike


def test_in_control_the_silhouette_stays_the_same(evening):
    reader = PostureReader(BODY)
    seen = np.array([reader.silhouette(joints) for _, _, joints in settled(evening("c_control"))])
    assert float(seen.std(axis=0).max()) < 0.08


def test_frames_stay_within_the_limits_and_speeds_of_the_body(played):
    _, show = played
    frames = show.envelopes(JointFrame)
    assert len(frames) > 1000
    for name in PostureReader(BODY).joints:
        spec = BODY.own[name]
        path = np.array([one.message.joints_rad[name] for one in frames])
        times = np.array([one.time for one in frames])
        assert spec.lower - 1e-6 <= path.min()
        assert path.max() <= spec.upper + 1e-6
        speeds = np.abs(np.diff(path)) / np.diff(times)
        assert speeds.max() <= spec.max_velocity * (1 + 1e-6), name


# -- where it looks ---------------------------------------------------------------------------


def looks(show: Any) -> list[tuple[str, str, Envelope]]:
    """The screen, the target and the order of every look."""
    screen, found = "", []
    for envelope in show.seen:
        if isinstance(envelope.message, kind("ScreenShown")):
            screen = envelope.message.screen
        elif isinstance(envelope.message, GazeAt):
            found.append((screen, envelope.message.target, envelope))
    return found


def test_it_looks_at_the_screen_while_there_is_something_to_read(played):
    _, show = played
    orders = looks(show)
    assert {target for screen, target, _ in orders if screen == "story"} == {"screen", "person"}
    assert next(target for screen, target, _ in orders if screen == "story") == "screen"
    for name in ("part", "piece"):
        assert {target for screen, target, _ in orders if screen == name} == {"screen"}


def test_it_looks_at_the_player_while_notes_are_looked_for(played):
    _, show = played
    assert {target for screen, target, _ in looks(show) if screen == "guess"} == {"person"}
    heard = [one for one in show.seen if isinstance(one.message, Gaze)]
    assert {one.message.target for one in heard} >= {"person = player", "screen"}
    tracked = {one.message.direction.horizontal_deg for one in heard}
    assert len(tracked) > 50  # it follows somebody who walks


def test_it_looks_at_every_key_that_it_plays_before_it_sounds(played):
    condition, show = played
    keys = places()
    target: str | None = None
    direction: Any = None
    sounded = []
    for envelope in show.seen:
        message = envelope.message
        if isinstance(message, Gaze):
            target, direction = message.target, message.direction
        elif isinstance(message, kind("NoteSounded")) and message.by == "robot":
            assert target == f"key_{message.key}"
            x_m, _, z_m = keys[target]
            assert direction.horizontal_deg == pytest.approx(
                -math.degrees(math.atan2(x_m, z_m)), abs=1.0
            )
            assert direction.vertical_deg < -20.0  # keys lie on the floor
            sounded.append(message.key)
    pieces = LocatedToml.load(AVANTSATIE / "pieces.toml").data["pieces"]
    levels = pieces if condition == "c_erik" else pieces[:1]
    assert sounded == [key for piece in levels for part in piece["parts"] for key in part]


def places() -> dict[str, Any]:
    space = LocatedToml.load(AVANTSATIE / "scenario.toml").data["space"]
    return {name: one["position_m"] for name, one in space["objects"].items()}


def test_the_keys_of_the_scenario_lie_where_the_pieces_have_them():
    pieces = sys.modules[f"{GAME.__module__.rpartition('.')[0]}.pieces"]
    piano = pieces.load_pieces(AVANTSATIE / "pieces.toml").piano
    assert places().keys() == {f"key_{key}" for key in piano.keys}
    for key in piano.keys:
        assert places()[f"key_{key}"] == pytest.approx(piano.position_m(key)), key


# -- chance -----------------------------------------------------------------------------------


def told(show: Any) -> list[tuple[float, str, str]]:
    names = ("KeyStepped", "GuessJudged", "SetPosture", "Gaze", "ScreenShown", "JointFrame")
    return [(one.time, one.type, str(one.message)) for one in show.seen if one.type in names]


def test_the_same_seed_plays_the_same_game_and_another_one_another(evening, performance):
    first = told(evening("c_erik", duration_s=45.0))
    again = performance(
        "avantsatie",
        seed=1,
        condition="c_erik+simulated",
        duration_s=45.0,
        settings={"game": {"levels": 2, "story_s": 2.0}},
    )
    assert told(again) == first
    assert len(first) > 400
    other = [one for one in told(evening("c_erik", seed=2, duration_s=45.0)) if "Key" in one[1]]
    assert [one[2] for one in other] != [one[2] for one in first if "Key" in one[1]]
