"""Replay: modules play again with a recording as their world.

`read_recording` opens one, `cast_of` rebuilds its scenario and chooses who is played, `play` plays
them in virtual time, `compare` says whether the same came out. `Changes` are a what-if, whose
`difference` is shown side by side (`timeline_page`). `Training` plays a recording on the bus for
a trainee in the wizard's place, whose decisions `score` judges.
"""

from __future__ import annotations

from sera.recording.replay._casting import Cast, cast_of
from sera.recording.replay._changes import Changes, read_changes
from sera.recording.replay._compare import Comparison, Divergence, compare
from sera.recording.replay._difference import Difference, difference
from sera.recording.replay._player import Replayed, Said, play
from sera.recording.replay._recorded import RecordedRun, ReplayError, read_recording
from sera.recording.replay._timeline import timeline_page
from sera.recording.replay._trainer import Training
from sera.recording.replay._training import WINDOW_S, Choice, TrainingScore, choices_of, score

__all__ = [
    "WINDOW_S",
    "Cast",
    "Changes",
    "Choice",
    "Comparison",
    "Difference",
    "Divergence",
    "RecordedRun",
    "ReplayError",
    "Replayed",
    "Said",
    "Training",
    "TrainingScore",
    "cast_of",
    "choices_of",
    "compare",
    "difference",
    "play",
    "read_changes",
    "read_recording",
    "score",
    "timeline_page",
]
