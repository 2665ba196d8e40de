"""The people in the room: who is there, who looks at whom, who speaks, who is engaged.

`sera.people.simulated` holds people who are not there, for runs without cameras.
"""

from sera.people._bodies import MergeSettings
from sera.people._scene import Scene
from sera.people._voices import Voice
from sera.people.engagement import (
    EngagementJudge,
    EngagementSettings,
    LevelChange,
    Signs,
)
from sera.people.fusion import Fusion, Judged
from sera.people.looking import LookSettings, looked_at, off_deg

__all__ = [
    "EngagementJudge",
    "EngagementSettings",
    "Fusion",
    "Judged",
    "LevelChange",
    "LookSettings",
    "MergeSettings",
    "Scene",
    "Signs",
    "Voice",
    "looked_at",
    "off_deg",
]
