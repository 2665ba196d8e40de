"""Forms that participants fill in: which one is offered, and what becomes of the answers.

A participant's page never sends a message of its own. It hands in a sheet of answers; the gateway
says who answered, from what the study offered, and publishes the record.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from sera.messages import FormOffered, QuestionnaireAnswered
from sera.messages._explain import explain, hint, shown
from sera.web._frames import AnswerSheet
from sera.web._refused import Refused

CheckSheet = Callable[[QuestionnaireAnswered], list[str]]
"""What is wrong with a sheet by the form that it belongs to, one sentence each."""

_REMEMBERED = 256


class Forms:
    """The forms that this run has offered."""

    def __init__(self, check: CheckSheet = lambda _record: []) -> None:
        self._check = check
        self._offers: dict[tuple[str, str | None], FormOffered] = {}
        self._newest: FormOffered | None = None

    def hear(self, offer: FormOffered) -> None:
        """A form was offered, or none is any more."""
        if offer.participant is None:
            return
        self._newest = offer
        self._offers[offer.participant, offer.session] = offer
        while len(self._offers) > _REMEMBERED:
            del self._offers[next(iter(self._offers))]

    def record(self, sheet: AnswerSheet) -> QuestionnaireAnswered:
        """The record of a sheet, under the participant to whom a form was offered.

        A tablet that was without a connection may hand in its sheet when the session has gone on:
        it names the participant that it was for. Where no study offers forms, any name will do.

        Raises:
            Refused: nobody of that name was offered a form, or the answers are no answers.
        """
        participant, session = sheet.participant, sheet.session
        if participant is None and self._newest is not None:
            participant, session = self._newest.participant, self._newest.session
        if participant is None:
            raise Refused("the sheet names no participant, and no form was offered to anybody")
        if self._offers and (participant, session) not in self._offers:
            known = [name for name, _ in self._offers]
            raise Refused(
                f"no form was offered to {shown(participant)} in session {shown(session or '')}"
                f"{hint(participant, known)}"
            )
        fields = sheet.model_dump(exclude={"ref", "age_s", "participant", "session"})
        filled = {**fields, "participant": participant, "session": session}
        try:
            record = QuestionnaireAnswered.model_validate(filled)
        except ValidationError as error:
            raise Refused(explain(error, QuestionnaireAnswered, filled, "answers")) from None
        problems = self._check(record)
        if problems:
            raise Refused(f"the form does not take these answers: {'; '.join(problems[:3])}")
        return record
