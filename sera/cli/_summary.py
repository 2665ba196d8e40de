"""What a run came to, in a few lines for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sera.cli._live_table import clock_text
from sera.cli._text import clean, standard_console

if TYPE_CHECKING:
    from sera.runtime.launcher import RunSummary

_FAULTS_SHOWN = 10


def summary_as_json(summary: RunSummary) -> dict[str, Any]:
    """The summary for scripts."""
    return {**summary.as_dict(), "failed": summary.failed}


def print_summary(summary: RunSummary, took_s: float) -> None:
    """Print the summary.

    Args:
        summary: of the run.
        took_s: how long it took on the wall, which is of interest where time was not real.
    """
    from rich.text import Text

    console = standard_console()
    for line, style in summary_lines(summary, took_s):
        console.print(Text(line, style=style), soft_wrap=True)


def summary_lines(summary: RunSummary, took_s: float) -> list[tuple[str, str]]:
    """The lines with their styles."""
    time_text = clock_text(summary.duration_s)
    if summary.clock != "real":
        time_text += f" of {summary.clock} time in {took_s:.1f} s"
    condition = f" ({summary.condition})" if summary.condition else ""
    reason = f": {summary.reason}" if summary.reason else ""
    head = f"{summary.scenario}{condition} {summary.outcome} after {time_text}{reason}"
    lines = [("", ""), (clean(head), "bold red" if summary.failed else "bold green")]
    errors = sum(fault["severity"] == "error" for fault in summary.faults)
    counts = [
        f"{summary.messages:,} messages of {len(summary.by_type)} types",
        _count(len(summary.modules), "module"),
        _count(errors, "fault"),
        _count(len(summary.faults) - errors, "warning"),
        _count(sum(summary.restarts.values()), "restart"),
        _count(summary.expired, "expired Action"),
    ]
    lines.append((f"  {', '.join(counts)}", ""))
    troubles = _troubles(summary.counters)
    if troubles:
        lines.append((f"  on the way: {', '.join(troubles)}", "yellow"))
    lines += [_fault_line(fault) for fault in summary.faults[:_FAULTS_SHOWN]]
    if len(summary.faults) > _FAULTS_SHOWN:
        more = len(summary.faults) - _FAULTS_SHOWN
        lines.append((f"  … and {more} more: `sera log show --type ModuleFault`", ""))
    if summary.log is not None:
        lines.append((f"  log {summary.log}  (`{_show_command(summary.log)}` shows it)", ""))
    return lines


_TROUBLES = {
    "resent": "sent again",
    "held": "held back for an earlier one",
    "dropped": "stream values dropped",
    "lost": "Events lost",
    "malformed": "malformed",
    "withheld": "withheld by the dial",
}


def _troubles(counters: dict[str, dict[str, int]]) -> list[str]:
    """What did not go smoothly, summed over all modules (`--json` has them one by one)."""
    totals = {name: sum(counts.get(name, 0) for counts in counters.values()) for name in _TROUBLES}
    return [f"{total:,} {_TROUBLES[name]}" for name, total in totals.items() if total]


def _show_command(log: str) -> str:
    """The newest run in `runs/` needs no name; a log elsewhere does."""
    is_newest = (Path(log).parent / "run.json").is_file()
    return "sera log show" if is_newest else f"sera log show {log}"


def _fault_line(fault: dict[str, Any]) -> tuple[str, str]:
    is_error = fault["severity"] == "error"
    text = str(fault["summary"]).removeprefix(f"{fault['module']}: ")
    return clean(f"  {fault['severity']} in {fault['module']}: {text}"), (
        "red" if is_error else "yellow"
    )


def _count(number: int, what: str) -> str:
    if number == 0:
        return f"no {what}s"
    return f"{number:,} {what}{'' if number == 1 else 's'}"
