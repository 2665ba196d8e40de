"""The seven pantomimes: within the body's limits, above the table, and the joints are theirs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.assets.helper import check
from sera.animation.assets.repertoire import Repertoire
from sera.animation.stage_set import StageSet
from sera.messages import Direction, Gaze, PlayAnimation, SetLayer

ROOT = Path(__file__).parents[2]
AHOY = ROOT / "scenarios" / "ahoy"
OWN = AHOY / "robots" / "adelino"
NAMES = ["crane", "fishing_rod", "lighthouse", "metronome", "ship", "snake", "sunflower"]
JOINTS = ("base", "lower_bend", "upper_bend", "head_bend", "head_twist")


@cache
def stage() -> tuple[StageSet, Repertoire]:
    found = StageSet.find(ROOT / "robots" / "adelino", (ROOT,), scenario=AHOY)
    return found, found.repertoire()


@cache
def acted(name: str) -> np.ndarray:
    """Joint angles, one row a frame, while gaze and life rest as the performer has it."""
    found, repertoire = stage()
    animator = Animator(found.program(repertoire))
    animator.handle(Gaze(direction=Direction(horizontal_deg=25.0, vertical_deg=15.0)))
    for _ in range(100):
        animator.step()
    for layer in ("gaze", "life"):
        animator.handle(SetLayer(layer=layer, active=False, fade_s=0.5))
    animator.handle(PlayAnimation(animation=name))
    count = round(repertoire.animations[name].duration_s * 50)
    frames = [animator.step() for _ in range(count)]
    return np.array([[frame[joint] for joint in JOINTS] for frame in frames])


def test_there_is_one_for_every_word() -> None:
    assert sorted(path.stem for path in (OWN / "animations").glob("*.toml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_it_asks_for_nothing_that_the_servos_cannot_do(name: str) -> None:
    found, repertoire = stage()
    assert check(repertoire.animations[name], found.body.channels) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_tip_stays_above_the_table_and_inside_a_round(name: str) -> None:
    found, repertoire = stage()
    chain = found.body.tree.chain("head")
    heights = [float(chain.pose(row).position_m[1]) for row in acted(name)[::5]]
    assert min(heights) > 0.1
    assert 8.0 <= repertoire.animations[name].duration_s <= 15.0


@pytest.mark.parametrize("name", NAMES)
def test_it_is_staged_large_and_begins_and_ends_near_the_neutral_posture(name: str) -> None:
    moves = np.degrees(np.ptp(acted(name), axis=0))
    assert max(moves) > 60.0
    _, repertoire = stage()
    animation = repertoire.animations[name]
    first = dict(zip(animation.names, animation.at(0.0), strict=True))
    last = dict(zip(animation.names, animation.at(animation.duration_s), strict=True))
    for channel in animation.names:
        assert first[channel] == pytest.approx(last[channel])
    assert np.degrees(first["Body.upper_bend"]) == pytest.approx(35.0)


def test_no_two_words_look_the_same() -> None:
    ways = {}
    for name in NAMES:
        frames = acted(name)
        places = np.linspace(0, len(frames) - 1, 40).astype(int)
        ways[name] = frames[places]
    for one in NAMES:
        for other in NAMES:
            if one < other:
                apart = np.degrees(np.abs(ways[one] - ways[other])).max(axis=1).mean()
                assert apart > 20.0, (one, other, apart)


def test_the_metronome_ticks_evenly() -> None:
    swing = np.degrees(acted("metronome")[:, 1])
    turns = [i for i in range(1, len(swing) - 1) if abs(swing[i]) > 20 and _is_peak(swing, i)]
    gaps_s = np.diff(turns)[1:] * 0.02  # its first swing comes up from the arms at rest
    assert len(turns) >= 6
    assert np.ptp(gaps_s) <= 0.1


def _is_peak(values: np.ndarray, place: int) -> bool:
    before, here, after = (abs(values[place + step]) for step in (-1, 0, 1))
    return bool(before < here >= after)


def test_they_are_adelinos_and_other_bodies_play_the_scenario_without_them() -> None:
    of_nao = StageSet.find(ROOT / "robots" / "nao", (ROOT,), scenario=AHOY).repertoire()
    assert not set(NAMES) & set(of_nao.animations)
