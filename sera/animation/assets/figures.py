"""The trajectory helper's picture: each channel's path, coloured by the limit that it breaks.

Green is within limits, orange breaks the velocity, pink the acceleration, red the jerk; where it
breaks several, the first of these, because a motion that is too fast needs more time whatever
else is done to it. Below each path stands how much of each limit is used. matplotlib is an
optional dependency and is loaded when a picture is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sera.animation.assets.animation import Animation
from sera.animation.assets.helper import DEFAULT_RATE_HZ, Breach, Profile, profiles
from sera.animation.assets.units import written_factor, written_unit
from sera.animation.channels import ChannelSpec
from sera.kinematics._arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WITHIN = "#2e9e44"
COLOURS: dict[Breach, str] = {
    Breach.VELOCITY: "#f28e1c",
    Breach.ACCELERATION: "#ee5fa7",
    Breach.JERK: "#d62021",
}
_GHOST = "#555b66"
_EDGE = "#9aa0aa"
_DPI = 110
_MOST_CHANNELS = 12
_SHARE_TOP = 2.5


def draw_check(
    animation: Animation,
    specs: Mapping[str, ChannelSpec],
    path: Path,
    *,
    rate_hz: float = DEFAULT_RATE_HZ,
    ghost: Animation | None = None,
) -> int:
    """Write the picture as a PNG file; how many channels are on it.

    Of an animation with very many channels those are drawn that use most of their limits.

    Raises:
        ValueError: matplotlib is missing, or the body has none of the channels.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError(
            "figures need matplotlib: install it with pip install 'sera-hri[figures]'"
        ) from None
    played = profiles(animation, specs, rate_hz)
    if not played:
        raise ValueError(f"the body has none of the channels of '{animation.name}'")
    if len(played) > _MOST_CHANNELS:
        worst = sorted(played, key=_worst_share, reverse=True)[:_MOST_CHANNELS]
        played = [profile for profile in played if any(profile is each for each in worst)]
    height = 1.0 + 2.9 * len(played)
    figure = Figure(figsize=(9.0, height), dpi=_DPI, layout="constrained")
    ratios = [2.2, 1.0] * len(played)
    axes = figure.subplots(2 * len(played), 1, sharex=True, height_ratios=ratios, squeeze=False)
    for row, profile in enumerate(played):
        _draw_path(axes[2 * row, 0], profile, animation, ghost)
        _draw_shares(axes[2 * row + 1, 0], profile)
    axes[-1, 0].set_xlabel("time / s")
    end_s = max(animation.duration_s, 0.0 if ghost is None else ghost.duration_s)
    axes[0, 0].set_xlim(-0.01 * end_s, 1.005 * end_s)
    title = animation.title or animation.name
    figure.suptitle(f"{title}, played at {rate_hz:g} Hz", fontsize=12, fontweight="bold")
    _draw_legend(figure, has_ghost=ghost is not None)
    figure.savefig(path, format="png")
    return len(played)


def colours_of(profile: Profile) -> list[str]:
    """The colour of every sample."""
    colours = [WITHIN] * len(profile.times_s)
    for kind in reversed(COLOURS):
        for index in np.flatnonzero(profile.broken[kind]).tolist():
            colours[index] = COLOURS[kind]
    return colours


def _draw_path(axes: Axes, profile: Profile, animation: Animation, ghost: Animation | None) -> None:
    from matplotlib.collections import LineCollection

    spec, factor = profile.spec, written_factor(profile.spec.unit)
    values = profile.values * factor
    points = np.stack([profile.times_s, values], axis=-1)
    pieces: Any = np.stack([points[:-1], points[1:]], axis=1)
    if ghost is not None and spec.name in ghost.names:
        base = spec.neutral if animation.additive else 0.0
        times_s = np.linspace(0.0, ghost.duration_s, 400)
        limited = (ghost.channel(spec.name).curve.sample(times_s) + base) * factor
        axes.plot(times_s, limited, color=_GHOST, linewidth=1.3, linestyle=(0, (4, 2)), zorder=3)
    # A sample's derivatives end at it: the piece that leads there has its colour.
    lines = LineCollection(
        pieces, colors=colours_of(profile)[1:], linewidths=4.0, capstyle="round", zorder=2
    )
    axes.add_collection(lines)
    _draw_keys(axes, profile, animation)
    low, high = float(values.min()), float(values.max())
    margin = 0.12 * max(high - low, 1e-3)
    axes.set_ylim(low - margin, high + margin)
    for end in (spec.lower * factor, spec.upper * factor):
        if math.isfinite(end):
            axes.axhline(end, color=_EDGE, linewidth=1.0, linestyle=":", zorder=1)
    axes.set_title(spec.name, loc="left", fontsize=10)
    axes.set_ylabel(_unit(spec))
    _tidy(axes)


def _draw_keys(axes: Axes, profile: Profile, animation: Animation) -> None:
    """Dots where the animator has set keys; none where there is one at every frame."""
    spec = profile.spec
    knots_s = animation.channel(spec.name).curve.knots.times_s
    if len(knots_s) > len(profile.times_s) // 3:
        return
    playable = animation.for_channels({spec.name: spec}).channels[0]
    base = spec.neutral if animation.additive else 0.0
    values = (playable.curve.knots.values + base) * written_factor(spec.unit)
    axes.plot(
        knots_s, values, "o", color="white", markeredgecolor="#22262e", markersize=3.5, zorder=4
    )


def _draw_shares(axes: Axes, profile: Profile) -> None:
    top = 1.15
    for kind, colour in COLOURS.items():
        share = _shares(profile, kind)
        if share is None:
            continue
        top = max(top, 1.1 * float(share.max()))
        axes.plot(profile.times_s, share, color=colour, linewidth=1.3)
    axes.axhline(1.0, color="#22262e", linewidth=0.9)
    top = min(top, _SHARE_TOP)
    axes.axhspan(1.0, top, color="#22262e", alpha=0.05, linewidth=0)
    axes.set_ylim(0.0, top)
    axes.set_ylabel("of limit")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100.0 * value:.0f} %")
    _tidy(axes)


def _draw_legend(figure: Figure, *, has_ghost: bool) -> None:
    from matplotlib.lines import Line2D

    entries = [Line2D([], [], color=WITHIN, linewidth=3.2, label="within limits")]
    entries += [
        Line2D([], [], color=colour, linewidth=3.2, label=f"{kind.value} too high")
        for kind, colour in COLOURS.items()
    ]
    if has_ghost:
        dashes = (0, (4, 2))
        entries.append(Line2D([], [], color=_GHOST, linewidth=1.3, linestyle=dashes, label="ghost"))
    figure.legend(
        handles=entries, loc="outside lower center", ncols=len(entries), frameon=False, fontsize=9
    )


def _shares(profile: Profile, kind: Breach) -> FloatArray | None:
    limit = float(getattr(profile.spec, f"max_{kind.value}"))
    return None if math.isinf(limit) else np.abs(profile.rates[kind]) / limit


def _worst_share(profile: Profile) -> float:
    shares = [_shares(profile, kind) for kind in COLOURS]
    return max((float(share.max()) for share in shares if share is not None), default=0.0)


def _unit(spec: ChannelSpec) -> str:
    return {"deg": "degrees", "m": "metres"}.get(written_unit(spec.unit), spec.unit.value)


def _tidy(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#e6e8ec", linewidth=0.7)
    axes.set_axisbelow(True)
