"""Topics: their parts, and which filter hears which."""

from __future__ import annotations

import paho.mqtt.client as paho
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Identity, Topic
from sera.bus._topics import filters, matches

levels = st.text(alphabet="abc.", min_size=1, max_size=2)
patterns = st.lists(levels | st.just("+"), min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from(["/".join(parts), "/".join([*parts, "#"])])
)


@given(st.tuples(levels, levels, levels, levels))
def test_a_topic_reads_back_as_it_was_written(parts):
    topic = Topic(*parts)
    assert Topic.parse(str(topic)) == topic


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sera",
        "sera/run/ada/GazeAt",
        "sera/run/ada/GazeAt/ada.mind/more",
        "sera//ada/GazeAt/ada.mind",
        "sera/run/ada/GazeAt/",
        "other/run/ada/GazeAt/ada.mind",
        "/sera/run/ada/GazeAt",
    ],
)
def test_anything_else_is_no_topic_of_ours(text):
    assert Topic.parse(text) is None


@given(patterns, st.lists(levels, min_size=1, max_size=6).map("/".join))
def test_filters_match_as_an_independent_client_has_it(pattern, topic):
    assert matches(pattern, topic) == paho.topic_matches_sub(pattern, topic)


def test_a_filter_that_ends_in_a_hash_covers_its_parent_too():
    assert matches("sera/run/#", "sera/run")
    assert matches("sera/run/#", "sera/run/a/b/c/d/e")
    assert not matches("sera/run/#", "sera/runs")
    assert not matches("sera/+/b", "sera/a/c")


def test_filters_name_types_and_characters_and_always_world():
    assert filters("r", ["A", "B"], ["ada"]) == [
        "sera/r/ada/A/+",
        "sera/r/world/A/+",
        "sera/r/ada/B/+",
        "sera/r/world/B/+",
    ]
    assert filters("r", ["A"], ["world"]) == ["sera/r/world/A/+"]
    assert filters("r", ["A"], None) == ["sera/r/+/A/+"]
    assert filters("r", None, None) == ["sera/r/#"]
    assert filters("r", None, ["ada", "ada"]) == ["sera/r/ada/#", "sera/r/world/#"]


def test_an_identity_says_its_source():
    assert Identity("r", "ada", "mind", 3).source == "ada.mind"


@pytest.mark.parametrize(
    ("run", "character", "module", "wrong"),
    [
        ("", "ada", "mind", "run"),
        ("a/b", "ada", "mind", "run"),
        ("r+", "ada", "mind", "run"),
        ("r", "Ada", "mind", "character"),
        ("r", "a.b", "mind", "character"),
        ("r", "", "mind", "character"),
        ("r", "ada", "", "module"),
        ("r", "ada", "#", "module"),
        ("r", "ada", "my mind", "module"),
    ],
)
def test_an_identity_that_could_not_stand_in_a_topic_is_refused(run, character, module, wrong):
    with pytest.raises(ValueError, match=wrong):
        Identity(run, character, module)
