"""What each role may send and receive, as the table says."""

from __future__ import annotations

import pytest

from sera.messages import Action, Highlight, Kind, Perception, Receipt, message_types
from sera.web import PERFORMED_BY_PAGES, RIGHTS, PageRole, may_send, receivable, sendable


class TabletTilted(Perception):
    """A laboratory's own Perception."""

    angle_deg: float
    """How far."""


class DoorOpened(Action):
    """A laboratory's own Action."""


class ForgedReceipt(Receipt):
    """A laboratory's refinement of a system message."""


def names_of(kind: Kind) -> set[str]:
    return {name for name, one in message_types().items() if one.kind is kind}


def test_a_participant_page_sends_no_message_and_hears_only_which_form_is_offered():
    assert sendable(PageRole.PARTICIPANT) == {}
    assert list(receivable(PageRole.PARTICIPANT)) == ["FormOffered"]
    assert [role for role in PageRole if RIGHTS[role].fills_forms] == [PageRole.PARTICIPANT]


def test_nobody_learns_or_sets_the_condition_unless_the_study_reveals_it():
    for role in PageRole:
        assert "ConditionAssigned" not in {*sendable(role), *receivable(role)}
    assert "ConditionAssigned" in receivable(PageRole.OBSERVER, reveal_condition=True)
    assert "ConditionAssigned" not in receivable(PageRole.PARTICIPANT, reveal_condition=True)


def test_an_activity_page_may_send_perceptions_and_receive_commands_and_highlights():
    assert set(sendable(PageRole.ACTIVITY)) == names_of(Kind.PERCEPTION)
    assert list(receivable(PageRole.ACTIVITY)) == ["ActivityCommand", "Highlight"]


def test_an_observer_page_sends_nothing_and_receives_everything():
    assert sendable(PageRole.OBSERVER) == {}
    assert set(receivable(PageRole.OBSERVER)) == set(message_types()) - {"ConditionAssigned"}


def test_a_wizard_page_sends_what_a_wizard_stands_in_for_and_receives_everything():
    events = {"AutonomyChanged", "SuggestionResolved", "QuestionAnswered"}
    events |= {"TargetUpdated", "TargetRemoved"}
    expected = names_of(Kind.ACTION) | names_of(Kind.PERCEPTION) | events
    expected -= {"ConditionAssigned"}
    assert set(sendable(PageRole.WIZARD)) == expected
    assert set(receivable(PageRole.WIZARD)) == set(message_types()) - {"ConditionAssigned"}


@pytest.mark.parametrize("role", PageRole)
def test_no_role_may_forge_messages_of_the_system(role: PageRole):
    system = {name for name, one in message_types().items() if one.family == "system"}
    assert {"ModulePresence", "Receipt", "ModuleFault", "RunEnding"} <= system
    assert not system & set(sendable(role))
    assert not may_send(role, ForgedReceipt)


def test_a_laboratorys_own_messages_fall_under_their_kind():
    assert may_send(PageRole.ACTIVITY, TabletTilted)
    assert not may_send(PageRole.ACTIVITY, DoorOpened)
    assert may_send(PageRole.WIZARD, DoorOpened)


def test_every_role_is_in_the_table_and_pages_perform_actions_only():
    assert set(RIGHTS) == set(PageRole)
    assert Highlight in PERFORMED_BY_PAGES
    assert all(issubclass(one, Action) for one in PERFORMED_BY_PAGES)
