"""The published evaluation of ERIK, run again: seven skeletons, 302 million samples or a part.

    from sera.evaluation.erik import Wish, evaluate

    evaluate(Wish(skeletons=("C",), sample=10_000), Path("erik-evaluation"), command="...")
"""

from sera.evaluation.erik.evaluate import Outcome, evaluate
from sera.evaluation.erik.floor import FloorSearch
from sera.evaluation.erik.jobs import Job, Wish
from sera.evaluation.erik.journal import OtherSettings
from sera.evaluation.erik.run import Progress, run
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
    "run",
]
