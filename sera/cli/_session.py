"""One run from the command line: started, shown, stopped by signals, summed up."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from sera.cli._errors import FAILED, nobody_reads
from sera.cli._kernels import compile_kernels_once
from sera.cli._links import links_for_others, pages_of_scenario
from sera.cli._logs import is_sent_too, showing_logs
from sera.cli._signals import StopSignals
from sera.cli._story import Storyteller, style_of
from sera.cli._summary import print_summary, summary_as_json
from sera.cli._text import note, print_json
from sera.cli._views import LiveView, LogLines, PlainView, QuietView, View
from sera.messages import Envelope
from sera.runtime.clock import run as run_in_loop
from sera.runtime.launcher import Run, RunOptions, RunSummary
from sera.runtime.module import Module, Role
from sera.runtime.scenario import Scenario
from sera.runtime.workspace import Workspace

PAGES_WAIT_S = 10.0
LONGEST_VIRTUAL_S = 24 * 3600.0
"""A scenario that never ends is noticed in virtual time, where nobody looks at a clock."""


@dataclass(frozen=True)
class Wishes:
    """What the user wants to see."""

    clock: Literal["real", "virtual"] | float = "real"
    as_json: bool = False
    plain: bool = False
    story: bool | None = None
    verbose: bool = False
    open_browser: bool = False
    first_page: str = ""
    """Where in the console a browser begins, such as `#/watch`."""


class Session:
    """Runs a scenario once and returns the exit code."""

    def __init__(
        self, scenario: Scenario, workspace: Workspace, options: RunOptions, wishes: Wishes
    ) -> None:
        self._is_open_ended = wishes.clock == "virtual" and scenario.duration_s is None
        if self._is_open_ended:
            scenario = scenario.overridden(duration_s=LONGEST_VIRTUAL_S)
        self._scenario = scenario
        self._workspace = workspace
        self._options = options
        self._wishes = wishes
        self._view = self._choose_view()
        self._signal_code: int | None = None

    def run(self) -> int:
        """Run to the end and print what it came to."""
        if self._wishes.clock != "virtual":
            compile_kernels_once(self._scenario.plans)
        started_s = time.perf_counter()
        with self._logging():
            summary = run_in_loop(self._drive(), clock=self._wishes.clock)
        try:
            if self._wishes.as_json:
                print_json(summary_as_json(summary))
            else:
                print_summary(summary, time.perf_counter() - started_s)
        except OSError:  # the pipe or the terminal is closed; the log has it all
            nobody_reads()
        if self._signal_code is not None:
            return self._signal_code
        if self._is_open_ended and summary.duration_s >= LONGEST_VIRTUAL_S:
            note(
                "nothing ended this scenario within a virtual day: give it a duration_s, or the "
                "command line a --duration",
                "bold red",
            )
            return FAILED
        return FAILED if summary.failed else 0

    async def _drive(self) -> RunSummary:
        run = Run(self._scenario, self._workspace, self._with_log_folder())
        teller = Storyteller()
        view = self._view

        def show(envelope: Envelope) -> None:
            view.tick()
            sentence = teller.hear(envelope)
            if sentence is not None:
                view.say(sentence, style_of(envelope))

        def stop(why: str) -> None:
            view.stopping(why)
            run.stop(f"it was stopped with {why}")

        run.observe(show)
        tasks: list[asyncio.Task[None]] = []
        signals = StopSignals(stop, last_words=view.close)
        with signals:
            view.open(run)
            try:
                if not run.is_virtual:  # a timer of ours would keep virtual time from stalling
                    tasks.append(asyncio.create_task(view.follow(), name="live view"))
                    tasks.append(asyncio.create_task(self._show_pages(run), name="pages"))
                return await run.execute()
            finally:
                for task in tasks:
                    task.cancel()
                view.close()
                self._signal_code = signals.exit_code

    def _choose_view(self) -> View:
        wishes = self._wishes
        is_virtual = wishes.clock == "virtual"
        story = not is_virtual if wishes.story is None else wishes.story
        if wishes.as_json or not story:
            return QuietView(progress=is_virtual and sys.stderr.isatty())
        if wishes.plain or is_virtual or not sys.stdout.isatty() or _cannot_draw():
            return PlainView()
        return LiveView(speed=wishes.clock if isinstance(wishes.clock, float) else 1.0)

    def _with_log_folder(self) -> RunOptions:
        """In virtual time the run's id is always the same; the folder of its log must not be."""
        options = self._options
        recorded = options.record and self._scenario.recording.enabled
        if self._wishes.clock != "virtual" or options.log is not None or not recorded:
            return options
        from sera.recording import RunFolder

        name = f"{self._scenario.name}_virtual_{time.strftime('%Y%m%d_%H%M%S')}"
        folder = RunFolder.create(
            f"{name}_{secrets.token_hex(2)}",
            scenario=self._scenario.name,
            seed=self._scenario.seed,
            condition=self._scenario.condition,
            clock="virtual",
            robots=self._scenario.bodies,
        )
        return replace(options, log=folder.log_path)

    @contextmanager
    def _logging(self) -> Iterator[None]:
        """Show what modules and the framework log, in the way that fits the view."""
        level = logging.INFO if self._wishes.verbose else logging.WARNING
        handler: logging.Handler = LogLines(self._view, level)
        if isinstance(self._view, QuietView):
            handler = FaultlessStream(level)
        # What the broker warns of is reported as a fault, too.
        levels = {"sera": level, "sera.broker": level if self._wishes.verbose else logging.ERROR}
        with showing_logs(handler, levels):
            yield

    async def _show_pages(self, run: Run) -> None:
        """Say where the run's pages are, and open them where that is wanted."""
        await run.ready.wait()
        for module in run.modules:
            if module.role is not Role.GATEWAY:
                continue
            url = await address_of_pages(module)
            if url is None:
                continue
            self._view.say(f"console: {url}{self._wishes.first_page}", "bold cyan")
            own = pages_of_scenario(module)
            for page in own:
                self._view.say(f"page: {page}", "bold cyan")
            for sentence in links_for_others(module):
                self._view.say(sentence)
            if self._wishes.open_browser and has_screen():
                import webbrowser

                for page in [*own[:1], f"{url}{self._wishes.first_page}"]:
                    await asyncio.to_thread(webbrowser.open, page)


class FaultlessStream(logging.StreamHandler):  # type: ignore[type-arg]  # generic only for mypy
    """Standard error, without the faults: these are in the summary."""

    def __init__(self, level: int) -> None:
        super().__init__(sys.stderr)
        self.setLevel(level)
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    def filter(self, record: logging.LogRecord) -> bool:
        return not is_sent_too(record) and bool(super().filter(record))


async def address_of_pages(module: Module) -> str | None:
    """Where the run's pages are; None where they are not served in time."""
    deadline_s = time.monotonic() + PAGES_WAIT_S
    while time.monotonic() < deadline_s:
        server = getattr(module, "server", None)
        if server is not None:
            from sera.web import PageRole

            return str(server.url_for(PageRole.WIZARD, "/console/"))
        await asyncio.sleep(0.05)
    return None


def has_screen() -> bool:
    """Whether a browser would open in a window: in this terminal it would spoil the view."""
    if not sys.stdout.isatty():
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _cannot_draw() -> bool:
    return os.environ.get("TERM", "") == "dumb"
