"""What `sera robot watch` shows: reports of the animation engine as rows, lines, JSON and a table.

Pure: messages in, text or something that rich can draw out.

Units and frames: reports are in the channels' own units; people see degrees, and shares as
percentages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sera.animation.body.sets import GENERIC
from sera.animation.channels import ChannelSpec, Unit
from sera.cli._text import clean
from sera.messages import BlendReport, EngineState

BAR_WIDTH = 16
_COLOURS = (
    *("cyan", "magenta", "green", "yellow", "blue", "red"),
    *("bright_cyan", "bright_magenta", "bright_green", "bright_yellow", "bright_blue", "orange3"),
)
_LEAST_SHOWN = 0.005
UnitOf = Callable[[str], Unit | None]


@dataclass(frozen=True, slots=True)
class Row:
    """A channel as people read it."""

    channel: str
    value: float
    unit: str
    """`deg`, `m`, `percent`, `valence`, or nothing where it is not known."""
    shares: dict[str, float]
    """Share by layer, the largest first."""

    @property
    def value_text(self) -> str:
        """The value with its unit, in a width of its own."""
        if self.unit == "deg":
            return f"{self.value:+.1f}°"
        if self.unit == "percent":
            return f"{100.0 * self.value:.0f} %"
        if self.unit == "m":
            return f"{self.value:+.3f} m"
        return f"{self.value:+.3f}"

    @property
    def shares_text(self) -> str:
        """`gaze 60 %, eyes 40 %`."""
        shown = {name: share for name, share in self.shares.items() if share >= _LEAST_SHOWN}
        return ", ".join(f"{clean(name)} {100.0 * share:.0f} %" for name, share in shown.items())


def units_from(specs: Mapping[str, ChannelSpec]) -> UnitOf:
    """Units of the generic channels, and of a body's own where its channels are known."""

    def unit_of(channel: str) -> Unit | None:
        if channel in specs:
            return specs[channel].unit
        return GENERIC[channel].unit if channel in GENERIC else None

    return unit_of


def rows_of(report: BlendReport, unit_of: UnitOf, patterns: Iterable[str] = ()) -> list[Row]:
    """The channels that fit a pattern (all without one), in the engine's order."""
    wanted = [pattern.lower() for pattern in patterns]
    rows = []
    for name, blend in report.channels.items():
        if wanted and not any(fnmatchcase(name.lower(), pattern) for pattern in wanted):
            continue
        unit = unit_of(name)
        angle = unit is Unit.RADIAN
        shares = sorted(blend.layers.items(), key=lambda item: -item[1])
        rows.append(
            Row(
                channel=name,
                value=math.degrees(blend.value) if angle else blend.value,
                unit="deg" if angle else "" if unit is None else unit.value,
                shares=dict(shares),
            )
        )
    return rows


def as_data(
    character: str, report: BlendReport, rows: list[Row], state: EngineState | None
) -> dict[str, Any]:
    """One frame for `--json`: values in the units of files."""
    return {
        "character": character,
        "frame": report.frame,
        "layers": dict(report.layers),
        "channels": {
            row.channel: {"value": round(row.value, 4), "unit": row.unit, "layers": row.shares}
            for row in rows
        },
        "engine": None if state is None else state.model_dump(mode="json"),
    }


def lines_of(report: BlendReport, rows: list[Row], state: EngineState | None) -> list[str]:
    """One frame as plain lines, each with the number of the frame."""
    head = f"frame {report.frame}"
    lines = [f"{head}  {row.channel:<24} {row.value_text:>10}  {row.shares_text}" for row in rows]
    lines.append(f"{head}  layers: {_weights_text(report.layers)}")
    if state is not None:
        lines.append(f"{head}  engine: {engine_text(state)}")
    return lines


def engine_text(state: EngineState) -> str:
    """How the engine is, in one line."""
    counts = state.counts
    words = [
        f"program “{clean(state.program)}”",
        f"posture {clean(state.posture)}" if state.posture else "no posture",
        f"{state.rate_hz:g} Hz",
        f"{counts.get('late', 0):,} late of {counts.get('frames', 0):,} frames",
        f"slowest {state.slowest_frame_ms:.1f} ms",
    ]
    if state.playing:
        words.insert(2, f"playing {', '.join(map(clean, state.playing))}")
    words += [
        f"{counts[key]:,} {key.replace('_', ' ')}"
        for key in counts
        if key not in ("late", "frames") and counts[key]
    ]
    if state.problem:
        words.append(clean(state.problem))
    return " · ".join(words)


def table_of(
    character: str, report: BlendReport, rows: list[Row], state: EngineState | None
) -> RenderableType:
    """One frame for a terminal, with a bar for every channel."""
    colours = {
        layer: _COLOURS[number % len(_COLOURS)] for number, layer in enumerate(report.layers)
    }
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("channel", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("whose it is", no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(row.channel, row.value_text, _bar(row, colours))
    title = Text.assemble((clean(character), "bold cyan"), f"  frame {report.frame:,}")
    parts: list[RenderableType] = [title, table, _weights(report.layers, colours)]
    if state is not None:
        style = "yellow" if state.problem else "dim"
        parts.append(Text(engine_text(state), style=style, no_wrap=True, overflow="ellipsis"))
    return Group(*parts)


def _bar(row: Row, colours: Mapping[str, str]) -> Text:
    bar = Text()
    filled, total = 0, 0.0
    for layer, share in row.shares.items():
        total += share
        upto = round(BAR_WIDTH * min(total, 1.0))
        bar.append("█" * (upto - filled), style=colours.get(layer, ""))
        filled = upto
    bar.append(" " * (BAR_WIDTH - filled + 1))
    for number, (layer, share) in enumerate(row.shares.items()):
        if share >= _LEAST_SHOWN:
            bar.append(" · " if number else "")
            bar.append(f"{clean(layer)} {100.0 * share:.0f} %", style=colours.get(layer, ""))
    return bar


def _weights_text(layers: Mapping[str, float]) -> str:
    return ", ".join(f"{clean(name)} {100.0 * weight:.0f} %" for name, weight in layers.items())


def _weights(layers: Mapping[str, float], colours: Mapping[str, str]) -> Text:
    line = Text("layers  ")
    for number, (name, weight) in enumerate(layers.items()):
        line.append(" · " if number else "")
        style = "dim" if weight == 0.0 else colours[name]
        line.append(clean(name) if weight == 1.0 else f"{clean(name)} {100 * weight:.0f} %", style)
    return line
