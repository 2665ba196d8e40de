"""The XML of a URDF as plain elements that know their line, and sentences that say it.

Only elements and attributes are kept: a URDF has no text between its tags that matters here.
Document types and entities are refused, so that a file from anywhere cannot unfold without end or
reach for other files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from sera.kinematics._quaternions import Vector


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One element of the file."""

    tag: str
    attributes: dict[str, str]
    where: str  # "robot.urdf, line 12"
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def name(self) -> str:
        """The attribute `name` with single spaces, never empty."""
        name = " ".join(self.attributes.get("name", "").split())
        if not name:
            raise ValueError(f'{self.where}: this <{self.tag}> has no name; add name="…".')
        return name

    def number(self, key: str, default: float | None = None, *, owner: str) -> float:
        """A finite number of an attribute; `owner` is what the sentence speaks of."""
        text = self.attributes.get(key)
        if text is None and default is not None:
            return default
        value = _float(text)
        if not math.isfinite(value):
            found = "is missing" if text is None else f'is "{text}", which is no finite number'
            raise ValueError(f"{self.where}: {key} of <{self.tag}> of {owner} {found}.")
        return value

    def vector(self, key: str, default: Vector | None, *, owner: str) -> Vector:
        """Three finite numbers of an attribute, separated by spaces."""
        text = self.attributes.get(key)
        if text is None and default is not None:
            return default
        values = [_float(part) for part in (text or "").split()]
        if len(values) != 3 or not all(math.isfinite(value) for value in values):
            found = "is missing" if text is None else f'is "{text}"'
            raise ValueError(
                f"{self.where}: {key} of <{self.tag}> of {owner} {found}; three numbers with "
                "spaces between them are needed."
            )
        return (values[0], values[1], values[2])


def read_source(source: str | Path) -> tuple[str, str]:
    """The text of a URDF, and what sentences call it; `source` is a path or the text itself."""
    if isinstance(source, str) and "<" in source:
        return source, "URDF"
    if isinstance(source, str) and not source.strip():
        raise ValueError("The URDF is an empty text; give its text or the path of its file.")
    path = Path(source)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give the path of the .urdf file in it.")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no URDF file {path}; check the path.") from None
    try:
        return content.decode("utf-8-sig"), path.name
    except UnicodeDecodeError:
        # Old files with accents in their comments; every byte has a meaning in Latin-1.
        return content.decode("latin-1"), path.name


def parse(text: str, called: str) -> Element:
    """The outermost element, or a ValueError that says on which line the file goes wrong."""
    for mark in ("<!DOCTYPE", "<!ENTITY"):
        if mark in text:
            line = text[: text.index(mark)].count("\n") + 1
            raise ValueError(
                f"{called}, line {line}: a URDF has no {mark[2:]}, and none is read here; "
                "remove it."
            )
    parser = expat.ParserCreate("utf-8")
    outermost: list[Element] = []
    open_elements: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, f"{called}, line {parser.CurrentLineNumber}")
        (open_elements[-1].children if open_elements else outermost).append(element)
        open_elements.append(element)

    def end(_tag: str) -> None:
        open_elements.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise ValueError(
            f"{called}, line {error.lineno}, column {error.offset + 1}: not valid XML ({reason})."
        ) from None
    robot = outermost[0]
    if robot.tag != "robot":
        raise ValueError(
            f"{robot.where}: this is no URDF: the outermost element is <{robot.tag}>, not <robot>."
        )
    _refuse_xacro(robot)
    return robot


def _refuse_xacro(element: Element) -> None:
    waiting = [element]
    while waiting:
        element = waiting.pop()
        leftover = element.tag if element.tag.startswith("xacro:") else None
        if element.tag != "gazebo":  # plug-ins of a simulator may write what they like
            waiting.extend(element.children)
            unexpanded = (value for value in element.attributes.values() if "${" in value)
            leftover = leftover or next(unexpanded, None)
        if leftover is not None:
            raise ValueError(
                f"{element.where}: {leftover!r} shows that this is a xacro file, which has to be "
                "expanded first: `xacro FILE > robot.urdf` does that where ROS is installed."
            )


def _float(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return math.nan
