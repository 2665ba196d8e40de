"""Sheets of paper at true scale: black rectangles and short lines of text, as PDF or PNG.

Design overview: a sheet is a list of marks in millimetres. PDF takes them as vectors, so that a
marker of 50 mm is 50 mm on paper; PNG is drawn at a given fineness and says so in its header, so
that programs which honour it print at true scale too. Written by hand, since this little needs no
library.

Units and frames: millimetres from the upper left corner of the sheet.
Threading: no state. OpenCV is loaded for PNG alone.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

A4_MM = (210.0, 297.0)
PAPERS_MM: dict[str, tuple[float, float]] = {
    "a4": A4_MM,
    "a3": (297.0, 420.0),
    "a2": (420.0, 594.0),
    "a1": (594.0, 841.0),
    "a0": (841.0, 1189.0),
    "letter": (215.9, 279.4),
}
DPI = 300
MARGIN_MM = 10.0
"""What printers leave white."""
_POINTS_A_MM = 72.0 / 25.4
_MOST_PX = 120_000_000


@dataclass(slots=True)
class Sheet:
    """One page."""

    width_mm: float
    height_mm: float
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Black rectangles: left, top, width, height."""
    hairlines: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Thin grey rectangles to cut along."""
    texts: list[tuple[float, float, float, str]] = field(default_factory=list)
    """Left, baseline, height of the letters, text."""

    def add_ruler(self, left_mm: float, top_mm: float, length_mm: float = 100.0) -> None:
        """A ruler to check with that the printer did not scale the page."""
        self.boxes.append((left_mm, top_mm, length_mm, 0.3))
        for tick in range(int(length_mm) // 10 + 1):
            tall = 3.0 if tick % 5 == 0 else 1.8
            self.boxes.append((left_mm + 10.0 * tick - 0.15, top_mm - tall, 0.3, tall))
        told = f"This line must be {length_mm:.0f} mm long: print at 100 %, not fitted to the page"
        self.texts.append((left_mm, top_mm + 4.5, 2.6, told))


def as_pdf(sheets: Sequence[Sheet], title: str) -> bytes:
    """The sheets as a PDF of one page each."""
    count = len(sheets)
    pages = [4 + 2 * index for index in range(count)]
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for page, sheet in zip(pages, sheets, strict=True):
        width, height = sheet.width_mm * _POINTS_A_MM, sheet.height_mm * _POINTS_A_MM
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {page + 1} 0 R >>".encode()
        )
        drawing = zlib.compress(_drawing(sheet).encode("cp1252", "replace"), 9)
        head = f"<< /Length {len(drawing)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + drawing + b"\nendstream")
    objects.append(b"<< /Title (" + _escaped(title).encode("cp1252", "replace") + b") >>")
    content = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(content)
    content += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for offset in offsets:
        content += f"{offset:010d} 00000 n \n".encode()
    content += (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\n"
        f"startxref\n{table}\n%%EOF\n"
    ).encode()
    return bytes(content)


def as_picture(sheet: Sheet, dpi: int = DPI) -> NDArray[np.uint8]:
    """A sheet in grey, as it would come from a printer.

    Raises:
        ValueError: it would be too large.
    """
    import cv2
    import numpy as np

    scale = dpi / 25.4
    width, height = round(sheet.width_mm * scale), round(sheet.height_mm * scale)
    if width * height > _MOST_PX:
        raise ValueError(f"a picture of {width} x {height} pixels is too large; write a PDF")
    picture: NDArray[np.uint8] = np.full((height, width), 255, np.uint8)
    for left, top, wide, high in sheet.boxes:
        x, y = round(left * scale), round(top * scale)
        picture[y : round((top + high) * scale), x : round((left + wide) * scale)] = 0
    for left, top, wide, high in sheet.hairlines:
        corners = [round(value * scale) for value in (left, top, left + wide, top + high)]
        cv2.rectangle(picture, (corners[0], corners[1]), (corners[2], corners[3]), 190, 1)
    for left, baseline, letters_mm, text in sheet.texts:
        # OpenCV's letters are about 21 pixels high at scale 1, and know ASCII alone.
        plain = text.encode("ascii", "replace").decode()
        cv2.putText(
            picture, plain, (round(left * scale), round(baseline * scale)),
            cv2.FONT_HERSHEY_SIMPLEX, letters_mm * scale / 26.0, 0,
            max(1, round(dpi / 150)), cv2.LINE_AA,
        )  # fmt: skip
    return picture


def as_png(sheet: Sheet, dpi: int = DPI) -> bytes:
    """A sheet as a PNG that says how fine it is."""
    import cv2

    _, coded = cv2.imencode(".png", as_picture(sheet, dpi))
    content = coded.tobytes()
    per_metre = round(dpi / 0.0254)
    body = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    chunk = struct.pack(">I", 9) + body + struct.pack(">I", zlib.crc32(body))
    header = 8 + 25  # the signature and the first chunk, after which others may stand
    return content[:header] + chunk + content[header:]


def _drawing(sheet: Sheet) -> str:
    k, height = _POINTS_A_MM, sheet.height_mm
    lines = ["0 g"]
    lines += [
        f"{x * k:.4f} {(height - y - h) * k:.4f} {w * k:.4f} {h * k:.4f} re"
        for x, y, w, h in sheet.boxes
    ]
    lines += ["f", "0.7 G 0.3 w"] if sheet.boxes else ["0.7 G 0.3 w"]
    lines += [
        f"{x * k:.4f} {(height - y - h) * k:.4f} {w * k:.4f} {h * k:.4f} re S"
        for x, y, w, h in sheet.hairlines
    ]
    for x, y, letters_mm, text in sheet.texts:
        size = letters_mm * k / 0.72  # Helvetica's capitals are 0.72 of its size
        place = f"{x * k:.3f} {(height - y) * k:.3f} Td"
        lines.append(f"BT /F1 {size:.2f} Tf {place} ({_escaped(text)}) Tj ET")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


__all__ = ["A4_MM", "DPI", "MARGIN_MM", "PAPERS_MM", "Sheet", "as_pdf", "as_picture", "as_png"]
