"""What the tutor decides: when to greet, explain, hand over turns, hint, praise, ask, keep silent.

Design overview
    `run` is the lesson from greeting to farewell, told like a script; handlers only note what
    happens. The game tells what happened (`ActivityEvent`), one thing after the other. Gaze is
    left to the behaviour manager and to the lines; the tutor only frees it after a line that
    took hold of it. What is said stands in `tutor.xlsx`, by category.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    Clicked,
    Envelope,
    HeadDirection,
    Message,
    PersonDetected,
    PersonLost,
    QuestionAnswered,
    QuestionAsked,
    SessionMark,
    SetGazePolicy,
    SpeechActivity,
    SpeechHeard,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)

from .lesson import Lesson, Turn
from .settings import TutorSettings
from .town import Leg, Town
from .voice import LONGEST_GESTURE_S, LONGEST_LINE_S, Said, Voice

STEP_S = 0.4
HINTS = ("hint:first", "hint:second", "hint:third")
CATEGORIES = (
    *("idle", "greeting", "introduction:aim", "introduction:turns", "introduction:compass"),
    *("ready", "start", "turn:yours", "turn:short", *HINTS, "praise:spoken", "praise:quiet"),
    *("wrong:spoken", "wrong:quiet", "encouragement", "help", "question", "unanswered"),
    *("disagreement", "joint", "out_of_turn", "robot_turn:announce", "robot_turn:play", "reveal"),
    *("time:nearly_over", "wrap_up:all", "wrap_up:some", "again", "farewell"),
)
"""Every category that the tutor calls for; the behaviour manager adds `backchannel` by itself."""


class TutorDecision(Module):
    """Leads through the game, and leaves silence for thinking."""

    class Settings(TutorSettings):
        """How talkative and how patient it is: see `settings.py`."""

    async def start(self) -> None:
        settings = self.settings
        town = Town.load((self.context.folder or Path()) / settings.town)
        town.language(settings.language)
        self._lesson = Lesson(town, settings.players, settings.language, settings.help_words)
        self._voice = Voice(self.publish)
        self._facts: deque[tuple[ActivityEvent, str]] = deque()
        self._news = asyncio.Event()
        self._reads_clue = False
        self._comments: list[bool] = []
        self._joint_left = settings.joint_at_most
        self._games = 0
        self._playing = False

    # -- the lesson -------------------------------------------------------------------------

    async def run(self) -> None:
        await self._free_gaze(None)
        await self._wait_for_players()
        while True:
            await self._open()
            finished, cause = await self._play()
            await self._close(finished, cause)

    async def _wait_for_players(self) -> None:
        here, waited_s = self._lesson.here, 0.0
        half_s = self.settings.waits_for_players_s / 2
        while not here or (len(here) < len(self.settings.players) and waited_s < 2 * half_s):
            if self._something_newer():
                return  # somebody began at the table already
            await self.clock.sleep(STEP_S)
            waited_s += STEP_S if here else 0.0
            if here and half_s <= waited_s < half_s + STEP_S:
                await self._say("idle")
        await self.clock.sleep(self.settings.settles_s)

    async def _open(self) -> None:
        self._games += 1
        self._joint_left = self.settings.joint_at_most
        if self._something_newer():
            return
        if self._games == 1:
            for category in ("greeting", "introduction:aim", "introduction:turns"):
                await self._say(category)
                await self.clock.sleep(self.settings.breath_s)
            await self._say("introduction:compass")
        else:
            await self._say("again")
        ready = await self._say("ready")
        await self._free_gaze(None)
        if ready.answered:
            await self.clock.sleep(1.2)  # the backchannel has its moment
        await self._say("start")
        await self._order("begin")

    async def _play(self) -> tuple[ActivityEvent, str]:
        """One game; returns how it ended."""
        self._playing = True
        while True:
            fact = await self._next_fact()
            if fact is None:
                await self._mind_the_quiet()
                continue
            event, cause = fact
            if event.event == "game_finished":
                self._playing = False
                return fact
            if self._overtaken():
                continue
            await self._react(event, cause)
            self._lesson.something_happened(self.clock.now())

    async def _react(self, event: ActivityEvent, cause: str) -> None:
        if event.event == "round_started":
            await self._hand_over(event, cause)
        elif event.event == "place_wrong":
            await self._console(event, cause)
        elif event.event == "round_over":
            await self._round_over(event, cause)
        elif event.event == "time_nearly_over":
            await self._say("time:nearly_over", cause)
        elif event.event == "out_of_turn":
            await self._say("out_of_turn", cause)
        elif event.event == "game_ready":  # the game was started anew
            await self._order("begin", cause)

    async def _close(self, finished: ActivityEvent, cause: str) -> None:
        lit, rounds = finished.data.get("lit", 0), finished.data.get("rounds", 0)
        self._lesson.turn = None
        await self.clock.sleep(self.settings.breath_s)
        told = {"lit": str(lit), "rounds": str(rounds)}
        await self._say("wrap_up:all" if lit == rounds else "wrap_up:some", cause, told)
        await self.publish(SessionMark(label="game_over"), cause=cause)
        if not finished.data.get("again", False):
            await self.clock.sleep(self.settings.breath_s)
            await self._say("farewell", cause)
        await self._free_gaze(cause)
        while True:  # until there is another game, if ever
            fact = await self._next_fact(None)
            if fact is not None and fact[0].event == "game_ready":
                return

    # -- moments of a round -----------------------------------------------------------------

    async def _hand_over(self, event: ActivityEvent, cause: str) -> None:
        data = event.data
        legs = tuple(
            Leg(str(leg[0]), int(str(leg[1])))
            for leg in _list(data.get("legs"))
            if isinstance(leg, list)
        )
        number, player = int(str(data.get("round", 0))), str(data.get("player"))
        turn = self._lesson.begin_turn(number, player, str(data.get("start")), legs)
        if turn.player == self.character:
            await self._own_turn(cause)
            return
        reads = turn.number <= self.settings.reads_clue_in_rounds
        self._reads_clue = True
        await self._say("turn:yours" if reads else "turn:short", cause)
        self._reads_clue = False
        await self._free_gaze(cause)

    async def _own_turn(self, cause: str) -> None:
        await self._say("robot_turn:announce", cause)
        await self.clock.sleep(1.5)
        said = await self._say("robot_turn:play", cause)  # the line itself plays: <GAME(play, …)>
        turn = self._lesson.turn
        if not said.said and turn is not None:
            await self.publish(
                ActivityCommand(command="play", data={"place": turn.answer}), cause=cause
            )

    async def _console(self, event: ActivityEvent, cause: str) -> None:
        turn = self._lesson.turn
        if turn is None or self._something_newer():
            return
        turn.tried = str(event.data.get("place"))
        left = int(str(event.data.get("tries_left", 0)))
        if left <= 0:
            return  # the answer is shown, which says enough
        if left == 1:
            await self._say("encouragement", cause)
            await self._ask("help", cause)
            return
        spoken = self._speaks_up(self.settings.comment_share)
        await self._say("wrong:spoken" if spoken else "wrong:quiet", cause)

    async def _round_over(self, event: ActivityEvent, cause: str) -> None:
        turn = self._lesson.turn
        if turn is None:  # the tutor came back in the middle of a round
            await self._order("next", cause)
            return
        own = turn.player == self.character
        if not event.data.get("found"):
            await self._say("reveal", cause)
        elif not own:
            spoken = self._speaks_up(self.settings.praise_share)
            await self._say("praise:spoken" if spoken else "praise:quiet", cause)
        every = self.settings.question_every
        if every and turn.number % every == 0 and not own:
            await self.clock.sleep(self.settings.breath_s)
            asked = await self._ask("question", cause)
            if asked.answered is False:
                await self._say("unanswered", cause)
        await self.clock.sleep(self.settings.breath_s)
        await self._order("next", cause)

    async def _mind_the_quiet(self) -> None:
        """Nothing happened just now: a disagreement, a shared look, or a hint that is due."""
        lesson, now_s, turn = self._lesson, self.clock.now(), self._lesson.turn
        if turn is None or turn.player == self.character or lesson.somebody_speaks(now_s):
            return
        argued = lesson.disagreement(now_s)
        shared = lesson.shared_place(now_s, self.settings.joint_after_s)
        if argued is not None:
            turn.settled = True
            words = [lesson.town.phrases(place, lesson.language).the for place in argued]
            await self._say("disagreement", extra={"the_one": words[0], "the_other": words[1]})
        elif shared is not None and self._joint_left > 0 and shared != turn.answer:
            self._joint_left -= 1
            the = lesson.town.phrases(shared, lesson.language).the
            await self._say("joint", extra={"seen": shared, "the_seen": the})
        elif now_s - lesson.quiet_since_s >= self._patience_s(turn):
            turn.wants_help_s = None
            await self._hint(turn.hints)
            turn.hints += 1
        else:
            return
        lesson.something_happened(self.clock.now())

    def _patience_s(self, turn: Turn) -> float:
        patience: tuple[float, ...] = self.settings.hint_after_s
        if turn.wants_help_s is not None and turn.hints < len(HINTS):
            return float(self.settings.help_after_s)
        return patience[min(turn.hints, len(patience) - 1)]

    async def _hint(self, given: int) -> None:
        if given < len(HINTS):
            await self._say(HINTS[given])
        else:
            await self._order("reveal")

    # -- small things -----------------------------------------------------------------------

    async def _next_fact(
        self, patience_s: float | None = STEP_S
    ) -> tuple[ActivityEvent, str] | None:
        """What happened next in the game; None where nothing did for a moment."""
        try:
            async with asyncio.timeout(patience_s):
                while not self._facts:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return None
        return self._facts.popleft()

    def _speaks_up(self, share: float) -> bool:
        """Whether to comment in words; never three times running, nor thrice not at all."""
        recent = self._comments[-2:]
        if len(recent) == 2 and recent[0] == recent[1]:
            spoken = not recent[0]
        else:
            spoken = self.random.random() < share
        self._comments = [*recent, spoken]
        return spoken

    def _something_newer(self) -> bool:
        return bool(self._facts)

    def _overtaken(self) -> bool:
        """Whether the game has gone on to another round while the robot spoke."""
        return any(event.event in ("round_started", "game_finished") for event, _ in self._facts)

    async def _say(
        self, category: str, cause: str | None = None, extra: dict[str, str] | None = None
    ) -> Said:
        tags = {**self._lesson.tags(), **(extra or {})}
        longest_s = LONGEST_GESTURE_S if category.endswith(":quiet") else LONGEST_LINE_S
        return await self._voice.say(category, tags, cause, longest_s)

    async def _ask(self, category: str, cause: str | None) -> Said:
        said = await self._say(category, cause)
        await self._free_gaze(cause)
        if said.answered:
            await self.clock.sleep(1.2)
        return said

    async def _order(self, command: str, cause: str | None = None) -> None:
        await self.publish(ActivityCommand(command=command), cause=cause)

    async def _free_gaze(self, cause: str | None) -> None:
        """Lines that look at somebody keep looking; from now on the policy decides again."""
        await self.publish(SetGazePolicy(policy=self.settings.gaze_policy), cause=cause)

    # -- what happens -----------------------------------------------------------------------

    @on(ActivityEvent)
    async def game(self, message: ActivityEvent, envelope: Envelope) -> None:
        if message.event in ("highlighted", "page_opened", "place_again", "game_started"):
            return
        if message.event == "game_ready" and not self._playing and self._games == 0:
            return
        if self._reads_clue and message.event in ("place_right", "place_wrong", "round_over"):
            await self._voice.break_off(envelope.id)  # nobody needs the clue any more
        self._facts.append((message, envelope.id))
        self._news.set()

    @on(UtteranceStarted, UtteranceFinished, UtteranceCancelled, QuestionAsked, QuestionAnswered)
    async def own_line(self, message: Message, envelope: Envelope) -> None:
        self._lesson.something_happened(self.clock.now())
        self._voice.heard(message, envelope.id)

    @on(PersonDetected)
    async def comes(self, message: PersonDetected) -> None:
        if message.person in self.settings.players:
            self._lesson.here.add(message.person)

    @on(PersonLost)
    async def leaves(self, message: PersonLost) -> None:
        self._lesson.here.discard(message.person)
        self._lesson.speech(message.person, False, self.clock.now())

    @on(HeadDirection)
    async def looks(self, message: HeadDirection) -> None:
        self._lesson.looked(message.person, message.looks_at, self.clock.now())

    @on(Clicked)
    async def touched(self, _message: Clicked) -> None:
        self._lesson.something_happened(self.clock.now())

    @on(SpeechActivity)
    async def speech(self, message: SpeechActivity) -> None:
        self._lesson.speech(message.person or "", message.speaking, self.clock.now())

    @on(SpeechHeard)
    async def hears(self, message: SpeechHeard) -> None:
        self._lesson.heard(message.person, message.text, self.clock.now())


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
