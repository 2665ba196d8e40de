"""Names and rows of joints in a URDF, without its kinematics, which would load numba.

Only what a body file refers to is read. A URDF that makes no sense gives no names: whoever reads
its kinematics says what is wrong with it.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NAMED = re.compile(r"""<\s*(?:link|joint)\b[^>]*?\bname\s*=\s*(["'])(.*?)\1""", re.DOTALL)
_JOINT = re.compile(r"<\s*joint\b([^>]*)>(.*?)<\s*/\s*joint\s*>", re.DOTALL)
_NAME = re.compile(r"""\bname\s*=\s*(["'])(.*?)\1""", re.DOTALL)
_END = re.compile(r"""<\s*(parent|child)\b[^>]*?\blink\s*=\s*(["'])(.*?)\2""", re.DOTALL)


def names_in_urdf(path: Path) -> list[str]:
    """Links and joints by name, in the order of the file; none where it cannot be read."""
    return list(dict.fromkeys(_plain(found[1]) for found in _NAMED.findall(_text_of(path))))


def joints_in_urdf(path: Path, end: str) -> list[str]:
    """All joints from the base to a link or joint, root first; none where there is no such way."""
    carriers: dict[str, tuple[str, str]] = {}  # link: the joint that carries it, its parent link
    link = end
    for attributes, inside in _JOINT.findall(_text_of(path)):
        name = _NAME.search(attributes)
        ends = {which: _plain(said) for which, _, said in _END.findall(inside)}
        if name is not None and ends.keys() == {"parent", "child"}:
            carriers[ends["child"]] = (_plain(name[2]), ends["parent"])
            if _plain(name[2]) == end:
                link = ends["child"]
    row: list[str] = []
    for _ in carriers:  # no more often, lest joints that go round never end
        if link not in carriers:
            break
        joint, link = carriers[link]
        row.append(joint)
    return [joint for joint in reversed(row) if joint]


def _text_of(path: Path) -> str:
    try:
        return _COMMENT.sub("", path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return ""


def _plain(said: str) -> str:
    """A name as the URDF reader has it: entities resolved, blanks collapsed."""
    return " ".join(unescape(said).split())
