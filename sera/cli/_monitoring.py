"""What `sera monitor` does: payloads in, lines out.

The payloads are shown as they are, so that messages which this installation does not know, and
payloads that are no messages at all, can be seen too.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from sera.bus import BrokerAddress, Listener, Topic
from sera.cli._errors import CommandError
from sera.cli._finding import ALL_RUNS, find_broker, find_run
from sera.cli._monitor import EVERY_RUN
from sera.cli._signals import StopSignals
from sera.cli._text import clean, note
from sera.messages import Kind, RunEnding, message_types
from sera.runtime.live_runs import list_live_runs

AFTER_THE_END_S = 1.0
_STYLES = {
    Kind.PERCEPTION: "cyan",
    Kind.ACTION: "bold magenta",
    Kind.EVENT: "bold",
    Kind.STATE: "blue",
}


@dataclass(frozen=True)
class MonitorWish:
    """What to show."""

    types: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()
    character: str | None = None
    sources: tuple[str, ...] = ()
    count: int | None = None
    as_json: bool = False

    def fits(self, topic: Topic) -> bool:
        """Whether a message is to be shown, by its topic."""
        return (
            (not self.types or _any(topic.type, self.types))
            and not _any(topic.type, self.not_types)
            and self.character in (None, topic.character)
            and (not self.sources or _any(topic.source, self.sources))
        )


class Monitor:
    """Shows what travels until the run ends, enough was seen, or Ctrl-C."""

    def __init__(self, wish: MonitorWish) -> None:
        self._wish = wish
        self._shown = 0
        self._done: asyncio.Future[None] | None = None
        self._is_one_run = True
        self._kinds = {name: kind.kind for name, kind in message_types().items()}
        self._colour = sys.stdout.isatty() and not wish.as_json
        if self._colour:
            from rich.console import Console

            self._console = Console()

    async def watch(self, broker: str | None, run: str | None) -> None:
        """Find the run and show its messages."""
        address, run = await self._find(broker, run)
        loop = asyncio.get_running_loop()
        self._done = loop.create_future()
        listener = Listener(address, f"sera/{run}/#", self._heard)
        with StopSignals(lambda _why: self._finish()):
            await listener.connect()
            try:
                if not self._wish.as_json:
                    what = f"run {run}" if self._is_one_run else "every run"
                    note(f"listening to {what} on {address}; Ctrl-C ends it", "dim")
                await self._done
            finally:
                await listener.close()

    async def _find(self, broker: str | None, run: str | None) -> tuple[BrokerAddress, str]:
        if run != EVERY_RUN:
            found = await find_run(broker, run)
            return found.address, found.run
        self._is_one_run = False
        address = find_broker(broker)
        if address is not None:
            return address, ALL_RUNS
        brokers = {live.broker for live in list_live_runs()}
        if len(brokers) != 1:
            raise CommandError(
                "--run '*' shows every run of one broker; "
                + ("no run is alive here: " if not brokers else "there are several here: ")
                + "give it with --broker URL"
            )
        return BrokerAddress.parse(brokers.pop()), ALL_RUNS

    def _heard(self, topic: Topic, payload: bytes) -> None:
        if self._done is None or self._done.done() or not payload:
            return  # an empty payload clears a retained State
        if self._wish.fits(topic):
            try:
                self._show(topic, payload)
            except Exception as error:  # a closed pipe: whoever waits has to hear of it
                self._done.set_exception(error)
                return
            self._shown += 1
            if self._shown == self._wish.count:
                self._finish()
        if topic.type == RunEnding.__name__ and self._is_one_run:
            asyncio.get_running_loop().call_later(AFTER_THE_END_S, self._finish)

    def _finish(self) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    def _show(self, topic: Topic, payload: bytes) -> None:
        message = _read(payload)
        if self._wish.as_json:
            record = {"run": topic.run, "character": topic.character, **_as_record(topic, message)}
            print(json.dumps(record, ensure_ascii=False), flush=True)
            return
        when, fields = _when(message), _fields(message)
        run = "" if self._is_one_run else f"{topic.run} "
        under = "" if topic.source.startswith(f"{topic.character}.") else f" ({topic.character})"
        who = f"{topic.source}{under}"
        if not self._colour:
            print(f"{when} {run}{topic.type:<18} {clean(who):<22} {fields}", flush=True)
            return
        from rich.text import Text

        style = _STYLES[self._kinds[topic.type]] if topic.type in self._kinds else "bold red"
        line = Text.assemble(
            (f"{when} ", "dim"),
            (run, "dim"),
            (f"{topic.type:<18} ", style),
            (f"{clean(who):<22} ", "green"),
            fields,
        )
        self._console.print(line, no_wrap=True, overflow="ellipsis", crop=True)


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _read(payload: bytes) -> dict[str, Any]:
    try:
        message = json.loads(payload)
    except ValueError:
        return {"malformed": payload[:200].decode("utf-8", errors="replace")}
    return message if isinstance(message, dict) else {"malformed": message}


def _as_record(topic: Topic, message: dict[str, Any]) -> dict[str, Any]:
    if "malformed" in message:
        return {"type": topic.type, "source": topic.source, **message}
    return message


def _when(message: dict[str, Any]) -> str:
    at_s = message.get("time")
    if not isinstance(at_s, int | float):
        return "--:--:--.---"
    clock = time.strftime("%H:%M:%S", time.localtime(at_s))
    return f"{clock}.{int(at_s * 1000) % 1000:03}"


def _fields(message: dict[str, Any]) -> str:
    if "malformed" in message:
        return clean(f"malformed: {message['malformed']}")
    data = message.get("data")
    if not isinstance(data, dict):
        return clean(json.dumps(data, ensure_ascii=False))
    given = {key: value for key, value in data.items() if value is not None}
    words = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in given.items())
    return clean(" ".join(words))
