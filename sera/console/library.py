"""The lines that a character can say, for pages, and what becomes of one on its body.

    GET  /console/api/library?character=ada            every line, with how often it was said
    POST /console/api/library/preview?character=ada    what would be said and done for an order

Design overview: `Shelf` is what the sheets, the markup's files and the body say; it is read again
when one of them changes, and a save that cannot be used leaves the lines before it standing, as it
does in the behaviour manager.
Threading: files are read in a thread.
Safety: only the files that the scenario names are read, whatever a page asks for.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.behaviour.abilities import abilities_of
from sera.behaviour.library import Library, Line, lint_library, read_libraries
from sera.behaviour.markup import (
    BUILT_IN_VERBS,
    Abilities,
    MarkupSyntax,
    TagDelimiters,
    Vocabulary,
    lint_text,
    parse,
)
from sera.behaviour.own_files import VERBS, own_files, verbs_of
from sera.console._cast import Cast, cast_of, sentences_of
from sera.console._console import Console
from sera.console._heard import Heard, listen
from sera.console._kept import Kept
from sera.console._preview import preview_of
from sera.console._visitor import Denied, Visitor, answering
from sera.messages import UtteranceStarted
from sera.runtime.located import FileProblem, FileProblems

MOST_ASKED_BYTES = 64 * 1024
MOST_PROBLEMS = 200
EMPTY: dict[str, Any] = {
    "library": "none",
    "files": [],
    "categories": [],
    "lines": [],
    "uses": {},
    "problems": [],
}
"""The answer where nobody says lines."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Everything that a character can say, and how lines are read."""

    library: Library
    files: tuple[str, ...]
    syntax: MarkupSyntax
    abilities: Abilities
    told: dict[str, Any]
    """The answer to a page, without the counts."""


class Asked(BaseModel):
    """What a page wants to know the effect of."""

    model_config = ConfigDict(extra="forbid")

    line: str | None = Field(default=None, max_length=1000)
    text: str | None = Field(default=None, max_length=20_000)
    tags: dict[str, str] = Field(default_factory=dict)
    words: dict[str, str] = Field(default_factory=dict)
    language: str | None = Field(default=None, max_length=100)


def routes(console: Console) -> list[BaseRoute]:
    """`GET library` and `POST library/preview` below `/console/api/`."""
    heard = Heard()
    listen(console, heard, [UtteranceStarted])
    shelves = shelves_of(console)

    @answering(console)
    async def library(request: Request, _visitor: Visitor) -> Response:
        cast = cast_of(console, request)
        if cast is None:
            return JSONResponse(EMPTY)
        shelf = await shelves.of(cast)
        return JSONResponse(shelf.told | {"uses": dict(heard.uses[cast.name])})

    @answering(console)
    async def preview(request: Request, _visitor: Visitor) -> Response:
        cast = cast_of(console, request)
        if cast is None:
            raise Denied(404, "nobody says lines in this run")
        asked = await _asked(request)
        shelf = await shelves.of(cast)
        told = await asyncio.to_thread(
            preview_of, shelf.library, shelf.syntax, shelf.abilities, asked, cast.language
        )
        if isinstance(told, str):
            raise Denied(404, told)
        return JSONResponse(told)

    return [
        Route("/console/api/library", library),
        Route("/console/api/library/preview", preview, methods=["POST"]),
    ]


async def _asked(request: Request) -> Asked:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_ASKED_BYTES:
            raise Denied(413, f"the question is larger than {MOST_ASKED_BYTES // 1024} kB")
    try:
        asked = Asked.model_validate_json(bytes(body))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part)[:60] for part in first["loc"])
        raise Denied(400, f"{place + ': ' if place else ''}{first['msg']}") from None
    if (asked.line is None) == (asked.text is None):
        raise Denied(400, "ask for one of `line` (the id of a line) and `text`")
    return asked


class Shelves:
    """The shelf of each character, read when it is first asked for."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept[Shelf]] = {}

    async def of(self, cast: Cast) -> Shelf:
        """What the files say now."""
        if cast.name not in self._kept:
            self._kept[cast.name] = Kept(lambda: _files(cast), lambda before: _read(cast, before))
        return await self._kept[cast.name].get()


def shelves_of(console: Console) -> Shelves:
    """The shelves of a console: the same for every part, so that sheets are read once."""
    for kept in console.tasks:
        if isinstance(kept, Shelves):
            return kept
    shelves = Shelves()
    console.tasks.add(shelves)
    return shelves


def _sheets(cast: Cast) -> list[Path]:
    return [cast.folder / str(name) for name in cast.setting("libraries", ())]


def _files(cast: Cast) -> list[Path]:
    more = [] if cast.robot is None else [cast.robot / "body.toml"]
    return [*_sheets(cast), *own_files(cast.folder, VERBS), *more]


def _read(cast: Cast, before: Shelf | None) -> Shelf:
    problems: list[str] = []
    syntax = _syntax(cast, problems)
    try:
        abilities = abilities_of(cast.robot, cast.folder)
    except (FileProblem, FileProblems, OSError) as problem:
        problems += sentences_of(problem)
        abilities = abilities_of(None, cast.folder)
    sheets = _sheets(cast)
    library = Library("none")
    if sheets:
        reading = read_libraries(sheets)
        library = reading.library
        names = Vocabulary(
            animations=abilities.animations, faces=abilities.faces, sounds=abilities.sounds
        )
        found = lint_library(library, lambda text: lint_text(text, names, syntax))
        findings = [str(each) for each in (*reading.findings, *found)]
        if not reading.usable and before is not None and len(before.library):
            library = before.library
            findings.insert(0, "a saved sheet cannot be used; the lines before it go on")
        problems += findings
    if len(problems) > MOST_PROBLEMS:
        further = len(problems) - MOST_PROBLEMS
        problems = [*problems[:MOST_PROBLEMS], f"and {further} more; sera utterances lint has all"]
    files = tuple(sheet.name for sheet in sheets)
    told = {
        "library": library.name,
        "files": list(files),
        "categories": _categories(library),
        "lines": [_told_line(line, cast.language, syntax) for line in library.lines],
        "problems": problems,
    }
    return Shelf(library, files, syntax, abilities, told)


def _syntax(cast: Cast, problems: list[str]) -> MarkupSyntax:
    sign = cast.setting("tag_sign", "/")
    verbs = BUILT_IN_VERBS
    try:
        verbs = verbs_of(cast.folder)
    except (FileProblem, FileProblems) as problem:
        problems += sentences_of(problem)
    try:
        return MarkupSyntax(verbs=verbs, delimiters=TagDelimiters(sign, sign))
    except ValueError as error:
        problems.append(str(error))
        return MarkupSyntax(verbs=verbs)


def _categories(library: Library) -> list[dict[str, Any]]:
    """Categories in the order of the sheet; one that is written in two ways is one."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for line in library.lines:
        if not line.category:
            continue
        name = line.category[0]
        _, below = found.setdefault(name.casefold(), (name, {}))
        if len(line.category) > 1:
            subcategory = ":".join(line.category[1:])
            below.setdefault(subcategory.casefold(), subcategory)
    return [{"name": name, "subcategories": list(below.values())} for name, below in found.values()]


def _told_line(line: Line, language: str | None, syntax: MarkupSyntax) -> dict[str, Any]:
    text = line.text_in(language) or line.text_in() or ""
    parsed = parse(text, syntax)
    return {
        "id": line.id,
        "category": line.category[0] if line.category else "",
        "subcategory": ":".join(line.category[1:]),
        "text": text,
        "shown": parsed.text,
        "question": line.question,
        "language": next((tag for tag, words in line.texts.items() if words == text), ""),
        "tags": list(parsed.tags),
        "repetitions": line.repetitions.value,
        "metadata": dict(line.metadata),
        "place": str(line.origin),
    }
