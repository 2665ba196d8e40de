"""The timeline of a gaze as a picture: who or what is looked at, since when, and why.

Design overview: one row a target, in the order of its first look; a bar lasts until the next look.
The colour says why, which is the word before the colon of a reason. Ticks inside a bar are
tracking: the same look, kept up with. Triangles are orders of somebody else. Below stand bands,
such as who speaks. matplotlib draws without a window and is loaded on the first call only.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from sera.behaviour.gaze._orders import Why

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNKNOWN_REASON = "unknown reason"
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
    UNKNOWN_REASON: "#9aa5b1",
}
_OTHER = "#444444"
_BAND = "#8fb8a8"
_ROW_INCHES = 0.42
_MOST_ROWS = 60
_OTHERS = "(others)"
_LONGEST_NAME = 36
_MARKERS = ("v", "^", "s", "D")


class TimelineEntry(NamedTuple):
    """One look."""

    time_s: float
    target: str
    reason: str
    """`why: detail`; the part before the colon gives the colour. Empty where it is not known."""


class TimelineLook(NamedTuple):
    """A look with its end; tracking belongs to the look that it keeps up with."""

    time_s: float
    until_s: float
    target: str
    reason: str
    tracked_s: tuple[float, ...] = ()
    """When it was corrected because the target had moved."""


class TimelineMark(NamedTuple):
    """Something that happened at a moment, such as an order to look somewhere."""

    time_s: float
    target: str
    kind: str
    """What it is, for the legend: `GazeAt`."""


class TimelineBand(NamedTuple):
    """Something that lasts, such as somebody speaking."""

    time_s: float
    until_s: float
    row: str
    """`ada speaks`."""


def looks_of(entries: Iterable[TimelineEntry], end_s: float | None = None) -> list[TimelineLook]:
    """The looks with their ends; one that is only kept up with (tracking) is one look.

    Args:
        entries: in any order.
        end_s: when the last look ends; None: a second after it began or was last kept up with.

    Raises:
        ValueError: the end lies before the last look.
    """
    entries = sorted(entries, key=lambda entry: entry.time_s)
    if not entries:
        return []
    last_s = entries[-1].time_s
    if end_s is None:
        end_s = last_s + 1.0
    if end_s < last_s:
        raise ValueError(f"the end, {end_s:g} s, lies before the last look, {last_s:g} s")
    begun: list[TimelineEntry] = []
    tracked: list[list[float]] = []
    for entry in entries:
        # An old log gives no reasons: the same target again is taken for tracking.
        goes_on = why_of(entry.reason) in (Why.TRACKING.value, UNKNOWN_REASON)
        if begun and goes_on and begun[-1].target == entry.target:
            tracked[-1].append(entry.time_s)
        else:
            begun.append(entry)
            tracked.append([])
    ends = [*(entry.time_s for entry in begun[1:]), end_s]
    return [
        TimelineLook(entry.time_s, until_s, entry.target, entry.reason, tuple(times))
        for entry, until_s, times in zip(begun, ends, tracked, strict=True)
    ]


def why_of(reason: str) -> str:
    """The word before the colon."""
    return reason.partition(":")[0].strip() or UNKNOWN_REASON


def draw_timeline(
    entries: Iterable[TimelineEntry],
    *,
    end_s: float | None = None,
    picture: Literal["svg", "png"] = "svg",
    title: str = "Gaze",
    marks: Iterable[TimelineMark] = (),
    bands: Iterable[TimelineBand] = (),
) -> bytes:
    """Draw who is looked at and why.

    Args:
        entries: the looks; they are sorted by time.
        end_s: when the last look ends; None: a second after it began.
        picture: the format.
        title: stands above.
        marks: orders and the like; those on no row are left out.
        bands: who speaks and the like, below the looks.

    Raises:
        ValueError: there is nothing to draw, or the end lies before the last look.
    """
    looks = looks_of(entries, end_s)
    if not looks:
        raise ValueError("there are no looks to draw")
    looks, rows = _few_rows(looks)
    bands = list(bands)
    below = list(dict.fromkeys(band.row for band in bands))

    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    begin_s, close_s = looks[0].time_s, looks[-1].until_s
    figure = Figure(
        figsize=(
            min(30.0, max(8.0, (close_s - begin_s) / 6.0)),
            1.9 + _ROW_INCHES * (len(rows) + len(below)),
        ),
        layout="constrained",
    )
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    handles = _draw_looks(axes, looks, rows)
    handles += _draw_marks(axes, [mark for mark in marks if mark.target in rows], rows)
    _draw_bands(axes, bands, below, len(rows))
    _dress(axes, [*rows, *below])
    # A single look at the very end has no width, and an axis must have one.
    axes.set_xlim(begin_s, max(close_s, begin_s + 1e-3))
    axes.set_title(_literal(title), loc="left")
    _legend(figure, handles)
    buffer = io.BytesIO()
    # The same looks give the same bytes, so that a picture in a repository does not change by
    # itself.
    metadata = {"Date": None} if picture == "svg" else {"Software": None}
    with mpl.rc_context({"svg.hashsalt": "sera", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=picture, dpi=110, metadata=metadata)
    return buffer.getvalue()


def _few_rows(looks: list[TimelineLook]) -> tuple[list[TimelineLook], list[str]]:
    """A picture that can still be read: targets that are seldom looked at share a row."""
    rows = list(dict.fromkeys(look.target for look in looks))
    if len(rows) <= _MOST_ROWS:
        return looks, rows
    lasts_s = dict.fromkeys(rows, 0.0)
    for look in looks:
        lasts_s[look.target] += look.until_s - look.time_s
    kept = set(sorted(rows, key=lambda row: -lasts_s[row])[: _MOST_ROWS - 1])
    merged = [look if look.target in kept else look._replace(target=_OTHERS) for look in looks]
    return merged, [*(row for row in rows if row in kept), _OTHERS]


def _draw_looks(axes: Axes, looks: list[TimelineLook], rows: Sequence[str]) -> list[object]:
    from matplotlib.patches import Patch

    row_of = {target: number for number, target in enumerate(rows)}
    spans: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for look in looks:
        span = (look.time_s, look.until_s - look.time_s)
        spans.setdefault((look.target, why_of(look.reason)), []).append(span)
    for (target, why), bars in spans.items():
        axes.broken_barh(
            bars,
            (row_of[target] - 0.36, 0.72),
            facecolors=_COLOURS.get(why, _OTHER),
            edgecolor="white",
            linewidth=0.6,
        )
    ticks = [(time_s, row_of[look.target]) for look in looks for time_s in look.tracked_s]
    if ticks:
        axes.plot(
            [time_s for time_s, _ in ticks],
            [row + 0.3 for _, row in ticks],
            linestyle="none", marker="|", markersize=4, color="#222222", alpha=0.5,
        )  # fmt: skip
    reasons = dict.fromkeys(why_of(look.reason) for look in looks)
    return [Patch(facecolor=_COLOURS.get(why, _OTHER), label=_literal(why)) for why in reasons]


def _draw_marks(axes: Axes, marks: list[TimelineMark], rows: Sequence[str]) -> list[object]:
    kinds = list(dict.fromkeys(mark.kind for mark in marks))
    lines: list[object] = []
    for number, kind in enumerate(kinds):
        own = [mark for mark in marks if mark.kind == kind]
        lines += axes.plot(
            [mark.time_s for mark in own],
            [rows.index(mark.target) - 0.3 for mark in own],
            linestyle="none", marker=_MARKERS[number % len(_MARKERS)], markersize=6,
            color="#111111", markeredgecolor="white", markeredgewidth=0.6, zorder=5,
            label=_literal(kind),
        )  # fmt: skip
    return lines


def _draw_bands(axes: Axes, bands: list[TimelineBand], rows: list[str], above: int) -> None:
    for number, row in enumerate(rows):
        spans = [(band.time_s, band.until_s - band.time_s) for band in bands if band.row == row]
        axes.broken_barh(spans, (above + number - 0.22, 0.44), facecolors=_BAND)
    if rows:
        axes.axhline(above - 0.5, color="#bbbbbb", linewidth=0.8)


def _dress(axes: Axes, rows: list[str]) -> None:
    axes.set_yticks(range(len(rows)), [_literal(row) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("time (s)")
    axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _literal(name: str) -> str:
    """A name that is drawn as it stands: no formula between dollars, no endless line."""
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
    if len(shown) > _LONGEST_NAME:
        shown = f"{shown[: _LONGEST_NAME - 1]}…"
    return shown.replace("$", r"\$")


def _legend(figure: Figure, handles: list[object]) -> None:
    figure.legend(
        handles=handles,
        ncols=min(7, len(handles)),
        loc="outside lower left",
        frameon=False,
    )
