"""The rules of AvantSatie without a bus: order of screens, hot and cold."""

from __future__ import annotations

import itertools
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.runtime._loading import load_class_from_file

AVANTSATIE = Path(__file__).parents[2] / "scenarios" / "avantsatie"
_package = load_class_from_file(AVANTSATIE / "game.py").__module__.rpartition(".")[0]
rules = sys.modules[f"{_package}.rules"]
said = sys.modules[f"{_package}.messages"]
pieces_file = sys.modules[f"{_package}.pieces"]
PIECES = pieces_file.load_pieces(AVANTSATIE / "pieces.toml")
KEYS = PIECES.piano.keys
TEXTS = tomllib.loads((AVANTSATIE / "texts.toml").read_text(encoding="utf-8"))
Judgement = said.Judgement


class Table:
    """A game, a clock that only the test moves, and all that was said."""

    def __init__(self, pieces: Any = PIECES, language: str = "en") -> None:
        self.game = rules.Game(pieces, TEXTS[language], language)
        self.now_s = 0.0
        self.heard: list[Any] = []
        self.given: dict[str, int] = {}
        self._take(self.game.begin(0.0))

    def step(self, key: str) -> list[Any]:
        return self._take(self.game.stepped(key, self.now_s))

    def done(self, cue: str | int) -> list[Any]:
        """A cue by its number, or the newest of a name (another number where none was given)."""
        number = self.given.get(cue, 10**6) if isinstance(cue, str) else cue
        return self._take(self.game.cue_done(number, self.now_s))

    def _take(self, told: list[Any]) -> list[Any]:
        self.heard += told
        self.given |= {one.cue: one.number for one in told if isinstance(one, said.RobotCue)}
        return told

    def wait(self, for_s: float) -> list[Any]:
        self.now_s += for_s
        return self._take(self.game.passes(self.now_s))

    def of(self, kind: Any) -> list[Any]:
        return [message for message in self.heard if isinstance(message, kind)]

    @property
    def screen(self) -> Any:
        return self.of(said.ScreenShown)[-1]

    @property
    def cue(self) -> Any:
        """The number of the cue that the game waits for."""
        wait = self.game._wait
        return None if wait is None else wait.cue

    def move_on(self) -> None:
        """One step of a perfect evening: the right key, the cue done, or time."""
        if self.cue is not None:
            self.done(self.cue)
        elif self.game.due_s is not None:
            self.wait(self.game.due_s - self.now_s)
        else:
            self.step(self.wanted)

    @property
    def wanted(self) -> str:
        screen = self.screen
        if screen.highlighted is not None:
            return str(screen.highlighted)
        part = self.game.pieces.pieces[screen.level - 1].parts[screen.part - 1]
        return str(part[screen.note - 1])

    def until(self, screen: str) -> Table:
        for _ in range(500):
            if self.screen.screen == screen and self.cue is None:
                return self
            self.move_on()
        raise AssertionError(f"no screen {screen}")


def one_part(*notes: str) -> Any:
    """A game of one part, begun and played up to its first guess."""
    piece = PIECES.pieces[0].model_copy(update={"parts": [list(notes)]})
    table = Table(PIECES.model_copy(update={"pieces": [piece]})).until("guess")
    table.heard.clear()
    return table


def results(table: Table) -> list[str]:
    return [str(one.result) for one in table.of(said.GuessJudged)]


# -- the way through the game -----------------------------------------------------------------


def perfect() -> Table:
    table = Table()
    for _ in range(500):
        if table.game.finished:
            return table
        table.move_on()
    raise AssertionError("it does not end")


def test_a_perfect_player_comes_to_the_end_without_a_wrong_guess():
    table = perfect()
    (ended,) = table.of(said.GameEnded)
    assert (ended.wrong_hot, ended.wrong_cold) == (0, 0)
    judged = table.of(said.GuessJudged)
    assert [one.key for one in judged] == [note for piece in PIECES.pieces for note in piece.notes]
    assert {one.result for one in judged} == {Judgement.CORRECT}
    assert table.game.due_s is None
    heard = len(table.heard)
    table.step("c4")
    table.done("affirm")
    table.wait(1000.0)
    assert [type(one) for one in table.heard[heard:]] == [said.NoteSounded]


def expected_order() -> list[str]:
    """The screens and cues of the document, written down from its text."""
    order = ["start", "<affirm>", "<look_at_screen>", *["story"] * 3, "<affirm>"]
    for level, piece in enumerate(PIECES.pieces):
        for number, part in enumerate(piece.parts):
            order += ["<look_at_screen>", "part", "<look_at_player>"]
            for _ in part:
                order += ["guess", "<affirm>"]
            # What listening and repeating are is told the first time, with the robot's look.
            order += ["listen"] if level or number else ["<look_at_screen>", "listen"]
            for _ in part:
                order += ["<point>", "listen"]
            order += ["<look_at_player>", *["repeat"] * len(part)]
        order += ["<look_at_screen>", "piece", "<look_at_player>"]
        order += ["repeat"] * len(piece.notes)
    return [*order, "end", "<celebrate>"]


def test_screens_and_cues_come_in_the_order_of_the_document():
    order = [
        one.screen if isinstance(one, said.ScreenShown) else f"<{one.cue}>"
        for one in perfect().of((said.ScreenShown, said.RobotCue))
    ]
    assert order == expected_order()


def test_only_the_key_on_the_picture_begins_the_game():
    table = Table()
    assert (table.screen.screen, table.screen.highlighted) == ("start", "d4")
    for key in KEYS:
        if key != "d4":
            assert [type(one) for one in table.step(key)] == [said.NoteSounded]
    assert [one.cue for one in table.step("d4") if isinstance(one, said.RobotCue)] == ["affirm"]


def test_the_next_note_is_asked_for_only_after_the_robot_has_affirmed():
    table = one_part("e4", "f4")
    told = table.step("e4")
    assert [type(one) for one in told] == [said.NoteSounded, said.GuessJudged, said.RobotCue]
    assert table.wait(5.9) == []
    assert table.done("celebrate") == []  # another cue than the one that is waited for
    (screen,) = table.done("affirm")
    assert (screen.screen, screen.note, screen.found) == ("guess", 2, ["e4"])
    assert table.done("affirm") == []  # twice changes nothing


def test_a_robot_that_never_affirms_holds_the_game_up_for_its_limit_only():
    table = one_part("e4", "f4")
    table.step("e4")
    limit_s = table.game.pace.cue_limit_s
    assert table.wait(limit_s - 0.001) == []
    (screen,) = table.wait(0.001)
    assert (screen.screen, screen.note) == ("guess", 2)


def test_a_late_answer_to_a_cue_does_not_end_the_next_one_of_that_name():
    table = one_part("e4", "f4", "g4")
    table.step("e4")
    late = table.given["affirm"]
    table.wait(table.game.pace.cue_limit_s)  # the game has gone on without an answer
    assert table.screen.note == 2
    table.step("f4")
    assert table.done(late) == []
    assert table.screen.note == 2
    (screen,) = table.done("affirm")
    assert (screen.screen, screen.note) == ("guess", 3)


def test_every_cue_has_a_number_of_its_own():
    numbers = [one.number for one in perfect().of(said.RobotCue)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_was_found_is_replayed_key_by_key_and_repeated_by_the_player():
    table = one_part("e4", "g4")
    for key in ("e4", "g4"):
        table.step(key)
        table.done("affirm")
    table.heard.clear()
    table.wait(2.5 + 2 * 0.9)
    robot = [one.key for one in table.of(said.NoteSounded) if one.by == "robot"]
    pointed = [one.key for one in table.of(said.RobotCue) if one.cue == "point"]
    assert robot == pointed == ["e4", "g4"]
    order = [type(one) for one in table.heard]
    assert order.index(said.RobotCue) < order.index(said.NoteSounded)  # looks, then it sounds
    assert (table.screen.screen, table.screen.highlighted) == ("repeat", "e4")
    table.step("c4")
    assert table.screen.highlighted == "e4"
    table.step("e4")
    assert table.screen.highlighted == "g4"
    assert table.of(said.GuessJudged) == []  # nothing is judged in a replay


def test_the_piece_and_its_composer_are_revealed_after_its_last_part():
    table = Table(language="pt").until("piece")
    assert table.screen.lines == ["Descobriste", "Hino à Alegria", "de Ludwig van Beethoven"]
    assert len(table.of(said.GuessingEnded)) == len(PIECES.pieces[0].parts)


def test_time_is_measured_while_notes_are_looked_for():
    table = one_part("e4", "f4")
    before_s = table.game.guessing_s
    for key in ("c4", "e4"):
        table.wait(3.0)
        table.step(key)
    table.wait(1.0)
    table.done("affirm")
    table.wait(2.0)
    table.step("f4")
    table.wait(1.5)
    table.done("affirm")
    assert table.game.guessing_s - before_s == pytest.approx(3 + 3 + 1 + 2 + 1.5)


# -- hot and cold -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stood", "played", "wanted", "result"),
    [
        ("c4", "e4", "g4", "hot"),  # towards
        ("e4", "c4", "g4", "cold"),  # away
        ("fs4", "gs4", "g4", "cold"),  # past it, as far on the other side
        ("f4", "a4", "g4", "cold"),  # the same distance on the other side
        ("f4", "gs4", "g4", "hot"),  # past it, but nearer than before
        ("e4", "e4", "g4", "cold"),  # the same key again
        ("c4", "g4", "g4", "correct"),
        ("g4", "g4", "g4", "correct"),
        ("c5", "c4", "fs4", "cold"),
        ("c5", "cs4", "fs4", "hot"),
    ],
)
def test_a_wrong_guess_is_hot_where_it_went_towards_the_note(stood, played, wanted, result):
    # The player stands on the first note of the part: it was found, and is affirmed.
    table = one_part(stood, wanted)
    table.step(stood)
    table.done("affirm")
    table.heard.clear()
    table.step(played)
    assert results(table) == [result]


def test_keys_during_a_cue_sound_and_are_not_judged_but_somebody_walked():
    table = one_part("e4", "g4")
    table.step("e4")
    for key in ("f4", "g4", "c4"):
        (sounded,) = table.step(key)
        assert (sounded.key, sounded.by) == (key, "player")
    table.done("affirm")
    table.heard.clear()
    table.step("d4")  # from c4, where the player went meanwhile, towards g4
    assert results(table) == ["hot"]


def test_a_key_that_the_piano_has_not_is_no_guess():
    table = one_part("e4")
    assert table.step("c9") == []
    assert table.step("") == []


MOVES = st.lists(
    st.one_of(
        st.sampled_from([*KEYS, "right", "h9"]),
        st.sampled_from(["<affirm>", "<celebrate>", "<point>", "<nothing>"]),
        st.floats(0.0, 20.0),
    ),
    max_size=150,
)


@settings(max_examples=60, deadline=None)
@given(MOVES)
def test_whatever_happens_counts_agree_and_what_is_found_is_a_beginning_of_the_part(moves):
    table = Table(PIECES.model_copy(update={"pieces": list(PIECES.pieces[::-1])}))
    for move in moves:
        if isinstance(move, float):
            table.wait(move)
        elif move.startswith("<"):
            table.done(move.strip("<>"))
        elif move == "right" and table.cue is None and table.game.due_s is None:
            table.step(table.wanted if not table.game.finished else "c4")
        else:
            table.step(move)
    game, judged = table.game, table.of(said.GuessJudged)
    wrong = [one for one in judged if one.result is not Judgement.CORRECT]
    assert game.wrong_hot + game.wrong_cold == len(wrong)
    assert game.wrong_hot == sum(one.result is Judgement.HOT for one in wrong)
    for one in judged:
        assert (one.key == one.wanted) == (one.result is Judgement.CORRECT)
    for screen in table.of(said.ScreenShown):
        if screen.screen in ("guess", "listen", "repeat"):
            part = game.pieces.pieces[screen.level - 1].parts[screen.part - 1]
            assert screen.found == part[: len(screen.found)]
            assert screen.notes == len(part)
    for before, after in itertools.pairwise(table.of(said.GuessingBegan)):
        assert (before.level, before.part) < (after.level, after.part)
