"""One panel of a filter figure: the motion above, its derivatives as shares of their limits below.

matplotlib is an optional dependency: only functions of this file and of `_figures` import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sera.evaluation.filter._measure import Response
from sera.kinematics._arrays import FloatArray
from sera.kinematics.filter import FilterLimits

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Apart from each other for colour-blind eyes as well (Okabe and Ito).
SET_POINT, POSITION = "#888888", "#000000"
DERIVATIVES = (
    ("velocity", "#0072B2"),
    ("acceleration", "#D55E00"),
    ("jerk", "#009E73"),
)
LIMIT = "#CC79A7"
DPI = 80


def new_figure(width: float, height: float) -> Figure:
    """An empty figure; without pyplot, which would keep every figure alive."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError(
            "figures need matplotlib: install it with pip install 'sera-hri[figures]'"
        ) from None
    return Figure(figsize=(width, height), dpi=DPI, layout="constrained")


def panel_axes(figure: Figure, panels: int, columns: int) -> list[tuple[Axes, Axes]]:
    """A pair of axes for each panel, row by row: one for the motion, one for its derivatives."""
    rows = -(-panels // columns)
    grid = figure.add_gridspec(2 * rows, columns, height_ratios=[2.0, 1.4] * rows)
    pairs: list[tuple[Axes, Axes]] = []
    for panel in range(panels):
        row, column = divmod(panel, columns)
        # A row shares its scale: its panels are there to be compared.
        beside = pairs[row * columns][0] if column else None
        motion = figure.add_subplot(grid[2 * row, column], sharey=beside)
        shares = figure.add_subplot(grid[2 * row + 1, column], sharex=motion)
        lowest = panel + columns >= panels
        motion.tick_params(labelbottom=False)
        shares.tick_params(labelbottom=lowest)
        if lowest:
            shares.set_xlabel("time / s")
        if column == 0:
            motion.set_ylabel("position")
            shares.set_ylabel("share of limit")
        pairs.append((motion, shares))
    return pairs


def draw_response(
    axes: tuple[Axes, Axes],
    response: Response,
    limits: FilterLimits,
    title: str,
    *,
    order: int = 3,
    share_span: float = 1.15,
) -> None:
    """The motion with its set-points and range; each derivative that the order limits."""
    motion, shares = axes
    time_s = np.arange(len(response.positions)) / response.rate_hz
    motion.set_title(title, fontsize="medium")
    motion.step(time_s, response.set_points, where="post", color=SET_POINT, label="set-point")
    # A position is reached one step after the set-point that it answers.
    after_s = time_s + 1.0 / response.rate_hz
    motion.plot(after_s, response.positions, color=POSITION, linewidth=1.6, label="position")
    for end in (*limits.ends(1)[0], *limits.ends(1)[1]):
        if np.isfinite(end):
            motion.axhline(end, color=LIMIT, linestyle="--", linewidth=1.0)
    motion.grid(alpha=0.25)
    rates = limits.rates(1, order)
    for power in range(order, 0, -1):  # the calmest curve on top
        name, colour = DERIVATIVES[power - 1]
        values = response.differences(power) / rates[power - 1][0]
        shares.plot(after_s, values, color=colour, linewidth=1.0, label=name)
    _draw_limits(shares, share_span)
    shares.grid(alpha=0.25)


def _draw_limits(shares: Axes, span: float) -> None:
    for bound in (-1.0, 1.0):
        shares.axhline(bound, color=LIMIT, linestyle="--", linewidth=1.0)
    shares.set_ylim(-span, span)


def draw_legend(figure: Figure, panels: list[tuple[Axes, Axes]]) -> None:
    """One legend for all panels, below them."""
    found: dict[str, Artist] = {}
    for axes in panels:
        for part in axes:
            handles, labels = part.get_legend_handles_labels()
            found.update(zip(labels, handles, strict=True))
    names = ["set-point", "position", *(name for name, _ in DERIVATIVES)]
    shown = [name for name in names if name in found]
    figure.legend(
        [found[name] for name in shown],
        shown,
        loc="outside lower center",
        ncols=len(shown),
        frameon=False,
    )


def draw_transfer(axes: Axes, speeds: FloatArray, eased: FloatArray, title: str) -> None:
    """How much of a wanted velocity is let through, with three points to read it by."""
    axes.set_title(title, fontsize="medium")
    axes.plot(speeds, speeds, color=SET_POINT, linestyle=":", label="all of it")
    axes.plot(speeds, eased, color=DERIVATIVES[0][1], linewidth=1.6, label="let through")
    flat = eased[len(eased) // 2] < 0.5 * speeds[len(speeds) // 2]
    for share in (0.1, 0.5, 0.9):
        speed = share * speeds[-1]
        value = float(np.interp(speed, speeds, eased))
        axes.plot([speed], [value], "o", color=DERIVATIVES[1][1], markersize=5)
        axes.annotate(
            f"{speed:g} → {value:.3g}",
            (speed, value),
            textcoords="offset points",
            xytext=(22, 1) if share < 0.5 and not flat else (-6, 6),
            ha="left" if share < 0.5 else "right",
            va="bottom",
            fontsize="small",
        )
    axes.set_xlim(0.0, speeds[-1])
    axes.set_ylim(0.0, speeds[-1] * 1.02)
    axes.grid(alpha=0.25)
