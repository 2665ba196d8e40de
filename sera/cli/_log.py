"""`sera log`: show, filter, export, trace, sum up and erase recordings."""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sera.messages import UnknownMessageType, find_message_type
from sera.recording import (
    LAST,
    LogHeader,
    LogReader,
    LogSummary,
    Record,
    TraceStep,
    erase_participant,
    export,
    filter_records,
    find_log,
    record_line,
    summarise,
    trace,
)
from sera.recording import list_recordings as kept_recordings

app = typer.Typer(
    help="Recordings of runs: show, filter, export, trace, sum up, erase.", no_args_is_help=True
)

_CONSOLE = Console()
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")

LogArgument = Annotated[
    str,
    typer.Argument(
        help="A log file, the folder of a run, a name of `sera log list`, or `last`.", metavar="LOG"
    ),
]
TypeOption = Annotated[
    list[str] | None, typer.Option("--type", "-t", help="Message type, * and ? allowed.")
]
SourceOption = Annotated[
    list[str] | None, typer.Option("--source", "-s", help="Source such as ada.speech or *.speech.")
]
CharacterOption = Annotated[
    list[str] | None, typer.Option("--character", "-c", help="Character, or world.")
]
FromOption = Annotated[
    float | None, typer.Option("--from", help="Seconds since the start of the run.")
]
ToOption = Annotated[float | None, typer.Option("--to", help="Seconds since the start of the run.")]
TextOption = Annotated[str | None, typer.Option("--text", help="Words anywhere in the fields.")]
RestoreOption = Annotated[
    bool, typer.Option("--restore", help="Originals in place of pseudonyms, where still kept.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="For scripts.")]


class _Wish(NamedTuple):
    types: list[str] | None
    sources: list[str] | None
    characters: list[str] | None
    from_s: float | None
    to_s: float | None
    text: str | None

    def apply(self, log: LogReader) -> Iterator[Record]:
        origin_s = log.origin_s() if (self.from_s, self.to_s) != (None, None) else 0.0
        return filter_records(
            log,
            types=self.types or (),
            sources=self.sources or (),
            characters=self.characters or (),
            from_s=None if self.from_s is None else origin_s + self.from_s,
            to_s=None if self.to_s is None else origin_s + self.to_s,
            text=self.text,
        )


@app.command()
def show(
    log: LogArgument = LAST,
    *,
    types: TypeOption = None,
    sources: SourceOption = None,
    characters: CharacterOption = None,
    from_s: FromOption = None,
    to_s: ToOption = None,
    text: TextOption = None,
    first: Annotated[int | None, typer.Option("--first", "-n", help="Only the first N.")] = None,
    last: Annotated[int | None, typer.Option("--last", "-N", help="Only the last N.")] = None,
    restore: RestoreOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the messages of a recording, all or those that fit."""
    with _errors_as_sentences():
        reader = LogReader(find_log(log), restore=restore)
        wish = _Wish(types, sources, characters, from_s, to_s, text)
        records: Iterable[Record] = wish.apply(reader)
        if first is not None:
            records = islice(records, first)
        if last is not None:
            records = deque(records, maxlen=last)
        shown = _print_as_json(records) if as_json else _print_for_people(records, reader)
        _report(reader, shown, wish)


@app.command("export")
def export_records(
    log: LogArgument = LAST,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file: .csv, .xlsx or .jsonl (a log).")
    ],
    types: TypeOption = None,
    sources: SourceOption = None,
    characters: CharacterOption = None,
    from_s: FromOption = None,
    to_s: ToOption = None,
    text: TextOption = None,
    format_: Annotated[
        str | None, typer.Option("--format", "-f", help="csv, xlsx or jsonl; else by the name.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    restore: RestoreOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write messages of a recording to a table, or to a smaller recording."""
    with _errors_as_sentences():
        reader = LogReader(find_log(log), restore=restore)
        wish = _Wish(types, sources, characters, from_s, to_s, text)
        header = reader.header or LogHeader(run="")
        done = export(wish.apply(reader), output, format_, header=header, overwrite=overwrite)
        if as_json:
            _print_json({**done._asdict(), "path": str(done.path)})
        else:
            wide = f", {done.columns:,} columns" if done.columns else ""
            typer.echo(f"{done.path}: {done.rows:,} records{wide}")
        if done.shortened:
            _note(f"{done.shortened:,} cells were too long or held characters xlsx cannot hold")
        _report(reader, done.rows, wish)


@app.command("trace")
def show_trace(
    message_id: Annotated[str, typer.Argument(help="Id of a message, such as ada.speech-1-12.")],
    log: LogArgument = LAST,
    restore: RestoreOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what led to a message, and what it led to."""
    with _errors_as_sentences():
        reader = LogReader(find_log(log), restore=restore)
        steps = trace(reader, message_id)
        if as_json:
            _print_json([_step_as_json(step) for step in steps])
            return
        origin_s = reader.origin_s()
        for step in steps:
            mark = "▶" if step.asked_for else "•"
            line = _line(step.record, origin_s, indent=f"{'  ' * step.depth}{mark} ")
            _print_line(line, bold=step.asked_for)


@app.command()
def summary(log: LogArgument = LAST, as_json: JsonOption = False) -> None:
    """Say what is in a recording: how many messages of which type, from whom, for how long."""
    with _errors_as_sentences():
        reader = LogReader(find_log(log))
        figures = summarise(reader)
        if as_json:
            _print_json({**figures._asdict(), "path": str(figures.path)})
        else:
            _print_summary(figures)
        _report(reader, figures.messages + figures.malformed, None)


@app.command()
def erase(
    participant: Annotated[str, typer.Argument(help="Id of the participant, such as P07.")],
    log: LogArgument = LAST,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete names, transcripts and free answers of one participant for good."""
    with _errors_as_sentences():
        path = find_log(log)
        if not yes and not sys.stdin.isatty():
            raise ValueError("nobody is there to confirm it: add --yes to erase without asking")
        if not yes:
            question = f"Delete the originals of {participant} in {path}, with no way back?"
            typer.confirm(question, abort=True)
        erased = erase_participant(path, participant)
        if as_json:
            _print_json({**erased._asdict(), "path": str(erased.path)})
        else:
            typer.echo(
                f"erased {erased.originals:,} originals of {erased.participant} "
                f"({erased.size_bytes:,} bytes, {erased.path}); the log keeps its pseudonyms"
            )


@app.command("list")
def list_recordings(as_json: JsonOption = False) -> None:
    """List what was recorded, newest first; the sessions of studies, too."""
    rows = []
    for one in kept_recordings():
        part, info = one.in_study, one.info
        rows.append(
            {
                "run": one.name,
                "scenario": one.scenario,
                "participant": part.participant if part else None,
                "kind": part.kind if part else None,
                "started": datetime.fromtimestamp(one.started_s, UTC).isoformat(timespec="seconds"),
                "clock": info.clock if info else "",
                "seed": info.seed if info else None,
                "bytes": one.log_path.stat().st_size if one.log_path.exists() else 0,
                "log": str(one.log_path),
            }
        )
    if as_json:
        _print_json(rows)
        return
    if not rows:
        typer.echo("no recordings here yet: `sera run NAME` makes one")
        return
    titles = ("run", "scenario", "session", "started", "clock", "seed", "size")
    lines = [titles, *(_columns(row) for row in rows)]
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        # A name is there to be copied, so that nothing is cut, however narrow the window.
        cells = (f"{_clean(cell):<{width}}" for cell, width in zip(line, wide, strict=True))
        typer.echo("  ".join(cells).rstrip())


def _columns(row: dict[str, Any]) -> tuple[str, ...]:
    session = ", ".join(str(row[key]) for key in ("participant", "kind") if row[key])
    started = datetime.fromisoformat(row["started"]).astimezone().strftime("%Y-%m-%d %H:%M")
    seed = "" if row["seed"] is None else str(row["seed"])
    return row["run"], row["scenario"], session, started, row["clock"], seed, f"{row['bytes']:,} B"


@contextmanager
def _errors_as_sentences() -> Iterator[None]:
    """Users see what is wrong and what to do, not where in the program it was noticed."""
    try:
        yield
    except (LookupError, ValueError, FileExistsError, FileNotFoundError, PermissionError) as error:
        known_sentence = error.args[0] if len(error.args) == 1 else error
        _note(str(known_sentence), style="bold red")
        raise typer.Exit(1) from None


def _print_as_json(records: Iterable[Record]) -> int:
    shown = 0
    for record in records:
        sys.stdout.buffer.write(record_line(record))
        shown += 1
    return shown


def _print_for_people(records: Iterable[Record], reader: LogReader) -> int:
    origin_s = reader.origin_s()
    shown = 0
    for record in records:
        _print_line(_line(record, origin_s))
        shown += 1
    return shown


def _line(record: Record, origin_s: float, indent: str = "") -> tuple[str, str, str, str]:
    given = {key: value for key, value in record.data.items() if value is not None}
    fields = " ".join(f"{key}={_compact(value)}" for key, value in given.items())
    when = f"{record.received_s - origin_s:10.3f}"
    name = f"{indent}{record.type}"
    return when, _clean(f"{name:<22}"), _clean(f"{record.id or record.source:<24}"), _clean(fields)


def _print_line(line: tuple[str, str, str, str], *, bold: bool = False) -> None:
    when, name, who, fields = line
    if not sys.stdout.isatty():
        typer.echo(f"{when} {name} {who} {fields}".rstrip())
        return
    strong = "bold yellow" if bold else "bold"
    parts = ((f"{when} ", "cyan"), (f"{name} ", strong), (f"{who} ", "green"), (fields, ""))
    _CONSOLE.print(Text.assemble(*parts), no_wrap=True, overflow="ellipsis", crop=True)


def _print_summary(figures: LogSummary) -> None:
    header = figures.header or {}
    given = {key: value for key, value in header.items() if value not in ("", None)}
    robots = given.pop("robots", None)
    known = ", ".join(f"{key} {value}" for key, value in given.items())
    _CONSOLE.print(Text(_clean(f"{figures.path}: {known or 'no header'}")))
    if robots:
        cast = ", ".join(f"{character} is {robot}" for character, robot in robots.items())
        _CONSOLE.print(Text(_clean(f"robots: {cast}")))
    end = "ended in an orderly way" if figures.complete else "has no last line: it was cut short"
    _CONSOLE.print(
        Text(f"{figures.messages:,} messages in {figures.duration_s:,.1f} s; the run {end}")
    )
    if figures.malformed:
        _CONSOLE.print(Text(f"{figures.malformed:,} payloads were no messages"))
    if figures.originals_of:
        _CONSOLE.print(Text(f"originals are kept of {', '.join(figures.originals_of)}"))
    for title, counts in (("type", figures.types), ("source", figures.sources)):
        table = Table(title, "messages", box=None)
        for name, count in counts.items():
            table.add_row(Text(_clean(name)), f"{count:,}")
        _CONSOLE.print(table)


def _report(reader: LogReader, shown: int, wish: _Wish | None) -> None:
    """Say on the side what was wrong with the file, or why nothing was found."""
    if reader.header is None and not shown and reader.damaged:
        raise ValueError(f"{reader.path} is no SERA log: its first line is no header")
    if reader.damaged:
        numbers = ", ".join(str(number) for number in reader.damaged_lines[:10])
        more = " …" if reader.damaged > 10 else ""
        _note(f"{reader.damaged:,} damaged lines were left out: line {numbers}{more}")
    if reader.lost:
        _note(f"{reader.lost:,} messages are missing: the disk was full")
    if wish is None or shown:
        return
    present = summarise(reader).types
    _note(f"no message fits; the log holds {', '.join(present) or 'none at all'}")
    for name in wish.types or ():
        if name not in present and not re.search(r"[*?\[]", name):
            try:
                find_message_type(name)
            except UnknownMessageType as error:
                _note(str(error))


def _step_as_json(step: TraceStep) -> dict[str, Any]:
    record = json.loads(record_line(step.record))
    return {"depth": step.depth, "asked_for": step.asked_for, **record}


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _clean(text: str) -> str:
    """Text without what a terminal would obey, or an encoding could not hold."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _note(sentence: str, style: str = "yellow") -> None:
    Console(stderr=True).print(Text(sentence, style=style))
