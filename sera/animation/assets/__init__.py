"""What animators make: animations, postures and faces, from files and for other programs.

from sera.animation.assets import check, ghost, load_animation

nod = load_animation(Path("nod.toml"), body.channels)
for violation in check(nod, body.channels):
    ...
limited = ghost(nod, body.channels)
"""

from sera.animation.assets.animation import AnimatedChannel, Animation
from sera.animation.assets.curve import Curve
from sera.animation.assets.exporters import NaoqiTimeline, animation_csv, naoqi_timeline
from sera.animation.assets.face import Face, FaceReading, load_faces, read_face
from sera.animation.assets.figures import draw_check
from sera.animation.assets.helper import Breach, Profile, Violation, check, ghost, profiles
from sera.animation.assets.importers import (
    BvhSource,
    ImportFailed,
    import_bvh,
    import_csv,
    load_mapping,
)
from sera.animation.assets.limits import LimitsError, load_limits
from sera.animation.assets.load import (
    AnimationError,
    AnimationReading,
    load_animation,
    load_animations,
    read_animation,
)
from sera.animation.assets.posture import (
    Posture,
    PostureError,
    PostureReading,
    load_postures,
    read_postures,
)
from sera.animation.assets.save import animation_json, animation_toml, save_animation
from sera.animation.assets.tangents import TANGENTS, Key, Tangent

__all__ = [
    "TANGENTS",
    "AnimatedChannel",
    "Animation",
    "AnimationError",
    "AnimationReading",
    "Breach",
    "BvhSource",
    "Curve",
    "Face",
    "FaceReading",
    "ImportFailed",
    "Key",
    "LimitsError",
    "NaoqiTimeline",
    "Posture",
    "PostureError",
    "PostureReading",
    "Profile",
    "Tangent",
    "Violation",
    "animation_csv",
    "animation_json",
    "animation_toml",
    "check",
    "draw_check",
    "ghost",
    "import_bvh",
    "import_csv",
    "load_animation",
    "load_animations",
    "load_faces",
    "load_limits",
    "load_mapping",
    "load_postures",
    "naoqi_timeline",
    "profiles",
    "read_animation",
    "read_face",
    "read_postures",
    "save_animation",
]
