"""Kinds, registry, personal marks and envelope: what every message stands on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sera.messages import (
    WORLD,
    Envelope,
    Event,
    GazeAt,
    JointFrame,
    MessageId,
    Part,
    Perception,
    PersonDetected,
    UnknownMessageType,
    check_name,
    find_message_type,
    message_types,
    personal,
    personal_fields,
)

names = st.from_regex(r"[a-z][a-z0-9_]*", fullmatch=True)


class _Petal(Part):
    """A nested piece of a laboratory."""

    colour: str


class FlowerSmelled(Perception):
    """A message of a laboratory."""

    petals: list[_Petal]
    """What it consists of."""
    by: str = personal("name")
    """Who smelled it."""


class PersonDetectedByNose(PersonDetected):
    """A laboratory's refinement of a built-in message."""


def test_a_laboratorys_message_is_known_by_its_class_name_as_its_own_family() -> None:
    assert find_message_type("FlowerSmelled") is FlowerSmelled
    assert FlowerSmelled.family == "own"
    assert personal_fields(FlowerSmelled) == {"by": "name"}


def test_a_refined_built_in_message_is_the_laboratorys_own_and_travels_like_its_parent() -> None:
    assert PersonDetectedByNose.family == "own"
    assert PersonDetected.family == "perception"
    assert PersonDetectedByNose.belongs_to_world
    assert personal_fields(PersonDetectedByNose) == {"name": "name"}


def test_a_required_personal_field_must_be_given() -> None:
    with pytest.raises(ValidationError, match="by\n  Field required"):
        FlowerSmelled(petals=[])


def test_two_messages_of_one_name_are_refused_where_the_second_is_written() -> None:
    with pytest.raises(TypeError, match=r"has the name of sera\.messages\.behaviour\.GazeAt"):
        type("GazeAt", (Event,), {"__module__": "modules.flowers"})
    assert find_message_type("GazeAt") is GazeAt


def test_message_types_come_in_alphabetical_order() -> None:
    assert list(message_types()) == sorted(message_types())


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [("PersonDetect", "PersonDetected"), ("gazeat", "GazeAt"), ("ModulPresence", "ModulePresence")],
)
def test_an_unknown_type_names_the_nearest_known_one(wrong: str, nearest: str) -> None:
    with pytest.raises(UnknownMessageType) as caught:
        find_message_type(wrong)
    assert caught.value.nearest[0] == nearest
    assert f"did you mean {nearest}" in str(caught.value)


def test_an_unknown_type_like_no_other_points_to_the_list() -> None:
    with pytest.raises(UnknownMessageType) as caught:
        find_message_type("Zzz")
    assert str(caught.value) == "unknown message type 'Zzz' (`sera messages` lists all)"


@given(character=names, module=names, boot=st.integers(0), sequence=st.integers(0))
def test_an_id_is_read_as_it_was_written(
    character: str, module: str, boot: int, sequence: int
) -> None:
    message_id = MessageId(f"{character}.{module}", boot, sequence)
    assert MessageId.parse(str(message_id)) == message_id


@given(name=names)
def test_a_plain_name_passes_unchanged(name: str) -> None:
    assert check_name(name, "module") == name


@given(name=st.text())
def test_a_name_is_refused_with_a_proposal_that_would_pass(name: str) -> None:
    try:
        check_name(name, "module")
    except ValueError as error:
        proposal = str(error).rsplit("for example ", 1)[1].strip("'")
        assert check_name(proposal, "module") == proposal


def test_an_envelope_knows_the_type_of_its_message() -> None:
    envelope = Envelope(GazeAt(target="visitor"), "ada.mind-1-1", 0.5, "ada.mind", "ada")
    assert envelope.type == "GazeAt"
    assert envelope.cause is None
    assert WORLD == "world"


def test_a_message_of_known_fields_is_the_message_that_a_check_would_give():
    checked = JointFrame(joints_rad={"base": 0.5}, channels={"left_eye": 1.0}, frame=7)
    quick = JointFrame.of_known(joints_rad={"base": 0.5}, channels={"left_eye": 1.0}, frame=7)
    assert quick == checked
    assert quick.model_dump_json() == checked.model_dump_json()
    assert quick.model_copy(update={"frame": 8}).frame == 8
    with pytest.raises(ValidationError):
        quick.frame = 9
