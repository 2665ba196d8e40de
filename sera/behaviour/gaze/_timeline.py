"""The timeline of a gaze as a picture: who or what is looked at, since when, and why.

Design overview: one row a target, in the order of its first look; a bar lasts until the next look.
The colour says why, which is the word before the colon of a reason. Ticks inside a bar are
tracking: the same look, kept up with. matplotlib draws without a window and is loaded on the first
call only.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from sera.behaviour.gaze._orders import Why

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {
    Why.ORDER.value: "#1f4e79",
    Why.GLANCE.value: "#5b9bd5",
    Why.BACK.value: "#6b7785",
    Why.TRACKING.value: "#7f8c8d",
    Why.BREAKING.value: "#f4b183",
    Why.ESTABLISHING.value: "#c55a11",
    Why.CLICK.value: "#70ad47",
    Why.MUTUAL.value: "#d6336c",
    Why.JOINT.value: "#7b4fa3",
    Why.SPEAKER.value: "#0b8a8f",
    Why.FREE.value: "#d0d5db",
    Why.HOLD.value: "#bf9000",
    Why.LOST.value: "#a11d1d",
}
_OTHER = "#444444"
_ROW_INCHES = 0.42


class TimelineEntry(NamedTuple):
    """One look."""

    time_s: float
    target: str
    reason: str
    """`why: detail`; the part before the colon gives the colour."""


class _Bar(NamedTuple):
    target: str
    start_s: float
    end_s: float
    why: str


def draw_timeline(
    entries: Iterable[TimelineEntry],
    *,
    end_s: float | None = None,
    picture: Literal["svg", "png"] = "svg",
    title: str = "Gaze",
) -> bytes:
    """Draw who is looked at and why.

    Args:
        entries: the looks; they are sorted by time.
        end_s: when the last look ends; None: a second after it began.
        picture: the format.
        title: stands above.

    Raises:
        ValueError: there is nothing to draw, or the end lies before the last look.
    """
    looks = sorted(entries, key=lambda entry: entry.time_s)
    if not looks:
        raise ValueError("there are no looks to draw")
    if end_s is None:
        end_s = looks[-1].time_s + 1.0
    if end_s < looks[-1].time_s:
        raise ValueError(f"the end, {end_s:g} s, lies before the last look, {looks[-1].time_s:g} s")
    bars, ticks = _bars(looks, end_s)
    rows = list(dict.fromkeys(bar.target for bar in bars))

    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    span_s = end_s - looks[0].time_s
    figure = Figure(
        figsize=(min(30.0, max(8.0, span_s / 6.0)), 1.7 + _ROW_INCHES * len(rows)),
        layout="constrained",
    )
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _draw(axes, bars, ticks, rows)
    axes.set_xlim(looks[0].time_s, end_s)
    axes.set_title(title, loc="left")
    _legend(figure, bars)
    buffer = io.BytesIO()
    # The same looks give the same bytes, so that a picture in a repository does not change by
    # itself.
    metadata = {"Date": None} if picture == "svg" else {"Software": None}
    with mpl.rc_context({"svg.hashsalt": "sera", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=picture, dpi=110, metadata=metadata)
    return buffer.getvalue()


def _why(reason: str) -> str:
    return reason.partition(":")[0].strip()


def _bars(looks: list[TimelineEntry], end_s: float) -> tuple[list[_Bar], list[tuple[float, str]]]:
    """Tracking lengthens the look before it where that is on the same target."""
    begun: list[TimelineEntry] = []
    ticks: list[tuple[float, str]] = []
    for look in looks:
        if begun and _why(look.reason) == Why.TRACKING.value and begun[-1].target == look.target:
            ticks.append((look.time_s, look.target))
        else:
            begun.append(look)
    ends = [*(look.time_s for look in begun[1:]), end_s]
    bars = [
        _Bar(look.target, look.time_s, until_s, _why(look.reason))
        for look, until_s in zip(begun, ends, strict=True)
    ]
    return bars, ticks


def _draw(axes: Axes, bars: list[_Bar], ticks: list[tuple[float, str]], rows: list[str]) -> None:
    row_of = {target: number for number, target in enumerate(rows)}
    for bar in bars:
        axes.broken_barh(
            [(bar.start_s, bar.end_s - bar.start_s)],
            (row_of[bar.target] - 0.36, 0.72),
            facecolors=_COLOURS.get(bar.why, _OTHER),
            edgecolor="white",
            linewidth=0.6,
        )
    if ticks:
        axes.plot(
            [time_s for time_s, _ in ticks],
            [row_of[target] + 0.3 for _, target in ticks],
            linestyle="none", marker="|", markersize=4, color="#222222", alpha=0.5,
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("time (s)")
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _legend(figure: Figure, bars: list[_Bar]) -> None:
    from matplotlib.patches import Patch

    reasons = list(dict.fromkeys(bar.why for bar in bars))
    handles = [Patch(facecolor=_COLOURS.get(why, _OTHER), label=why) for why in reasons]
    figure.legend(
        handles=handles, ncols=min(7, len(handles)), loc="outside lower left", frameon=False
    )
