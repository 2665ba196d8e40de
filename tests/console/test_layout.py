"""The console's layout: what `console.toml` may say, every refusal, locks, and what pages get."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.console._layout_keys import clash, key_of
from sera.console.layout import Layout, load_layout
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A machine may be busy; how long an example takes says nothing here."""
BUTTON = '[[panels]]\ntitle = "P"\n[[panels.buttons]]\nlabel = "B"\nsend = "PlayAnimation"\n'
WAVE = BUTTON + 'with = { animation = "wave" }\n'
TWO = WAVE + '[[panels.buttons]]\nlabel = "C"\nsend = "StopAnimation"\n'


def layout(folder: Path, text: str, desk: str | None = None, **known: Any) -> Layout:
    (folder / "console.toml").write_text(text, encoding="utf-8")
    return load_layout(folder, desk, **known)


@pytest.mark.parametrize("name", ["tutor", "hello"])
def test_the_layouts_that_come_with_sera_are_right(name: str) -> None:
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    scenario = load_scenario(name, workspace)
    found = load_layout(scenario.folder, characters=scenario.characters)
    assert [str(problem) for problem in found.problems] == []
    assert found.filler_category == "backchannel"
    assert len(found.buttons) > 6
    told = found.told()
    ids = [
        one["id"] for panel in told["panels"] for group in panel["groups"]
        for one in group["buttons"]
    ]  # fmt: skip
    assert len(set(ids)) == len(ids)


def test_a_page_gets_every_button_as_it_sends_it(tmp_path: Path) -> None:
    text = (
        'title = "Desk"\nfiller_category = "wait"\n'
        '[[panels]]\ntitle = "Do"\n[[panels.buttons]]\nlabel = "Wave"\nkey = "alt+w"\n'
        'send = "PlayAnimation"\nwith = { animation = "wave", repeats = 2 }\ncolour = "good"\n'
        'character = "ada"\nconfirm = "Really?"\nlocked_for = ["helper"]\n'
        '[[panels.groups]]\ntitle = "More"\n[[panels.groups.buttons]]\nlabel = "Stop it"\n'
        'send = "StopAnimation"\n'
        '[desks.helper]\ntitle = "Helper"\nchannels = ["gaze"]\nmay_send = ["GazeAt"]\n'
    )
    found = layout(tmp_path, text, "helper", characters=["ada"])
    assert found.problems == ()
    told = found.told()
    assert (told["title"], told["filler_category"]) == ("Desk", "wait")
    (panel,) = told["panels"]
    assert [group["title"] for group in panel["groups"]] == ["", "More"]
    assert panel["groups"][0]["buttons"] == [
        {
            "id": "button.1.1",
            "label": "Wave",
            "key": "Alt+W",
            "colour": "good",
            "type": "PlayAnimation",
            "data": {"animation": "wave", "repeats": 2},
            "character": "ada",
            "confirm": "Really?",
            "locked": True,
            "locked_for": ["helper"],
            "why": "the desk 'helper' sends no PlayAnimation: the layout lets it send GazeAt",
        }
    ]
    assert found.told_desks() == {
        "helper": {"title": "Helper", "channels": ["gaze"], "may_send": ["GazeAt"]}
    }
    unlocked = load_layout(tmp_path, "wizard").told()["panels"][0]["groups"][0]["buttons"][0]
    assert (unlocked["locked"], unlocked["why"]) == (False, None)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("titel = 'x'\n", 1, "did you mean 'title'?"),
        ("[[panels]]\ntitle = 'P'\n[[panels.button]]\n", 3, "did you mean 'buttons'?"),
        (BUTTON, 3, "animation: this key is missing"),
        (BUTTON + "with = { animatoin = 'x' }\n", 6, "did you mean 'animation'?"),
        (BUTTON + "with = { animation = 3 }\n", 6, "must be a valid string, not 3"),
        (WAVE.replace("PlayAnimation", "PlayAnimaton"), 5, "did you mean 'PlayAnimation'?"),
        (WAVE.replace("PlayAnimation", "ModuleFault"), 5, "a wizard may not send ModuleFault"),
        (WAVE.replace("PlayAnimation", "UtteranceStarted"), 5, "a wizard may not send"),
        (WAVE.replace('label = "B"\n', ""), 3, "label: this key is missing"),
        (WAVE.replace('"B"', '" "'), 4, "label"),
        (WAVE + "colour = 'warm'\n", 7, "did you mean 'warn'?"),
        (WAVE + "color = 'warn'\n", 7, "did you mean 'colour'?"),
        (WAVE + "key = 'F8'\n", 7, "F8 is the console's own key: it stops the robot's voice"),
        (WAVE + "key = 'f9'\n", 7, "F9 is the console's own key: it stops everything"),
        (WAVE + "key = 'ctrl+k'\n", 7, "Ctrl+K is the console's own key"),
        (WAVE + "key = '?'\n", 7, "? is the console's own key"),
        (WAVE + "key = 'g x'\n", 7, "g is the console's own key"),
        (WAVE + "key = 'g'\n", 7, "g is the console's own key"),
        (WAVE + "key = 'c F9'\n", 7, "F9 is the console's own key"),
        (WAVE + "key = 'Enter'\n", 7, "needed to work without a mouse"),
        (WAVE + "key = 'F5'\n", 7, "kept by browsers"),
        (WAVE + "key = 'a b c'\n", 7, "one stroke or two"),
        (WAVE + "key = ''\n", 7, "one stroke or two"),
        (WAVE + "key = 'Super+a'\n", 7, "before the + stand Ctrl, Alt or Shift"),
        (WAVE + "key = 'Bigkey'\n", 7, "there is no key 'Bigkey'"),
        (WAVE + "key = 'F2 a'\n", 7, "F2 works alone"),
        (TWO.replace("with =", "key = 's'\nwith =") + "key = 's'\n", 11, "also the key of 'B'"),
        (TWO.replace("with =", "key = 's'\nwith =") + "key = 's y'\n", 11, "told from s"),
        (TWO.replace('"C"', '"B"'), 8, "there is a button 'B' already"),
        ("[[panels]]\ntitle = 'P'\n[[panels]]\ntitle = 'P'\n", 4, "there is a panel 'P' already"),
        (WAVE + "locked_for = ['helpr']\n[desks.helper]\n", 7, "did you mean 'helper'?"),
        (WAVE + "character = 'addda'\n", 7, "did you mean 'ada'?"),
        (BUTTON.replace("PlayAnimation", "EmergencyStop") + "locked_for = ['observer']\n", 6,
         "EmergencyStop can never be locked"),
        (BUTTON.replace("PlayAnimation", "EmergencyRelease") + "locked_for = ['observer']\n", 6,
         "EmergencyRelease can never be locked"),
        (BUTTON.replace("PlayAnimation", "StopSpeaking") + "locked_for = ['observer']\n", 6,
         "StopSpeaking can never be locked"),
        (BUTTON.replace("PlayAnimation", "CancelUtterance") + "locked_for = ['observer']\n", 6,
         "CancelUtterance can never be locked"),
        (BUTTON.replace("PlayAnimation", "EmergencyStop") + "confirm = true\n", 6,
         "a stop never asks first"),
        ("[desks.'The helper']\n", 1, "a desk cannot be called 'The helper'"),
        ("[desks.helper]\nchannels = ['gazing']\n", 2, "did you mean 'gaze'?"),
        ("[desks.helper]\nmay_send = ['GazAt']\n", 2, "did you mean 'GazeAt'?"),
        ("[desks.helper]\nmay_sent = []\n", 2, "did you mean 'may_send'?"),
        ("[[panels]]\ntitle = P\n", 2, "not valid TOML"),
        ("panels = 3\n", 1, "panels"),
        ("desks = 3\n", 1, "desks"),
    ],
)  # fmt: skip
def test_every_mistake_is_told_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    found = layout(tmp_path, text, characters=["ada"])
    assert [problem for problem in found.problems if words in str(problem)], found.problems
    told = next(problem for problem in found.problems if words in str(problem))
    assert told.line == line
    assert str(told).count("\n") == 0
    found.told()


def test_a_mistake_takes_away_one_button_and_the_rest_works(tmp_path: Path) -> None:
    found = layout(tmp_path, TWO.replace('animation = "wave"', 'animaton = "wave"'))
    first, second = found.told()["panels"][0]["groups"][0]["buttons"]
    assert first["label"] == "B"
    assert first["type"] == ""
    assert "animaton" in first["why"]
    assert second["type"] == "StopAnimation"
    assert second["why"] is None


def test_a_file_that_is_no_toml_says_that_its_locks_are_unknown(tmp_path: Path) -> None:
    assert layout(tmp_path, "[[panels]\n").is_readable is False
    assert layout(tmp_path, WAVE + "colour = 'warm'\n").is_readable is True
    assert layout(tmp_path, "").is_readable is True


def test_a_desk_whose_table_is_wrong_is_left_with_the_stops(tmp_path: Path) -> None:
    found = layout(tmp_path, '[desks.helper]\nmay_send = "GazeAt"\n')
    assert found.lock_for("helper", "GazeAt", {"target": "x"}) is not None
    assert found.lock_for("helper", "EmergencyStop", {}) is None
    assert found.lock_for("wizard", "GazeAt", {"target": "x"}) is None


LOCKED = WAVE + 'locked_for = ["helper"]\n[desks.helper]\n'


def test_a_lock_cannot_be_passed_by_adding_a_field(tmp_path: Path) -> None:
    found = layout(tmp_path, LOCKED)
    wave = {"animation": "wave"}
    assert found.lock_for("helper", "PlayAnimation", wave) == "'B' is locked for the desk 'helper'"
    assert found.lock_for("helper", "PlayAnimation", wave | {"speed": 2.0})
    assert found.lock_for("helper", "PlayAnimation", wave | {"repeats": 1})
    assert found.lock_for("helper", "PlayAnimation", {"animation": "nod"}) is None
    assert found.lock_for("wizard", "PlayAnimation", wave) is None
    assert found.lock_for("helper", "PlayAnimation", {"nonsense": 1}) is None


def test_a_button_that_is_not_locked_opens_exactly_its_own_message(tmp_path: Path) -> None:
    slowly = (
        '[[panels.buttons]]\nlabel = "Slowly"\nsend = "PlayAnimation"\n'
        'with = { animation = "wave", speed = 0.5 }\n'
    )
    found = layout(tmp_path, WAVE + 'locked_for = ["helper"]\n' + slowly + "[desks.helper]\n")
    assert found.problems == ()
    assert found.lock_for("helper", "PlayAnimation", {"animation": "wave", "speed": 0.5}) is None
    assert found.lock_for("helper", "PlayAnimation", {"animation": "wave", "speed": 0.6})


def test_a_lock_for_one_character_leaves_the_others(tmp_path: Path) -> None:
    found = layout(tmp_path, WAVE + 'character = "ada"\nlocked_for = ["observer"]\n')
    wave = {"animation": "wave"}
    assert found.lock_for("observer", "PlayAnimation", wave)
    assert found.lock_for("observer", "PlayAnimation", wave, "ada")
    assert found.lock_for("observer", "PlayAnimation", wave, "bob") is None


def test_a_desk_sends_what_it_may_and_always_the_stops(tmp_path: Path) -> None:
    found = layout(tmp_path, '[desks.helper]\nmay_send = ["GazeAt"]\n')
    assert found.lock_for("helper", "GazeAt", {"target": "x"}) is None
    sentence = found.lock_for("helper", "PerformUtterance", {"text": "x"})
    assert sentence is not None
    assert "GazeAt" in sentence
    for stop in ("EmergencyStop", "StopSpeaking", "CancelUtterance"):
        assert found.lock_for("helper", stop, {}) is None
    assert found.lock_for("helper", "EmergencyRelease", {}) is not None


_names = st.sampled_from(["helper", "wizard", "observer", "x"])


@UNHURRIED
@given(
    locked=st.lists(_names, max_size=3),
    kind=st.sampled_from(["EmergencyStop", "StopSpeaking", "CancelUtterance", "StopAnimation"]),
    may_send=st.none() | st.lists(st.sampled_from(["GazeAt", "StopAnimation"]), max_size=2),
    desk=_names,
)
def test_whatever_a_file_says_a_stop_is_never_locked(
    tmp_path_factory: pytest.TempPathFactory,
    locked: list[str],
    kind: str,
    may_send: list[str] | None,
    desk: str,
) -> None:
    desks = "" if may_send is None else f"may_send = {may_send}\n"
    text = BUTTON.replace("PlayAnimation", kind) + f"locked_for = {locked}\n[desks.helper]\n{desks}"
    found = layout(tmp_path_factory.mktemp("layout"), text)
    for stop in ("EmergencyStop", "StopSpeaking", "CancelUtterance"):
        assert found.lock_for(desk, stop, {}) is None
    told = found.told()["panels"][0]["groups"][0]["buttons"][0]
    assert told["label"] == "B"


_value = st.recursive(
    st.text(max_size=8) | st.integers() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abt", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
_keys = st.sampled_from(["title", "panels", "groups", "buttons", "desks", "label", "send", "with"])


def toml(value: Any) -> str:
    """A value of TOML, written inline."""
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(one)}' for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value % 2**40)
    plain = re.sub(r"[^ -~]|[\"\\]", "?", value)
    return f'"{plain}"'


@UNHURRIED
@given(st.dictionaries(_keys, _value | st.dictionaries(_keys, _value, max_size=4), max_size=5))
def test_whatever_stands_in_the_file_it_is_read_and_told(
    tmp_path_factory: pytest.TempPathFactory, tables: dict[str, Any]
) -> None:
    text = "".join(f"{key} = {toml(value)}\n" for key, value in tables.items())
    text += f"[[more]]\nx = {toml(list(tables.values()))}\n"
    found = layout(tmp_path_factory.mktemp("layout"), text, "helper")
    assert found.problems, "`more` is no table of a layout"
    assert all("\n" not in str(problem) for problem in found.problems)
    found.told()
    found.told_desks()


@UNHURRIED
@given(st.text(max_size=12))
def test_a_key_is_refused_in_words_or_stays_what_it_is(written: str) -> None:
    try:
        key = key_of(written)
    except ValueError:
        return
    again = key_of("Shift+" + key if re.fullmatch(r"[^\W\d_]", key) and key.isupper() else key)
    assert again == key
    assert not any(clash(key, taken) for taken in ("F8", "F9", "Ctrl+K", "?", "g o", "g 1"))


def test_what_operates_own_pages_use_is_not_free() -> None:
    """A layout's button must never take a key that the console's page *Operate* has itself."""
    pages = ROOT / "sera" / "console" / "pages"
    sources = [
        *(pages / "operate").glob("*.js"),
        *(pages / "parts").glob("*.js"),
        *(pages / "lib").glob("*.js"),
        pages / "main.js",
    ]
    quoted = r"[\"'`]([^\"'`]+)[\"'`]"
    found = [
        key
        for source in sources
        for pair in re.findall(rf"\bkey: *{quoted}|{quoted}, \(\) =>", source.read_text("utf-8"))
        for key in pair
    ]
    # A key is short; `Alt+${key}` alone stands for those that are listed elsewhere.
    used = {key for key in found if 0 < len(key) < 16 and ("${" not in key or " " in key)}
    assert {"F8", "F9", "?"} <= used
    for key in sorted(used):
        plain = re.sub(r"\$\{[^}]*\}", "a", key)
        if re.fullmatch(r"[A-Z]( .)?", plain):
            plain = f"Shift+{plain}"
        with pytest.raises(ValueError, match=r"\w"):
            raise AssertionError(f"{key} is free for layouts: {key_of(plain)}")


async def test_facts_carry_the_layout_for_the_desk_that_asks(
    tmp_path: Path, ask_console: Any
) -> None:
    (tmp_path / "scenario.toml").write_text(
        '[scenario]\ntitle = "S"\n[characters.ada]\n[characters.ada.modules.behaviour]\n'
        'module = "behaviour_manager"\n',
        encoding="utf-8",
    )
    say = (
        '[[panels.buttons]]\nlabel = "Say"\nsend = "PerformUtterance"\nwith = { text = "Hi" }\n'
        '[[panels.buttons]]\nlabel = "Else"\nsend = "GazeAt"\nwith = { target = "x" }\n'
        'character = "bob"\n[[panels.buttons]]\nlabel = "Show"\nsend = "Highlight"\n'
        'with = { element = "x" }\n'
    )
    text = WAVE + 'locked_for = ["helper"]\n' + say + '[desks.helper]\ntitle = "Helper"\n'
    (tmp_path / "console.toml").write_text(text, encoding="utf-8")
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    client, _ = ask_console(load_scenario(tmp_path, workspace))
    told = (await client.get("/console/api/facts", headers={"sera-desk": "helper"})).json()
    wave, say_it, other, show = told["layout"]["panels"][0]["groups"][0]["buttons"]
    assert wave["locked"] is True
    assert "locked" in wave["why"]
    assert say_it["why"] is None
    assert other["why"] == "there is no bob in this run"
    assert show["why"] is None, "pages perform it"
    assert told["desks"]["helper"]["title"] == "Helper"
    assert told["layout_problems"] == []
    at_the_wizards = (await client.get("/console/api/facts")).json()
    wave = at_the_wizards["layout"]["panels"][0]["groups"][0]["buttons"][0]
    assert wave["locked"] is False
    assert wave["why"] == "no module of this run performs PlayAnimation"
    (tmp_path / "console.toml").write_text("[[panels]\n", encoding="utf-8")
    broken = await client.get("/console/api/facts")
    assert broken.status_code == 200
    assert "console.toml:1" in broken.json()["layout_problems"][0]
    assert broken.json()["layout"]["panels"] == []


async def test_without_a_layout_there_are_no_panels(ask_console: Any) -> None:
    client, _ = ask_console(None)
    told = (await client.get("/console/api/facts")).json()
    assert told["layout"]["panels"] == []
    assert told["desks"] == {}
    assert told["layout_problems"] == []
