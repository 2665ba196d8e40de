"""Opens a file of any kind that authors hand in, and says in a sentence why one is no sheet."""

from __future__ import annotations

import os
from pathlib import Path

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._csv import read_csv
from sera.behaviour.library._ods import read_ods
from sera.behaviour.library._package import Package, protected
from sera.behaviour.library._sheet import Limits, Sheet, unreadable
from sera.behaviour.library._xlsx import read_xlsx

_TEXT_FILES = {".csv", ".tsv", ".txt", ".tab"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SAVE_AS = "save the sheet as .xlsx"
_STRANGERS: dict[bytes, str] = {
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"RIFF": "a picture or a sound",
    b"BM": "a picture",
    b"%PDF": "a PDF document",
    b"ID3": "a sound",
    b"{\\rtf": "a text document",
}


def open_sheets(path: Path, limits: Limits) -> tuple[list[Sheet], list[Finding]]:
    """The sheets of a file, with what is doubtful about the file.

    Raises:
        Unreadable: with the finding, where there are none.
    """
    content = _content(path, limits)
    start = content[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if content.startswith(b"PK"):
        return _zipped(content, limits)
    if content.startswith(_OLE):
        raise _ole(content)
    for magic, what in _STRANGERS.items():
        # Two letters are no proof: a sheet of text may begin with them.
        is_text = magic == b"BM" and b"\0" not in content[:512]
        if content.startswith(magic) and not is_text:
            raise unreadable("not-a-sheet", f"this is {what}, not a sheet", _SAVE_AS)
    if start.startswith((b"<!doctype html", b"<html")):
        raise unreadable(
            "not-a-sheet",
            "this is a web page, not a sheet",
            "in Google Sheets take File, Download, Microsoft Excel (.xlsx)",
        )
    if path.suffix.lower() not in _TEXT_FILES:
        raise _not_what_it_says(path, start)
    sheet, findings = read_csv(content, path.stem, limits)
    return [sheet], findings


def _content(path: Path, limits: Limits) -> bytes:
    if path.name.startswith(("~$", ".~lock.")):
        raise unreadable(
            "lock-file",
            "this is the mark that a spreadsheet program leaves beside an open file",
            f"read {path.name.removeprefix('~$').removeprefix('.~lock.').rstrip('#')} instead",
        )
    try:
        if path.is_dir():
            raise unreadable(
                "is-a-folder", "this is a folder, not a sheet", "name the file inside it"
            )
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limits.file_bytes:
                raise unreadable(
                    "file-too-large",
                    f"the file has {size / 1e6:.0f} MB, and at most "
                    f"{limits.file_bytes / 1e6:.0f} MB are read",
                    "take pictures and other sheets out, or split the library into several files",
                )
            content = stream.read(limits.file_bytes + 1)
    except FileNotFoundError:
        raise unreadable("no-file", "there is no such file", "check the name") from None
    except PermissionError:
        raise unreadable(
            "file-locked",
            "the file may not be read; another program may hold it",
            "close it there, or save a copy",
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise unreadable(
            "file-unreadable", f"it cannot be read: {reason}", "check the file"
        ) from None
    if not content.strip():
        raise unreadable("file-empty", "the file is empty", "save it again, or take a copy")
    return content


def _zipped(content: bytes, limits: Limits) -> tuple[list[Sheet], list[Finding]]:
    package = Package(content, limits)
    names = package.names
    findings = []
    if any(
        n.endswith("vbaProject.bin") or n.startswith(("xl/macrosheets/", "Basic/")) for n in names
    ):
        findings.append(
            Finding(
                code="macros-ignored",
                message="the workbook has macros, which are never run",
                fix="save it without macros as .xlsx",
                severity=Severity.WARNING,
            )
        )
    if "xl/workbook.bin" in names:
        raise unreadable("not-a-sheet", "this is a binary workbook (.xlsb)", _SAVE_AS)
    if "content.xml" in names:
        return read_ods(package), findings
    if "xl/workbook.xml" in names or "_rels/.rels" in names:
        if any(name.startswith(("word/", "ppt/")) for name in names):
            raise unreadable("not-a-sheet", "this is a document or a presentation", _SAVE_AS)
        return read_xlsx(package), findings
    raise unreadable("not-a-sheet", "this is a zip file without a workbook", _SAVE_AS)


def _ole(content: bytes) -> Exception:
    if "EncryptedPackage".encode("utf-16-le") in content:
        return protected()
    if any(name.encode("utf-16-le") in content for name in ("Workbook", "Book")):
        return unreadable("not-a-sheet", "this is a workbook of before 2007 (.xls)", _SAVE_AS)
    return unreadable("not-a-sheet", "this is a document of before 2007", _SAVE_AS)


def _not_what_it_says(path: Path, start: bytes) -> Exception:
    if start.startswith(b"{") and b"http" in start:
        return unreadable(
            "not-a-sheet",
            "this is a link to an online sheet, not the sheet",
            "open it in the browser and take File, Download, Microsoft Excel (.xlsx)",
        )
    return unreadable(
        "not-a-sheet",
        f"the name ends in '{path.suffix}', but this is no workbook",
        f"{_SAVE_AS}; a text file needs a name that ends in .csv",
    )
