"""The dialogue: decides what the character says by a sheet of states, with no code of its own.

Design overview
    `sera.behaviour.dialogue` reads the sheet and knows in which state the dialogue is. This module
    hears the messages that the sheet names, has lines said with PerformUtterance, and tells every
    step with DialogueMoved. Everything that happens passes one queue, so that it happens in order.

Units and frames
    Seconds of the run's clock.

Threading
    The event loop's thread; the sheet is read in a thread.

Safety
    It only orders lines; voice and body obey a stop by themselves. A line whose end is never told
    is given up after a while, so that the dialogue cannot hang.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sera import Module, on
from sera.behaviour.dialogue import (
    DialogueMachine,
    Ended,
    Moved,
    Order,
    Say,
    Script,
    Trouble,
)
from sera.behaviour.findings import Finding
from sera.messages import (
    ActionExpired,
    ConditionAssigned,
    DialogueMoved,
    Envelope,
    Message,
    ModulePresence,
    PerformUtterance,
    PresenceStatus,
    SuggestionOutcome,
    SuggestionResolved,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.runtime import Role

from ._sheet import MOST_TOLD, DialogueSheet

LINE_TAKES_AT_MOST_S = 30.0
"""Beyond the time that its letters take; a line may wait for the floor."""
LETTERS_PER_S = 8.0
WITHOUT_PERFORMER_S = 3.0
"""An order that nobody receives is void after two seconds."""
RESTARTS_AFTER_S = 0.5
LOOK_AT_SHEET_EVERY_S = 0.5
MOST_WAITING = 256


@dataclass(slots=True)
class _Line:
    """A line that was ordered and is not over."""

    order: str
    """Id of its PerformUtterance, or of the Suggestion that stands for it."""
    until_s: float
    is_silent: bool = False
    """Whether the autonomy dial withheld it: the operator speaks, the dialogue only follows."""
    adopts_next: bool = False
    """Whether the next utterance that begins is this one: an accepted suggestion has a new id."""


class Dialogue(Module):
    """Plays a dialogue sheet as the character's decision maker."""

    role = Role.DECISION

    class Settings(Module.Settings):
        """Which sheet, in which language and style."""

        sheet: str
        """File beside the scenario: .xlsx, .ods or .csv."""
        language: str | None = None
        """Language of the lines where the sheet has several."""
        style: str | None = None
        """Rows of this style are preferred, then those without any."""
        at_end: Literal["end_run", "restart", "stay"] = "end_run"
        """When the dialogue is over: end the run, begin again, or say no more."""
        tag_sign: str = "/"
        """The sign around tags: `/name/` or `|name|`."""

    async def start(self) -> None:
        folder, settings = self.context.folder, self.settings
        file = (folder or Path()) / settings.sheet
        self._sheet = await self.blocking(DialogueSheet, file, folder, settings.tag_sign)
        script = await self.blocking(self._sheet.read)
        self._report(self._sheet.findings)
        self._language = settings.language or self._own_language()
        self._warn_of_language(script)
        self._machine = DialogueMachine(
            script,
            random=self.random,
            language=self._language,
            style=settings.style,
            syntax=self._sheet.syntax,
        )
        self._in_study = False
        self._heard_of: set[type[Message]] = set(type(self).handlers)
        self._line: _Line | None = None
        self._performers: set[str] = set()
        self._starts_at_s: float | None = self.clock.now()
        self._happened: asyncio.Queue[Envelope | Script] = asyncio.Queue()
        await self._listen_for(script)

    def _own_language(self) -> str | None:
        scenario = self.context.scenario
        who = None if scenario is None else scenario.characters.get(self.character)
        return None if who is None else who.language

    async def _listen_for(self, script: Script) -> None:
        """Hear the messages that the script waits for."""
        self._awaited = {kind.__name__ for kind in script.hears}
        wanted = [kind for kind in script.hears if kind not in self._heard_of]
        if wanted:
            self._heard_of.update(wanted)
            await self.bus.subscribe(wanted, self._hear)

    async def _follow_sheet(self) -> None:
        """Go on with what was saved; in a study it waits for the next session."""
        while self.clock.kind != "virtual":
            await self.clock.sleep(LOOK_AT_SHEET_EVERY_S)
            now_s = self.clock.now()
            saved = await self.blocking(self._sheet.look, now_s, hold=self._in_study)
            if saved is None:
                continue
            self._report(saved.findings)
            if saved.script is None:
                self.fault(
                    "the saved dialogue cannot be used; the one before goes on", warning=True
                )
                continue
            await self._listen_for(saved.script)
            self._happened.put_nowait(saved.script)

    @on(ConditionAssigned)
    async def begin_session(self, _message: ConditionAssigned) -> None:
        self._in_study = True

    def _report(self, findings: tuple[Finding, ...]) -> None:
        file = self._sheet.file.name
        for finding in findings[:MOST_TOLD]:
            self.fault(f"{file}: {finding}", warning=True)
        if len(findings) > MOST_TOLD:
            more = len(findings) - MOST_TOLD
            self.fault(f"{file}: {more} more; `sera dialogue lint` shows all", warning=True)

    def _warn_of_language(self, script: Script) -> None:
        language, known = self._language, script.languages
        if language is None or not known:
            return
        if not any(row.text_in(language) for row in script.all_rows if row.texts):
            sentence = (
                f"{self._sheet.file.name} has no text in '{language}', only in {', '.join(known)}"
            )
            self.fault(f"{sentence}; correct `language`, or translate the sheet", warning=True)

    # -- what happens -----------------------------------------------------------------------

    def _hear(self, envelope: Envelope) -> None:
        """A message that the sheet waits for; its own steps are none of them."""
        if envelope.source != self.source and self._happened.qsize() < MOST_WAITING:
            self._happened.put_nowait(envelope)

    @on(UtteranceStarted, UtteranceFinished, UtteranceCancelled, ActionExpired, SuggestionResolved)
    async def follow_line(self, _message: Message, envelope: Envelope) -> None:
        self._happened.put_nowait(envelope)

    @on(ModulePresence)
    async def know_performers(self, message: ModulePresence, envelope: Envelope) -> None:
        present = message.status in (PresenceStatus.STARTING, PresenceStatus.PRESENT)
        if present and PerformUtterance.__name__ in message.handles:
            self._performers.add(envelope.source)
        else:
            self._performers.discard(envelope.source)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as work:
            work.create_task(self._follow_sheet())
            work.create_task(self._play())

    async def _play(self) -> None:
        while True:
            happened = await self._next()
            now_s = self.clock.now()
            if isinstance(happened, Script):
                await self._carry_out(self._machine.exchange(happened, now_s))
            elif happened is not None:
                await self._take(happened, now_s)
            elif self._starts_at_s is not None:
                self._starts_at_s = None
                await self._carry_out(self._machine.start(now_s))
            elif self._line is not None:
                if not self._line.is_silent:
                    missing = "nobody says the lines: is there a behaviour_manager?"
                    waited = "nobody told that the line is over; the dialogue goes on"
                    self.fault(waited if self._performers else missing, warning=True)
                await self._line_is_over(now_s)
            else:
                await self._carry_out(self._machine.tick(now_s))

    async def _next(self) -> Envelope | Script | None:
        """The next thing that happens, None where a time-out comes first."""
        if self._starts_at_s is not None:  # what comes meanwhile waits for the first state
            await self.clock.sleep(max(0.0, self._starts_at_s - self.clock.now()))
            return None
        due_s = self._machine.next_due_s if self._line is None else self._line.until_s
        if due_s is None or not self._happened.empty():
            return await self._happened.get()
        if due_s <= self.clock.now():
            return None
        try:
            async with asyncio.timeout(due_s - self.clock.now()):
                return await self._happened.get()
        except TimeoutError:
            return None

    async def _take(self, envelope: Envelope, now_s: float) -> None:
        message, line = envelope.message, self._line
        if line is not None and self._ends(line, envelope):
            await self._line_is_over(now_s)
        elif envelope.type in self._awaited:
            orders = self._machine.hear(message, now_s, envelope.id)
            await self._carry_out(orders)

    def _ends(self, line: _Line, envelope: Envelope) -> bool:
        """Whether this tells that the line is over, said or not."""
        message = envelope.message
        if isinstance(message, UtteranceFinished | UtteranceCancelled):
            return message.utterance == line.order
        if isinstance(message, ActionExpired):
            if message.action != line.order:
                return False
            self.fault("a line was not said in time; the dialogue goes on", warning=True)
            return True
        if isinstance(message, UtteranceStarted):
            if line.adopts_next:
                line.order, line.adopts_next = message.utterance, False
            if message.utterance == line.order:
                line.until_s = self.clock.now() + _longest_s(message.text)
            return False
        if isinstance(message, SuggestionResolved) and message.suggestion == line.order:
            line.adopts_next = message.outcome is SuggestionOutcome.ACCEPTED
            return not line.adopts_next
        return False

    async def _line_is_over(self, now_s: float) -> None:
        self._line = None
        await self._carry_out(self._machine.said(now_s))

    # -- what is done -----------------------------------------------------------------------

    async def _carry_out(self, orders: list[Order]) -> None:
        for order in orders:
            if isinstance(order, Say):
                await self._say(order)
            elif isinstance(order, Moved):
                await self._tell(order)
            elif isinstance(order, Trouble):
                self.fault(order.sentence, warning=True)
            elif isinstance(order, Ended):
                await self._finish(order)

    async def _say(self, order: Say) -> None:
        wanted = PerformUtterance(
            text=order.text,
            tags={tag: value for tag, value in order.tags.items() if tag in order.personal},
            words={tag: value for tag, value in order.tags.items() if tag not in order.personal},
            language=self._language,
        )
        sent = await self.publish(wanted, cause=order.cause)
        now_s = self.clock.now()
        if sent is None:
            self._line = _Line("", now_s, is_silent=True)
            return
        lasts_s = _longest_s(order.text) if self._performers else WITHOUT_PERFORMER_S
        self._line = _Line(sent, now_s + lasts_s)

    async def _tell(self, order: Moved) -> None:
        row = order.row
        await self.publish(
            DialogueMoved(
                previous=order.previous,
                state=order.state,
                meaning=None if row is None else row.meaning or None,
                style=None if row is None else row.style or None,
                because=order.because or None,
                place=None if row is None else str(row.origin),
            ),
            cause=order.cause,
        )

    async def _finish(self, order: Ended) -> None:
        if self.settings.at_end == "end_run":
            await self.end_run(f"the dialogue is over: {order.state}")
        elif self.settings.at_end == "restart":
            self._starts_at_s = self.clock.now() + RESTARTS_AFTER_S


def _longest_s(text: str) -> float:
    return LINE_TAKES_AT_MOST_S + len(text) / LETTERS_PER_S


__all__ = ["Dialogue"]
