"""The autonomy dial and what is proposed to the operator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sera.messages import (
    Autonomy,
    AutonomyMode,
    Channel,
    GazeAt,
    PerformUtterance,
    Suggestion,
    UnknownMessageType,
)

FROM_FREE_TO_STRICT = [AutonomyMode.AUTONOMOUS, AutonomyMode.SUGGEST, AutonomyMode.WIZARD]
modes = st.dictionaries(st.sampled_from(list(Channel)), st.sampled_from(FROM_FREE_TO_STRICT))


def test_a_dial_that_nobody_touched_lets_everything_pass() -> None:
    assert {Autonomy().mode_for(channel) for channel in Channel} == {AutonomyMode.AUTONOMOUS}


def test_a_channel_has_its_own_setting() -> None:
    dial = Autonomy(modes={Channel.SPEECH: AutonomyMode.WIZARD, Channel.GAZE: AutonomyMode.SUGGEST})
    assert dial.mode_for(Channel.SPEECH) is AutonomyMode.WIZARD
    assert dial.mode_for(Channel.GAZE) is AutonomyMode.SUGGEST
    assert dial.mode_for(Channel.GESTURE) is AutonomyMode.AUTONOMOUS
    assert dial.mode_for(Channel.DECISION) is AutonomyMode.AUTONOMOUS


def test_the_setting_of_decision_holds_for_every_other_channel() -> None:
    dial = Autonomy(
        modes={Channel.DECISION: AutonomyMode.SUGGEST, Channel.SPEECH: AutonomyMode.WIZARD}
    )
    assert dial.mode_for(Channel.GAZE) is AutonomyMode.SUGGEST
    assert dial.mode_for(Channel.SPEECH) is AutonomyMode.WIZARD


@given(settings=modes, channel=st.sampled_from(list(Channel)))
def test_the_stricter_of_channel_and_decision_holds(
    settings: dict[Channel, AutonomyMode], channel: Channel
) -> None:
    own = FROM_FREE_TO_STRICT.index(settings.get(channel, AutonomyMode.AUTONOMOUS))
    deciding = FROM_FREE_TO_STRICT.index(settings.get(Channel.DECISION, AutonomyMode.AUTONOMOUS))
    expected = FROM_FREE_TO_STRICT[max(own, deciding)]
    assert Autonomy(modes=settings).mode_for(channel) is expected


@given(settings=modes)
def test_no_setting_of_the_dial_holds_an_action_without_a_channel(
    settings: dict[Channel, AutonomyMode],
) -> None:
    assert Autonomy(modes=settings).mode_for(None) is AutonomyMode.AUTONOMOUS


def test_the_dial_after_the_wire_answers_the_same() -> None:
    dial = Autonomy.model_validate_json('{"modes":{"decision":"wizard"},"owners":{"gaze":"w2"}}')
    assert dial.mode_for(Channel.EMOTION) is AutonomyMode.WIZARD
    assert dial.owners == {Channel.GAZE: "w2"}


def test_a_suggestion_gives_back_the_action_it_proposes() -> None:
    order = PerformUtterance(category="greeting", tags={"visitor": "person_1"})
    suggestion = Suggestion(
        action_type="PerformUtterance", action=order.model_dump(mode="json"), lapses_after_s=5
    )
    assert suggestion.proposed() == order


def test_a_suggestion_of_a_newer_mind_is_read_like_any_message_of_the_wire() -> None:
    suggestion = Suggestion(
        action_type="GazeAt", action={"target": "visitor", "style": "shy"}, lapses_after_s=5
    )
    assert suggestion.proposed() == GazeAt(target="visitor")


def test_a_suggestion_that_cannot_be_built_says_why() -> None:
    with pytest.raises(UnknownMessageType, match="did you mean GazeAt"):
        Suggestion(action_type="GazAt", action={}, lapses_after_s=1).proposed()
    with pytest.raises(TypeError, match="PersonLost is of kind perception"):
        Suggestion(action_type="PersonLost", action={}, lapses_after_s=1).proposed()
    with pytest.raises(ValidationError, match="target"):
        Suggestion(action_type="GazeAt", action={}, lapses_after_s=1).proposed()
