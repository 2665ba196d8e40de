"""Policies as files: safe to load, readable, and the same as what was grown."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.study.policy import (
    Choice,
    Moment,
    Policy,
    PolicyFileError,
    PolicyTable,
    Row,
    learn,
    readable,
)

HOT = Choice(type="SetPosture", fields={"posture": "hot"})
COLD = Choice(type="SetPosture", fields={"posture": "cold"})


def heard(confidence: float, speaking: bool) -> Moment:
    facts = {"SpeechHeard": {"confidence": confidence}, "SpeechActivity": {"speaking": speaking}}
    return Moment(facts, dict.fromkeys(facts, 0.0))


def rows(count: int = 120, seed: int = 1) -> list[Row]:
    random = np.random.default_rng(seed)
    made = []
    for number in range(count):
        sure, speaking = float(random.uniform()), bool(random.integers(2))
        choice = Choice() if speaking else HOT if sure > 0.6 else COLD
        made.append(Row(f"p{number % 6}", heard(sure, speaking), choice))
    return made


def grown(**options: Any) -> Policy:
    return learn(PolicyTable("SpeechHeard", rows()), **options).policy


@pytest.mark.parametrize("forest", [False, True])
def test_what_is_saved_and_loaded_chooses_the_same(tmp_path: Path, forest: bool) -> None:
    policy = grown(forest=forest)
    policy.save(tmp_path / "policy.json")
    again = Policy.load(tmp_path / "policy.json")
    assert again == policy
    for row in rows(seed=2):
        assert again.choose(row.moment) == policy.choose(row.moment)


def test_the_file_is_text_that_one_can_read_and_no_pickle(tmp_path: Path) -> None:
    grown().save(tmp_path / "policy.json")
    data = (tmp_path / "policy.json").read_bytes()
    with pytest.raises(Exception):  # noqa: B017  # whatever pickle makes of it
        pickle.loads(data)  # it is ours
    told = json.loads(data)
    assert told["sera_policy"] == 1
    assert told["acts_on"] == "SpeechHeard"
    assert {node.get("feature") for node in told["trees"][0]["nodes"]} >= {0, None}


def test_the_reason_is_the_way_through_the_tree() -> None:
    chosen = grown().choose(heard(0.9, speaking=False))
    assert chosen.choice == HOT
    assert "SpeechHeard.confidence above 0." in chosen.reason
    assert "SetPosture posture=hot in" in chosen.reason
    assert "of 50 trees say SetPosture posture=hot" in (
        grown(forest=True).choose(heard(0.9, speaking=False)).reason
    )


def test_a_tree_is_printed_as_questions() -> None:
    text = "\n".join(readable(grown()))
    assert "SpeechActivity.speaking at most 0.5" in text
    assert "→ (nothing)" in text
    assert "→ SetPosture posture=cold" in text


def mutilated(change: Any) -> dict[str, Any]:
    data = json.loads(grown().model_dump_json())
    change(data)
    return data


def _set(*way: Any) -> Any:
    *path, key, value = way

    def change(data: Any) -> None:
        for part in path:
            data = data[part]
        data[key] = value

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_set("sera_policy", 99), "format 99"),
        (_set("trees", []), "trees"),
        (_set("trees", 0, "nodes", 0, "feature", 999), "no feature 999"),
        (_set("trees", 0, "nodes", 0, "yes", 0), "does not come after it"),
        (_set("trees", 0, "nodes", 0, "no", -1), "does not come after it"),
        (_set("trees", 0, "nodes", 0, "no", 10**9), "does not come after it"),
        (_set("trees", 0, "nodes", [{"counts": [1]}]), "counts every choice"),
        (_set("trees", 0, "nodes", [{"counts": [0, 0, 0]}]), "counts every choice"),
        (_set("choices", "all"), "choices"),
        (_set("code", "import os"), "code"),
        (_set("features", 0, "kind", "eval"), "kind"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused_in_a_sentence(
    tmp_path: Path, change: Any, sentence: str
) -> None:
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(mutilated(change)))
    with pytest.raises(PolicyFileError) as caught:
        Policy.load(file)
    assert sentence in str(caught.value)
    assert "policy.json" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is no JSON file"),
        (b"\x80\x04\x95", "is no JSON file"),
        (b"[" * 100_000, "is no JSON file"),
        (b"[]", "is no policy"),
        (b'{"a": 1}', "sera study learn"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "policy.json"
    file.write_bytes(content)
    with pytest.raises(PolicyFileError, match=sentence):
        Policy.load(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyFileError, match=r"nowhere\.json cannot be read"):
        Policy.load(tmp_path / "nowhere.json")


TREE, FOREST = grown(), grown(forest=True)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=8), st.dictionaries(st.text(max_size=8), st.floats())))
def test_a_policy_chooses_whatever_the_page_holds(facts: dict[str, Any]) -> None:
    shown = Moment(facts, dict.fromkeys(facts, 0.0))
    for policy in (TREE, FOREST):
        chosen = policy.choose(shown)
        assert chosen.choice in policy.choices
        assert 0.0 < chosen.share <= 1.0
