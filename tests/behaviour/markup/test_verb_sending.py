"""What a workspace's own verb sends."""

from __future__ import annotations

import pytest

from sera.behaviour.markup import Kind, Parameter, Step, message_sent
from sera.behaviour.markup.sending import sending_of
from sera.messages import ActivityCommand, PlayAnimation

COUNT = Parameter(name="n", kind=Kind.COUNT, default=1)
WHAT = Parameter(name="what", required=True)
REST = Parameter(name="rest", many=True)


def step(**arguments: object) -> Step:
    return Step(verb="X", word=0, arguments=arguments)  # type: ignore[arg-type]


def test_a_field_that_is_a_parameter_alone_takes_its_value_as_it_is():
    sending = sending_of(
        {"message": "PlayAnimation", "animation": "bow", "repeats": "{n}"}, [COUNT]
    )
    assert message_sent(sending, step(n=3)) == PlayAnimation(animation="bow", repeats=3)


def test_other_texts_take_the_parameter_in_and_tables_are_filled_all_through():
    table = {
        "message": "ActivityCommand",
        "command": "show_{what}",
        "data": {"all": "{rest}", "twice": ["{what}", "{what}!"]},
    }
    sending = sending_of(table, [WHAT, REST])
    sent = message_sent(sending, step(what="map", rest=("a", "b")))
    assert sent == ActivityCommand(
        command="show_map", data={"all": ["a", "b"], "twice": ["map", "map!"]}
    )


def test_a_parameter_that_was_left_out_leaves_the_default_of_the_message():
    sending = sending_of({"message": "PlayAnimation", "animation": "x", "speed": "{n}"}, [COUNT])
    assert message_sent(sending, step(n=None)) == PlayAnimation(animation="x")


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"animation": "bow"}, "must name the message"),
        ({"message": "PlayAnimaton"}, "did you mean 'PlayAnimation'"),
        ({"message": "PlayAnimation", "animation": "{cont}"}, r"did you mean \{count\}"),
        ({"message": "PlayAnimation", "animation": "x", "sped": 2}, "PlayAnimation.sped"),
        ({"message": "PlayAnimation", "animation": "x", "speed": "{count}0"}, "speed"),
    ],
)
def test_what_cannot_be_sent_is_said_when_the_file_is_read(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        sending_of(table, [Parameter(name="count", kind=Kind.COUNT, default=5)])
