"""What the page Lines asks: which sheets there are, what is wrong in one, a copy, a template."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering
from sera.console.workbooks._label import copy_name, ending_of, label_of
from sera.console.workbooks._sheets import sheets_in
from sera.console.workbooks._work import UPLOAD_BYTES, Bench
from sera.runtime.located import nearest_name

TEMPLATE_NAME = "lines.xlsx"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def routes(console: Console) -> list[BaseRoute]:
    """`lines/sheets`, `lines/template`, `lines/check` and `lines/commented`."""
    desk = _Desk(console)

    @answering(console)
    async def sheets(_request: Request, _visitor: Visitor) -> Response:
        return JSONResponse({"sheets": await asyncio.to_thread(desk.sheets)})

    @answering(console)
    async def template(request: Request, _visitor: Visitor) -> Response:
        return await desk.make(request, "template", TEMPLATE_NAME, _XLSX)

    @answering(console)
    async def checked(request: Request, _visitor: Visitor) -> Response:
        return await desk.make(request, "check", None, "application/json")

    @answering(console)
    async def commented(request: Request, _visitor: Visitor) -> Response:
        label = request.query_params.get("sheet") or request.query_params.get("name")
        return await desk.make(request, "comment", copy_name(label_of(label)), _XLSX)

    api = "/console/api/lines"
    return [
        Route(f"{api}/sheets", sheets),
        Route(f"{api}/template", template),
        Route(f"{api}/check", checked, methods=["GET", "POST"]),
        Route(f"{api}/commented", commented, methods=["POST"]),
    ]


class _Desk:
    """Takes a file in, has the work done, and hands out what was made."""

    def __init__(self, console: Console) -> None:
        self._scenario = console.scenario
        self._bench = Bench()

    def sheets(self) -> list[dict[str, Any]]:
        """The sheets that characters speak from."""
        if self._scenario is None:
            return []
        try:
            with self._scenario.path.open("rb") as stream:
                tables = tomllib.load(stream)
        except (OSError, ValueError):  # somebody is writing it just now
            return []
        return [
            {"character": character, "name": name, "exists": self._place(name).is_file()}
            for character, name in sheets_in(tables)
        ]

    async def make(self, request: Request, do: str, name: str | None, kind: str) -> Response:
        """Answer with the file that the child makes."""
        folder = Path(tempfile.mkdtemp(prefix="sera-lines-"))
        try:
            task = {"do": do, "out": str(folder / "made.xlsx"), **self._about(request)}
            if do != "template":
                task |= await self._given(request, folder)
            await self._bench.do(task)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return FileResponse(
            folder / "made.xlsx",
            media_type=kind,
            filename=name,
            background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
        )

    def _about(self, request: Request) -> dict[str, Any]:
        """The scenario and the body for which lines are checked."""
        scenario = self._scenario
        if scenario is None:
            return {}
        character = request.query_params.get("character") or None
        if character is not None and character not in scenario.characters:
            near = nearest_name(character[:80], scenario.characters)
            hint = f"; did you mean '{near}'?" if near else ""
            raise Denied(404, f"the run has no character '{character[:80]}'{hint}")
        return {
            "scenario": str(scenario.path),
            "condition": scenario.condition,
            "character": character,
        }

    async def _given(self, request: Request, folder: Path) -> dict[str, Any]:
        """The sheet of the scenario that is named, else the file that comes with the request."""
        named = request.query_params.get("sheet")
        if named is not None:
            return {"file": str(await asyncio.to_thread(self._known, named)), "label": named}
        if request.method != "POST":
            raise Denied(400, "name a sheet of the scenario, or send a file")
        label = label_of(request.query_params.get("name"))
        file = folder / f"given-{folder.name}{ending_of(label)}"
        await _receive(request, file)
        return {"file": str(file), "label": label}

    def _known(self, named: str) -> Path:
        names = [sheet["name"] for sheet in self.sheets()]
        if named not in names:
            near = nearest_name(named[:80], names)
            hint = f"; did you mean '{near}'?" if near else ""
            raise Denied(404, f"no character of this scenario uses a sheet '{named[:80]}'{hint}")
        place = self._place(named)
        if not place.is_file():
            raise Denied(404, f"the scenario names {named}, but there is no such file beside it")
        return place

    def _place(self, name: str) -> Path:
        assert self._scenario is not None
        return self._scenario.folder / name


async def _receive(request: Request, file: Path) -> None:
    """Write what is sent into a file, piece by piece."""
    too_large = Denied(
        413,
        f"the file is larger than {UPLOAD_BYTES // 1_000_000} MB; take pictures out of it, "
        "or copy the lines alone into a new workbook",
    )
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > UPLOAD_BYTES:
        raise too_large
    size = 0
    with file.open("xb") as stream:
        async for piece in request.stream():
            size += len(piece)
            if size > UPLOAD_BYTES:
                raise too_large
            stream.write(piece)
    if not size:
        raise Denied(400, "no file came with the request")
