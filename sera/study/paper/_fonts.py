"""Letters on paper: the PDF's standard font where it has them all, else one with many more."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PLAIN = "Helvetica"
BOLD = "Helvetica-Bold"
_WIDE = {PLAIN: ("SeraWide", "DejaVuSans.ttf"), BOLD: ("SeraWideBold", "DejaVuSans-Bold.ttf")}


class PaperError(Exception):
    """The paper cannot be made; the sentence says why and what to do."""


def font_for(text: str, standard: str) -> str:
    """Name of a font that has all letters of a text.

    Args:
        text: what will be written.
        standard: the font that is wanted, `PLAIN` or `BOLD`.

    Raises:
        PaperError: there is none here.
    """
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return _wide_font(text, standard)
    return standard


def _wide_font(text: str, standard: str) -> str:
    name, file = _WIDE[standard]
    letters = _registered(name, file)
    lacking = next((one for one in text if not one.isspace() and ord(one) not in letters), None)
    if lacking is not None:
        raise PaperError(
            f"no font here has the letter '{lacking}' of: {text[:60]}"
            " (print the form from the participant's page in a browser instead)"
        )
    return name


@cache
def _registered(name: str, file: str) -> frozenset[int]:
    """Make the font known to the PDF library; returns the letters that it has."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise PaperError(
            "letters beyond the PDF's standard font need another one: pip install 'sera[study]'"
        ) from None
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    font = TTFont(name, str(Path(mpl.get_data_path()) / "fonts" / "ttf" / file))
    pdfmetrics.registerFont(font)
    return frozenset(font.face.charToGlyph)
