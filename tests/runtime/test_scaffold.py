"""`sera new`: what it makes runs at once, and it never overwrites anything."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import Envelope, ModuleFault, RunEnding, UtteranceFinished, UtteranceStarted
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock, run
from sera.runtime.module import ModuleContext
from sera.runtime.robot import load_robot
from sera.runtime.scaffold import (
    ScaffoldError,
    new_module,
    new_robot,
    new_scenario,
    new_workspace,
)
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

URDF = """<?xml version="1.0"?>
<robot name="Two &quot;Arm&quot; Robot">
  <link name="base"><visual><geometry><mesh filename="package://a.stl"/></geometry></visual></link>
  <link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/>
  <link name="g"/>
  <joint name="HeadYaw" type="revolute"><parent link="base"/><child link="a"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1.5707963267948966" upper="0.5" velocity="3.141592653589793" effort="1"/>
  </joint>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="b"/>
    <limit lower="0.1" upper="0.4" velocity="0.2"/></joint>
  <joint name="wheel" type="continuous"><parent link="base"/><child link="c"/></joint>
  <joint name="screw" type="fixed"><parent link="base"/><child link="d"/></joint>
  <joint name="finger" type="revolute"><parent link="base"/><child link="e"/>
    <mimic joint="HeadYaw"/><limit upper="1"/></joint>
  <joint name="stuck" type="revolute"><parent link="base"/><child link="f"/>
    <limit velocity="1"/></joint>
  <joint name="free" type="floating"><parent link="base"/><child link="g"/></joint>
</robot>
"""


def _joint(name: str, kind: str, inside: str = "") -> str:
    ends = '<parent link="one"/><child link="two"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def _robot(joints: str) -> str:
    return f'<robot name="r"><link name="one"/><link name="two"/>{joints}</robot>'


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SERA_PATH", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for key in [key for key in sys.modules if key.partition(".")[0] == "modules"]:
        del sys.modules[key]


def play(scenario: Scenario) -> list[Envelope]:
    """Run all modules of a scenario in virtual time until one of them ends it."""

    async def stage() -> list[Envelope]:
        clock = Clock.for_running_loop()
        broker = MemoryBroker()
        heard: list[Envelope] = []
        over = asyncio.Event()

        def hear(envelope: Envelope) -> None:
            heard.append(envelope)
            if isinstance(envelope.message, RunEnding):
                over.set()

        def bus_for(identity: Identity, will, hears_everyone) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        ear = bus_for(Identity("run", "world", "ear"), None, hears_everyone=True)
        await ear.connect()
        await ear.subscribe([RunEnding, UtteranceStarted, UtteranceFinished, ModuleFault], hear)
        hosts = [
            ModuleHost(
                plan.module_class,
                Identity("run", plan.character, plan.name),
                ModuleContext(clock=clock, seed=scenario.seed, scenario=scenario),
                bus_for,
                settings=plan.settings,
            )
            for plan in scenario.plans
        ]
        tasks = [asyncio.create_task(host.run()) for host in hosts]
        await asyncio.wait_for(over.wait(), scenario.duration_s)
        for host in hosts:
            host.stop()
        await asyncio.gather(*tasks)
        return heard

    return run(stage(), clock="virtual")


def test_a_new_workspace_has_a_scenario_that_runs_to_its_end(tmp_path: Path) -> None:
    created = new_workspace(tmp_path / "my_lab")
    assert all(file.is_file() for file in created.files)
    assert created.next_steps[-1] == "sera run first"
    workspace = Workspace.discover(created.path / "scenarios" / "first")
    assert workspace.own == created.path
    assert workspace.problems() == []  # so nothing stands in place of a built-in module either
    heard = play(load_scenario("first", workspace))
    assert [envelope.type for envelope in heard] == [
        "UtteranceStarted",
        "UtteranceFinished",
        "RunEnding",
    ]
    assert heard[0].message.text == "Hello, nice to see you!"
    assert heard[0].time == pytest.approx(1.5)
    assert heard[2].time == pytest.approx(4.0)


def test_a_new_workspace_may_be_made_in_an_empty_folder_and_is_named_after_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "Our Lab").mkdir()
    new_workspace(tmp_path / "Our Lab")
    readme = (tmp_path / "Our Lab" / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# Our lab\n")


def test_a_new_workspace_overwrites_nothing_and_leaves_nothing_half_made(tmp_path: Path) -> None:
    keep = tmp_path / "README.md"
    keep.write_text("mine", encoding="utf-8")
    with pytest.raises(ScaffoldError, match=r"README\.md exists already and is not overwritten"):
        new_workspace(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert keep.read_text(encoding="utf-8") == "mine"
    with pytest.raises(ScaffoldError, match="cannot be written"):
        new_workspace(keep / "inside")


def test_a_new_module_takes_the_place_of_another_in_a_running_scenario(tmp_path: Path) -> None:
    root = new_workspace(tmp_path / "lab").path
    created = new_module(root, "shy_greeter")
    assert created.path == root / "modules" / "shy_greeter"
    workspace = Workspace.discover(root)
    assert workspace.load_module_class("shy_greeter").__name__ == "ShyGreeter"
    file = root / "scenarios" / "first" / "scenario.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("ada.modules.welcome]", "ada.modules.shy_greeter]"), "utf-8")
    started = play(load_scenario("first", workspace))[0].message
    assert isinstance(started, UtteranceStarted)
    assert started.text == "Hello, nice to see you!"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("My Module", "for example 'my_module'"),
        ("2nd", "begin with a letter"),
        ("../evil", "use lower-case letters"),
        ("class", "a word of Python"),
        ("module", "which SERA itself uses"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(ScaffoldError, match=words):
        new_module(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_never_overwritten(tmp_path: Path) -> None:
    new_module(tmp_path, "greeter")
    new_robot(tmp_path, "mine")
    for make in (lambda: new_module(tmp_path, "greeter"), lambda: new_robot(tmp_path, "mine")):
        with pytest.raises(ScaffoldError, match="exists already; choose another name"):
            make()


def make_template(folder: Path) -> Path:
    hello = folder / "scenarios" / "hello"
    for name, text in {
        "scenario.toml": '# Run it: sera run hello\n[scenario]\ntitle = "Hello"  # x\nseed = 3\n',
        "README.md": "# Hello\n\n`sera run hello` runs scenarios/hello. Say hello.\n",
        "decision.py": "GREETING = 'hello'\n",
        "media/picture.bin": "\x00hello",
        "__pycache__/decision.pyc": "",
        "recordings/run/log.jsonl": "",
        ".hidden": "",
    }.items():
        file = hello / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return hello


def test_a_new_scenario_is_a_copy_under_its_own_name_and_title(tmp_path: Path) -> None:
    created = new_scenario(tmp_path / "lab", "two_visitors", make_template(tmp_path))
    assert [file.relative_to(created.path).as_posix() for file in created.files] == [
        "README.md",
        "decision.py",
        "media/picture.bin",
        "scenario.toml",
    ]
    assert created.next_steps == ("sera run two_visitors",)
    readme = (created.path / "README.md").read_text(encoding="utf-8")
    assert readme == (
        "# Two visitors\n\n`sera run two_visitors` runs scenarios/two_visitors. Say hello.\n"
    )
    assert (created.path / "decision.py").read_text(encoding="utf-8") == "GREETING = 'hello'\n"
    scenario = load_scenario("two_visitors", Workspace([tmp_path / "lab"]))
    assert (scenario.title, scenario.seed) == ("Two visitors", 3)
    assert "sera run two_visitors" in scenario.path.read_text(encoding="utf-8")


def test_a_copy_of_hello_is_sound_in_a_new_workspace(tmp_path: Path) -> None:
    root = new_workspace(tmp_path / "lab").path
    new_scenario(root, "my_show")
    workspace = Workspace.discover(root)
    copy, original = load_scenario("my_show", workspace), load_scenario("hello", workspace)
    assert copy.title == "My show"
    assert copy.folder == root / "scenarios" / "my_show"
    assert [plan.source for plan in copy.plans] == [plan.source for plan in original.plans]
    assert len(copy.plans) > 2


def test_a_missing_template_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match="not in this installation"):
        new_scenario(tmp_path, "mine", tmp_path / "nowhere")


def test_a_new_robot_without_a_urdf_pans_and_tilts(tmp_path: Path) -> None:
    created = new_robot(tmp_path, "my_head")
    card = load_robot(created.path)
    assert (card.title, card.joint_names) == ("My head", ("pan", "tilt"))
    assert card.joint("tilt").limits == (-45.0, 45.0)
    assert (created.path / "README.md").read_text(encoding="utf-8").startswith("# My head")


def test_a_new_robot_from_a_urdf_has_its_joints_and_limits_in_degrees(tmp_path: Path) -> None:
    urdf = tmp_path / "original.urdf"
    urdf.write_text(URDF, encoding="utf-8")
    created = new_robot(tmp_path, "two_arm", urdf)
    card = load_robot(created.path)
    assert card.title == 'Two "Arm" Robot'
    assert card.urdf == created.path / "two_arm.urdf"
    assert {path.name for path in created.files} == {"body.toml", "two_arm.urdf", "README.md"}
    assert card.joint_names == ("HeadYaw", "lift", "wheel")
    head, lift, wheel = card.joints
    assert head.limits == (-90.0, 28.6478)  # never beyond what the URDF says
    assert head.max_velocity_deg_s == 180.0
    assert (lift.limits, lift.neutral_m, lift.max_velocity_m_s) == ((0.1, 0.4), 0.1, 0.2)
    assert (wheel.kind, wheel.limits) == ("continuous", None)
    remarks = "\n".join(created.next_steps)
    for words in ("finger: it follows", "stuck: its limits", "free: it is floating", "meshes"):
        assert words in remarks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot><joint></robot>", "not valid XML (mismatched tag)"),
        ("", "not valid XML (no element found)"),
        ("<sdf/>", "the outermost element is <sdf>"),
        ("<!DOCTYPE x><robot/>", "no DOCTYPE"),
        ("<robot/>", "has no <link>"),
        (_robot('<joint type="revolute"/>'), "has no name"),
        (_robot(_joint("a", "fixed")), "no joint that moves"),
        (_robot(_joint("a", "revolute", '<limit lower="x"/>')), 'is "x", which is no finite'),
        (_robot(_joint("a", "revolute", '<limit lower="1" upper="0"/>')), "above its upper"),
        (_robot(_joint("a", "continuous") + _joint("a", "fixed")), "two joints are called 'a'"),
        (_robot(_joint("a", "twisty")), "unknown type 'twisty'"),
        ('<robot name="${x}"><link name="a"/></robot>', "a xacro file"),
    ],
)
def test_a_malformed_urdf_is_refused_and_leaves_nothing_behind(
    tmp_path: Path, text: str, words: str
) -> None:
    urdf = tmp_path / "bad.urdf"
    urdf.write_text(text, encoding="utf-8")
    with pytest.raises(ScaffoldError) as caught:
        new_robot(tmp_path, "mine", urdf)
    assert words in str(caught.value)
    assert "bad.urdf" in str(caught.value)
    assert not (tmp_path / "robots").exists()


def test_a_urdf_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match=r"gone\.urdf: there is no such file"):
        new_robot(tmp_path, "mine", tmp_path / "gone.urdf")
