"""What a replay came to, in lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sera.recording.replay import Comparison, Difference, TrainingScore
    from sera.recording.wizard import Spread

_DIVERGENCES = 8
_WIDEST = 60


def comparison_lines(found: Comparison) -> list[str]:
    """Whether the same came out, and where not."""
    rows = [("", "", "recorded", "replayed", "the same", "apart in time")]
    rows += [
        (
            row.source,
            row.type,
            f"{row.then:,}",
            f"{row.now:,}",
            f"{row.same:,}",
            f"≤ {row.worst_time_s * 1000:.0f} ms" if row.worst_time_s else "0",
        )
        for row in found.rows
    ]
    lines = table(rows)
    for one in found.motion:
        lines.append(
            f"Motion of {one.source}: {one.frames:,} frames, apart {one.rms_rad:.2g} rad in the "
            f"middle (RMS), 95 % within {one.p95_rad:.2g} rad, worst {one.worst_rad:.2g} rad at "
            f"{one.worst_at_s:.2f} s"
        )
    if found.same:
        how = "identical, times included" if found.exact else "the same messages in the same order"
        return [*lines, f"The same came out: {how}."]
    lines.append(f"{found.differing:,} messages differ. The first:")
    lines += [f"  {one.in_words}" for one in found.divergences[:_DIVERGENCES]]
    return lines


def difference_lines(found: Difference, changes: Sequence[str]) -> list[str]:
    """What a change makes of a session."""
    rows = [("", "recorded", "replayed", "the same")]
    rows += [(one.name, f"{one.then:,}", f"{one.now:,}", f"{one.same:,}") for one in found.aspects]
    then_s, now_s = found.speaking_s
    rows.append(("seconds spoken", f"{then_s:.1f}", f"{now_s:.1f}", ""))
    lines = [f"What if: {'; '.join(changes)}. People and activity are as recorded.", *table(rows)]
    shares = [("looked at", "recorded", "replayed")]
    shares += [
        (target, f"{then:.1%}", f"{now:.1%}") for target, (then, now) in found.gaze_share.items()
    ]
    lines += ["", *table(shares)]
    for aspect in found.aspects:
        if aspect.first:
            lines += ["", f"First differences in {aspect.name}:"]
            lines += [
                f"  {one.at_s:8.2f} s  {one.character}: {_cut(one.then)} → {_cut(one.now)}"
                for one in aspect.first
            ]
    return lines


def training_lines(found: TrainingScore) -> list[str]:
    """How a trainee did."""
    agreement = "no tasks" if found.agreement is None else f"{found.agreement:.0%}"
    counts = f"another {found.other}, missed {found.missed}, extra {found.extra}"
    own, wizards = _spread(found.reaction), _spread(found.recorded_reaction)
    lines = [
        f"{found.tasks} decisions of the recorded wizard, window ± {found.window_s:g} s:",
        f"  the same {found.same} ({agreement}), {counts}",
        f"  later than the wizard by {_spread(found.later)}",
        f"  reaction time {own}; the wizard's {wizards}",
    ]
    for one in found.judged:
        if one.verdict != "same":
            then = "nothing" if one.recorded is None else f"{one.recorded.type} {one.recorded.what}"
            now = "nothing" if one.trainee is None else f"{one.trainee.type} {one.trainee.what}"
            lines.append(f"  {one.at_s:8.2f} s  {one.verdict}: {_cut(then)} → {_cut(now)}")
    return lines


def table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns as wide as their widest cell; numbers stand at the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    words = [all(not row[i][:1].isdigit() for row in rows[1:]) for i in range(len(widths))]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, words, strict=True)
        ).rstrip()
        for row in rows
    ]


def _spread(spread: Spread) -> str:
    if spread.median_s is None:
        return "not known"
    return f"{spread.median_s:.2f} s in the middle (90 % within {spread.p90_s:.2f} s)"


def _cut(text: str | None) -> str:
    if text is None:
        return "nothing"
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
