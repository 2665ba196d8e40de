"""Plots of variables by condition; matplotlib is imported when one is drawn.

Colours are Okabe and Ito's, which people with any colour vision tell apart; conditions also have
shapes of their own and their titles beside them. A plot of simulated data says so across it.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from sera.study.analysis import Group, Variable
from sera.study.analysis._numbers import Array, present
from sera.study.report.document import SIMULATED, Figure, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_SHAPES = ("o", "s", "^", "v", "P", "X", "p")
_INK = "#222222"
_TITLE_LETTERS, _LABEL_LETTERS = 75, 80
"""What fits into a line of the plot."""
_MOST_LINES = 2
WIDTH_IN = 7.2
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "sera",
    # A dollar in a title is a dollar.
    "text.parse_math": False,
}


def svg_of(figure: Figure) -> str:
    """The plot as an SVG element for a page, with a title for those who do not see it."""
    buffer = io.StringIO()
    _save(figure, buffer, "svg", metadata={"Date": None, "Creator": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Ids must be unique on the page.
    mark = f"f{figure.number}-"
    text = re.sub(r'id="([^"]+)"', rf'id="{mark}\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{mark}\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}\1)", text)
    end = text.index(">")
    title = f"<title>{escape(printable(figure.heading))}</title>"
    return f'{text[:end]} role="img">{title}{text[end + 1 :]}'


def png_of(figure: Figure, dpi: int = 170) -> bytes:
    """The plot as a PNG."""
    buffer = io.BytesIO()
    _save(figure, buffer, "png", dpi=dpi, metadata={"Software": None, "Title": figure.heading})
    return buffer.getvalue()


def height_in(figure: Figure) -> float:
    """How high the plot is, in inches, at 7.2 inches of width."""
    return 1.0 + 0.55 * max(len(figure.conditions), 1)


def _save(figure: Figure, buffer: Any, form: str, **more: Any) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure as Drawing

    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # Letters that the font lacks are drawn as boxes; that is no reason to fail or to shout.
        warnings.simplefilter("ignore")
        drawing = Drawing(figsize=(WIDTH_IN, height_in(figure)), layout="constrained")
        _draw(drawing, figure)
        drawing.savefig(buffer, format=form, **more)


def _draw(drawing: Drawing, figure: Figure) -> None:
    axes = drawing.add_subplot()
    variable = figure.variable
    title = printable(variable.title)
    if figure.simulated:
        title = f"{SIMULATED}: {title}"
        _watermark(axes)
    axes.set_title(_wrapped(title, _TITLE_LETTERS), loc="left", fontsize=10, fontweight="bold")
    places = {group.name: -place for place, group in enumerate(figure.conditions)}
    offsets = _offsets(variable, figure.conditions)
    if figure.within:
        _join(axes, variable, places, offsets)
    for place, group in enumerate(figure.conditions):
        _one_condition(axes, variable, group, place, offsets)
    axes.set_yticks(list(places.values()), [_label(variable, one) for one in figure.conditions])
    axes.set_ylim(-len(places) + 0.45, 0.55)
    _horizontal_axis(axes, variable)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)


def _watermark(axes: Axes) -> None:
    axes.text(
        0.5,
        0.5,
        SIMULATED,
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=34,
        fontweight="bold",
        color="#c00000",
        alpha=0.13,
        zorder=0,
    )


def _label(variable: Variable, group: Group) -> str:
    count = sum(one.condition == group.name and one.value is not None for one in variable.points)
    return f"{_cut(printable(group.title))}\nn = {count}"


def _cut(text: str, most: int = 28) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _values(variable: Variable, group: Group) -> Array:
    return present(one.value for one in variable.points if one.condition == group.name)


def _offsets(variable: Variable, conditions: Sequence[Group]) -> dict[tuple[str, str], float]:
    """How far each point moves aside so that equal values do not hide each other."""
    everything = present(one.value for one in variable.points)
    spread = float(np.ptp(everything)) if everything.size else 0.0
    width = (spread or 1.0) / 45
    found: dict[tuple[str, str], float] = {}
    for group in conditions:
        bins: dict[int, list[str]] = {}
        for one in variable.points:
            if one.condition == group.name and one.value is not None:
                bins.setdefault(round(one.value / width), []).append(one.participant)
        for people in bins.values():
            step = min(0.075, 0.5 / len(people))
            for place, person in enumerate(people):
                found[person, group.name] = (place - (len(people) - 1) / 2) * step
    return found


def _join(
    axes: Axes,
    variable: Variable,
    places: dict[str, int],
    offsets: dict[tuple[str, str], float],
) -> None:
    """In a within-design a line joins what belongs to one person."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for one in variable.points:
        if one.value is not None and one.condition in places:
            height = places[one.condition] + offsets.get((one.participant, one.condition), 0.0)
            lines.setdefault(one.participant, []).append((one.value, height))
    for spots in lines.values():
        spots.sort(key=lambda spot: -spot[1])
        axes.plot(*zip(*spots, strict=True), color="#999999", linewidth=0.5, alpha=0.6, zorder=1)


def _one_condition(
    axes: Axes,
    variable: Variable,
    group: Group,
    place: int,
    offsets: dict[tuple[str, str], float],
) -> None:
    values = _values(variable, group)
    if values.size == 0:
        return
    colour = _COLOURS[place % len(_COLOURS)]
    axes.boxplot(
        values,
        positions=[-place],
        orientation="horizontal",
        widths=0.62,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        zorder=2,
        boxprops={"facecolor": colour, "alpha": 0.16, "edgecolor": colour, "linewidth": 1.0},
        medianprops={"color": colour, "linewidth": 2.2},
        whiskerprops={"color": colour, "linewidth": 1.0},
        capprops={"color": colour, "linewidth": 1.0},
    )
    spots = [
        (one.value, -place + offsets.get((one.participant, group.name), 0.0))
        for one in variable.points
        if one.condition == group.name and one.value is not None
    ]
    axes.scatter(
        [spot[0] for spot in spots],
        [spot[1] for spot in spots],
        s=19,
        marker=_SHAPES[place % len(_SHAPES)],
        color=colour,
        alpha=0.85,
        linewidths=0.4,
        edgecolors="white",
        zorder=3,
    )
    axes.scatter(
        [float(values.mean())],
        [-place],
        s=52,
        marker="D",
        facecolor="white",
        edgecolor=_INK,
        linewidths=1.3,
        zorder=4,
    )


def _wrapped(text: str, letters: int) -> str:
    """A text that leaves room for the plot; it stands whole beside it, in the report."""
    lines = textwrap.wrap(text, letters, max_lines=_MOST_LINES, placeholder=" …")
    return "\n".join(lines) or text


def _horizontal_axis(axes: Axes, variable: Variable) -> None:
    if variable.lowest is not None and variable.highest is not None:
        room = (variable.highest - variable.lowest) * 0.03
        axes.set_xlim(variable.lowest - room, variable.highest + room)
        middle = (variable.lowest + variable.highest) / 2
        axes.axvline(middle, color="#555555", linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
        turned = " (turned round: high is good)" if variable.inverted else ""
        axes.set_xlabel(
            f"score, {variable.lowest:g} to {variable.highest:g}{turned}; dashed: middle"
        )
        return
    axes.margins(x=0.04)
    unit = printable(variable.unit) or printable(variable.name)
    axes.set_xlabel(_wrapped(unit, _LABEL_LETTERS))
