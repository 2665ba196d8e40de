"""The types in `sera.js`: written from the message models between two marks, never by hand."""

from __future__ import annotations

from pathlib import Path

STATIC_FOLDER = Path(__file__).parent / "static"
SERA_JS = STATIC_FOLDER / "sera.js"

BEGIN = "// BEGIN typedefs: written from the models by `make docs-schema`, not by hand."
END = "// END typedefs"


def with_typedefs(source: str) -> str:
    """The text of `sera.js` with the typedefs of today's messages."""
    from sera.messages import jsdoc_typedefs  # what writes schemas is not needed to serve pages

    before, begin, rest = source.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"sera.js lacks the lines {BEGIN!r} and {END!r} around its typedefs")
    return f"{before}{BEGIN}\n\n{jsdoc_typedefs()}\n{END}{after}"


def write_typedefs(path: Path = SERA_JS) -> bool:
    """Bring the typedefs in a script up to date; returns whether that changed it."""
    source = path.read_text(encoding="utf-8")
    updated = with_typedefs(source)
    if updated != source:
        # Always \n, so that the file is the same whichever system wrote it.
        path.write_text(updated, encoding="utf-8", newline="\n")
    return updated != source
