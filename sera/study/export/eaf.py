"""Annotation files of ELAN (.eaf, format 3.0).

Design overview
    A document has tiers of annotations and links to media files. ELAN wants that annotations of a
    tier do not overlap and last at least a millisecond, that a film begins at or before the zero of
    the time line (`TIME_ORIGIN` says how far into the film the zero lies), and that every tier has
    a type. `eaf_text` sees to the first, `sera.study.export.media_links` to the second.

Units and frames
    Whole milliseconds from the document's zero.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPE = "sera"
_CONSTRAINTS = {
    "Time_Subdivision": "Time subdivision of parent annotation's time interval, no time gaps "
    "allowed within this interval",
    "Symbolic_Subdivision": "Symbolic subdivision of a parent annotation. Annotations refering to "
    "the same parent are ordered",
    "Symbolic_Association": "1-1 association with a parent annotation",
    "Included_In": "Time alignable annotations within the parent annotation's time interval, gaps "
    "are allowed",
}


@dataclass(frozen=True, slots=True)
class Annotation:
    """Something that lasted."""

    start_ms: int
    stop_ms: int
    text: str


@dataclass(slots=True)
class Tier:
    """Annotations of one kind."""

    name: str
    annotations: list[Annotation] = field(default_factory=list)
    participant: str = ""


@dataclass(frozen=True, slots=True)
class LinkedMedia:
    """A film or a sound."""

    url: str
    """Relative to the .eaf file, with slashes, or a whole address."""
    mime_type: str
    zero_ms: int
    """How far into it the zero of the time line lies; never below 0."""


@dataclass(frozen=True, slots=True)
class EafDocument:
    """Everything in one file."""

    tiers: Sequence[Tier]
    media: Sequence[LinkedMedia] = ()
    author: str = ""
    date: str = "1970-01-01T00:00:00+00:00"
    """ISO 8601, with its zone."""
    properties: dict[str, str] = field(default_factory=dict)


def without_overlaps(annotations: Sequence[Annotation]) -> list[Annotation]:
    """The annotations as one tier can hold them.

    One that another follows before its end is cut there; those that begin in the same millisecond
    become one with both texts.
    """
    joined: list[Annotation] = []
    for one in sorted(annotations, key=lambda each: each.start_ms):
        start_ms = max(0, one.start_ms)
        stop_ms = max(start_ms + 1, one.stop_ms)
        if joined and joined[-1].start_ms == start_ms:
            last = joined[-1]
            text = last.text if last.text == one.text else f"{last.text} | {one.text}"
            joined[-1] = Annotation(start_ms, max(last.stop_ms, stop_ms), text)
            continue
        if joined and joined[-1].stop_ms > start_ms:
            joined[-1] = Annotation(joined[-1].start_ms, start_ms, joined[-1].text)
        joined.append(Annotation(start_ms, stop_ms, one.text))
    return joined


def eaf_text(document: EafDocument) -> str:
    """The file."""
    ET.register_namespace("xsi", _XSI)
    root = ET.Element(
        "ANNOTATION_DOCUMENT",
        {
            "AUTHOR": clean(document.author),
            "DATE": document.date,
            "FORMAT": "3.0",
            "VERSION": "3.0",
            f"{{{_XSI}}}noNamespaceSchemaLocation": SCHEMA,
        },
    )
    tiers = [
        Tier(tier.name, without_overlaps(tier.annotations), tier.participant)
        for tier in document.tiers
    ]
    count = sum(len(tier.annotations) for tier in tiers)
    _add_header(root, document, count)
    _add_tiers(root, tiers)
    ET.SubElement(
        root,
        "LINGUISTIC_TYPE",
        {"LINGUISTIC_TYPE_ID": _TYPE, "TIME_ALIGNABLE": "true", "GRAPHIC_REFERENCES": "false"},
    )
    for name, meaning in _CONSTRAINTS.items():
        told = {"STEREOTYPE": name, "DESCRIPTION": meaning}
        ET.SubElement(root, "CONSTRAINT", told)
    ET.indent(root, "    ")
    body = ET.tostring(root, encoding="unicode", short_empty_elements=True)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _add_header(root: ET.Element, document: EafDocument, last_id: int) -> None:
    told = {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"}
    header = ET.SubElement(root, "HEADER", told)
    for media in document.media:
        about = {
            "MEDIA_URL": media.url,
            "MIME_TYPE": media.mime_type,
            "RELATIVE_MEDIA_URL": media.url,
        }
        if media.zero_ms:
            about["TIME_ORIGIN"] = str(media.zero_ms)
        ET.SubElement(header, "MEDIA_DESCRIPTOR", about)
    for name, value in {**document.properties, "lastUsedAnnotationId": str(last_id)}.items():
        ET.SubElement(header, "PROPERTY", {"NAME": clean(name)}).text = clean(value)


def _add_tiers(root: ET.Element, tiers: Sequence[Tier]) -> None:
    order = ET.SubElement(root, "TIME_ORDER")
    ends = [
        (time_ms, (tier, place, end))
        for tier, own in enumerate(tiers)
        for place, one in enumerate(own.annotations)
        for end, time_ms in enumerate((one.start_ms, one.stop_ms))
    ]
    slots: dict[tuple[int, int, int], str] = {}
    for number, (time_ms, key) in enumerate(sorted(ends), start=1):
        slots[key] = f"ts{number}"
        told = {"TIME_SLOT_ID": f"ts{number}", "TIME_VALUE": str(time_ms)}
        ET.SubElement(order, "TIME_SLOT", told)
    number = 0
    names: set[str] = set()
    for place_of_tier, tier in enumerate(tiers):
        about = {"LINGUISTIC_TYPE_REF": _TYPE, "TIER_ID": _own_name(clean(tier.name), names)}
        if tier.participant:
            about["PARTICIPANT"] = clean(tier.participant)
        element = ET.SubElement(root, "TIER", about)
        for place, one in enumerate(tier.annotations):
            number += 1
            holder = ET.SubElement(element, "ANNOTATION")
            told = {
                "ANNOTATION_ID": f"a{number}",
                "TIME_SLOT_REF1": slots[place_of_tier, place, 0],
                "TIME_SLOT_REF2": slots[place_of_tier, place, 1],
            }
            aligned = ET.SubElement(holder, "ALIGNABLE_ANNOTATION", told)
            ET.SubElement(aligned, "ANNOTATION_VALUE").text = clean(one.text)


def _own_name(name: str, taken: set[str]) -> str:
    chosen, number = name or "tier", 2
    while chosen in taken:
        chosen, number = f"{name} {number}", number + 1
    taken.add(chosen)
    return chosen


def clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
