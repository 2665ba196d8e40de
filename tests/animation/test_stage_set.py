"""Everything a body needs, found in its places: the more particular one wins."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sera.animation.assets.repertoire import RepertoireError
from sera.animation.program import ProgramError
from sera.animation.stage_set import StageSet

ROBOTS = Path(__file__).parents[2] / "robots"
PLUG_IN = """
from sera.animation.engine import ControllerParameters, Output, Signal


class Answer(Signal):
    Parameters = ControllerParameters
    output = Output.FLOAT

    @classmethod
    def make(cls, parameters, making):
        return cls()

    def step(self, dt_s):
        self.result = VALUE
"""


@pytest.fixture
def places(tmp_path):
    """A workspace with a shared folder, a robot and a scenario, each without a program."""
    shared, robot = tmp_path / "robots" / "shared", tmp_path / "robots" / "keepon"
    scenario = tmp_path / "scenarios" / "tea"
    for folder in (shared, robot, scenario):
        folder.mkdir(parents=True)
    shutil.copy(ROBOTS / "keepon" / "body.toml", robot)
    return {"shared": shared, "robot": robot, "scenario": scenario, "root": tmp_path}


def titled(folder: Path, title: str, more: str = "") -> Path:
    path = folder / "program.toml"
    path.write_text(f'[program]\ntitle = "{title}"\n{more}')
    return path


def found(places, **more) -> StageSet:
    given = {"scenario": places["scenario"], **more}
    return StageSet.find(places["robot"], (places["root"],), **given)


def test_the_scenarios_program_counts_before_the_robots_before_the_shared_one(places):
    for name in ("shared", "robot", "scenario"):
        titled(places[name], name)
        assert found(places).program().title == name
    assert found(places, scenario=None).program().title == "robot"


def test_a_program_of_another_name_is_found_and_a_missing_one_lists_where_it_was_looked_for(places):
    titled(places["shared"], "usual")
    (places["robot"] / "calm.toml").write_text('[program]\ntitle = "calm"\n')
    assert found(places, program="calm.toml").program().title == "calm"
    with pytest.raises(ProgramError, match="there is no such program") as caught:
        found(places, program="wild.toml").program()
    for name in ("shared", "robot", "scenario"):
        assert str(places[name]) in str(caught.value)


def test_plug_ins_come_from_workspace_shared_robot_and_scenario_the_last_one_wins(places):
    titled(places["shared"], "x", '[[signals]]\ntype = "Answer"\n')
    with pytest.raises(ProgramError, match="there is no controller 'Answer'"):
        found(places).program()
    for value, name in enumerate(("root", "shared", "robot", "scenario")):
        folder = places[name] / "controllers"
        folder.mkdir()
        (folder / "mine.py").write_text(PLUG_IN.replace("VALUE", f"{value}.0"))
        program = found(places).program()
        program.engine().step()
        assert program.signals[0].result == float(value)
    (places["robot"] / "controllers" / "mine.py").write_text("oops oops\n")
    with pytest.raises(ProgramError, match=r"mine\.py:1: the plug-in cannot be loaded"):
        found(places).program()


def test_problems_of_program_and_animations_are_given_by_line(places):
    titled(places["shared"], "x", '[[layers]]\nname = "one"\nmode = "ad"\n')
    with pytest.raises(ProgramError, match=r"program\.toml:5"):
        found(places).program()
    titled(places["shared"], "x")
    folder = places["scenario"] / "animations"
    folder.mkdir()
    (folder / "nod.toml").write_text("[animation]\nspeeed = 2\n")
    with pytest.raises(RepertoireError, match=r"nod\.toml:2"):
        found(places).program()


def test_the_fingerprint_changes_with_every_file_that_counts_and_with_no_other(places):
    program = titled(places["shared"], "x")
    stage_set = found(places)
    marks = [stage_set.fingerprint()]
    assert stage_set.fingerprint() == marks[0]

    def changed() -> bool:
        marks.append(stage_set.fingerprint())
        return marks[-1] != marks[-2]

    titled(places["shared"], "another title")
    assert changed()
    facts = program.stat()
    titled(places["shared"], "another titel")  # as long as before
    os.utime(program, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))
    assert changed()
    for folder, name in (
        (places["robot"] / "animations", "wave.toml"),
        (places["scenario"] / "postures", "pour.toml"),
        (places["root"] / "controllers", "mine.py"),
        (places["shared"] / "controllers", "mine.py"),
        (places["scenario"], "program.toml"),
    ):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("")
        assert changed(), name
    (places["robot"] / "notes.txt").write_text("x")
    assert not changed()
    (places["scenario"] / "program.toml").unlink()
    assert changed()


def test_the_same_seed_makes_the_same_program_and_another_one_another(places):
    titled(places["shared"], "x", '[[signals]]\nname = "r"\ntype = "RandomFloat"\n')

    def first(seed: int) -> float:
        program = found(places, seed=seed).program()
        program.engine().step()
        return program.signals[0].result

    assert first(3) == first(3)
    assert first(3) != first(4)


@pytest.mark.parametrize("name", sorted(each.parent.name for each in ROBOTS.glob("*/body.toml")))
def test_every_body_that_is_delivered_has_a_program_that_lives_without_fault(name):
    faults = []
    stage_set = StageSet.find(ROBOTS / name, (ROBOTS.parent,))
    engine = stage_set.program().engine(on_fault=lambda *fault: faults.append(fault))
    first = engine.step()
    for _ in range(100):
        last = engine.step()
    assert not faults
    assert abs(last - first).max() > 0.0
