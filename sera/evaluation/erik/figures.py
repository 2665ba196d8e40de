"""The document's figures 6.28 to 6.31 with our results, as PNG files.

matplotlib is needed for this alone (`pip install "sera-hri[figures]"`); `draw_all` raises
ImportError without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sera.evaluation.erik.jobs import BASELINES, WITHOUT_POSTURE
from sera.evaluation.erik.report import Findings
from sera.evaluation.erik.skeletons import SKELETONS
from sera.evaluation.erik.tally import BIN_WIDTH, COLUMNS, THRESHOLD, Column, Tally
from sera.kinematics._arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TITLES = {
    "combined": "Combined error",
    "orientation": "Orientation error",
    "weighted_posture": "0.2 · posture error",
}
_COLOURS = {
    "A": "#7f7f7f",
    "B": "#c44e52",
    "C": "#dd9f1f",
    "D": "#55a868",
    "E": "#2aa1b3",
    "F": "#4c72b0",
    "G": "#8172b2",
}
_WIDEST_ERROR = 0.2
_WIDEST_ERROR_OF_A = 0.8
_NARROW = 2e-4
"""A spread below this is drawn as a line: its bell would hide all others."""
_DOTS_PER_INCH = 130
_ROOT_TAU = math.sqrt(math.tau)
_TOO_HIGH = 3.0
"""A bell this many times as high as the next is cut off, so that the others can be seen."""
_STYLES = ("-", "-", "--", ":")
_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}


def draw_all(findings: Findings, folder: Path) -> list[Path]:
    """Draw every figure that the findings suffice for; return the files."""
    import matplotlib as mpl

    mpl.use("Agg")
    drawn: dict[str, Figure] = {}
    for method in findings.methods():
        tallies = _tallies_of(findings, method)
        drawn[f"histograms-{method}"] = _histograms(tallies, method)
        shown = {name: tally for name, tally in tallies.items() if name != "A"}
        if shown:
            bells = {f"{name} {SKELETONS[name].axes}": tally for name, tally in shown.items()}
            colours = [_COLOURS[name] for name in shown]
            title = f"Normal curves of the errors, method {method} (Figure 6.29)"
            drawn[f"normal-{method}"] = _normal_curves(bells, colours, title)
        if findings.tally("C", f"DLS{BASELINES[-1]}") is not None and "C" in tallies:
            drawn[f"baselines-{method}"] = _against_baselines(findings, method)
            drawn[f"orientation-{method}"] = _orientation_alone(findings, method)
    return [_saved(figure, folder / f"{name}.png") for name, figure in drawn.items()]


def _saved(figure: Figure, path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=_DOTS_PER_INCH, facecolor="white")
    plt.close(figure)
    return path


def _tallies_of(findings: Findings, method: str) -> dict[str, Tally]:
    tallies = ((name, findings.tally(name, method)) for name in SKELETONS)
    return {name: tally for name, tally in tallies if tally is not None and tally.samples}


def _histograms(tallies: Mapping[str, Tally], method: str) -> Figure:
    """Figure 6.30: a row for each skeleton, a column for each error."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    rows = len(tallies)
    figure, grid = plt.subplots(
        rows, 3, figsize=(11, 0.9 + 1.5 * rows), squeeze=False, layout="constrained"
    )
    for row, (name, tally) in enumerate(tallies.items()):
        skeleton = SKELETONS[name]
        widest = _WIDEST_ERROR_OF_A if name == "A" else _WIDEST_ERROR
        for place, column_name in enumerate(COLUMNS):
            axes = grid[row][place]
            _draw_histogram(axes, tally.columns[column_name], widest, _COLOURS[name])
            if name == "A":
                axes.set_facecolor("#f4f4f4")
            if row == 0:
                axes.set_title(_TITLES[column_name], fontsize=10)
            if row == rows - 1:
                axes.set_xlabel("error", fontsize=8)
        limit = "π" if skeleton.limit_rad > 2.0 else "π/2"
        label = f"{name}\n{skeleton.axes}\n±{limit}"
        grid[row][0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize=9)
    samples = sum(tally.samples for tally in tallies.values())
    title = f"Errors of ERIK, method {method}, {samples:,} samples (Figure 6.30)"
    figure.suptitle(title, fontsize=12)
    legend = [
        Line2D([], [], color="#333333", linestyle="--", linewidth=1, label="threshold 0.04"),
        Line2D([], [], color="#c0392b", linewidth=1, label="highest error"),
    ]
    figure.legend(handles=legend, loc="outside upper right", ncols=2, frameon=False, fontsize=8)
    return figure


def _draw_histogram(axes: Axes, column: Column, widest: float, colour: str) -> None:
    """Shares of samples on a logarithmic scale: outliers stay visible."""
    bin_width = BIN_WIDTH * (4 if widest > _WIDEST_ERROR else 1)
    shares = _rebinned(column.histogram(), round(bin_width / BIN_WIDTH)) / column.samples * 100
    lefts = bin_width * np.arange(len(shares))
    axes.bar(lefts, shares, width=bin_width, align="edge", color=colour, linewidth=0)
    axes.axvline(THRESHOLD, color="#333333", linestyle="--", linewidth=1)
    axes.axvline(min(column.most, widest), color="#c0392b", linewidth=1)
    where = "right" if column.most > 0.75 * widest else "left"
    axes.annotate(
        f"{column.most:.3f}" if column.most >= 5e-4 else f"{column.most:.0e}",
        (min(column.most, widest), 0.86),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if where == "right" else 3, 0),
        textcoords="offset points",
        ha=where,
        fontsize=7,
        color="#c0392b",
    )
    axes.text(
        0.98,
        0.62,
        f"mean {column.mean:.4f}\nS.D. {column.deviation:.4f}",
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=7,
        bbox=_PAPER,
    )
    axes.set_xlim(0, widest)
    axes.locator_params(axis="x", nbins=5)
    axes.set_yscale("log")
    axes.set_ylim(max(5e-5, 50.0 / column.samples), 200)
    axes.yaxis.set_major_formatter(lambda value, _place: f"{value:g} %")
    _plain(axes)


def _rebinned(counts: FloatArray, factor: int) -> FloatArray:
    padded = np.pad(counts, (0, -len(counts) % factor))
    return np.asarray(padded.reshape(-1, factor).sum(axis=1))


def _normal_curves(tallies: Mapping[str, Tally], colours: Sequence[str], title: str) -> Figure:
    """Figures 6.29 and 6.31: the normal distribution of each error's mean and deviation."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    for axes, column_name in zip(grid, COLUMNS, strict=True):
        curves = {
            label: (tally.columns[column_name].mean, tally.columns[column_name].deviation)
            for label, tally in tallies.items()
        }
        _draw_curves(axes, curves, colours)
        axes.set_title(_TITLES[column_name], fontsize=10)
        axes.set_xlabel("error", fontsize=8)
    grid[0].set_ylabel("density", fontsize=8)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(labels), 7), frameon=False,
        fontsize=8,
    )  # fmt: skip
    figure.suptitle(title, fontsize=12)
    return figure


def _draw_curves(
    axes: Axes, curves: Mapping[str, tuple[float, float]], colours: Sequence[str]
) -> None:
    wide = [mean + 3.2 * spread for mean, spread in curves.values() if spread > _NARROW]
    reach = max(1.5 * THRESHOLD, *wide) if wide else 1.5 * THRESHOLD
    errors = np.linspace(-0.35 * reach, reach, 800)
    peaks = []
    for place, ((label, (mean, spread)), colour) in enumerate(
        zip(curves.items(), colours, strict=True)
    ):
        style = _STYLES[place] if len(curves) == len(_STYLES) else "-"
        if spread > _NARROW:
            density = np.exp(-0.5 * ((errors - mean) / spread) ** 2) / (spread * _ROOT_TAU)
            axes.plot(errors, density, color=colour, linestyle=style, label=label, lw=1.8)
            peaks.append(1.0 / (spread * _ROOT_TAU))
        else:
            axes.axvline(mean, color=colour, linestyle=style, label=label, lw=1.8)
    axes.axvline(THRESHOLD, color="#333333", linestyle="--", linewidth=1)
    notes = []
    if len(peaks) < len(curves):
        notes.append("a bare line: all samples lie there")
    peaks.sort()
    axes.set_ylim(0, 1.08 * peaks[-1] if peaks else 1.0)
    if len(peaks) > len(_STYLES) and peaks[-1] > _TOO_HIGH * peaks[-2]:
        axes.set_ylim(0, 1.5 * peaks[-2])
        notes.append(f"highest curve cut off; its peak is at {peaks[-1]:.0f}")
    if not peaks:
        axes.set_yticks([])
    if notes:
        axes.text(
            0.98,
            0.97,
            "\n".join(notes),
            transform=axes.transAxes,
            ha="right",
            va="top",
            fontsize=7,
            bbox=_PAPER,
        )
    axes.set_xlim(errors[0], errors[-1])
    _plain(axes)


def _against_baselines(findings: Findings, method: str) -> Figure:
    """Figure 6.31: ERIK and damped least squares on skeleton C."""
    labels = [method, *(f"DLS{most}" for most in BASELINES)]
    tallies = {f"ERIK {method}" if label == method else label: findings.tally("C", label)
               for label in labels}  # fmt: skip
    shown = {label: tally for label, tally in tallies.items() if tally is not None}
    title = f"ERIK ({method}) and damped least squares on skeleton C (Figure 6.31)"
    return _normal_curves(shown, ["#dd9f1f", "#9ecae1", "#4292c6", "#084594"], title)


def _orientation_alone(findings: Findings, method: str) -> Figure:
    """Figure 6.28: the orientation error beside a baseline that need not care for the posture."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
    colours = ["#dd9f1f", "#4292c6"]
    curves = {}
    for label, colour in zip((method, WITHOUT_POSTURE), colours, strict=True):
        tally = findings.tally("C", label)
        assert tally is not None
        column = tally.columns["orientation"]
        shares = 100.0 * column.histogram() / column.samples
        name = f"ERIK {method}" if label == method else "DLS100 without posture, filtered"
        edges = BIN_WIDTH * np.arange(len(shares) + 1)
        left.stairs(shares, edges, fill=True, alpha=0.55, color=colour, label=name)
        curves[name] = (column.mean, column.deviation)
    left.axvline(THRESHOLD, color="#333333", linestyle="--", linewidth=1, label="threshold 0.04")
    left.set_yscale("log")
    left.set_xlim(left=0)
    left.set_ylabel("share of samples", fontsize=8)
    left.yaxis.set_major_formatter(lambda value, _place: f"{value:g} %")
    left.legend(frameon=False, fontsize=8)
    _plain(left)
    _draw_curves(right, curves, colours)
    right.set_ylabel("density", fontsize=8)
    for axes in (left, right):
        axes.set_xlabel("orientation error", fontsize=8)
    figure.suptitle(
        f"Orientation error on skeleton C; ERIK ({method}) has a posture goal too (Figure 6.28)",
        fontsize=12,
    )
    return figure


def _plain(axes: Axes) -> None:
    axes.grid(visible=True, color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=7, length=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
