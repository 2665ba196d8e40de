"""The game: keeps rounds and time, takes the Wizard's ratings, and tells the wall what to show.

Design overview
    The rules are in `rounds.py`, the words in `words.toml`; this module ties them to the bus.
    `RateGuess` comes in, from a Wizard's key or from a policy; Events go out. The wall gets
    `ActivityCommand(command="show")` with category, round and time, and never the word. The
    Wizard's list goes out as `WordList`, which pages for players do not receive.
    Orders: `ActivityCommand` with `begin`, `again`, `next` and `finish`.
    Categories and lists are in the language of the forms, where a session offers any.

Units and frames
    Seconds of the run's clock.

Threading
    The event loop's thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field, JsonValue

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    Envelope,
    Event,
    FormOffered,
    Message,
    PersonDetected,
    PersonMoved,
    PhaseStatus,
    SessionPhase,
    SessionState,
)
from sera.runtime import Role
from sera.runtime.located import nearest_name

from .messages import GuessRated, RateGuess, WordList
from .rounds import Pantomime, Phase
from .words import load_words

STEP_S = 0.1
_ALONE_S = 120.0
"""In virtual time nobody comes later than that."""
COMMANDS = ("begin", "again", "next", "finish", "show")


class Game(Module):
    """Keeps the game and tells everybody about it."""

    role = Role.ACTIVITY

    class Settings(Module.Settings):
        """How long it is."""

        words: str = "words.toml"
        """File beside the scenario."""
        language: str = "en"
        """Of categories and lists, until a session says another."""
        only: tuple[str, ...] = ()
        """Names of the words to play, in this order; left out: all, as in the file."""
        time_limit_s: float = Field(default=40.0, gt=0, le=600)
        """For each word, from the beginning of its animation."""
        pause_s: float = Field(default=5.0, ge=0, le=60)
        """Between rounds: the robot nods or shakes, and comes to rest."""
        begins_after_s: float = Field(default=4.0, ge=0)
        """After somebody was seen; 0: only when an operator says so."""
        begins_in_step: str = ""
        """Step of the study's session in which it begins with whoever is seen then; left out: it
        takes no notice of the session."""
        farewell_s: float = Field(default=6.0, ge=0)
        """From the end of the last round's pause to the end of the run."""
        ends_run: bool = True
        """Whether the run is over with the game."""

    async def start(self) -> None:
        settings = self.settings
        known = load_words((self.context.folder or Path()) / settings.words, settings.language)
        for name in settings.only:
            if name not in known:
                near = nearest_name(name, known)
                hint = f"; did you mean '{near}'?" if near else f" (it has {', '.join(known)})"
                raise ValueError(f"{settings.words} has no word '{name}'{hint}")
        words = [known[name] for name in settings.only or known]
        self._language = self._wished = settings.language
        self._game = Pantomime(words, time_limit_s=settings.time_limit_s, pause_s=settings.pause_s)
        self._seen_s: float | None = None
        self._open = not settings.begins_in_step
        """Whether it is time to begin with who is seen."""
        self._finished_s: float | None = None

    async def run(self) -> None:
        await self._show(None)
        while not self._is_over():
            await self.clock.sleep(STEP_S)
            now_s, settings = self.clock.now(), self.settings
            came = self._seen_s is not None and settings.begins_after_s > 0
            if came and now_s - (self._seen_s or 0.0) >= settings.begins_after_s:
                await self._tell(self._game.begin(now_s), None)
            await self._tell(self._game.tick(now_s), None)
            if self.clock.kind == "virtual" and now_s > _ALONE_S and self._waits_for_nobody():
                await self.end_run("nobody came; lay +simulated over the condition")
                return
        if self.settings.ends_run:
            await self.end_run("all words are played")

    def _is_over(self) -> bool:
        if self._finished_s is None:
            return False
        return bool(self.clock.now() - self._finished_s >= self.settings.farewell_s)

    def _waits_for_nobody(self) -> bool:
        return self._game.phase is Phase.WAITING and self._seen_s is None

    # -- what comes in ----------------------------------------------------------------------

    @on(PersonDetected, PersonMoved)
    async def somebody_is_there(self, _message: Message) -> None:
        if self._open and self._seen_s is None:
            self._seen_s = self.clock.now()

    @on(SessionPhase)
    async def session_moves(self, message: SessionPhase) -> None:
        begins = message.status in (PhaseStatus.STARTED, PhaseStatus.REPEATED)
        if begins and message.step and message.step == self.settings.begins_in_step:
            self._open = True

    @on(FormOffered, SessionState)
    async def session_speaks(self, message: FormOffered | SessionState) -> None:
        """Forms and wall are in one language."""
        language = message.language
        if language is None or language == self._wished:
            return
        self._wished = language
        if not all(language in word.languages for word in self._game.words):
            sentence = f"the wall stays in '{self._language}': not all words are in '{language}'"
            self.fault(sentence, warning=True)
            return
        self._language = language
        await self._show(None)

    @on(RateGuess)
    async def rated(self, message: RateGuess, envelope: Envelope) -> None:
        """A guess was rated, by whoever may."""
        events = self._game.rate(message.rating, self.clock.now(), message.word)
        if not events:
            why = {
                Phase.WAITING: "the game has not begun",
                Phase.FINISHED: "the game is over",
            }.get(self._game.phase, "the round is over")
            self.fault(f"'{message.rating}' does not count: {why}", warning=True, about=envelope)
            return
        await self._tell(events, envelope.id)

    @on(ActivityCommand)
    async def ordered(self, message: ActivityCommand, envelope: Envelope) -> None:
        """An order of an operator."""
        now_s, game, command = self.clock.now(), self._game, message.command
        if command == "begin":
            await self._tell(game.begin(now_s), envelope.id)
        elif command == "next":
            await self._tell(game.next(now_s), envelope.id)
        elif command == "finish":
            await self._tell(game.stop(now_s), envelope.id, changed=True)
        elif command not in COMMANDS:
            near = nearest_name(command, COMMANDS)
            meant = f"; did you mean '{near}'?" if near else f" (known: {', '.join(COMMANDS)})"
            self.fault(f"the game knows no '{command}'{meant}", warning=True, about=envelope)

    @on(ActivityEvent)
    async def page_opened(self, message: ActivityEvent) -> None:
        if message.event == "page_opened":
            await self._show(None)

    # -- what goes out ----------------------------------------------------------------------

    async def _tell(
        self, events: Sequence[Event], cause: str | None, *, changed: bool = False
    ) -> None:
        for event in events:
            cause = await self.publish(event, cause=cause)
        is_new_end = self._game.phase is Phase.FINISHED and self._finished_s is None
        if is_new_end:
            self._finished_s = self.clock.now()
        goes_on = any(not isinstance(event, GuessRated) for event in events)
        if goes_on or changed or is_new_end:
            await self._show(cause)
        if is_new_end:
            outcomes = self._game.outcomes
            found = outcomes.count("correct")
            data: dict[str, JsonValue] = {
                "correct": found,
                "rounds": len(outcomes),
                "of": self._game.rounds,
            }
            await self.publish(ActivityEvent(event="game_finished", data=data), cause=cause)

    async def _show(self, cause: str | None) -> None:
        """Tell the wall and the Wizards where the game is."""
        game = self._game
        now, left_s = game.round, game.left_s(self.clock.now())
        guessing = game.phase is Phase.GUESSING and now is not None
        number = 0 if now is None else now.number
        lists = now.word.languages[self._language] if now is not None and guessing else None
        shown = {
            "phase": str(game.phase),
            "language": self._language,
            "category": lists.category if lists is not None else None,
            "round": number,
            "rounds": game.rounds,
            "time_limit_s": game.time_limit_s,
            "left_s": round(left_s, 2),
        }
        await self.publish(ActivityCommand(command="show", data=shown), cause=cause)
        wizards = WordList(
            round=number if lists is not None else 0,
            of=game.rounds,
            answers=lists.answers if lists is not None else [],
            hot=lists.hot if lists is not None else [],
            warm=lists.warm if lists is not None else [],
            time_limit_s=game.time_limit_s,
            left_s=left_s,
        )
        await self.publish(wizards, cause=cause)
