"""The gateway module: pages in a browser take part in the run, each within its role."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, SecretStr

from sera import Module, on
from sera.bus import Subscription
from sera.console import Console
from sera.messages import WORLD, ActionExpired, Envelope, ExpiryReason, Message
from sera.runtime import watch_broker
from sera.runtime.live_runs import announce_pages, live_runs_folder, withdraw_pages
from sera.runtime.module import Role
from sera.runtime.workspace import Workspace, WorkspaceError
from sera.web import PERFORMED_BY_PAGES, Certificate, PageRole, own_certificate
from sera.web import Gateway as Engine

if TYPE_CHECKING:
    from sera.console._fillers import FillerCheck
    from sera.web import PageServer

PAGES_OF_MODULES = {"simulated_people": "/static/floor_plan.html"}
"""SERA's own pages, offered where the scenario has the module that they are for."""
CONSOLE_PATH = "/console/"


class Gateway(Module):
    """Serves pages (games, forms, the operator's console) and carries their messages."""

    role = Role.GATEWAY

    class Settings(Module.Settings):
        host: str = "127.0.0.1"
        """Address to listen on; anything but this machine alone makes tokens necessary."""
        port: int = Field(default=0, ge=0, le=65535)
        """Port to listen on; 0: a free one."""
        token: SecretStr | None = None
        """Secret of at least 16 characters from which the tokens of all roles are made; left
        out, one is made up where one is needed."""
        pages: Path | None = None
        """Folder with the scenario's pages; left out, `pages` beside the scenario file."""
        allowed_origins: list[str] = Field(default_factory=list)
        """Other sites whose pages may connect, such as `http://tablet.lab:8080`."""
        names: list[str] = Field(default_factory=list)
        """Further names under which browsers reach this machine."""
        tls: bool = False
        """Serve over TLS; with a certificate of its own where none is named."""
        tls_certificate: Path | None = None
        """File with the certificate (PEM), relative to the scenario's folder."""
        tls_key: Path | None = None
        """File with its key (PEM), relative to the scenario's folder."""
        restricted_perception: bool = False
        """Whether wizards see only what the robot perceives, no picture and no sound; every role
        then needs its token, on this machine too."""

    engine: Engine
    server: PageServer | None = None
    """None before `start`, and in virtual time, where there are no sockets."""
    _filler: FillerCheck | None = None

    async def start(self) -> None:
        # Not needed to check settings.
        from sera.console import LayoutLocks

        from ._study import problems_of_sheet, reveals_condition

        identity = self._host.identity
        self.engine = Engine(
            publish=self._say,
            subscribe=self._hear,
            now=self.clock.now,
            run=identity.run,
            boot=identity.boot,
            source=self.source,
            characters=self._characters,
            pages=lambda: [] if self.server is None else self.server.pages,
            report=lambda summary: self.fault(summary, warning=True),
            expired=self._expired,
            counters=self._host.counters,
            lock=LayoutLocks(self.context.folder),
            restricted=self.settings.restricted_perception,
            reveal_condition=reveals_condition(self.context.folder),
            check_sheet=partial(problems_of_sheet, self.context.folder),
            kept=self._kept,
        )
        await self.engine.open()
        if self.clock.kind == "virtual":
            self.log.info("no pages are served in virtual time")
        else:
            await self._serve()

    async def _serve(self) -> None:
        # These take a while, and checking settings does not need them.
        from sera.console import console_routes
        from sera.console._fillers import FillerCheck
        from sera.web import PageServer

        settings = self.settings
        scenario = self.context.scenario
        if scenario is not None:
            self._filler = FillerCheck(scenario.path, scenario.plans)
        console = self._console()
        server = PageServer(
            self.engine,
            host=settings.host,
            port=settings.port,
            token=self._secret(),
            pages_folder=self._pages_folder(),
            media_folder=None if self.context.folder is None else self.context.folder / "media",
            further_pages=self._further_pages(),
            further_routes=console_routes(console),
            allowed_origins=settings.allowed_origins,
            names=settings.names,
            certificate=await self._certificate(),
        )
        for begin in console.beginnings:
            await begin()
        await server.start()
        self.server = server
        self._report_layout()
        announce_pages(self._host.identity.run, server.url_for(PageRole.WIZARD, CONSOLE_PATH))
        roles = [PageRole.OBSERVER] if self.engine.tokens is None else list(PageRole)
        for role in roles:
            self.log.info("pages for %s: %s", role, server.url_for(role))

    async def run(self) -> None:
        if self.server is None:
            return
        watching = asyncio.create_task(
            watch_broker(self.bus, self.engine.lose_broker, lambda _: self.engine.find_broker())
        )
        try:
            await self._report_filler()
            await self.server.wait()
        finally:
            watching.cancel()

    async def stop(self) -> None:
        if self.server is not None:
            withdraw_pages(self._host.identity.run)
            await self.server.stop()
        else:
            await self.engine.close()

    @on(*PERFORMED_BY_PAGES)
    async def perform(self, _message: Message, envelope: Envelope) -> None:
        """Carry an Action to the pages that perform it, or report that none did."""
        self.engine.perform(envelope)

    def _report_layout(self) -> None:
        from sera.console._scenario_tables import characters_of
        from sera.console.layout import load_layout

        scenario = self.context.scenario
        known = self._characters() if scenario is None else characters_of(scenario.path)
        for problem in load_layout(self.context.folder, characters=known).problems:
            self.fault(str(problem), warning=True)

    async def _report_filler(self) -> None:
        """After the start, since sheets are read for it."""
        if self._filler is not None:
            problem = await self.blocking(self._filler.problem)
            if problem is not None:
                self.fault(str(problem), warning=True)

    def _pages_folder(self) -> Path | None:
        folder = self.context.folder
        chosen: Path | None = self.settings.pages
        if chosen is None:
            return None if folder is None else folder / "pages"
        placed = chosen if folder is None else folder / chosen
        if not placed.is_dir():
            raise FileNotFoundError(f"the gateway's setting `pages` names no folder: {placed}")
        return placed

    def _secret(self) -> str | None:
        if self.settings.token is not None:
            return str(self.settings.token.get_secret_value())
        # Without tokens a restricted wizard could simply say to be an observer.
        return secrets.token_urlsafe(32) if self.settings.restricted_perception else None

    async def _certificate(self) -> Certificate | None:
        settings = self.settings
        named = (settings.tls_certificate, settings.tls_key)
        if not settings.tls and named == (None, None):
            return None
        if None in named and named != (None, None):
            raise ValueError(
                "the gateway's settings tls_certificate and tls_key belong together: give both"
            )
        if named == (None, None):
            from sera.web._server import reachable_host

            hosts = [*settings.names, settings.host, reachable_host(settings.host), "localhost"]
            return await self.blocking(own_certificate, live_runs_folder() / "tls", hosts)
        base = self.context.folder or Path()
        found = Certificate(base / settings.tls_certificate, base / settings.tls_key)
        for file in (found.certificate, found.key):
            if not file.is_file():
                raise FileNotFoundError(f"the gateway's certificate is not there: {file}")
        return found

    def _console(self) -> Console:
        folder = self.context.folder
        try:
            workspace = Workspace.discover(folder)
        except WorkspaceError:  # a scenario somewhere else: no robots beside it
            workspace = None
        return Console(
            gateway=self.engine,
            now=self.clock.now,
            tell=self.publish,
            hear=self._hear,
            run=self._host.identity.run,
            scenario=self.context.scenario,
            workspace=workspace,
            folder=folder,
            restricted=self.settings.restricted_perception,
            address=self._address,
            filler=self._filler,
        )

    def _address(self, role: PageRole, path: str) -> str | None:
        return None if self.server is None else self.server.url_for(role, path)

    def _further_pages(self) -> list[str]:
        plans = () if self.context.scenario is None else self.context.scenario.plans
        used = {plan.implementation for plan in plans}
        return [page for module, page in PAGES_OF_MODULES.items() if module in used]

    def _characters(self) -> Sequence[str]:
        if self.context.scenario is not None:
            return list(self.context.scenario.characters)
        present = (source.partition(".")[0] for source in self._host.directory.all())
        return sorted({name for name in present if name != WORLD})

    async def _say(self, message: Message, *, character: str, time_s: float) -> str | None:
        if isinstance(message, PERFORMED_BY_PAGES) and not self._others_perform(message, character):
            # Only our own pages perform it: no receipt will come over the bus to wait for.
            envelope = self._host.bus.publish(message, character=character, time_s=time_s)
            return envelope.id
        return await self.publish(message, character=character, time_s=time_s)

    async def _kept(self, message_id: str) -> None:
        await self._host.delivery.answered(message_id, Role.RECORDER)

    async def _hear(
        self,
        types: Sequence[type[Message]] | None,
        deliver: Callable[[Envelope], None],
        *,
        characters: Sequence[str] | None,
    ) -> Subscription:
        return await self._host.bus.subscribe(
            types, deliver, characters=characters, everyone=characters is None
        )

    def _others_perform(self, message: Message, character: str) -> bool:
        return bool(self._host.directory.receivers_of(type(message).__name__, character))

    def _expired(self, envelope: Envelope, reason: ExpiryReason) -> None:
        if self._others_perform(envelope.message, envelope.character):
            return  # a module performs it; that no page did is no loss
        self._host.bus.publish(
            ActionExpired(
                action=envelope.id,
                action_type=envelope.type,
                sender=envelope.source,
                receiver=self.source,
                reason=reason,
                age_s=max(0.0, self.clock.now() - envelope.time),
            ),
            character=envelope.character,
            cause=envelope.id,
        )
