"""The published evaluation of ERIK, run again: seven skeletons, 302 million samples or a part.

`evaluate(Wish(skeletons=("C",), sample=10_000), Path("erik-evaluation"))` solves the samples that
are not yet solved in that folder and writes report.md, report.json and pictures into it.
"""

from sera.evaluation.erik.evaluation import Outcome, evaluate
from sera.evaluation.erik.floor import FloorSearch
from sera.evaluation.erik.jobs import Job, Wish
from sera.evaluation.erik.journal import OtherSettings
from sera.evaluation.erik.run import Progress
from sera.evaluation.erik.samples import orientations_wxyz, postures_rad
from sera.evaluation.erik.skeletons import ORIENTATIONS, SKELETONS, TOTAL_SAMPLES, Skeleton

__all__ = [
    "ORIENTATIONS",
    "SKELETONS",
    "TOTAL_SAMPLES",
    "FloorSearch",
    "Job",
    "OtherSettings",
    "Outcome",
    "Progress",
    "Skeleton",
    "Wish",
    "evaluate",
    "orientations_wxyz",
    "postures_rad",
]
