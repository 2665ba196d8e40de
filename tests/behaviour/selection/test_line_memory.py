"""What a participant has heard survives restarts and damaged files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.selection import Memory, load_memory, memory_path, save_memory


@given(st.text(), st.text(), st.lists(st.text()), st.lists(st.text()))
def test_a_memory_is_the_same_after_saving_and_loading(participant, session, before, today):
    memory = Memory(participant, "earlier")
    for line in before:
        memory.said(line)
    memory.begin_session(session)
    for line in today:
        memory.said(line)
    assert Memory.from_json(memory.to_json(), participant) == (memory, [])


@given(st.text(), st.text())
def test_unsaying_takes_back_saying(line, other):
    memory = Memory("p1", "s", {other: 2}, {other: 3})
    before = memory.to_json()
    memory.said(line)
    memory.unsaid(line)
    assert memory.to_json() == before


def test_the_same_session_again_forgets_nothing():
    memory = Memory("p1", "monday")
    memory.said("a")
    memory.begin_session("monday")
    assert memory.this_session == {"a": 1}
    memory.begin_session("tuesday")
    assert (memory.this_session, memory.ever) == ({}, {"a": 1})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
keys = st.sampled_from(["format", "participant", "session", "this_session", "ever"])


@given(st.text() | json_values.map(json.dumps) | st.dictionaries(keys, json_values).map(json.dumps))
def test_no_text_makes_loading_fail(text):
    memory, problems = Memory.from_json(text, "p1")
    assert memory.participant == "p1"
    assert all(isinstance(count, int) and count > 0 for count in memory.ever.values())
    assert set(memory.this_session) <= set(memory.ever)
    assert isinstance(problems, list)


def test_what_is_whole_in_a_damaged_file_is_kept():
    text = '{"session": 3, "this_session": {"a": 1}, "ever": {"b": 2, "c": "often"}}'
    memory, problems = Memory.from_json(text, "p1")
    assert memory.ever == {"a": 1, "b": 2, "c": 1}
    assert problems == [
        "session must be text, not 3",
        "ever: the count of 'c' must be 1 or more, not 'often'",
    ]


def test_the_memory_of_somebody_else_is_not_taken():
    memory, problems = Memory.from_json(Memory("p2", ever={"a": 1}).to_json(), "p1")
    assert memory == Memory("p1")
    assert problems == ["it belongs to 'p2', not to 'p1'"]


def test_a_missing_file_is_an_empty_memory(tmp_path):
    assert load_memory(tmp_path, "p1").memory == Memory("p1")


@pytest.mark.parametrize("participant", ["p1", "../p1", "a/b", "..", "José", "", "a b.json"])
def test_any_participant_is_kept_inside_the_folder(tmp_path, participant):
    memory = Memory(participant, "s", {"a": 1}, {"a": 2})
    path = save_memory(tmp_path / "memories", memory)
    assert path.parent == tmp_path / "memories"
    loaded = load_memory(tmp_path / "memories", participant)
    assert (loaded.memory, loaded.problems) == (memory, ())
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_broken_file_is_reported_and_kept_aside(tmp_path):
    path = memory_path(tmp_path, "p1")
    path.write_bytes(b'{"ever": {"a"\xff')
    loaded = load_memory(tmp_path, "p1")
    assert loaded.memory == Memory("p1")
    assert str(path) in loaded.problems[0]
    assert "not valid JSON" in loaded.problems[0]
    save_memory(tmp_path, loaded.memory)
    assert path.with_name(path.name + ".broken").read_bytes() == b'{"ever": {"a"\xff'


def test_a_folder_in_place_of_the_file_is_reported(tmp_path):
    memory_path(tmp_path, "p1").mkdir()
    loaded = load_memory(tmp_path, "p1")
    assert loaded.memory == Memory("p1")
    assert "cannot be read" in loaded.problems[0]
