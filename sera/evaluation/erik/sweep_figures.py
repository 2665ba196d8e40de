"""Pictures of the sweeps: angles over the sweep, and the body's frames laid over each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sera.evaluation.erik.sweeps import (
    PITCHES_DEG,
    POSTURES_DEG,
    Sweep,
    posture_shift,
    skeleton_chain,
    yaw_sweep,
)
from sera.kinematics.rotations import rotate

ONION_PITCH_DEG = 60.0
ONION_EVERY = 12
SHIFTS = (("upright", "leaning", 25.0, 60.0), ("upright", "curled", -120.0, 120.0))
JOINT_LABELS = ("root twist Y", "bend X", "bend X", "bend Z", "end twist Y")


def draw_sweeps(folder: Path) -> list[Path]:
    """Write erik-sweeps.png, erik-onion-skins.png and erik-shifts.png; needs matplotlib."""
    import matplotlib as mpl

    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    return [
        _draw_angles(folder / "erik-sweeps.png"),
        _draw_onion_skins(folder / "erik-onion-skins.png"),
        _draw_shifts(folder / "erik-shifts.png"),
    ]


def _plot_angles(axes: Any, sweep: Sweep, label_below: str) -> None:
    for joint, label in enumerate(JOINT_LABELS):
        angles = np.degrees(sweep.angles_rad[:, joint])
        # A line across a change of branch would look like a motion that nobody makes.
        broken = np.insert(angles, np.flatnonzero(sweep.switched), np.nan)
        along = np.insert(sweep.along, np.flatnonzero(sweep.switched), np.nan)
        axes.plot(along, broken, label=label, linewidth=1.3)
    for place in sweep.along[sweep.switched]:
        axes.axvline(place, color="0.4", linestyle=":", linewidth=1.0)
    axes.set_ylim(-95, 95)
    axes.set_yticks([-90, -45, 0, 45, 90])
    axes.set_title(
        f"{sweep.title}\nlargest step {sweep.largest_step_deg:.1f}°, "
        f"{sweep.switches} changes of branch, error ≤ {sweep.errors.max():.3f}",
        fontsize=8,
    )
    axes.set_xlabel(label_below, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)


def _draw_angles(path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(
        len(POSTURES_DEG), len(PITCHES_DEG), figsize=(15, 8.5), sharey=True, layout="constrained"
    )
    for row, posture in zip(grid, POSTURES_DEG, strict=True):
        for axes, pitch_deg in zip(row, PITCHES_DEG, strict=True):
            _plot_angles(axes, yaw_sweep(posture, pitch_deg), "yaw of the target in degrees")
            axes.set_xticks([-180, -90, 0, 90, 180])
        row[0].set_ylabel("joint angle in degrees", fontsize=8)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=9)
    figure.suptitle(
        "Skeleton C holds three postures while its target turns once round, a degree a frame. "
        "Dotted: a change of branch, reported as `switched`."
    )
    return _save(figure, path)


def _draw_body(axes: Any, points: np.ndarray[Any, Any], shade: float, colour: Any) -> None:
    axes.plot(points[:, 0], points[:, 1], color=colour, alpha=shade, linewidth=1.6)
    axes.plot(points[1:, 0], points[1:, 1], ".", color=colour, alpha=shade, markersize=3.5)


def _draw_onion_skins(path: Path) -> Path:
    import matplotlib.pyplot as plt

    chain = skeleton_chain()
    views = {"front": (0, 1), "side": (2, 1), "from above": (0, 2)}
    figure, grid = plt.subplots(
        len(POSTURES_DEG), len(views), figsize=(11, 11), layout="constrained"
    )
    colours = plt.get_cmap("twilight_shifted")
    for row, posture in zip(grid, POSTURES_DEG, strict=True):
        sweep = yaw_sweep(posture, ONION_PITCH_DEG)
        for axes, (view, (across, up)) in zip(row, views.items(), strict=True):
            asked = chain.joint_positions_m(np.radians(POSTURES_DEG[posture]))
            for frame in range(0, len(sweep.along), ONION_EVERY):
                points = chain.joint_positions_m(sweep.angles_rad[frame])
                colour = colours(frame / (len(sweep.along) - 1))
                _draw_body(axes, points[:, [across, up]], 0.85, colour)
                head = rotate(sweep.targets_wxyz[frame], (0.0, 0.6, 0.0))
                axes.arrow(
                    points[-1, across], points[-1, up], head[across], head[up],
                    color=colour, width=0.01, head_width=0.07, alpha=0.7,
                )  # fmt: skip
            axes.plot(asked[:, across], asked[:, up], color="tab:blue", linewidth=3, alpha=0.9)
            axes.set_aspect("equal")
            axes.set_title(f"{posture}, {view}", fontsize=9)
            axes.tick_params(labelsize=7)
            axes.grid(alpha=0.3)
    figure.suptitle(
        f"Frames laid over each other, every {ONION_EVERY}° of yaw, pitch {ONION_PITCH_DEG:.0f}°; "
        "arrows: where the end faces; thick blue: the posture as authored"
    )
    return _save(figure, path)


def _draw_shifts(path: Path) -> Path:
    import matplotlib.pyplot as plt

    chain = skeleton_chain()
    figure, grid = plt.subplots(2, len(SHIFTS), figsize=(11, 9), layout="constrained")
    for column, (first, second, yaw_deg, pitch_deg) in enumerate(SHIFTS):
        sweep = posture_shift(first, second, yaw_deg, pitch_deg)
        _plot_angles(grid[0, column], sweep, "share of the shift")
        axes = grid[1, column]
        colours = plt.get_cmap("viridis")
        for frame in range(0, len(sweep.along), 6):
            points = chain.joint_positions_m(sweep.angles_rad[frame])[:, [2, 1]]
            _draw_body(axes, points, 0.9, colours(frame / (len(sweep.along) - 1)))
            head = rotate(sweep.targets_wxyz[frame], (0.0, 0.7, 0.0))
            axes.arrow(*points[-1], head[2], head[1], color="0.3", width=0.01, head_width=0.08)
        axes.set_aspect("equal")
        axes.set_title("seen from the side; the end keeps facing along the arrows", fontsize=9)
        axes.grid(alpha=0.3)
    grid[0, 0].legend(JOINT_LABELS, fontsize=7, ncols=2)
    figure.suptitle("A posture shifts while the orientation is held: an easy and an extreme one")
    return _save(figure, path)


def _save(figure: Any, path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=80)
    plt.close(figure)
    return path
