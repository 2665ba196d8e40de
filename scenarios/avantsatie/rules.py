"""The rules of the game: two pieces, their parts, and what follows from every step on a key.

Design overview
    A game is a script that waits: for a key, for the robot to have done its part, or for time to
    pass. Whatever happens is handed to `Game.happens`, which answers with the messages that follow
    from it. In the guessing of a part each wrong note is hot or cold: did the step go towards the
    wanted note or not, from where the player stood before? A right note is affirmed by the robot
    before the screen reacts, so that eyes stay on the robot. A part that was found is played by
    the robot, key by key, and repeated by the player; at the end of a level the whole piece is.

Units and frames
    Seconds on the clock of the run; distances between keys count keys.

Threading
    None of its own. No clock, no randomness.

Safety
    A robot that does not answer its cue holds the game up for `cue_limit_s`, not longer. An answer
    that comes after that is known by its number and ends nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sera.messages import Message

from .messages import (
    GameEnded,
    GuessingBegan,
    GuessingEnded,
    GuessJudged,
    Judgement,
    NoteSounded,
    RobotCue,
    ScreenShown,
)
from .pieces import Piece, Pieces

Cue = Literal["look_at_screen", "look_at_player", "affirm", "point", "celebrate"]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take, in seconds."""

    story_s: float = 6.0
    part_s: float = 2.5
    note_s: float = 0.9
    """From one note of the robot to the next."""
    sound_after_s: float = 0.5
    """From the robot's look at a key to its sound."""
    piece_s: float = 4.0
    end_s: float = 5.0
    cue_limit_s: float = 6.0


@dataclass(frozen=True, slots=True)
class Wait:
    """What the script waits for: a key, a cue that is done, or time; whichever comes first."""

    for_s: float | None = None
    key: bool = False
    cue: int | None = None
    """Number of the cue."""


@dataclass(frozen=True, slots=True)
class Happening:
    """What the script is told: the key, or nothing where the time was over or a cue done."""

    key: str | None = None


Script = Generator[Wait, Happening, None]


class Game:
    """One game."""

    def __init__(
        self,
        pieces: Pieces,
        texts: dict[str, Any],
        language: str,
        pace: Pace | None = None,
        cues: Iterator[int] | None = None,
    ) -> None:
        """Lay everything out.

        Args:
            pieces: piano and pieces.
            texts: words of the screen.
            language: in which they are.
            pace: how long things take.
            cues: numbers for the robot's cues, which go on from game to game; None: from 1.
        """
        self.pieces = pieces
        self.pace = pace or Pace()
        self.finished = False
        self.wrong_hot = self.wrong_cold = 0
        self.guessing_s = 0.0
        self._replayed = False
        """Whether the player knows what listening and repeating are."""
        self._texts = texts
        self._language = language
        self._is_waiting_to_begin = False
        self._script = self._play()
        self._wait: Wait | None = None
        self._due_s: float | None = None
        self._now_s = 0.0
        self._said: list[Message] = []
        self._cues = itertools.count(1) if cues is None else cues
        self._stands_on = pieces.piano.index(pieces.piano.start)

    # -- driving it -------------------------------------------------------------------------

    @property
    def due_s(self) -> float | None:
        """When time alone moves the game on; None: never."""
        return self._due_s

    def begin(self, now_s: float) -> list[Message]:
        """Show the first screen."""
        self._now_s = now_s
        self._resume(None)
        return self._taken()

    def speak(self, texts: dict[str, Any], language: str) -> list[Message]:
        """Use other words from now on; before the first key the screen is shown again in them."""
        self._texts, self._language = texts, language
        if self._is_waiting_to_begin:
            self._show("start", highlighted=self.pieces.piano.start)
        return self._taken()

    def stepped(self, key: str, now_s: float) -> list[Message]:
        """Somebody stepped on a key: it sounds in any case."""
        if key not in self.pieces.piano.keys:
            return []
        self._now_s = now_s
        self._said.append(NoteSounded(key=key, by="player"))
        if self._wait is not None and self._wait.key:
            self._resume(Happening(key))
        self._stands_on = self.pieces.piano.index(key)
        return self._taken()

    def cue_done(self, number: int, now_s: float) -> list[Message]:
        """The robot has done its part; nothing happens where the game waits for another cue."""
        self._now_s = now_s
        if self._wait is not None and self._wait.cue == number:
            self._resume(Happening())
        return self._taken()

    def passes(self, now_s: float) -> list[Message]:
        """Time has passed."""
        while self._due_s is not None and now_s >= self._due_s:
            self._now_s = self._due_s
            self._resume(Happening())
        return self._taken()

    def _resume(self, happening: Happening | None) -> None:
        try:
            self._wait = next(self._script) if happening is None else self._script.send(happening)
        except StopIteration:
            self._wait, self._due_s, self.finished = None, None, True
            return
        waits_s = self._wait.for_s
        self._due_s = None if waits_s is None else self._now_s + waits_s

    def _taken(self) -> list[Message]:
        said, self._said = self._said, []
        return said

    # -- the script -------------------------------------------------------------------------

    def _play(self) -> Script:
        start = self.pieces.piano.start
        self._is_waiting_to_begin = True
        self._show("start", highlighted=start)
        while (yield Wait(key=True)).key != start:
            pass
        self._is_waiting_to_begin = False
        yield from self._cue("affirm")
        self._give("look_at_screen")
        page = 0
        while page < len(self._texts["story"]):  # the language may change from page to page
            self._said.append(ScreenShown(screen="story", lines=self._texts["story"][page]))
            yield Wait(for_s=self.pace.story_s)
            page += 1
        yield from self._cue("affirm")
        for level, piece in enumerate(self.pieces.pieces, start=1):
            yield from self._level(level, piece)
        self._show("end")
        yield from self._cue("celebrate")
        yield Wait(for_s=self.pace.end_s)
        self._said.append(
            GameEnded(
                wrong_hot=self.wrong_hot,
                wrong_cold=self.wrong_cold,
                guessing_s=round(self.guessing_s, 3),
            )
        )

    def _level(self, level: int, piece: Piece) -> Script:
        for number, notes in enumerate(piece.parts, start=1):
            where = {"level": level, "part": number, "parts": len(piece.parts)}
            self._give("look_at_screen")
            self._show("part", highlighted=None, **where)
            yield Wait(for_s=self.pace.part_s)
            self._give("look_at_player")
            yield from self._guess(notes, where)
            yield from self._replay(notes, where)
        self._give("look_at_screen")
        title = piece.title.get(self._language) or next(iter(piece.title.values()))
        self._show("piece", title=title, composer=piece.composer, level=level)
        yield Wait(for_s=self.pace.piece_s)
        self._give("look_at_player")
        for number, notes in enumerate(piece.parts, start=1):
            where = {"level": level, "part": number, "parts": len(piece.parts)}
            yield from self._repeat(notes, where)

    def _guess(self, notes: list[str], where: dict[str, int]) -> Script:
        level, part = where["level"], where["part"]
        began_s = self._now_s
        self._said.append(GuessingBegan(level=level, part=part))
        for number, wanted in enumerate(notes, start=1):
            self._show_note("guess", notes, number, where)
            while True:
                key = (yield Wait(key=True)).key
                assert key is not None
                result = self._judge(key, wanted)
                self._said.append(
                    GuessJudged(
                        key=key, wanted=wanted, result=result, level=level, part=part, note=number
                    )
                )
                if result is Judgement.CORRECT:
                    break
                self.wrong_hot += result is Judgement.HOT
                self.wrong_cold += result is Judgement.COLD
            # The robot answers before the screen does.
            yield from self._cue("affirm")
        self.guessing_s += self._now_s - began_s
        self._said.append(GuessingEnded(level=level, part=part))

    def _judge(self, key: str, wanted: str) -> Judgement:
        """Hot is a step towards the wanted note from where the player stood."""
        index, goal = self.pieces.piano.index(key), self.pieces.piano.index(wanted)
        if index == goal:
            return Judgement.CORRECT
        nearer = abs(index - goal) < abs(self._stands_on - goal)
        return Judgement.HOT if nearer else Judgement.COLD

    def _replay(self, notes: list[str], where: dict[str, int]) -> Script:
        """The robot plays the part, and then the player does."""
        if not self._replayed:  # there is something to read
            self._give("look_at_screen")
        self._show_note("listen", notes, 0, where)
        yield Wait(for_s=self.pace.part_s)
        for number, note in enumerate(notes, start=1):
            self._give("point", note)
            yield Wait(for_s=self.pace.sound_after_s)
            self._said.append(NoteSounded(key=note, by="robot"))
            self._show_note("listen", notes, number, where, highlighted=note)
            yield Wait(for_s=max(0.0, self.pace.note_s - self.pace.sound_after_s))
        self._give("look_at_player")
        yield from self._repeat(notes, where)
        self._replayed = True

    def _repeat(self, notes: list[str], where: dict[str, int]) -> Script:
        for number, note in enumerate(notes, start=1):
            self._show_note("repeat", notes, number, where, highlighted=note)
            while (yield Wait(key=True)).key != note:
                pass

    def _cue(self, cue: Cue) -> Script:
        """Give the robot its cue and wait until it has done that, though not for ever."""
        yield Wait(for_s=self.pace.cue_limit_s, cue=self._give(cue))

    def _give(self, cue: Cue, key: str | None = None) -> int:
        number = next(self._cues)
        self._said.append(RobotCue(cue=cue, number=number, key=key))
        return number

    # -- the screen -------------------------------------------------------------------------

    def _show(self, screen: str, *, highlighted: str | None = None, **words: Any) -> None:
        lines = [line.format(**words) for line in self._texts[screen]]
        shown: dict[str, Any] = {"screen": screen, "lines": lines, "highlighted": highlighted}
        shown |= {name: words[name] for name in ("level", "part", "parts") if name in words}
        self._said.append(ScreenShown.model_validate(shown))

    def _show_note(
        self,
        screen: str,
        notes: list[str],
        number: int,
        where: dict[str, int],
        highlighted: str | None = None,
    ) -> None:
        ordinal = self._texts["ordinals"][number - 1] if number else ""
        again = f"{screen}_again" if self._replayed else screen
        lines = [line.format(note=ordinal) for line in self._texts.get(again, self._texts[screen])]
        shown: dict[str, Any] = {
            **where,
            "screen": screen,
            "lines": lines,
            "note": number,
            "notes": len(notes),
            "highlighted": highlighted,
            "found": notes[: number - 1] if screen == "guess" else notes,
        }
        self._said.append(ScreenShown.model_validate(shown))
