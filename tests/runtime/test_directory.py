"""Who is present and what they handle."""

from __future__ import annotations

from sera.messages import Envelope, ModulePresence, SessionMark
from sera.runtime._directory import Directory


def see(directory: Directory, source: str, status: str = "present", **fields: object) -> bool:
    presence = ModulePresence(status=status, **{"boot": 0, "handles": ["GazeAt"], **fields})
    return directory.update(Envelope(presence, f"{source}-0-0", 0.0, source, "ada"))


def test_receivers_are_those_present_who_handle_it_and_hear_the_character():
    directory = Directory()
    see(directory, "ada.body")
    see(directory, "ada.starting", "starting")
    see(directory, "ada.deaf", handles=["Speak"])
    see(directory, "bob.body")
    see(directory, "world.console", hears_all=True)
    see(directory, "ada.gone", "stopped")
    see(directory, "ada.lost", "lost")
    assert directory.receivers_of("GazeAt", "ada") == [
        "ada.body",
        "ada.starting",
        "world.console",
    ]
    assert directory.receivers_of("GazeAt", "bob") == ["bob.body", "world.console"]
    assert directory.receivers_of("GazeAt", "world") == [
        "ada.body",
        "ada.starting",
        "bob.body",
        "world.console",
    ]
    assert directory.receivers_of("Speak", "ada") == ["ada.deaf"]


def test_being_lost_and_having_left_are_not_the_same():
    directory = Directory()
    see(directory, "ada.body")
    assert (directory.is_there("ada.body"), directory.is_lost("ada.body")) == (True, False)
    see(directory, "ada.body", "lost")
    assert (directory.is_there("ada.body"), directory.is_lost("ada.body")) == (False, True)
    see(directory, "ada.body", "stopped")
    assert (directory.is_there("ada.body"), directory.is_lost("ada.body")) == (False, False)
    assert not directory.is_there("ada.unknown")
    assert not directory.is_lost("ada.unknown")


def test_the_farewell_of_another_life_does_not_count_against_the_present_one():
    directory = Directory()
    see(directory, "ada.body", boot=900)
    assert see(directory, "ada.body", boot=20), "started again, on a machine whose clock is behind"
    for farewell in ("lost", "stopped"):
        assert not see(directory, "ada.body", farewell, boot=900)
        assert directory.is_there("ada.body")
    assert see(directory, "ada.body", "lost", boot=20)
    assert directory.is_lost("ada.body")


def test_roles_are_those_of_whoever_is_present():
    directory = Directory()
    see(directory, "world.recorder", role="recorder")
    see(directory, "world.old", "lost", role="recorder")
    assert directory.with_role("recorder") == ["world.recorder"]
    assert list(directory.all()) == ["world.recorder", "world.old"]


def test_anything_but_presence_is_no_news():
    directory = Directory()
    assert not directory.update(Envelope(SessionMark(label="m"), "a.b-0-1", 0.0, "a.b", "a"))
    assert directory.all() == {}
