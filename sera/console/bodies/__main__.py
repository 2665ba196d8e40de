"""Describes one body as JSON: `python -m sera.console.bodies FOLDER`.

A process of its own, because kinematics loads numba, which must not enter the gateway.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(folder: Path) -> int:
    """Print the description, or `{"why": …}`; returns the exit code."""
    from sera.animation.body import BodyError, load_body
    from sera.console.bodies._description import description_of

    try:
        told = description_of(load_body(folder))
    except (BodyError, OSError, ValueError, LookupError) as error:
        print(json.dumps({"why": f"the body of '{folder.name}' cannot be drawn: {error}"}))
        return 1
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
