"""Curves of emotions as a figure: a column an emotion, a row a quantity, each row to one scale.

matplotlib is an optional dependency: only functions of this file import it.

Units and frames: degrees and millimetres on the page, seconds from the wave's beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sera.evaluation.emotion.curves import SECONDS, Curves
from sera.evaluation.emotion.page import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    VERMILION,
    save_few_colours,
)
from sera.kinematics._arrays import FloatArray

_COLOURS = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, "#56B4E9", "#000000")
_HAND_TOP_MM = 40.0
"""Before the hand has joined its path it comes from afar; what counts is below this."""
_THIN, _LINE = 0.8, 1.1


class _Row(NamedTuple):
    label: str
    values: Callable[[Curves], FloatArray | None]
    top: float | None
    said: Callable[[Curves], str]
    """What is written into the corner of a panel."""


def needed() -> None:
    """Raise ImportError where matplotlib is missing, before anything is measured."""
    import matplotlib.figure as _  # noqa: F401


def curve_figure(title: str, plain: Curves, felt: Sequence[Curves], path: Path) -> Path:
    """Draw emotions beside a play in which nothing is felt, into a PNG file.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    rows = [row for row in _ROWS if row.values(plain) is not None]
    columns = len(felt)
    figure = Figure(figsize=(1.1 + 1.45 * columns, 1.0 + 1.35 * (len(rows) + 1)), dpi=100)
    grid = figure.subplots(len(rows) + 1, columns, sharex=True, sharey="row", squeeze=False)
    for column, curves in enumerate(felt):
        _draw_joints(grid[0, column], plain, curves)
        octant = curves.wish.pad.octant.lower()
        grid[0, column].set_title(f"{curves.wish.title}\n{octant}", fontsize=8.5, weight="bold")
        for row, quantity in enumerate(rows, start=1):
            _draw_row(grid[row, column], quantity, plain, curves)
    grid[0, 0].set_ylabel("joints / °", fontsize=8)
    for row, quantity in enumerate(rows, start=1):
        grid[row, 0].set_ylabel(quantity.label, fontsize=8)
        if quantity.top is not None:
            grid[row, 0].set_ylim(0.0, quantity.top)
        else:
            grid[row, 0].set_ylim(bottom=0.0)
    for axes in grid.ravel():
        axes.set_xlim(0.0, SECONDS)
        axes.tick_params(labelsize=7, length=2)
        axes.grid(alpha=0.25, linewidth=0.5)
    for axes in grid[-1]:
        axes.set_xlabel("time / s", fontsize=7.5)
    handles = grid[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="lower center", ncols=len(handles[1]), fontsize=7.5, frameon=False)
    figure.suptitle(title, fontsize=11, weight="bold", x=0.01, y=0.995, ha="left")
    figure.tight_layout(rect=(0.0, 0.025, 1.0, 1.02), h_pad=0.6, w_pad=0.4)
    return save_few_colours(figure, path)


def _draw_joints(axes: Any, plain: Curves, curves: Curves) -> None:
    axes.plot(plain.times_s, np.degrees(plain.angles_rad), color=GREY, linewidth=_THIN)
    for place, joint in enumerate(curves.joints):
        axes.plot(
            curves.times_s,
            np.degrees(curves.angles_rad[:, place]),
            color=_COLOURS[place % len(_COLOURS)],
            linewidth=_LINE,
            label=joint,
        )
    if not axes.get_subplotspec().is_first_col():
        return
    axes.plot([], [], color=GREY, linewidth=_THIN, label="nothing felt")


def _draw_row(axes: Any, quantity: _Row, plain: Curves, curves: Curves) -> None:
    for one, colour, width in ((plain, GREY, _THIN), (curves, BLUE, _LINE)):
        values = quantity.values(one)
        assert values is not None
        axes.plot(one.times_s[-len(values) :], values, color=colour, linewidth=width)
    axes.text(
        0.97, 0.93, quantity.said(curves), transform=axes.transAxes, fontsize=7,
        ha="right", va="top", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _gaze(curves: Curves) -> FloatArray | None:
    return None if curves.gaze_rad is None else np.degrees(curves.gaze_rad)


def _hand(curves: Curves) -> FloatArray | None:
    return None if curves.hand_m is None else 1000.0 * curves.hand_m


_ROWS = (
    _Row("gaze from partner / °", _gaze, 35.0, lambda c: f"{c.gaze_deg or 0.0:.0f}°"),
    _Row(
        "right hand\nfrom its path / mm",
        _hand,
        _HAND_TOP_MM,
        lambda c: f"{c.hand_mm or 0.0:.1f} mm",
    ),
    _Row(
        "speed / °/s", lambda c: np.degrees(c.speed_rad_s), None, lambda c: f"energy {c.energy:.2f}"
    ),
    _Row("jerk / rad/s³", lambda c: c.jerk_rad_s3, None, lambda c: f"rms {c.rms_jerk:.0f}"),
)
