"""What the Study page and the participant's tablet ask: the plan, marks so far, and forms.

Design overview
    `study` is for operators: the plan of the study file as it stands, the marks of the session
    that were set before the page opened, and how many tablets are connected. `forms/<name>` is a
    form in one language. `forms/<name>/received` tells a tablet that was reloaded whether its
    sheet arrived, so that it is neither lost nor handed in twice.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread; files are read in another one.

Safety
    A participant is given the form that is offered now and no other; hypothesis and condition
    are given to nobody unless the study file reveals them. Bounded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering
from sera.messages import (
    Envelope,
    FormOffered,
    Message,
    QuestionnaireAnswered,
    SessionMark,
    SessionState,
)
from sera.study import (
    PLAN_FILE,
    QuestionnaireError,
    StudyError,
    StudyPlan,
    known_questionnaires,
    load_plan,
    study_form,
)
from sera.web import PageRole
from sera.web._roles import OPERATORS

MARKS_KEPT = 500
SHEETS_KEPT = 1000
OFFER_ARRIVES_S = 1.0
"""A tablet may hear of a form a moment before this room does."""
_LOOK_EVERY_S = 0.05


class StudyHeard:
    """What was said of the session since the run began."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._subscription: object = None
        self.offered: str | None = None
        self.state: dict[str, Any] | None = None
        """SessionState, for pages of which a part has heard it already."""
        self.form: dict[str, Any] | None = None
        self.marks: deque[dict[str, Any]] = deque(maxlen=MARKS_KEPT)
        self._sheets: deque[tuple[str | None, str, float | None]] = deque(maxlen=SHEETS_KEPT)

    async def begin(self) -> None:
        """Listen from now on, to the run and to what this gateway's own pages say."""
        wanted: list[type[Message]] = [SessionState, FormOffered, SessionMark]
        wanted.append(QuestionnaireAnswered)
        self._subscription = await self._console.hear(wanted, self.take, characters=None)
        self._console.gateway.hearers.append(self.take)

    def take(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, FormOffered):
            self.offered = message.questionnaire
            self.form = message.model_dump(mode="json")
        elif isinstance(message, SessionState):
            self.state = message.model_dump(mode="json")
        elif isinstance(message, QuestionnaireAnswered):
            self._sheets.append((message.session, message.questionnaire, message.duration_s))
        elif isinstance(message, SessionMark) and not self._is_known(envelope.id):
            told = message.model_dump(mode="json")
            self.marks.append(told | {"id": envelope.id, "time": envelope.time})

    def received(self, session: str | None, form: str, duration_s: float) -> bool:
        """Whether a sheet arrived; how long a form took, to the millisecond, tells sheets apart."""
        return any(
            kept[:2] == (session, form)
            and kept[2] is not None
            and abs(kept[2] - duration_s) < 0.0005
            for kept in self._sheets
        )

    def whose(self, form: str) -> str | None:
        """Whom the form is offered to: the order of its items is that person's."""
        if self.form is None or self.offered != form:
            return None
        return self.form.get("participant") or self.form.get("session")

    def _is_known(self, message_id: str) -> bool:
        return any(mark["id"] == message_id for mark in self.marks)


def routes(console: Console) -> list[BaseRoute]:
    """`GET study`, `GET study/tablets`, `GET forms/<name>` and `GET forms/<name>/received`."""
    heard = StudyHeard(console)
    console.beginnings.append(heard.begin)

    @answering(console)
    async def study(_request: Request, _visitor: Visitor) -> Response:
        told = await asyncio.to_thread(_plan_told, console)
        told |= {"state": heard.state, "form": heard.form, "set_marks": list(heard.marks)}
        return JSONResponse(told)

    @answering(console)
    async def tablets(_request: Request, _visitor: Visitor) -> Response:
        pages = console.gateway.pages
        count = sum(page.role is PageRole.PARTICIPANT for page in pages)
        return JSONResponse({"tablets": count})

    @answering(console, *OPERATORS, PageRole.PARTICIPANT)
    async def form(request: Request, visitor: Visitor) -> Response:
        name = request.path_params["name"]
        if visitor.role is PageRole.PARTICIPANT and not await _is_offered(heard, name):
            raise Denied(403, "this form is not offered now: wait until it appears by itself")
        language = request.query_params.get("language")
        told = await asyncio.to_thread(_form_told, console, name, language, heard.whose(name))
        return JSONResponse(told)

    @answering(console, PageRole.PARTICIPANT)
    async def received(request: Request, _visitor: Visitor) -> Response:
        asked = request.query_params
        try:
            duration_s = float(asked.get("duration_s", ""))
        except ValueError:
            raise Denied(400, "`duration_s` is no number") from None
        name = request.path_params["name"]
        there = heard.received(asked.get("session") or None, name, duration_s)
        return JSONResponse({"received": there})

    return [
        Route("/console/api/study", study),
        Route("/console/api/study/tablets", tablets),
        Route("/console/api/forms/{name}", form),
        Route("/console/api/forms/{name}/received", received),
    ]


async def _is_offered(heard: StudyHeard, name: str) -> bool:
    for _ in range(round(OFFER_ARRIVES_S / _LOOK_EVERY_S)):
        if heard.offered == name:
            return True
        await asyncio.sleep(_LOOK_EVERY_S)
    return heard.offered == name


def _form_told(
    console: Console, name: str, language: str | None, participant: str | None
) -> dict[str, Any]:
    """A form as the study uses it, in the order of a participant."""
    path = _plan_path(console)
    try:
        plan = load_plan(path) if path is not None and path.is_file() else None
    except StudyError:  # the Study page says so; a form is shown as its own file has it
        plan = None
    try:
        return study_form(name, console.folder, plan).shown(name, language, participant)
    except LookupError as error:
        raise Denied(404, str(error.args[0])) from None
    except (QuestionnaireError, ValueError) as error:
        raise Denied(422, str(error)) from None


def _plan_told(console: Console) -> dict[str, Any]:
    """The study file for operators: without what it does not reveal."""
    path = _plan_path(console)
    told: dict[str, Any] = {"file": PLAN_FILE, "plan": None, "problems": [], "guided": False}
    if console.scenario is not None:
        told["guided"] = any(
            plan.implementation == "study_guide" for plan in console.scenario.plans
        )
    if path is None or not path.is_file():
        return told
    told["file"] = path.name
    try:
        plan = load_plan(path)
    except StudyError as error:
        return told | {"problems": [problem.for_pages for problem in error.problems]}
    return told | {"plan": _told(plan), "problems": _wrong_forms(plan, console.folder)}


def _told(plan: StudyPlan) -> dict[str, Any]:
    shown = plan.model_dump(mode="json")
    if "hypothesis" not in plan.study.reveal:
        del shown["study"]["hypothesis"]
    return shown


def _wrong_forms(plan: StudyPlan, folder: Path | None) -> list[str]:
    """Forms that are not there, or cannot be used as the study wants."""
    known = known_questionnaires(folder)
    told = []
    for _, step in plan.steps():
        if step.form is not None and step.form not in known:
            told.append(f"step '{step.name}': there is no questionnaire '{step.form}'")
        elif step.form is not None:
            try:
                study_form(step.form, folder, plan)
            except QuestionnaireError as error:
                told += [f"step '{step.name}': {one.for_pages}" for one in error.problems]
            except ValueError as error:
                told.append(f"step '{step.name}': {error}")
    return told


def _plan_path(console: Console) -> Path | None:
    if console.folder is None:
        return None
    chosen = Path(PLAN_FILE)
    for plan in () if console.scenario is None else console.scenario.plans:
        if plan.implementation == "study_guide":
            chosen = getattr(plan.settings, "plan", chosen)
    return console.folder / chosen
