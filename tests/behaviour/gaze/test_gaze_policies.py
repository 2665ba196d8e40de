"""Policies as data: built-in ones, options of a message, and files with their mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.gaze import (
    BUILT_IN_POLICIES,
    GazePolicy,
    PolicyFileError,
    find_policy,
    load_policies,
    read_policies,
)
from sera.runtime.located import FileProblem, LocatedToml


def read(text: str) -> dict[str, GazePolicy]:
    return read_policies(LocatedToml(Path("gaze.toml"), text))


def problems(text: str) -> list[str]:
    with pytest.raises(PolicyFileError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def test_the_figures_of_the_original_are_the_defaults():
    policy = GazePolicy()
    assert policy.interval_s == (4.0, 6.0)
    assert policy.glance_s == (1.0, 2.5)
    assert policy.glance_speed == 0.5
    assert policy.minimum_dwell_s == 1.0
    assert (policy.eyes_light_mutual, policy.eyes_light_lost) == (1.0, 0.3)
    assert policy.alternate_s == 2.0


def test_the_conditions_of_studies_are_built_in():
    assert set(BUILT_IN_POLICIES) == {"random", "mutual", "mutual_joint", "speaker"}
    assert find_policy("mutual_and_joint") is BUILT_IN_POLICIES["mutual_joint"]
    assert find_policy("mutual").mutual
    assert not find_policy("mutual").joint_attention


def test_an_unknown_policy_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="no gaze policy 'mutal'; did you mean 'mutual'"):
        find_policy("mutal")


def test_options_change_single_figures():
    policy = find_policy("random").with_options(
        {
            "interval_s_min": 1.0,
            "glance_s": 2.0,
            "mutual": 1,
            "weight_person": 3.0,
            "gaze_speed": 2.0,
        }
    )
    assert policy.interval_s == (1.0, 6.0)
    assert policy.glance_s == (2.0, 2.0)
    assert policy.mutual is True
    assert policy.weights == {"random": 1.0, "person": 3.0}
    assert policy.gaze_speed == 2.0
    assert find_policy("random").weights == {"random": 1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"intervall_s": 1.0}, "no option 'intervall_s'; did you mean 'interval_s'"),
        ({"name": 1.0}, "no option 'name'"),
        ({"mutual": 0.5}, "is a switch: 0 or 1, not 0.5"),
        ({"gaze_speed": -1.0}, "'random': gaze_speed:"),
        ({"interval_s_min": 9.0}, "the first of two figures is the least"),
        ({"weight_random": 0.0}, "at least one target needs a weight above 0"),
        ({"weight_random": -1.0}, "weights:"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        find_policy("random").with_options(options)


@given(
    options=st.dictionaries(
        st.sampled_from([*GazePolicy.model_fields, "interval_s_min", "weight_x", "weight_"])
        | st.text(max_size=12),
        st.floats(allow_nan=True),
        max_size=4,
    )
)
def test_no_option_does_worse_than_a_refusal(options):
    try:
        policy = find_policy("mutual").with_options(options)
    except ValueError:
        return
    assert policy.interval_s[0] <= policy.interval_s[1]


def test_a_file_adds_policies_that_are_based_on_others(tmp_path):
    path = tmp_path / "gaze.toml"
    path.write_text(
        '[policies.shy]\nbased_on = "mutual"\nbreak_after_s = [1, 2]\n'
        '[policies.shier]\nbased_on = "shy"\nglance_speed = 0.3\n'
        "[policies.shier.weights]\nperson = 1\nelsewhere = 2\n",
        encoding="utf-8",
    )
    policies = load_policies(path)
    assert policies["shy"].mutual
    assert policies["shier"].name == "shier"
    assert policies["shier"].break_after_s == (1.0, 2.0)
    assert policies["shier"].weights == {"person": 1.0, "elsewhere": 2.0}
    assert "random" in policies


def test_every_mistake_in_a_file_is_told_with_its_line():
    found = problems(
        '[policies.a]\nbased_on = "mutal"\n'
        "[policies.b]\nbraking = true\ninterval_s = [6, 4]\n"
        "[policy.c]\nmutual = true\n"
    )
    assert any("gaze.toml:2" in text and "did you mean 'mutual'" in text for text in found)
    assert any("gaze.toml:4" in text and "did you mean 'breaking'" in text for text in found)
    assert any("gaze.toml:5" in text and "the least" in text for text in found)
    assert any("unknown table 'policy'" in text for text in found)


@pytest.mark.parametrize("text", ["policies = 3\n", "[policies]\na = 3\n"])
def test_a_policy_that_is_no_table_is_refused(text):
    assert len(problems(text)) == 1


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(FileProblem, match="there is no such file"):
        load_policies(tmp_path / "nowhere.toml")
