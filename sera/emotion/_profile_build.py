"""From the tables of `emotion.toml` to a profile, or everything that is wrong with them.

Units and frames: degrees in, radians out.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import ValidationError

from sera.emotion._profile_file import (
    FILES,
    JointTable,
    NullSpaceFile,
    OscillationTable,
    PostureFile,
    SupportTable,
    TermTable,
)
from sera.emotion._profile_parts import hands_of, head_of, joint_problems, posture_anchors
from sera.emotion.posture_profile import Knees, PostureProfile
from sera.emotion.profile import (
    LIMIT_MARGIN_RAD,
    FloatArray,
    FourierTerm,
    Gains,
    GazeManner,
    NullSpaceProfile,
    Profile,
    ProfileError,
)
from sera.kinematics.support import Support
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, LocatedToml, nearest_name

if TYPE_CHECKING:
    from sera.animation.body import Body


def build_profile(path: Path, body: Body, postures: Collection[str] | None) -> Profile:
    """Read one file."""
    try:
        document = LocatedToml.load(path)
    except FileProblem as problem:
        raise ProfileError([problem]) from None
    kind = document.data.get("kind")
    if kind not in FILES:
        near = nearest_name(kind, FILES) if isinstance(kind, str) else None
        said = "there is no kind of profile" if kind is None else f"there is no kind {kind!r}"
        fix = "write kind = " + " or ".join(f'"{known}"' for known in FILES)
        raise ProfileError([document.problem(("kind",), said, nearest=near, fix=fix)])
    model = FILES[kind]
    try:
        file = model.model_validate(document.data)
    except ValidationError as error:
        raise ProfileError(problems_of(error, document, model, document.data)) from None
    if isinstance(file, PostureFile):
        return _posture_profile(document, file, body, postures)
    return _null_space_profile(document, file, body)


def _null_space_profile(document: LocatedToml, file: NullSpaceFile, body: Body) -> NullSpaceProfile:
    problems = joint_problems(document, file, body)
    head, found = head_of(document, file, body)
    hands, more = hands_of(document, file, body)
    support, even_more = _support(document, file.support)
    problems += found + more + even_more
    if problems:
        raise ProfileError(sorted(problems, key=lambda problem: problem.line or 0))
    terms = tuple(
        FourierTerm(math.radians(term.sine_deg), math.radians(term.cosine_deg), _omega(term))
        for term in file.jerkiness
    )
    omega_rad_s = _omega(file.oscillation)
    arrays = _Arrays(body, file.gains.velocity_share / _fastest_phase_rad_s(omega_rad_s, terms))
    for name, table in file.joints.items():
        arrays.fill(body.joints.index(name), name, table)
    columns = arrays.read_only()
    return NullSpaceProfile(
        robot=body.name,
        joints=body.joints,
        takes_part=arrays.takes_part,
        lowest_rad=columns[0],
        fullest_rad=columns[1],
        amplitude_rad=columns[2],
        published=(columns[3], columns[4], columns[5]),
        lower_rad=columns[6],
        upper_rad=columns[7],
        max_velocity_rad_s=columns[8],
        omega_rad_s=omega_rad_s,
        terms=terms,
        head=head,
        hands=hands,
        gaze=GazeManner(
            file.gaze.mode, math.radians(file.gaze.yaw_deg), math.radians(file.gaze.pitch_deg)
        ),
        gains=Gains(**file.gains.model_dump()),
        support=support,
        notes=tuple(arrays.notes),
    )


class _Arrays:
    """The columns of a profile while they are filled.

    Args:
        body: whose joints they are.
        swing_s: how long a joint takes for its amplitude at the speed that it may have, at least.
    """

    def __init__(self, body: Body, swing_s: float) -> None:
        self._swing_s = swing_s
        specs = [body.own[name] for name in body.joints]
        self.lower = np.array([spec.lower for spec in specs])
        self.upper = np.array([spec.upper for spec in specs])
        self.velocity = np.array([spec.max_velocity for spec in specs])
        neutral = np.array([spec.neutral for spec in specs])
        self.lowest, self.fullest = neutral.copy(), neutral.copy()
        self.amplitude = np.zeros(len(specs))
        self.printed = [neutral.copy(), neutral.copy(), np.zeros(len(specs))]
        self.takes_part = np.zeros(len(specs), dtype=np.bool_)
        self.notes: list[str] = []

    def fill(self, column: int, name: str, table: JointTable) -> None:
        written = np.radians([table.lowest_deg, table.fullest_deg, table.amplitude_deg]).tolist()
        printed = table.published_rad or written
        for row, value in zip(self.printed, printed, strict=True):
            row[column] = value
        inner_lower = self.lower[column] + LIMIT_MARGIN_RAD
        inner_upper = self.upper[column] - LIMIT_MARGIN_RAD
        lowest, fullest = (float(np.clip(value, inner_lower, inner_upper)) for value in written[:2])
        for what, asked, kept in (("lowest", written[0], lowest), ("fullest", written[1], fullest)):
            if asked != kept and not self.lower[column] <= asked <= self.upper[column]:
                self.notes.append(
                    f"{name}: {what}_deg {math.degrees(asked):.1f} lies beyond its limits and was "
                    f"drawn in to {math.degrees(kept):.1f}"
                )
        room = max(0.0, min(fullest - inner_lower, inner_upper - fullest))
        fast = self._swing_s * self.velocity[column]
        amplitude = math.copysign(min(abs(written[2]), room, fast), written[2])
        if abs(amplitude) < abs(written[2]):
            reason = "leave its limits" if room <= fast else "be faster than it may be"
            self.notes.append(
                f"{name}: amplitude_deg {math.degrees(written[2]):.1f} would {reason} and was "
                f"shrunk to {math.degrees(amplitude):.1f}"
            )
        self.lowest[column], self.fullest[column] = lowest, fullest
        self.amplitude[column] = amplitude
        self.takes_part[column] = True

    def read_only(self) -> list[FloatArray]:
        columns = [self.lowest, self.fullest, self.amplitude, *self.printed]
        columns += [self.lower, self.upper, self.velocity]
        for array in (*columns, self.takes_part):
            array.flags.writeable = False
        return columns


def _fastest_phase_rad_s(omega_rad_s: float, terms: tuple[FourierTerm, ...]) -> float:
    """No faster than this does the phase of a swing go, at jerkiness one."""
    return omega_rad_s + sum(
        term.omega_rad_s * math.hypot(term.sine_rad, term.cosine_rad) for term in terms
    )


def _omega(table: OscillationTable | TermTable) -> float:
    if table.omega_rad_s is not None:
        return table.omega_rad_s
    assert table.frequency_hz is not None  # the table has one of both
    return 2.0 * math.pi * table.frequency_hz


def _support(
    document: LocatedToml, table: SupportTable | None
) -> tuple[Support | None, list[FileProblem]]:
    if table is None:
        return None, []
    try:
        support = Support.of(table.points_m, table.margin_m)
    except ValueError:
        message = "the corners do not go round a convex polygon"
        fix = "give them in order, without one inside of the others"
        return None, [document.problem(("support", "points_m"), message, fix=fix)]
    middle = np.mean(np.array(table.points_m), axis=0)
    if support.inside_m(float(middle[0]), float(middle[1])) <= table.margin_m:
        message = "the margin leaves nothing of the polygon"
        return None, [document.problem(("support", "margin_m"), message)]
    return support, []


def _posture_profile(
    document: LocatedToml, file: PostureFile, body: Body, postures: Collection[str] | None
) -> PostureProfile:
    anchors, problems = posture_anchors(document, file, body, postures)
    if problems:
        raise ProfileError(sorted(problems, key=lambda problem: problem.line or 0))
    character, idle = file.character, file.idle
    low, middle, high = (math.radians(value) for value in character.overshoot_deg)
    return PostureProfile(
        robot=body.name,
        anchors=anchors,
        averted_rad=(math.radians(file.gaze.yaw_deg), math.radians(file.gaze.pitch_deg)),
        knees=Knees(
            smoothness=character.smoothness,
            responsiveness=character.responsiveness,
            overshoot_rad=(low, middle, high),
            speed_share=character.speed,
            breaths_per_minute=idle.breaths_per_minute,
            breath_size=idle.breath_size,
            drift_frequency_hz=idle.drift_frequency_hz,
            drift_size=idle.drift_size,
        ),
    )
