"""Author a set of example postures without an animator: `scenarios/avantsatie/examples.toml`.

`python tools/author_examples.py` solves each expression's posture at every point of the
document's grid (15 yaws, 2 elevations) and writes the angles; an animator may then change any of
them by hand. Run it again only to begin anew.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from sera.animation.body import load_body
from sera.animation.engine import Aiming
from sera.animation.stage_set import StageSet
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "avantsatie"
EXPRESSIONS = ("neutral", "hot", "cold")
YAWS_DEG = range(-70, 71, 10)
ELEVATIONS_DEG = (0, 80)


def main() -> None:
    """Write the file."""
    body = load_body(ROOT / "robots" / "adelino")
    workspace = Workspace.discover(ROOT)
    repertoire = StageSet.find(body.folder, workspace.roots, scenario=SCENARIO).repertoire()
    chain = next(chain for chain in body.chains if chain.aims == "Gazing")
    joints = Aiming(body, chain).joints
    lines = [
        "# Authored postures for C-EBPS: 3 expressions at 15 yaws and 2 elevations, degrees.",
        "# Yaw counts to the robot's left, elevation upwards. Begun by tools/author_examples.py.",
        "",
        f'end_point = "{chain.end_point}"',
        f"joints = {json.dumps(list(joints))}",
    ]
    for name in EXPRESSIONS:
        values = repertoire.postures[name].values
        rest = [float(values.get(f"Body.{joint}", 0.0)) for joint in joints]
        lines += ["", f"[expressions.{name}]", f"rest_deg = {_degrees(rest)}", "examples = ["]
        for elevation in ELEVATIONS_DEG:
            # From the middle outwards, so that neighbours are of one kind.
            found: dict[int, list[float]] = {}
            for walk in (range(0, 71, 10), range(0, -71, -10)):
                aiming = Aiming(body, chain)
                for yaw in walk:
                    horizontal, vertical = -math.radians(yaw), math.radians(elevation)
                    found[yaw] = list(aiming.solve(rest, horizontal, vertical))
            lines += [
                f"  {{ yaw_deg = {yaw}, elevation_deg = {elevation}, "
                f"joints_deg = {_degrees(found[yaw])} }},"
                for yaw in YAWS_DEG
            ]
        lines.append("]")
    (SCENARIO / "examples.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _degrees(angles_rad: list[float]) -> str:
    return "[" + ", ".join(f"{math.degrees(angle):.1f}" for angle in angles_rad) + "]"


if __name__ == "__main__":
    main()
