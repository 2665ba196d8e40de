"""The motion filter looked at: its input signals, what its presets do with them, and figures."""

from __future__ import annotations

from sera.evaluation.filter._document_form import document_form
from sera.evaluation.filter._figures import FIGURES, draw_figures
from sera.evaluation.filter._fuzz import FilterFuzz, fuzz_filter
from sera.evaluation.filter._guard import (
    GuardMeasures,
    guard_example,
    measure_guard,
    measure_without_overshoot,
)
from sera.evaluation.filter._measure import (
    Measures,
    Response,
    measure_presets,
    measure_step,
    respond,
)
from sera.evaluation.filter._signals import (
    RATE_HZ,
    circular_signal,
    random_signal,
    simple_signal,
)

__all__ = [
    "FIGURES",
    "RATE_HZ",
    "FilterFuzz",
    "GuardMeasures",
    "Measures",
    "Response",
    "circular_signal",
    "document_form",
    "draw_figures",
    "fuzz_filter",
    "guard_example",
    "measure_guard",
    "measure_presets",
    "measure_step",
    "measure_without_overshoot",
    "random_signal",
    "respond",
    "simple_signal",
]
