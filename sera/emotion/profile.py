"""What a body can express: its profile, from `robots/<name>/emotion.toml`.

    profile = load_profile(body.folder, body)
    if isinstance(profile, NullSpaceProfile):
        motion = ExpressiveMotion(profile)

Design overview: a body that works with its hands has a *null-space* profile: a lowest and a
fullest posture, how far each joint swings about the fullest, and the levels below which all of
this happens. A body like a line has a *posture* profile (`posture_profile`): which of its postures
goes with which emotion, and how the motion filter and idle life change. `_profile_build` makes
them of the file and says everything that is wrong in it.

Units and frames: radians, metres and seconds; one column a joint, in the order of `body.joints`;
Y up, the body faces +Z; points on the floor are (left, forwards).
Threading: immutable; arrays are read-only.
Safety: an amplitude that would take a joint beyond its limits, or faster than its share of speed,
is shrunk, with a note, so that no joint is ever held at an end: a hard clamp adds a jerk of its
own. Postures beyond the limits are refused.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sera.emotion._profile_file import Face
from sera.emotion.posture_profile import PostureProfile
from sera.kinematics.support import Support
from sera.runtime.located import FileProblems, nearest_name

if TYPE_CHECKING:
    from sera.animation.body import Body

FloatArray = NDArray[np.float64]
PROFILE_FILE = "emotion.toml"
LIMIT_MARGIN_RAD = 0.01
"""How far from its limits a joint stays while it swings."""
FACES: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}


class ProfileError(FileProblems):
    """An expressive profile that cannot be used, with everything that is wrong in it."""

    what = "expressive profile"


@dataclass(frozen=True, slots=True)
class FourierTerm:
    """One term of the phase's modulation: sine and cosine of one frequency."""

    sine_rad: float
    cosine_rad: float
    omega_rad_s: float


@dataclass(frozen=True, slots=True)
class HeadPart:
    """What gazes."""

    end_point: str
    face: Face = "z"

    @property
    def axis(self) -> tuple[float, float, float]:
        """What looks, in the frame of the end point."""
        return FACES[self.face]


@dataclass(frozen=True, slots=True)
class HandPart:
    """An arm that main tasks may take."""

    name: str
    end_point: str
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GazeManner:
    """What averted means."""

    mode: Literal["aversion", "document"] = "aversion"
    yaw_rad: float = 0.4363323129985824
    pitch_rad: float = 0.2617993877991494


@dataclass(frozen=True, slots=True)
class Gains:
    """How fast errors are closed on each level, and what lower levels may take."""

    hand_per_s: float = 10.0
    head_per_s: float = 5.0
    posture_per_s: float = 3.0
    head_damping: float = 0.1
    velocity_share: float = 0.8


@dataclass(frozen=True, eq=False, slots=True)
class NullSpaceProfile:
    """How a body with hands expresses what it feels while it works."""

    robot: str
    joints: tuple[str, ...]
    """All joints of the body, in its order."""
    takes_part: NDArray[np.bool_]
    """Which of them the file names; the others stay at neutral."""
    lowest_rad: FloatArray
    """The posture at no activity, theta_0."""
    fullest_rad: FloatArray
    """The middle of the swing at full activity, theta_V0."""
    amplitude_rad: FloatArray
    """How far each joint swings at full activity, shrunk to stay within the limits."""
    published: tuple[FloatArray, FloatArray, FloatArray]
    """Lowest, fullest and amplitude as they are printed where they come from, for comparison."""
    lower_rad: FloatArray
    upper_rad: FloatArray
    max_velocity_rad_s: FloatArray
    omega_rad_s: float
    terms: tuple[FourierTerm, ...]
    head: HeadPart | None = None
    hands: tuple[HandPart, ...] = ()
    gaze: GazeManner = GazeManner()
    gains: Gains = Gains()
    support: Support | None = None
    notes: tuple[str, ...] = ()
    """What was changed in reading the file, one sentence each."""
    kind: Literal["null_space"] = "null_space"

    def hand(self, name: str) -> HandPart:
        """The hand of that name, or of that end point.

        Raises:
            LookupError: with the nearest name.
        """
        for hand in self.hands:
            if name in {hand.name, hand.end_point}:
                return hand
        known = [hand.name for hand in self.hands]
        near = nearest_name(name, known)
        hint = f"; did you mean '{near}'?" if near else ""
        listed = ", ".join(known) or "none"
        raise LookupError(f"'{self.robot}' has no hand '{name}'{hint} (it has {listed})")

    def column(self, joint: str) -> int:
        """The place of a joint in the arrays.

        Raises:
            LookupError: with the nearest name.
        """
        if joint in self.joints:
            return self.joints.index(joint)
        near = nearest_name(joint, self.joints)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"'{self.robot}' has no joint '{joint}'{hint}")


Profile: TypeAlias = NullSpaceProfile | PostureProfile


def has_profile(folder: Path) -> bool:
    """Whether a robot's folder says how it expresses emotions."""
    return (folder / PROFILE_FILE).is_file()


def load_profile(folder: Path, body: Body, *, postures: Collection[str] | None = None) -> Profile:
    """The profile in a robot's folder, or in a scenario's own for the same body.

    Args:
        folder: with `emotion.toml`.
        body: that it is for.
        postures: the names of the body's repertoire; looked up beside it where left out.

    Raises:
        ProfileError: with every problem of its file, by line.
    """
    from sera.emotion._profile_build import build_profile

    return build_profile(folder / PROFILE_FILE, body, postures)
