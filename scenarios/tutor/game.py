"""The game on the table: touches go in, what happens comes out, the page is told what to show.

Design overview
    The rules are in `rounds.py`, the town in `town.py`; this module ties them to the bus. It goes
    on by itself where nobody orders it to, so that a game without its tutor comes to its end.

    Touches: `Clicked` of the page or of simulated learners. Orders: `ActivityCommand` with
    `begin`, `next`, `play` (the robot's move), `reveal` and `finish`. Everything that happens is
    an `ActivityEvent`; the page itself gets `ActivityCommand(command="show")` with all it shows.

Units and frames
    Pixels of the table, seconds of the run's clock.

Threading
    The event loop's thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    Clicked,
    Envelope,
    Highlight,
    TargetUpdated,
)
from sera.runtime import Role
from sera.runtime.located import nearest_name

from .rounds import Phase, TownGame
from .town import Town

STEP_S = 0.5
COMMANDS = ("begin", "next", "play", "reveal", "finish", "show")


class Game(Module):
    """Keeps the game and tells everybody about it."""

    role = Role.ACTIVITY

    class Settings(Module.Settings):
        """How long it is and how much it forgives."""

        town: str = "town.toml"
        """File with the places, beside the scenario."""
        language: str = "en"
        players: dict[str, str] = Field(
            default_factory=lambda: {"learner_1": "Blue", "learner_2": "Orange"}
        )
        """Who plays, in the order of turns, and what the table calls them."""
        robot: str = "nao"
        """The character that plays along."""
        robot_called: str = "Robot"
        screen: str = "table"
        rounds: int = Field(default=8, ge=1, le=50)
        robot_every: int = Field(default=5, ge=0)
        """Every so many rounds it is the robot's turn; 0: never."""
        tries: int = Field(default=3, ge=1, le=10)
        time_limit_s: float = Field(default=480.0, gt=0)
        """When a game is over, wherever it stands."""
        warns_before_s: float = Field(default=60.0, ge=0)
        """How long before that it says so."""
        begins_after_s: float = Field(default=90.0, ge=0)
        """When it begins although nobody said so; 0: never."""
        goes_on_after_s: float = Field(default=20.0, gt=0)
        """When the next round begins although nobody said so; also when the robot's turn ends."""
        games: int = Field(default=1, ge=0)
        """How many, one after the other; 0: without end."""
        pause_s: float = Field(default=25.0, gt=0)
        """Between two games."""

    async def start(self) -> None:
        settings = self.settings
        self._town = Town.load((self.context.folder or Path()) / settings.town, settings.screen)
        self._town.language(settings.language)
        self._played = 0
        self._marked: tuple[str, float] | None = None
        self._new_game()

    def _new_game(self) -> None:
        settings = self.settings
        self._game = TownGame(
            self._town,
            tuple(settings.players),
            self.random,
            robot=settings.robot,
            rounds=settings.rounds,
            robot_every=settings.robot_every,
            tries=settings.tries,
        )
        self._phase_since_s = self._begun_s = self.clock.now()
        self._warned = False

    async def run(self) -> None:
        for place in self._town.places:
            await self.publish(TargetUpdated(target=place, point=self._town.point(place)))
        await self._tell([ActivityEvent(event="game_ready", data={"board": self._board()})])
        while True:
            await self.clock.sleep(STEP_S)
            await self._tell(self._overdue(self.clock.now()))

    def _overdue(self, now_s: float) -> list[ActivityEvent]:
        """What happens because nobody else made it happen."""
        game, settings = self._game, self.settings
        waited_s = now_s - self._phase_since_s
        if game.phase is Phase.WAITING:
            alone = 0 < settings.begins_after_s <= waited_s
            return self._begin() if alone else []
        if game.phase is Phase.FINISHED:
            return self._play_again(waited_s)
        return self._overdue_in_play(now_s, waited_s)

    def _overdue_in_play(self, now_s: float, waited_s: float) -> list[ActivityEvent]:
        game, settings = self._game, self.settings
        if now_s - self._begun_s >= settings.time_limit_s:
            return game.finish("the time is over")
        left_s = settings.time_limit_s - (now_s - self._begun_s)
        if left_s <= settings.warns_before_s and not self._warned:
            self._warned = True
            return [ActivityEvent(event="time_nearly_over", data={"left_s": round(left_s)})]
        if waited_s < settings.goes_on_after_s:
            return []
        if game.phase is Phase.BETWEEN:
            return game.next_round()
        robots = game.round is not None and game.round.player == settings.robot
        return game.reveal() if robots else []

    def _play_again(self, waited_s: float) -> list[ActivityEvent]:
        games = self.settings.games
        if waited_s < self.settings.pause_s or games == self._played:
            return []
        self._new_game()
        return [ActivityEvent(event="game_ready", data={"board": self._board()})]

    # -- what comes in ----------------------------------------------------------------------

    @on(Clicked)
    async def touched(self, message: Clicked) -> None:
        """A touch; where the page names no place, the pixel says which it was."""
        if message.element == "begin":
            await self._tell(self._begin())
            return
        place = message.element
        if place not in self._town.places and message.point is not None:
            place = self._town.place_at(message.point)
        if place is not None:
            await self._tell(self._game.touch(place, message.person))

    @on(ActivityCommand)
    async def ordered(self, message: ActivityCommand, envelope: Envelope) -> None:
        """An order of the tutor, of a line (`<GAME(play, church)>`) or of an operator."""
        command, game = message.command, self._game
        if command == "begin":
            await self._tell(self._begin())
        elif command == "next":
            await self._tell(game.next_round())
        elif command == "reveal":
            await self._tell(game.reveal())
        elif command == "finish":
            await self._tell(game.finish("somebody ended it"))
        elif command == "play":
            await self._tell(self._robot_plays(message, envelope))
        elif command != "show":
            near = nearest_name(command, COMMANDS)
            meant = f"; did you mean '{near}'?" if near else f" (known: {', '.join(COMMANDS)})"
            self.fault(f"the game knows no '{command}'{meant}", warning=True, about=envelope)

    def _begin(self) -> list[ActivityEvent]:
        self._begun_s = self.clock.now()
        return self._game.begin()

    def _robot_plays(self, message: ActivityCommand, envelope: Envelope) -> list[ActivityEvent]:
        parameters = message.data.get("parameters") or [message.data.get("place")]
        place = str(parameters[0]) if isinstance(parameters, list) else ""
        if place not in self._town.places:
            near = nearest_name(place, self._town.places)
            meant = f"; did you mean '{near}'?" if near else ""
            self.fault(f"the town has no place '{place}'{meant}", warning=True, about=envelope)
            return []
        return self._game.touch(place, self.settings.robot)

    @on(Highlight)
    async def highlight(self, message: Highlight) -> None:
        """Pages show it by themselves; whoever watches the table sees it."""
        place = message.element
        if place is None and message.point is not None:
            place = self._town.place_at(message.point)
        if place in self._town.places:
            await self._tell([ActivityEvent(event="highlighted", data={"place": place})])

    @on(ActivityEvent)
    async def page_opened(self, message: ActivityEvent) -> None:
        if message.event == "page_opened":
            await self._show()

    # -- what goes out ----------------------------------------------------------------------

    async def _tell(self, events: Sequence[ActivityEvent]) -> None:
        if not events:
            return
        if any(event.event != "highlighted" for event in events):
            self._phase_since_s = self.clock.now()
        for event in events:
            if event.event == "game_finished":
                self._played += 1
                more = self.settings.games == 0 or self._played < self.settings.games
                event = event.model_copy(update={"data": {**event.data, "again": more}})  # noqa: PLW2901
            await self.publish(event)
        if [event.event for event in events] != ["highlighted"]:
            await self._show()

    async def _show(self) -> None:
        await self.publish(ActivityCommand(command="show", data=self._shown()))

    def _board(self) -> dict[str, Any]:
        """What everybody sees on the table before anything happens."""
        language, town = self.settings.language, self._town
        return {
            name: {
                "cell": list(place.cell),
                "label": town.phrases(name, language).label,
                "the": town.phrases(name, language).the,
                "x_px": town.point(name).x_px,
                "y_px": town.point(name).y_px,
            }
            for name, place in town.places.items()
        }

    def _shown(self) -> dict[str, Any]:
        game, settings, town = self._game, self.settings, self._town
        now = game.round
        clue = None
        if now is not None and game.phase in (Phase.PLAYING, Phase.BETWEEN):
            clue = {
                "number": now.number,
                "player": now.player,
                "start": now.start,
                "start_label": town.phrases(now.start, settings.language).label,
                "legs": [[leg.direction, leg.steps] for leg in now.legs],
                "way": town.way_words(now.legs, settings.language),
                "wrong": list(now.wrong),
                "found": now.found,
                "answer": now.answer if game.phase is Phase.BETWEEN else None,
            }
        return {
            "language": settings.language,
            "phase": str(game.phase),
            "places": self._board(),
            "players": {**settings.players, settings.robot: settings.robot_called},
            "robot": settings.robot,
            "rounds": game.rounds,
            "lit": list(game.lit),
            "shown": list(game.shown),
            "clue": clue,
        }
