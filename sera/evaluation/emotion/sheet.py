"""A contact sheet of emotions: a body in each of them, at a few moments of a wave.

Design overview: one block an emotion. A body with hands is shown before it waves, from the front
and from the side, then twice while it waves; then come the paths of both hands and, because stills
cannot show it, the speed of the free hand: smooth where it moves evenly, with teeth where jerkily.
The path of the waving hand lies over that of a wave without any emotion, which is grey and ought to
be covered. A body like a line is shown from the front and from the side in the posture that the
emotion has mixed for it.

Every picture is what leaves the motion filter. matplotlib is an optional dependency and is loaded
when a sheet is drawn.

Units and frames: metres; times below the pictures are seconds from the wave's beginning.
Threading: pure, apart from the file that is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sera.animation.body import Body
from sera.animation.body.drawing import View, draw_pose
from sera.animation.sheets.performance import Performance
from sera.animation.stage_set import StageSet
from sera.emotion import PAD
from sera.emotion.features import features_of
from sera.emotion.posture_profile import PostureProfile
from sera.emotion.profile import NullSpaceProfile, Profile
from sera.emotion.wish import Wish
from sera.evaluation.emotion.page import BLUE, GREY, ORANGE, Block, Cell, Page
from sera.evaluation.emotion.plays import end_path, play
from sera.kinematics._arrays import FloatArray

GESTURE = "wave"
MOMENTS_S = (1.15, 2.15)
"""In which the waving hand is up, and the free arm at either end of its swing."""
KEPT_S = 2.6
RATE_HZ = 50.0
JOINED_S = 1.1
"""When the hand has joined its path: until then it comes from wherever the emotion had it."""
FULL_SPEED_M_S = 1.2
_WORKING_COLUMNS, _LINE_COLUMNS = 2, 4
_SIDES: tuple[View, ...] = ("front", "side")


def emotion_sheet(
    stage_set: StageSet, profile: Profile, wishes: Sequence[Wish], path: Path
) -> Path:
    """Draw a body in emotions, into a PNG file.

    Args:
        stage_set: of the body.
        profile: how it expresses emotions.
        wishes: which ones, in order.
        path: the file.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib.figure as _  # noqa: F401 - said before all the work, not after it

    if isinstance(profile, PostureProfile):
        page = _page_of_postures(stage_set, profile, wishes)
    else:
        page = _page_of_waves(stage_set, profile, wishes)
    return page.save(path)


def _page_of_postures(stage_set: StageSet, profile: PostureProfile, wishes: Sequence[Wish]) -> Page:
    body, blocks = stage_set.body, []
    for wish in wishes:
        # Nobody is looked at: a gaze would stand above the posture and straighten it.
        played = play(stage_set, wish.pad, gesture=None, seconds=0.0, rate_hz=RATE_HZ, looks=False)
        shares = sorted(profile.weights(wish.pad).items(), key=lambda item: -item[1])
        mixed = ", ".join(f"{name} {100 * share:.0f}" for name, share in shares[:2] if share > 0.1)
        cells = [_pose_cell(body, played, view, "", 0.0) for view in _SIDES]
        blocks.append(Block(_title(wish), f"{_point(wish.pad)}   {mixed} %", cells))
    subtitle = "the posture that each emotion mixes, as it leaves the motion filter"
    return Page(body.title, subtitle, blocks, _LINE_COLUMNS)


def _page_of_waves(stage_set: StageSet, profile: NullSpaceProfile, wishes: Sequence[Wish]) -> Page:
    plain = play(stage_set, None, gesture=GESTURE, seconds=KEPT_S, rate_hz=RATE_HZ)
    blocks = []
    for wish in wishes:
        played = play(stage_set, wish.pad, gesture=GESTURE, seconds=KEPT_S, rate_hz=RATE_HZ)
        features = features_of(wish.pad)
        facts = "jerkiness {:.2f}  activity {:.2f}  gaze {:.2f}".format(*features.values)
        cells = _wave_cells(stage_set.body, profile, played, plain)
        blocks.append(Block(_title(wish), f"{_point(wish.pad)}    {facts}", cells))
    subtitle = (
        "each emotion before and during a wave of the right hand; paths and speeds in colour "
        f"(right hand blue, from {JOINED_S:g} s on; left orange), grey: the same with nothing felt"
    )
    return Page(stage_set.body.title, subtitle, blocks, _WORKING_COLUMNS)


def _wave_cells(
    body: Body, profile: NullSpaceProfile, played: Performance, plain: Performance
) -> list[Cell]:
    right, left = (profile.hand(name).end_point for name in ("right", "left"))
    first = round(JOINED_S * RATE_HZ)
    paths = [
        (end_path(plain, right)[first:], GREY, 4.0),
        (end_path(played, right)[first:], BLUE, 1.2),
        (end_path(played, left)[first:], ORANGE, 1.6),
    ]
    speeds = [
        (_speed_m_s(end_path(plain, left)), GREY),
        (_speed_m_s(end_path(played, left)), ORANGE),
    ]

    def draw_paths(axes: Any) -> None:
        draw_pose(axes, body, played.pose(MOMENTS_S[0]), view="front", arrow=False)
        for patch in axes.patches:
            patch.set_alpha(0.25)
        for place, (points, colour, width) in enumerate(paths):
            axes.plot(points[:, 0], points[:, 1], color=colour, linewidth=width, zorder=5 + place)

    def draw_speeds(axes: Any) -> None:
        for values, colour in speeds:
            axes.plot(played.times_s[1:], values, color=colour, linewidth=1.1)
        _trim(axes)

    return [
        *(_pose_cell(body, played, view, "before", 0.0) for view in _SIDES),
        *(_pose_cell(body, played, "front", f"{at_s:.2f} s", at_s) for at_s in MOMENTS_S),
        Cell("paths", "hand paths", draw_paths),
        Cell("", "left hand, time / s", draw_speeds),
    ]


def _trim(axes: Any) -> None:
    """As little as a small curve needs to be read."""
    axes.set_xlim(0.0, KEPT_S)
    axes.set_ylim(0.0, FULL_SPEED_M_S)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_xticks([0, 1, 2])
    axes.set_yticks([0.0, 0.5, 1.0], ["0", "", "1 m/s"])
    axes.tick_params(labelsize=6, length=2, pad=1)
    axes.set_box_aspect(0.8)
    axes.set_anchor("S")


def _pose_cell(body: Body, played: Performance, view: View, label: str, time_s: float) -> Cell:
    own = played.pose(time_s)

    def draw(axes: Any) -> None:
        draw_pose(axes, body, own, view=view)

    return Cell(view, label, draw)


def _speed_m_s(path: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(np.diff(path, axis=0), axis=1) * RATE_HZ)


def _title(wish: Wish) -> str:
    return wish.title if wish.pad == PAD.neutral() else f"{wish.title}, {wish.pad.octant.lower()}"


def _point(pad: PAD) -> str:
    return "P {:+.2f}  A {:+.2f}  D {:+.2f}".format(*pad.values)
