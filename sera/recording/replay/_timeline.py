"""Two timelines above each other as one HTML page: then and now. No script, nothing from outside.

Units and frames: seconds along the page; a long session is drawn finer.
"""

from __future__ import annotations

from html import escape
from zlib import crc32

from sera.recording.replay._difference import Difference, Moment

WIDEST_PX = 16_000
_LANE_PX = 26
_LABEL_PX = 130
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --paper: #fff; --faint: #8a94a3; --rule: #d9dee6 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ecf2; --paper: #14181f; --faint: #8a94a3; --rule: #333b47 }
}
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: var(--ink);
  background: var(--paper) }
table { border-collapse: collapse; margin: 1rem 0 2rem }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums }
.wide { overflow-x: auto; border: 1px solid var(--rule); border-radius: 6px; padding: .5rem 0 }
svg { display: block; font: 12px system-ui, sans-serif }
svg text { fill: var(--ink) } svg .faint { fill: var(--faint) } svg line { stroke: var(--rule) }
svg .on { fill: #fff }
"""


def timeline_page(found: Difference, *, title: str, changes: list[str], duration_s: float) -> str:
    """The page.

    Args:
        found: what differs.
        title: of which recording.
        changes: what was changed, in words.
        duration_s: of the replay.
    """
    rows = "".join(
        f"<tr><td>{escape(one.name)}</td><td class=n>{one.then}</td><td class=n>{one.now}</td>"
        f"<td class=n>{one.same}</td><td>{_first(found, index)}</td></tr>"
        for index, one in enumerate(found.aspects)
    )
    gaze = "".join(
        f"<tr><td>{escape(target)}</td><td class=n>{then:.0%}</td><td class=n>{now:.0%}</td></tr>"
        for target, (then, now) in found.gaze_share.items()
    )
    spoken = (
        f"Spoken: {found.speaking_s[0]:.1f} s as recorded, {found.speaking_s[1]:.1f} s replayed."
    )
    changed = "; ".join(changes) or "nothing was changed"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1><p>Replayed with: {escape(changed)}. {spoken} People and "
        "activity are as recorded: they do not react to what is different.</p>"
        f'<div class="wide">{_drawing(found, duration_s)}</div>'
        "<h2>What differs</h2><table><tr><th><th>recorded<th>replayed<th>the same<th>first "
        f"differences</tr>{rows}</table>"
        f"<h2>Where it looked</h2><table><tr><th><th>recorded<th>replayed</tr>{gaze}</table></html>"
    )


def _first(found: Difference, index: int) -> str:
    told = [
        f"{one.at_s:.1f} s: {escape(one.then or 'nothing')} → {escape(one.now or 'nothing')}"
        for one in found.aspects[index].first
    ]
    return "<br>".join(told) or "none"


def _drawing(found: Difference, duration_s: float) -> str:
    shown = {name: both for name, both in found.moments.items() if both[0] or both[1]}
    px_per_s = min(28.0, max(1.0, WIDEST_PX / max(duration_s, 1.0)))
    width = _LABEL_PX + duration_s * px_per_s + 20
    lanes = len(shown)
    height = 2 * (lanes * _LANE_PX + 26) + 34
    size = f'width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}"'
    parts = [f'<svg {size} role="img"><title>What the robot did, then and now</title>']
    every_s = next(s for s in (1, 5, 10, 30, 60, 300, 600) if s * px_per_s >= 60 or s == 600)
    for tick in range(0, int(duration_s) + 1, every_s):
        x = _LABEL_PX + tick * px_per_s
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 20}"/>')
        label = f"{tick // 60}:{tick % 60:02d}"
        parts.append(f'<text class="faint" x="{x + 3:.1f}" y="{height - 6}">{label}</text>')
    y = 18
    for side, heading in enumerate(("as recorded", "as replayed")):
        parts.append(f'<text x="6" y="{y}" font-weight="600">{heading}</text>')
        y += 8
        for name, both in shown.items():
            parts.append(f'<text class="faint" x="6" y="{y + 17}">{escape(name)}</text>')
            parts += [_bar(moment, y, px_per_s) for moment in both[side]]
            y += _LANE_PX
        y += 18
    return "".join(parts) + "</svg>"


def _bar(moment: Moment, y: int, px_per_s: float) -> str:
    x = _LABEL_PX + moment.from_s * px_per_s
    width = max(2.0, (moment.to_s - moment.from_s) * px_per_s - 1)
    words = escape(
        f"{moment.what} ({moment.character}, {moment.from_s:.1f} to {moment.to_s:.1f} s)"
    )
    room = int(width / 6.6)
    text = moment.what if len(moment.what) <= room else moment.what[: max(0, room - 1)] + "…"
    label = (
        f'<text class="on" x="{x + 4:.1f}" y="{y + 17}">{escape(text)}</text>' if room > 2 else ""
    )
    hue = crc32(moment.what.encode()) % 360
    return (
        f'<g><title>{words}</title><rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" '
        f'height="{_LANE_PX - 5}" rx="3" fill="hsl({hue} 45% 38%)"/>{label}</g>'
    )
