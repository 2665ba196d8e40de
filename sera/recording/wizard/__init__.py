"""How operators worked, from a recording: reaction times, suggestions, corrections, the dial.

`analyse` reads records once and never fails on one; `WizardReport` is what it found.
"""

from __future__ import annotations

from sera.recording.wizard._analysis import analyse
from sera.recording.wizard._report import (
    Correction,
    Decision,
    Deviation,
    ErrorMark,
    Figures,
    Spread,
    SuggestionFigures,
    WizardReport,
)

__all__ = [
    "Correction",
    "Decision",
    "Deviation",
    "ErrorMark",
    "Figures",
    "Spread",
    "SuggestionFigures",
    "WizardReport",
    "analyse",
]
