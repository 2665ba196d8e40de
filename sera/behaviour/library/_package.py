"""A zip package (.xlsx, .ods) opened with care: its parts by name, together within the limit.

XML is parsed in pieces by expat, without external entities and without any DTD, so that neither a
zip bomb nor an entity bomb is ever unfolded.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any
from xml.parsers import expat

from sera.behaviour.library._sheet import Limits, unreadable

_PIECE_BYTES = 1 << 16
_DAMAGED = "open it in the spreadsheet program and save it again, or take the last good copy"
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError),
    ValueError,  # a place before the beginning of the file
)
"""What zipfile raises, depending on where the damage is."""


class Package:
    """The parts of a zipped workbook.

    Args:
        content: the file.
        limits: of its parts.

    Raises:
        Unreadable: it is no zip file, or cut off.
    """

    def __init__(self, content: bytes, limits: Limits) -> None:
        self.limits = limits
        self._unpacked_bytes = 0
        try:
            self._zip = zipfile.ZipFile(BytesIO(content))
            self.names = frozenset(self._zip.namelist())
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise unreadable(
                "file-damaged",
                "the workbook is damaged or was cut off while it was copied",
                _DAMAGED,
            ) from None

    def parse(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], Any],
        end: Callable[[str], Any] | None = None,
        text: Callable[[str], Any] | None = None,
    ) -> None:
        """Feed one part to the handlers, piece by piece; what they raise ends the reading.

        Raises:
            Unreadable: the part is missing, damaged, protected or too large.
        """
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = _refuse_doctype
        try:
            for piece in self._pieces(part):
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            message = f"the part {part} is damaged in line {error.lineno}"
            raise unreadable("file-damaged", message, _DAMAGED) from None

    def _pieces(self, part: str) -> Iterator[bytes]:
        info = self._info(part)
        try:
            with self._zip.open(info) as stream:
                while piece := stream.read(_PIECE_BYTES):
                    yield piece
        except _DAMAGES:
            raise unreadable("file-damaged", f"the part {part} is damaged", _DAMAGED) from None

    def _info(self, part: str) -> zipfile.ZipInfo:
        if part not in self.names:
            raise unreadable("file-damaged", f"the part {part} is missing", _DAMAGED)
        info = self._zip.getinfo(part)
        if info.flag_bits & 1:
            raise protected()
        self._unpacked_bytes += info.file_size
        if self._unpacked_bytes > self.limits.unpacked_bytes:
            raise unreadable(
                "file-too-large",
                f"with {part} it would unfold to {self._unpacked_bytes / 1e6:.0f} MB, and at most "
                f"{self.limits.unpacked_bytes / 1e6:.0f} MB are read",
                "copy the lines alone into a new workbook",
            )
        return info


def protected() -> Exception:
    """The finding for a file behind a password."""
    return unreadable(
        "password-protected",
        "the file is protected with a password",
        "save a copy without a password",
    )


def local_name(name: str) -> str:
    """An element's or attribute's name without its prefix."""
    return name.rpartition(":")[2]


def _refuse_doctype(*_: Any) -> None:
    raise unreadable(
        "file-damaged",
        "the workbook contains a document type, which no spreadsheet program writes",
        "do not open files of unknown origin",
    )
