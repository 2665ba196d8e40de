"""The types of all messages for pages: a script of comments, written from the models."""

from __future__ import annotations

from pathlib import Path

STATIC_FOLDER = Path(__file__).parent / "static"
SERA_JS = STATIC_FOLDER / "sera.js"
TYPES_JS = STATIC_FOLDER / "message-types.js"

_HEAD = """/**
 * The types of all messages, for editors: `import("./message-types.js").Clicked` in a comment.
 *
 * Written from the models by `make docs-schema`, not by hand. No page fetches this.
 *
 * @module message-types
 */

export {};
"""


def typedefs() -> str:
    """The script with the types of today's messages."""
    from sera.messages import jsdoc_typedefs  # what writes schemas is not needed to serve pages

    return f"{_HEAD}\n{jsdoc_typedefs()}"


def write_typedefs(path: Path = TYPES_JS) -> bool:
    """Bring the script up to date; returns whether that changed it."""
    wanted = typedefs()
    if path.is_file() and path.read_text(encoding="utf-8") == wanted:
        return False
    # Always \n, so that the file is the same whichever system wrote it.
    path.write_text(wanted, encoding="utf-8", newline="\n")
    return True
