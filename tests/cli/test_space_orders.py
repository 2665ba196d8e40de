"""What an operator types while calibrating, and new poses in a file that people wrote."""

from __future__ import annotations

import stat
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.cli._space_keys import Keys, Kind, Order, orders_of_line
from sera.cli._space_write import CannotWrite, replace_values, rewrite

# -- orders ---------------------------------------------------------------------------------


def test_lines_hold_orders_in_a_row():
    assert orders_of_line("r 2.5, u 1; ok # done") == [
        Order(Kind.NUDGE, 2.5, 0.0),
        Order(Kind.NUDGE, 0.0, 1.0),
        Order(Kind.ACCEPT),
    ]
    assert orders_of_line("Left DOWN 0.5 at -3 4 back s q ?") == [
        Order(Kind.NUDGE, -1.0, 0.0),
        Order(Kind.NUDGE, 0.0, -0.5),
        Order(Kind.TURN_TO, -3.0, 4.0),
        *(Order(kind) for kind in (Kind.BACK, Kind.SKIP, Kind.QUIT, Kind.HELP)),
    ]
    assert orders_of_line("  # only a comment") == []
    for line, sentence in (("at 3", "the line ends there"), ("at x 3", "not 'x'")):
        with pytest.raises(ValueError, match=f"after 'at' comes a number of degrees, .*{sentence}"):
            orders_of_line(line)


@given(st.text())
def test_any_line_is_orders_or_a_sentence(line):
    try:
        orders = orders_of_line(line)
    except ValueError as error:
        sentence = str(error)
    else:
        sentence = "after '"
        assert all(abs(order.right_deg) < float("inf") for order in orders)
    assert sentence.startswith(("unknown word", "after '"))


def test_keys_nudge_by_the_step_that_was_chosen():
    keys = Keys()
    assert keys.feed(b"\x1b[A\x1bOBhL") == [
        Order(Kind.NUDGE, 0.0, 1.0),
        Order(Kind.NUDGE, 0.0, -1.0),
        Order(Kind.NUDGE, -1.0, 0.0),
        Order(Kind.NUDGE, 0.1, 0.0),
    ]
    assert keys.feed(b"+") == [Order(Kind.STEP)]
    assert keys.feed(b"l") == [Order(Kind.NUDGE, 5.0, 0.0)]
    assert keys.feed(b"+---k")[-1] == Order(Kind.NUDGE, 0.0, 0.1)
    assert [order.kind for order in keys.feed(b"\rsbq")] == [
        *(Kind.ACCEPT, Kind.SKIP, Kind.BACK, Kind.QUIT)
    ]


@given(st.binary(max_size=60), st.data())
def test_keys_that_come_in_pieces_mean_the_same(typed, data):
    cut = data.draw(st.integers(0, len(typed)))
    pieces = Keys()
    assert pieces.feed(typed[:cut]) + pieces.feed(typed[cut:]) == Keys().feed(typed)


# -- the file -------------------------------------------------------------------------------

POSE = {("characters", "ada"): {"position_m": (0.2, 1.0, -0.5), "yaw_deg": 7.0}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[characters.ada] # me",
        '[characters.ada]\nrobot = "nao"\n[characters.ada.modules.x]\na = 1\n',
        '[characters]\nada.robot = "nao"   # the torso\n',
        '[characters]\nada = { robot = "nao" }\n',
        "characters = { ada = {} }\n",
        "[characters.ada.modules.x]\nyaw_deg = 3\n",
        "[characters.ada]\nposition_m = [ 0, # left\n 1, 2 ] # here\nyaw_deg=3# turned\nx = 1\n",
        '"characters".\'ada\'.robot = "a.b = c # d"\n',
    ],
)
def test_values_are_put_where_they_belong_and_all_else_stays(text):
    changed = replace_values(text, POSE)
    data = tomllib.loads(changed)
    ada = data["characters"]["ada"]
    assert (ada.pop("position_m"), ada.pop("yaw_deg")) == ([0.2, 1.0, -0.5], 7.0)
    before = tomllib.loads(text).get("characters", {}).get("ada", {})
    assert ada == {
        key: value for key, value in before.items() if key not in POSE["characters", "ada"]
    }
    for comment in ("# me", "# the torso", "# here", "# turned"):
        assert (comment in text) == (comment in changed)


def test_a_file_that_was_changed_meanwhile_is_left_alone(tmp_path):
    file = tmp_path / "scenario.toml"
    file.write_text("[characters.ada]\nyaw_deg = 1\n", encoding="utf-8")
    with pytest.raises(CannotWrite, match="was changed meanwhile and is left alone"):
        rewrite(file, b"[characters.ada]\n", POSE)
    assert list(tmp_path.glob("*scenario*")) == [file]


def test_line_ends_a_byte_order_mark_and_rights_are_kept(tmp_path):
    file = tmp_path / "scenario.toml"
    before = b"\xef\xbb\xbf[characters.ada]\r\nyaw_deg = 1 # \xc3\xa9\r\n"
    file.write_bytes(before)
    file.chmod(0o640)
    backup = rewrite(file, before, POSE)
    after = file.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf[characters.ada]\r\nyaw_deg = 7.0 # \xc3\xa9\r\n")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert backup.read_bytes() == before
    assert sorted(tmp_path.glob("*scenario*")) == [file, backup]
