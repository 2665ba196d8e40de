"""A body's repertoire: shared files first, its own over them, a scenario's over both."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sera.animation.assets.repertoire import RepertoireError, load_repertoire, shared_folders
from sera.animation.body import load_body
from sera.animation.channels import Unit

ROBOTS = Path(__file__).parents[3] / "robots"
NAMES = sorted(file.parent.name for file in ROBOTS.glob("*/body.toml"))
WANTED_ANIMATIONS = {
    *("nod", "shake", "wave", "breathe", "blink", "affirm", "greet", "idle_look"),
    *("celebrate", "sad", "shrug", "think", "surprise", "bow", "yawn"),
}
WANTED_POSTURES = {"neutral", "hot", "engaged", "cold", "unengaged", "sad", "proud", "thinking"}
NOD = '[[channels]]\nname = "Gazing.Vertical"\nkeys = [[0, 0], [0.5, {deg}], [1, 0]]\n'


def write(folder: Path, kind: str, name: str, text: str) -> Path:
    path = folder / kind / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def lowest_deg(repertoire, name="nod"):
    curve = repertoire.animation(name).channel("Gazing.Vertical").curve
    return math.degrees(curve.value_range()[0])


@pytest.mark.parametrize("name", NAMES)
def test_every_body_can_do_all_that_is_promised_and_each_moves_something(name):
    body = load_body(ROBOTS / name)
    repertoire = load_repertoire(body, ROBOTS / "shared")
    assert set(repertoire.animations) >= WANTED_ANIMATIONS
    assert set(repertoire.postures) >= WANTED_POSTURES
    for animation in repertoire.animations.values():
        assert animation.channels, f"{name} does nothing in {animation.name}"
        assert all(channel in body.channels for channel in animation.names)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("first", "second"), [("hot", "engaged"), ("cold", "unengaged"), ("proud", "confident")]
)
def test_two_names_of_a_posture_mean_the_same(name, first, second):
    repertoire = load_repertoire(load_body(ROBOTS / name), ROBOTS / "shared")
    assert repertoire.posture(first).values == repertoire.posture(second).values


@pytest.mark.parametrize("name", NAMES)
def test_animations_begin_and_end_at_nothing_so_that_they_leave_no_trace(name):
    repertoire = load_repertoire(load_body(ROBOTS / name), ROBOTS / "shared")
    for animation in repertoire.animations.values():
        assert animation.additive
        for time_s in (0.0, animation.duration_s - (1e-9 if animation.loop else 0.0)):
            assert animation.at(time_s) == pytest.approx([0.0] * len(animation.names), abs=1e-6)


def test_one_wave_plays_on_bodies_with_and_without_arms():
    pepper = load_repertoire(load_body(ROBOTS / "pepper"), ROBOTS / "shared").animation("wave")
    nao = load_repertoire(load_body(ROBOTS / "nao"), ROBOTS / "shared").animation("wave")
    keepon = load_repertoire(load_body(ROBOTS / "keepon"), ROBOTS / "shared").animation("wave")
    assert "Arms.RightRaise" in pepper.names
    assert "Torso.Sway" in pepper.names
    assert "Torso.Sway" not in nao.names
    assert set(keepon.names) >= {"Torso.Sway", "Torso.Stretch"}


def test_the_more_particular_file_of_a_name_wins(tmp_path):
    body = load_body(ROBOTS / "nao")
    shared, scenario = tmp_path / "shared", tmp_path / "scenario"
    write(shared, "animations", "nod", NOD.format(deg=-10))
    assert lowest_deg(load_repertoire(body, shared)) == pytest.approx(-10)
    write(scenario, "animations", "nod", NOD.format(deg=-5))
    assert lowest_deg(load_repertoire(body, shared, also=(scenario,))) == pytest.approx(-5)


def test_a_body_without_any_folder_has_an_empty_repertoire(tmp_path):
    body = load_body(ROBOTS / "nao_t14")
    repertoire = load_repertoire(body, tmp_path)
    assert repertoire.animations == {}
    assert load_repertoire(body).postures == {}


def test_postures_come_in_the_units_of_the_body(tmp_path):
    body = load_body(ROBOTS / "nao")
    text = '[values]\n"Gazing.Vertical" = 10\n"Lights.Left" = 0.5\n"Torso.Lean" = 5\n'
    write(tmp_path, "postures", "up", text)
    posture = load_repertoire(body, tmp_path).posture("up")
    assert posture.values == {
        "Gazing.Vertical": pytest.approx(math.radians(10)),
        "Lights.Left": 0.5,
    }
    assert posture.units["Gazing.Vertical"] is Unit.RADIAN


def test_an_unknown_name_gets_the_nearest_one():
    repertoire = load_repertoire(load_body(ROBOTS / "nao"), ROBOTS / "shared")
    with pytest.raises(LookupError, match="no animation 'nood'; did you mean 'nod'"):
        repertoire.animation("nood")
    with pytest.raises(LookupError, match="no posture 'hott'; did you mean 'hot'"):
        repertoire.posture("hott")


def test_all_broken_files_are_named_with_their_lines(tmp_path):
    body = load_body(ROBOTS / "nao")
    nod = write(tmp_path, "animations", "nod", NOD.format(deg='"deep"'))
    low = write(tmp_path, "postures", "low", '[values]\n"Gazing.Vertikal" = 3\n')
    with pytest.raises(RepertoireError) as caught:
        load_repertoire(body, tmp_path)
    problems = {problem.file: problem for problem in caught.value.problems}
    assert problems[nod].line == 3
    assert problems[low].line == 2
    assert problems[low].nearest == "Gazing.Vertical"


def test_shared_folders_of_all_roots_are_taken_and_the_users_own_comes_last(tmp_path):
    (tmp_path / "b" / "robots" / "shared").mkdir(parents=True)
    (tmp_path / "c" / "robots" / "shared").mkdir(parents=True)
    roots = [tmp_path / each for each in "abc"]
    both = tuple(tmp_path / each / "robots" / "shared" for each in "cb")
    assert shared_folders(roots) == both
    assert shared_folders(roots[:1]) == ()
