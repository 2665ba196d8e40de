"""docs/animation.md: its programs, plug-in and body load, its commands run, its table is true."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sera.animation.animator import Animator
from sera.animation.body import load_body
from sera.animation.body._file import BodyFile
from sera.animation.program import Registry, load_program
from sera.animation.program._file import ProgramFile
from sera.animation.stage_set import StageSet
from sera.cli import app
from sera.cli._controller_facts import facts_of, markdown_table
from sera.messages import PersonDetected, SetEmotion, SoundLevel
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "animation.md").read_text(encoding="utf-8")
BEGIN, END = "<!-- controllers: begin -->\n", "<!-- controllers: end -->"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in _BLOCK.finditer(TEXT)]
FILES = {
    text.splitlines()[0].removeprefix("# "): text
    for language, text in BLOCKS
    if language in ("toml", "python")
}
PROGRAMS = [name for name in FILES if name.endswith("program.toml")]
_IN_BLOCKS = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
COMMANDS = sorted(
    {line for line in _IN_BLOCKS if line.startswith("sera ")}
    | {" ".join(each.split()) for each in re.findall(r"`(sera [^`]+)`", TEXT)}
)
NEED_A_RUN_OR_A_ROBOT = ("robot watch", "send", "run", "robot calibrate", "robot sheet")
ARM = """<robot name="arm"><link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
{joints}</robot>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="0 0 0.2"/><axis xyz="{axis}"/>
<limit lower="-1.5" upper="1.5" velocity="2" effort="10"/></joint>"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Path:
    """A workspace with every file that the document shows, and a URDF."""
    folder = tmp_path_factory.mktemp("lab")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    links, axes = ("base", "one", "two", "tip"), ("0 0 1", "0 1 0", "0 1 0")
    lines = [
        JOINT.format(name=f"joint_{child}", parent=parent, child=child, axis=axis)
        for parent, child, axis in zip(links, links[1:], axes, strict=False)
    ]
    (folder / "arm.urdf").write_text(ARM.format(joints="\n".join(lines)), encoding="utf-8")
    shutil.copytree(ROOT / "robots" / "shared", folder / "robots" / "shared")
    return folder


@pytest.fixture
def in_the_lab(lab, monkeypatch) -> Path:
    monkeypatch.chdir(lab)
    monkeypatch.delenv("SERA_PATH", raising=False)
    return lab


def test_the_table_of_controllers_is_what_the_registry_says():
    table = TEXT.partition(BEGIN)[2].partition(END)[0]
    wanted = markdown_table(facts_of(Registry()))
    assert table == wanted, "write it anew: sera list controllers --markdown"


def test_the_document_shows_as_many_files_as_it_has_blocks_of_code():
    assert len(FILES) == len([kind for kind, _ in BLOCKS if kind])
    assert len(PROGRAMS) >= 5
    assert "controllers/heartbeat.py" in FILES
    assert "robots/nodder/body.toml" in FILES


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_the_document_loads_on_every_body(lab, name):
    """What a body lacks is left out: NAO cannot tilt its head."""
    bodies = ("adelino", "emys", "keepon", "nao", "pepper")
    for robot in some_of(bodies, 2, seed=PROGRAMS.index(name)):
        animator = animator_of(lab, name, robot)
        for _ in range(3):
            animator.step()
        assert animator.muted == [], robot


def animator_of(lab: Path, name: str, robot: str) -> Animator:
    found = StageSet.find(ROOT / "robots" / robot, (lab, ROOT), scenario=(lab / name).parent)
    assert found.program_file() == lab / name
    return Animator(found.program())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_the_document_moves_the_body(lab, name):
    animator = animator_of(lab, name, "adelino")
    before = np.array(list(animator.step().values()))
    for message in (
        SetEmotion.model_validate({"pad": {"pleasure": 0, "arousal": 1, "dominance": 0}}),
        PersonDetected(person="guest"),
        SoundLevel(loudness_dbfs=[-20.0], voice=0.9),
    ):
        animator.program.receive(message)
    moved = np.zeros_like(before)
    for _ in range(150):
        moved = np.maximum(moved, np.abs(np.array(list(animator.step().values())) - before))
    assert animator.muted == []
    assert moved.max() > 1e-2, "nothing moves"


def test_the_plug_in_of_the_document_is_a_controller_with_explained_parameters(lab):
    registry = Registry()
    registry.load_plug_ins([lab])
    (facts,) = [each for each in facts_of(registry) if each.type == "Heartbeat"]
    assert facts.file == lab / "controllers" / "heartbeat.py"
    assert facts.summary == "Lets a light beat twice and rest."
    assert {each.name for each in facts.parameters if each.wired} == {"beats_per_minute", "depth"}


def test_the_body_of_the_document_loads_and_does_what_its_comments_say(lab):
    body = load_body(lab / "robots" / "nodder")
    right_and_up = body.resolve({"Gazing.Horizontal": 0.5, "Gazing.Vertical": 0.2})
    assert right_and_up["yaw"] == -0.5
    assert right_and_up["pitch"] == -0.2
    assert body.resolve({"Eyes.LeftLid": 1.0})["eye"] == 0.0
    program = load_program(
        lab / "scenarios" / "heart" / "program.toml", body, registry=_plugged(lab)
    )
    assert program.title == "Animation program"


def _plugged(lab: Path) -> Registry:
    registry = Registry()
    registry.load_plug_ins([lab])
    return registry


@pytest.mark.parametrize("whole", [BodyFile, ProgramFile])
def test_every_key_of_the_files_stands_in_the_tables_of_the_document(whole):
    rows = [line for line in TEXT.splitlines() if line.startswith("|")]
    documented = set(re.findall(r"`([a-z0-9_]+)`", "\n".join(rows)))
    for name, field in whole.model_fields.items():
        headings = {f"`[{name}]`", f"`[[{name}]]`"}
        assert any(heading in row for heading in headings for row in rows), name
        for table in _tables_in(field.annotation):
            assert set(table.model_fields) <= documented, (
                name,
                set(table.model_fields) - documented,
            )


def _tables_in(annotation: object) -> list:
    if hasattr(annotation, "model_fields"):
        return [annotation]
    return [table for each in getattr(annotation, "__args__", ()) for table in _tables_in(each)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_document_exists_with_its_options(command):
    words = shlex.split(command)[1:]
    answer = CliRunner().invoke(app, [*words, "--help"])
    assert answer.exit_code == 0, answer.output


def test_the_commands_that_need_no_run_do_what_the_document_says(in_the_lab):
    """In the order of the document: the new robot is made before it is shown."""
    harmless = [
        line
        for line in COMMANDS
        if not line.removeprefix("sera ").startswith(NEED_A_RUN_OR_A_ROBOT)
    ]
    assert len(harmless) >= 7
    for command in sorted(harmless, key=TEXT.replace("\n", " ").index):
        answer = CliRunner().invoke(app, shlex.split(command)[1:])
        assert answer.exit_code == 0, f"{command}\n{answer.output}"


def test_links_of_the_document_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / "docs" / target).exists(), target
