"""The live table of a run: modules with what flows and what went wrong, and the run's surroundings.

Pure: a board in, something that rich can draw out.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sera.messages import PresenceStatus
from sera.runtime.board import Board, ModuleLine
from sera.runtime.module import Role

_STATUS_STYLES = {
    "present": "green",
    "starting": "yellow",
    "stopped": "dim",
    "lost": "bold red",
    "unknown": "dim",
}
_SUPERVISOR = "world.supervisor"


@dataclass(frozen=True)
class Surroundings:
    """What the table says about the run as a whole."""

    title: str
    condition: str | None
    clock: str
    broker: str
    elapsed_s: float
    log: str | None
    stopping: bool


def live_table(board: Board, about: Surroundings, now_s: float) -> RenderableType:
    """The whole picture, to be drawn again several times a second."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("module")
    table.add_column("status")
    for name in ("messages", "per second", "faults", "restarts"):
        table.add_column(name, justify="right")
    for line in board.modules.values():
        if line.faults or not _is_of_no_interest(line):
            table.add_row(*_row(line, now_s))
    return Group(Text(""), _headline(about), table, _last_line(board, about))


def _is_of_no_interest(line: ModuleLine) -> bool:
    """The supervisor is this program itself, and each `sera send` is a module for a moment."""
    left = line.status == PresenceStatus.STOPPED and line.role == Role.WIZARD
    return left or line.source == _SUPERVISOR


def _row(line: ModuleLine, now_s: float) -> list[Text]:
    return [
        Text(line.source, style="bold"),
        Text(line.status, style=_STATUS_STYLES.get(line.status, "")),
        Text(f"{line.messages:,}"),
        Text(f"{line.rate_hz(now_s):.1f}"),
        Text(f"{line.faults:,}" if line.faults else "-", style="red" if line.faults else "dim"),
        Text(
            f"{line.restarts:,}" if line.restarts else "-",
            style="yellow" if line.restarts else "dim",
        ),
    ]


def _headline(about: Surroundings) -> Text:
    parts = [(about.title, "bold cyan")]
    if about.condition is not None:
        parts.append((f"  condition {about.condition}", ""))
    parts.append((f"  {clock_text(about.elapsed_s)}", "bold"))
    if about.clock != "real":
        parts.append((f"  {about.clock} time", "yellow"))
    parts.append((f"  {about.broker}", "dim"))
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")


def _last_line(board: Board, about: Surroundings) -> Text:
    words = [f"{board.total:,} messages"]
    if board.expired:
        words.append(f"{board.expired:,} expired")
    if board.broker_restarts:
        words.append(f"broker restarted {board.broker_restarts} times")
    words.append(f"log {about.log}" if about.log else "not recorded")
    words.append("stopping …" if about.stopping else "Ctrl-C stops")
    return Text(" · ".join(words), style="dim", no_wrap=True, overflow="ellipsis")


def clock_text(seconds: float) -> str:
    """`12.3 s`, `2:05` or `1:02:05`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
