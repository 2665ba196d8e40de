"""Contact sheets: what a body can do, on one page to look at.

from sera.animation.sheets import contact_sheet

contact_sheet(body, load_repertoire(body, shared), Path("adelino.png"))
"""

from sera.animation.sheets.contact_sheet import FRAMES, contact_sheet
from sera.animation.sheets.performance import Performance, perform, reached_share, without_limits

__all__ = [
    "FRAMES",
    "Performance",
    "contact_sheet",
    "perform",
    "reached_share",
    "without_limits",
]
