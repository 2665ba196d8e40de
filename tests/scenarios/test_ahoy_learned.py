"""From wizard to autonomy, shown on Ahoy: record, learn, and let the policy play."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sera.cli._app import app
from sera.messages import OperatorDecided, RunOutcome, find_message_type
from sera.recording import RunFolder
from sera.runtime._loading import load_class_from_file
from sera.study.policy import Learned, Policy, Recording, learn, read_table

AHOY = Path(__file__).parents[2] / "scenarios" / "ahoy"
WIZARD = load_class_from_file(AHOY / "scripted_wizard.py")
RULE = importlib.import_module(f"{WIZARD.__module__.rsplit('.', 1)[0]}.wizard_rule")
RECORDED, NEW = range(300, 306), (900, 901)
C1 = "c1+simulated"


@pytest.fixture(scope="module")
def logs(performance: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Games of the scripted Wizard, as runs that a command finds."""
    base, made = tmp_path_factory.mktemp("runs"), []
    for seed in RECORDED:
        folder = RunFolder.create(f"ahoy_{seed}", scenario="ahoy", seed=seed, base=base)
        performance("ahoy", condition=C1, seed=seed, log=folder.log_path)
        made.append(folder.log_path)
    return made


@pytest.fixture(scope="module")
def learned(logs: list[Path]) -> Learned:
    return learn(read_table([Recording(log, log.parent.name) for log in logs]))


def agreement(show: Any) -> tuple[int, int]:
    """How often the policy did what the Wizard's rule says, of all guesses that were heard."""
    done = {e.cause: e.message.rating for e in show.envelopes(find_message_type("RateGuess"))}
    spotted = show.envelopes(find_message_type("WordSpotted"))
    same = sum(
        done.get(e.id) == RULE.rating_for(e.message.listed, e.message.confidence) for e in spotted
    )
    return same, len(spotted)


def test_a_tree_learns_the_rule_of_the_scripted_wizard(learned: Learned) -> None:
    checked = learned.validation
    assert checked is not None
    assert learned.groups == len(RECORDED)
    assert learned.policy.acts_on == "WordSpotted"
    assert checked.accuracy > 0.9
    assert checked.accuracy_low > checked.baseline + 0.3
    assert set(learned.choices) == {
        *(f"RateGuess rating={name}" for name in ("hot", "warm", "cold", "correct")),
        "(nothing)",
    }


def test_it_goes_by_what_the_robot_heard_and_by_no_text(learned: Learned) -> None:
    used = {
        learned.policy.features[node.feature].name
        for node in learned.policy.trees[0].nodes
        if node.feature is not None
    }
    assert any(name.startswith("WordSpotted.listed is") for name in used)
    assert any(name.endswith(".confidence") for name in used)
    fields = {feature.field for feature in learned.policy.features}
    assert not fields & {"word", "text", "words", "person"}


def test_on_new_games_it_does_what_the_wizard_would_have_done(
    performance: Callable[..., Any], learned: Learned, tmp_path: Path
) -> None:
    file = tmp_path / "policy.json"
    learned.policy.save(file)
    same = heard = 0
    for seed in NEW:
        changed = {"policy": {"policy": str(file)}}
        show = performance("ahoy", condition="c1+simulated+learned", seed=seed, settings=changed)
        assert show.summary.outcome == RunOutcome.COMPLETED
        assert show.of(OperatorDecided) == []
        assert len(show.of(find_message_type("RoundEnded"))) == 7
        right, all_of_them = agreement(show)
        same, heard = same + right, heard + all_of_them
    assert heard > 50
    assert same / heard > 0.93, f"{same} of {heard}"


def test_the_policy_that_comes_with_the_scenario_agrees_too(
    performance: Callable[..., Any],
) -> None:
    policy = Policy.load(AHOY / "policy.json")
    assert policy.made_from["cross_validated"]["accuracy"] > 0.9
    same, heard = agreement(performance("ahoy", condition="c1+simulated+learned", seed=77))
    assert heard > 25
    assert same / heard > 0.93


def test_the_policy_answers_sooner_than_any_wizard(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", condition="c1+simulated+learned", seed=77)
    spotted = {e.id: e.time for e in show.envelopes(find_message_type("WordSpotted"))}
    took = [e.time - spotted[e.cause] for e in show.envelopes(find_message_type("RateGuess"))]
    assert took
    assert max(took) < 0.4


# -- the command -------------------------------------------------------------------------------


def test_the_command_learns_from_the_runs_of_a_scenario(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERA_RUNS", str(logs[0].parent.parent))
    file = tmp_path / "policy.json"
    told = CliRunner().invoke(app, ["study", "learn", "ahoy", "--out", str(file)])
    assert told.exit_code == 0, told.output
    for part in (f"of {len(RECORDED)} participants or runs", "cross-validated", "wizard \\ policy"):
        assert part in told.output
    assert "→ RateGuess rating=hot" in told.output
    assert Policy.load(file).acts_on == "WordSpotted"


def test_the_command_tells_scripts_in_json_and_takes_single_runs(
    logs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERA_RUNS", str(logs[0].parent.parent))
    names = [log.parent.name for log in logs[:3]]
    told = CliRunner().invoke(app, ["study", "learn", *names, "--forest", "--json"])
    assert told.exit_code == 0, told.output
    answer = json.loads(told.stdout)
    assert (answer["groups"], answer["trees"], answer["policy"]) == (3, 50, None)
    assert answer["cross_validated"]["folds"] == 3
    assert any("3 participants or runs only" in one for one in answer["warnings"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "no log or run 'nowhere'"),
        (["ahoy", "--only", "ShowHint"], "nobody ordered ShowHint"),
        (["ahoy", "--out", "/nowhere/at/all/policy.json"], "cannot be written"),
    ],
)
def test_the_command_says_what_is_wrong(
    logs: list[Path], monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.setenv("SERA_RUNS", str(logs[0].parent.parent))
    told = CliRunner().invoke(app, ["study", "learn", *arguments])
    assert told.exit_code != 0
    assert sentence in " ".join(f"{told.output} {told.exception}".split())
