"""Task-priority control: a body does several things at once, the more important ones exactly.

See `controller` for how it is used, `tasks` for what can be asked, `manner` for how it is done.
"""

from __future__ import annotations

from sera.kinematics.priority.controller import LevelReport, PriorityController, Report
from sera.kinematics.priority.manner import Damping, Form, Limits
from sera.kinematics.priority.tasks import (
    CentreOfMassTask,
    GazeTask,
    OrientationTask,
    PoseTask,
    PositionTask,
    PostureTask,
    RowsTask,
    Task,
    TaskHandle,
    TaskState,
)
from sera.kinematics.support import Support

__all__ = [
    "CentreOfMassTask",
    "Damping",
    "Form",
    "GazeTask",
    "LevelReport",
    "Limits",
    "OrientationTask",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "PriorityController",
    "Report",
    "RowsTask",
    "Support",
    "Task",
    "TaskHandle",
    "TaskState",
]
