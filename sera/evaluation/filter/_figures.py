"""The document's figures 6.15 to 6.20 drawn again with this filter, and one of its guard."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sera.evaluation.filter._guard import guard_example, guard_responses
from sera.evaluation.filter._measure import respond
from sera.evaluation.filter._panel import (
    draw_legend,
    draw_response,
    draw_transfer,
    new_figure,
    panel_axes,
)
from sera.evaluation.filter._signals import (
    circular_signal,
    random_signal,
    simple_signal,
)
from sera.kinematics._arrays import FloatArray
from sera.kinematics._filter_kernels import easing
from sera.kinematics.filter import Limiter, Preset, preset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RANDOM_SEED = 11  # large and small changes in one run


def _titled(example: Preset, *, order: int | None = None) -> str:
    limiter = example.character.limiter.value
    parts = [f"{example.name}, {example.summary}", f"{limiter} limiter"]
    if order is not None:
        parts[1] = f"order {order}"
    return ", ".join(parts)


def _transfer() -> Figure:
    """6.15: the easing of presets A to D."""
    figure = new_figure(9.0, 7.0)
    axes = figure.subplots(2, 2)
    for part, name in zip(axes.flat, "ABCD", strict=True):
        example = preset(name)
        (smooth,), (responsive,), _, _ = example.character.arrays(1)
        (v_max,), _, _ = example.limits.rates(1, 3)
        speeds = np.linspace(0.0, v_max, 600)
        gain = 1.0 / (1.0 - responsive)
        eased = np.array([v * easing(v, 1.0 - smooth, gain) for v in speeds.tolist()])
        title = f"{name}, {example.summary} ({smooth:g}, {responsive:g})"
        draw_transfer(part, speeds, eased, title)
        part.set_xlabel("wanted velocity")
        part.set_ylabel("let through")
    figure.suptitle("Easing at (smoothness, responsiveness)", fontsize="medium")
    return figure


def _grid(examples: list[tuple[Preset, int, str]], signal: FloatArray, columns: int = 2) -> Figure:
    figure = new_figure(4.6 * columns + 0.6, 3.3 * -(-len(examples) // columns) + 0.5)
    panels = panel_axes(figure, len(examples), columns)
    for axes, (example, order, title) in zip(panels, examples, strict=True):
        response = respond(signal, example, order=order)
        draw_response(axes, response, example.limits, title, order=order)
    draw_legend(figure, panels)
    return figure


def _both_limiters(names: str) -> list[tuple[Preset, int, str]]:
    return [
        (example, 3, _titled(example))
        for name in names
        for example in (preset(name).with_limiter(limiter) for limiter in Limiter)
    ]


def _limiters() -> Figure:
    """6.16: both limiters, with and without easing."""
    return _grid(_both_limiters("AW"), simple_signal())


def _characters() -> Figure:
    """6.17: presets B, C and D with both limiters."""
    return _grid(_both_limiters("BCD"), simple_signal())


def _orders() -> Figure:
    """6.18: orders 3, 2 and 1 of presets A to D."""
    examples = [
        (preset(name), order, _titled(preset(name), order=order))
        for name in "ABCD"
        for order in (3, 2, 1)
    ]
    return _grid(examples, simple_signal(), columns=3)


def _random() -> Figure:
    """6.19: presets A to D on the random signal."""
    signal = random_signal(np.random.default_rng(RANDOM_SEED))
    return _grid([(preset(name), 3, _titled(preset(name))) for name in "ABCD"], signal)


def _circular() -> Figure:
    """6.20: presets A to E on the circular signal."""
    examples = [(preset(name), 3, _titled(preset(name))) for name in "ABCDE"]
    return _grid(examples, circular_signal())


def _guard() -> Figure:
    """The document's form at the end of a range: free, clamped, and with the stopping guard."""
    example, _ = guard_example()
    figure = new_figure(13.5, 4.6)
    panels = panel_axes(figure, 3, 3)
    for axes, (title, response) in zip(panels, guard_responses().items(), strict=True):
        draw_response(axes, response, example.limits, title, share_span=4.0)
    draw_legend(figure, panels)
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "filter_6_15_easing.png": _transfer,
    "filter_6_16_limiters.png": _limiters,
    "filter_6_17_characters.png": _characters,
    "filter_6_18_orders.png": _orders,
    "filter_6_19_random.png": _random,
    "filter_6_20_circular.png": _circular,
    "filter_guard.png": _guard,
}


def draw_figures(folder: Path, names: Collection[str] = tuple(FIGURES)) -> list[Path]:
    """Write the figures of these file names into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in FIGURES.items():
        if name not in names:
            continue
        path = folder / name
        # The same figure is the same file: no date, no version inside.
        draw().savefig(path, metadata={"Software": None})
        written.append(path)
    return written
