"""What pages say: checked against the rights of the page, signed, published, shown to the others.

Design overview
    frame → message → the desk's rights → published → the other pages of this gateway, which do not
    hear it over the bus, because a source on the bus never hears itself. Beside an operator's
    order stands what the operator had before the eyes (`OperatorDecided`).

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread; messages of one page are said one after another.

Safety
    Whatever is wrong is answered with a sentence. What was published is never unsaid because its
    record failed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from sera.messages import (
    WORLD,
    Action,
    ConditionAssigned,
    Envelope,
    HoldJoints,
    Message,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
    SuggestionResolved,
)
from sera.web._forms import Forms
from sera.web._frames import AnswerSheet, Send
from sera.web._operators import Operators
from sera.web._page import Page
from sera.web._ports import Kept, Publish
from sera.web._reading import Spoken, read_message
from sera.web._refused import Refused

STUDY_RECORDS: tuple[type[Message], ...] = (
    ConditionAssigned,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
)
"""What a page is told to have said only once it is on the disk."""
_NO_DECISION: tuple[type[Message], ...] = (HoldJoints,)
"""Sent many times a second while a hand moves a slider."""

log = logging.getLogger("sera.web")


def waits_for_disk(asked: Send | AnswerSheet) -> bool:
    """Whether a page says a study record, so that its answer may take as long as the disk does."""
    names = {record.__name__ for record in STUDY_RECORDS}
    return isinstance(asked, AnswerSheet) or asked.type in names


class Saying:
    """Publishes for the pages of one gateway."""

    def __init__(
        self,
        *,
        publish: Publish,
        now: Callable[[], float],
        source: str,
        characters: Callable[[], Sequence[str]],
        operators: Operators,
        forms: Forms,
        said: Callable[[Envelope, Page | None], None],
        report: Callable[[str], None],
        kept: Kept,
    ) -> None:
        """Make it.

        Args:
            publish: puts a message on the bus.
            now: the clock of the run, seconds.
            source: under which pages speak.
            characters: the characters of the run.
            operators: who may do what.
            forms: which forms were offered.
            said: told of everything that was published, and by which page.
            report: told in one sentence what could not be published.
            kept: waits until a study record is on the disk.
        """
        self._publish = publish
        self._now = now
        self._source = source
        self._characters = characters
        self._operators = operators
        self._forms = forms
        self._said = said
        self._report = report
        self._kept = kept

    async def say(self, page: Page, asked: Send | AnswerSheet) -> str | None:
        """Publish what a page says; its id, or None where the dial withheld it.

        With a study record it takes until that is on the disk: a tablet that hears of it forgets
        its answers.

        Raises:
            Refused: with the reason.
        """
        spoken = self._read(page, asked)
        message_id = await self._put(spoken.message, spoken.character, spoken.time_s)
        if message_id is None:
            return None
        envelope = self._envelope(spoken, message_id)
        log.debug("%s sent %s %s", page, envelope.type, message_id)
        if isinstance(spoken.message, STUDY_RECORDS):
            await self._kept(message_id)
        self._note_grip(page, envelope)
        self._said(envelope, page)
        await self._record_decision(page, envelope)
        return message_id

    async def tell(self, message: Message, character: str = WORLD) -> None:
        """Publish something of the gateway's own; where that fails it is reported."""
        spoken = Spoken(message, character, self._now())
        try:
            message_id = await self._put(message, character, spoken.time_s)
        except Refused:
            return
        if message_id is not None:
            self._said(self._envelope(spoken, message_id), None)

    def _note_grip(self, page: Page, envelope: Envelope) -> None:
        """Remember whose joints a page holds: they are let go when the page is gone."""
        if isinstance(envelope.message, HoldJoints):
            if envelope.message.joints_rad:
                page.grips[envelope.character] = None
            else:
                page.grips.pop(envelope.character, None)

    def _read(self, page: Page, asked: Send | AnswerSheet) -> Spoken:
        now_s = self._now()
        if isinstance(asked, AnswerSheet):
            if not page.rights.fills_forms:
                raise Refused(f"a {page.role} page fills in no forms; open the participant's page")
            return Spoken(self._forms.record(asked), WORLD, max(0.0, now_s - asked.age_s))
        spoken = read_message(asked, page, self._characters(), now_s)
        self._operators.check(page, spoken.message, spoken.character)
        return replace(spoken, message=self._operators.signed(page, spoken.message))

    async def _record_decision(self, page: Page, envelope: Envelope) -> None:
        message = envelope.message
        is_order = isinstance(message, Action) and message.channel is not None
        if page.operator is None or isinstance(message, _NO_DECISION):
            return
        if not is_order and not isinstance(message, SuggestionResolved):
            return
        decided = page.sight.decided(
            envelope, by=page.operator, restricted=page.restricted, now_s=self._now()
        )
        try:
            spoken = Spoken(decided, envelope.character, self._now())
            decided_id = await self._put(decided, envelope.character, spoken.time_s)
        except Refused:
            return  # reported already; the order itself was given
        if decided_id is not None:
            self._said(self._envelope(spoken, decided_id), None)

    async def _put(self, message: Message, character: str, time_s: float) -> str | None:
        try:
            return await self._publish(message, character=character, time_s=time_s)
        except Exception as error:
            self._report(f"{type(message).__name__} of a page was not published: {error}")
            raise Refused(f"it could not be published: {error}", offence=False) from error

    def _envelope(self, spoken: Spoken, message_id: str) -> Envelope:
        return Envelope(spoken.message, message_id, spoken.time_s, self._source, spoken.character)
